"""Damped Newton steps: the floor rises and falls, so that steps stay as short as the kinks of the laws ask for.

Full steps of `watchdog_kernels` end where contacts flip between open, stuck and slipping for ever, as in walls and
towers with far more contacts than freedoms. A higher floor shortens steps most where W says little, which is where
they are too long; README eq. (3). A step counts as good when the merit is below the greatest of the last MEMORY good
ones: all along the way to a solution merits rise for a while.

A search is kept as there, with a third point: `Trial` (`search_state`). Its `merits` [MEMORY] are the last ones.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_solve_newton.merit_kernels import try_step
from supple_solve_newton.small_step_kernels import SINGULAR, find_small_step
from supple_solve_newton.watchdog_kernels import (
    BEST_MERIT,
    BEST_RESIDUAL,
    DENSE_EFFORT,
    EFFORT,
    FLOOR,
    NOW_MERIT,
    NOW_RESIDUAL,
    ROW_EFFORT,
    STEPS,
    TOLERANCE,
    WAITED,
    begin_search,
    is_over,
)

MEMORY = 30
FIRST_FLOOR = 0.1
LEAST_FLOOR = 1e-10
GREATEST_FLOOR = 1e3  # steps as short as this lead nowhere
LOWER, HIGHER = 0.5, 3.0  # factors of the floor after a full step that was good, and after a bad one
DECREASE = 0.01  # of the merit, per full step
SHORTEST = 0.25  # fraction of a step that is tried


@njit
def is_damped_out(figures, counters):
    """Whether the search is over, or its steps have become too short."""
    return is_over(figures, counters) or figures[FLOOR] > GREATEST_FLOOR


@njit
def take_damped_step(rows, blocks, rho, step, search, trial):
    """Take the step from now or a part of it if that is good, and keep the best residual; then change the floor.

    counters[WAITED] counts the good steps.
    """
    figures, counters = search.figures, search.counters
    now_impulse, now_velocity = search.now_impulse, search.now_velocity
    reference = 0.0
    for k in range(MEMORY):
        reference = max(reference, trial.merits[k])
    fraction = 1.0
    while fraction >= SHORTEST:
        residual, merit = try_step(
            rows, blocks, rho, now_impulse, step, fraction, trial.impulse, trial.velocity
        )
        if merit < (1.0 - DECREASE * fraction) * reference or residual <= figures[TOLERANCE]:
            break
        fraction *= 0.5
    if fraction < SHORTEST:
        figures[FLOOR] *= HIGHER
        return
    if fraction == 1.0:
        figures[FLOOR] = max(LOWER * figures[FLOOR], LEAST_FLOOR)
    counters[WAITED] += 1
    trial.merits[counters[WAITED] % MEMORY] = merit
    figures[NOW_RESIDUAL], figures[NOW_MERIT] = residual, merit
    better = residual < figures[BEST_RESIDUAL]
    if better:
        figures[BEST_RESIDUAL], figures[BEST_MERIT] = residual, merit
    for i in range(rows.counts[0]):
        for k in range(3):
            now_impulse[i, k] = trial.impulse[i, k]
            now_velocity[i, k] = trial.velocity[i, k]
            if better:
                search.best_impulse[i, k] = trial.impulse[i, k]
                search.best_velocity[i, k] = trial.velocity[i, k]


@njit
def begin_damped(rows, blocks, rho, search, trial):
    """Measure the point that the search begins with."""
    begin_search(rows, blocks, rho, search)
    search.figures[FLOOR] = FIRST_FLOOR
    for k in range(MEMORY):
        trial.merits[k] = 0.0
    trial.merits[0] = search.figures[NOW_MERIT]


@njit
def step_damped(rows, blocks, rho, linear, scratch, search, trial):
    """Damped steps as long as the linear systems are small; False if one was not."""
    figures, counters = search.figures, search.counters
    while not is_damped_out(figures, counters):
        size = find_small_step(
            rows, blocks, rho, figures[FLOOR], 0, math.inf, search.now_impulse, search.now_velocity, linear, scratch
        )  # fmt: skip
        if size > scratch.matrix.shape[0]:
            return False
        counters[STEPS] += 1
        if size == SINGULAR:
            figures[FLOOR] *= HIGHER
            continue
        figures[EFFORT] += DENSE_EFFORT * size * size * size + ROW_EFFORT * size
        take_damped_step(rows, blocks, rho, scratch.step, search, trial)
    return True
