"""Newton's method and sweeps for the few groups of most steps, in one call."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.norm_kernels import compute_rho
from supple.mechanics.solution import BEGUN, ITERATIONS
from supple_solve_newton.quick_set_kernels import solve_set
from supple_solve_newton.start_kernels import choose_tolerance, copy_impulses, start_quickly
from supple_solve_newton.watchdog_kernels import (
    BEST_RESIDUAL,
    EDGE,
    EFFORT,
    FLOOR,
    MAX_EFFORT,
    MAX_STEPS,
    NEAR_EDGE,
    NEAR_FLOOR,
    NEAR_REFINEMENTS,
    REFINEMENTS,
    STEPS,
    TOLERANCE,
    WAITED,
    improve_small,
)

LOW_FLOOR = 1e-6


@njit
def step_from(rows, blocks, near, start, part, tolerance, floor, refinements, edge, steps, outcome_out):
    """Newton's method from `part` times the impulses `start`; returns whether it found the solution, now the outcome.

    If not, the impulses of the outcome stay as they are.
    """
    count, search = rows.counts[0], near.search
    figures, counters = search.figures, search.counters
    for i in range(count):
        for row in range(3):
            search.now_impulse[i, row] = part * start[i, row]
    figures[TOLERANCE], figures[FLOOR], figures[EDGE] = tolerance, floor, edge
    figures[EFFORT], figures[MAX_EFFORT] = 0.0, math.inf
    counters[STEPS], counters[MAX_STEPS], counters[WAITED], counters[REFINEMENTS] = 0, steps, 0, refinements
    improve_small(rows, blocks, near.rho, near.linear, near.scratch, search)
    outcome_out.counters[ITERATIONS] += counters[STEPS]
    if not figures[BEST_RESIDUAL] <= tolerance:
        return False
    copy_impulses(count, search.best_impulse, outcome_out.impulse)
    return True


@njit
def step_from_anywhere(rows, blocks, near, warm, tolerance, outcome_out):
    """Newton's method from where sweeps came to; then from nothing, from the sweeps with a lower floor, from `warm`.

    One that leads to the solution rarely takes more than these steps. Where contacts that hold each other up have no
    impulses of their own, the old ones may lie where no few steps lead out of: then nothing is the best start. Returns
    whether one of them found it.
    """
    compute_rho(rows, blocks, near.rho)
    came_to = outcome_out.impulse
    return (
        step_from(rows, blocks, near, came_to, 1.0, tolerance, NEAR_FLOOR, 0, math.inf, 5, outcome_out)
        or step_from(
            rows,
            blocks,
            near,
            came_to,
            0.0,
            tolerance,
            NEAR_FLOOR,
            NEAR_REFINEMENTS,
            math.inf,
            12,
            outcome_out,
        )
        or step_from(
            rows, blocks, near, came_to, 1.0, tolerance, LOW_FLOOR, NEAR_REFINEMENTS, math.inf, 8, outcome_out
        )
        or step_from(
            rows, blocks, near, warm, 1.0, tolerance, NEAR_FLOOR, NEAR_REFINEMENTS, NEAR_EDGE, 12, outcome_out
        )
    )


@njit
def solve_quickly(rows, origin, blocks, struck, held, warm, limits, near, sweeping, part, outcome_out):
    """What `Newton.solve` does up to its search, and quick tries of that, for few groups; for more, working sets.

    Returns whether Python is to go on.
    """
    count, counters, figures = rows.counts[0], outcome_out.counters, outcome_out.figures
    if count == 0:
        return False
    waits = struck[0] != 0
    for k in range(held.shape[0]):
        waits |= held[k] != 0
    if waits:
        return True
    tolerance = choose_tolerance(rows, limits.tolerance, limits.relative)
    if count >= limits.groups:
        return not solve_set(rows, origin, blocks, warm, tolerance, limits, near, sweeping, part, outcome_out)
    counters[BEGUN] = 1
    figures[1] = tolerance
    residual = start_quickly(rows, blocks, warm, tolerance, limits, near, sweeping, outcome_out)
    if residual <= tolerance:
        return False
    figures[0] = residual
    # One that is no number is for Python to refuse.
    return not residual < math.inf or not step_from_anywhere(rows, blocks, near, warm, tolerance, outcome_out)
