"""Newton's method and sweeps for the few groups of most steps, in one call."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.norm_kernels import compute_rho
from supple.mechanics.solution import BEGUN, ITERATIONS
from supple_solve_newton.damped_kernels import begin_damped, step_damped
from supple_solve_newton.quick_set_kernels import solve_set
from supple_solve_newton.start_kernels import (
    choose_few_active,
    choose_tolerance,
    copy_impulses,
    start_near,
    start_quickly,
)
from supple_solve_newton.watchdog_kernels import (
    BEST_RESIDUAL,
    EDGE,
    EFFORT,
    FLOOR,
    MAX_EFFORT,
    MAX_STEPS,
    NEAR_FLOOR,
    REFINEMENTS,
    STEPS,
    TOLERANCE,
    WAITED,
    improve_small,
)

# Full steps from where sweeps came to, and damped steps after them from each start.
FULL_STEPS, DAMPED_STEPS = 8, 80


@njit
def begin_from(count, start, part, tolerance, steps, search):
    """Let a search begin at `part` times the impulses `start`, with at most so many steps."""
    figures, counters = search.figures, search.counters
    for i in range(count):
        for row in range(3):
            search.now_impulse[i, row] = part * start[i, row]
    figures[TOLERANCE], figures[EDGE] = tolerance, math.inf
    figures[EFFORT], figures[MAX_EFFORT] = 0.0, math.inf
    counters[STEPS], counters[MAX_STEPS], counters[WAITED], counters[REFINEMENTS] = 0, steps, 0, 0


@njit
def take_found(count, search, tolerance, outcome_out):
    """Whether a search found the solution, which then is the outcome; else the impulses of that stay as they are."""
    outcome_out.counters[ITERATIONS] += search.counters[STEPS]
    if not search.figures[BEST_RESIDUAL] <= tolerance:
        return False
    copy_impulses(count, search.best_impulse, outcome_out.impulse)
    return True


@njit
def step_from(rows, blocks, near, start, tolerance, steps, outcome_out):
    """Newton's full steps from the impulses `start`; see `take_found`."""
    search = near.search
    begin_from(rows.counts[0], start, 1.0, tolerance, steps, search)
    search.figures[FLOOR] = NEAR_FLOOR
    improve_small(rows, blocks, near.rho, near.linear, near.scratch, search)
    return take_found(rows.counts[0], search, tolerance, outcome_out)


@njit
def damp_from(rows, blocks, near, start, part, tolerance, outcome_out):
    """Damped steps from `part` times the impulses `start`; see `take_found`."""
    begin_from(rows.counts[0], start, part, tolerance, DAMPED_STEPS, near.search)
    begin_damped(rows, blocks, near.rho, near.search, near.trial)
    step_damped(rows, blocks, near.rho, near.linear, near.scratch, near.search, near.trial)
    return take_found(rows.counts[0], near.search, tolerance, outcome_out)


@njit
def step_from_anywhere(rows, blocks, near, warm, tolerance, outcome_out):
    """Newton's method from where sweeps came to; damped steps from `warm` and from nothing.

    Full steps that lead to the solution rarely are more than these. Where contacts hold each other up, the old impulses
    may lie where no steps lead out of: then nothing is the best start. Returns whether one of them found it.
    """
    compute_rho(rows, blocks, near.rho)
    return (
        step_from(rows, blocks, near, outcome_out.impulse, tolerance, FULL_STEPS, outcome_out)
        or damp_from(rows, blocks, near, warm, 1.0, tolerance, outcome_out)
        or damp_from(rows, blocks, near, warm, 0.0, tolerance, outcome_out)
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
    if count >= limits.direct:
        few = choose_few_active(rows, limits.few_active, limits.looped_active)
        _, best = start_near(rows, blocks, near, warm, tolerance, few, limits, outcome_out)
        if not best <= tolerance:
            counters[BEGUN] = counters[ITERATIONS] = 0
        return not best <= tolerance
    residual = start_quickly(rows, blocks, warm, tolerance, limits, near, sweeping, outcome_out)
    if residual <= tolerance:
        return False
    figures[0] = residual
    # One that is no number is for Python to refuse.
    return not residual < math.inf or not step_from_anywhere(rows, blocks, near, warm, tolerance, outcome_out)
