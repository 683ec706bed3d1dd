"""Newton's method and sweeps for the few groups of most steps, in one call."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.norm_kernels import compute_rho
from supple.mechanics.rows import BILATERAL
from supple.mechanics.solution import BEGUN, ITERATIONS
from supple.mechanics.sweep_kernels import solve_groups
from supple_solve_newton.damped_kernels import begin_damped, step_damped
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
    improve_near,
    improve_small,
)

# Full steps from where sweeps came to, and damped steps after them from each start.
FULL_STEPS, DAMPED_STEPS = 8, 80


@njit
def choose_tolerance(rows, tolerance, relative):
    """Every group within this [m/s] is enough for both tolerances of the settings."""
    count = rows.counts[0]
    if relative > 0.0 and count > 0:
        total = 0.0
        for i in range(count):
            for row in range(3):
                total += rows.free[i, row] ** 2
        tolerance = max(tolerance, relative * math.sqrt(total) / math.sqrt(count))
    return tolerance


@njit
def choose_few_active(rows, few, looped):
    """Groups at work up to which Newton's steps come before sweeps: more where joints and contacts close loops."""
    joints, contacts = 0, 0
    for i in range(rows.counts[0]):
        if rows.law[i] == BILATERAL:
            joints += 1
        elif rows.size[i] == 3:
            contacts += 1
    return looped if joints > 1 and contacts > 1 else few


@njit
def copy_impulses(count, impulse, impulse_out):
    """The first `count` of them, [count, 3] N s."""
    for i in range(count):
        for row in range(3):
            impulse_out[i, row] = impulse[i, row]


@njit
def start_near(rows, blocks, near, warm, tolerance, few_active, limits, outcome_out):
    """`improve_near`: whether it is near, and the best residual; within the tolerance its impulses are the outcome."""
    is_near = improve_near(
        rows, blocks, near.rho, near.linear, near.scratch, near.search, warm, tolerance, few_active,
        limits.max_steps,
    )  # fmt: skip
    outcome_out.counters[ITERATIONS] += near.search.counters[STEPS]
    residual = near.search.figures[BEST_RESIDUAL]
    if residual <= tolerance:
        copy_impulses(rows.counts[0], near.search.best_impulse, outcome_out.impulse)
    return is_near, residual


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
def solve_quickly(rows, blocks, struck, held, warm, limits, near, sweeping, outcome_out):
    """What `Newton.solve` does up to its search, and quick tries of that, for few groups.

    Returns whether Python is to go on.
    """
    count, counters, figures = rows.counts[0], outcome_out.counters, outcome_out.figures
    if count == 0:
        return False
    waits = struck[0] != 0 or count >= limits.groups
    for k in range(held.shape[0]):
        waits |= held[k] != 0
    if waits:
        return True
    counters[BEGUN] = 1
    tolerance = choose_tolerance(rows, limits.tolerance, limits.relative)
    figures[1] = tolerance
    few = choose_few_active(rows, limits.few_active, limits.looped_active)
    is_near, best = start_near(rows, blocks, near, warm, tolerance, few, limits, outcome_out)
    if best <= tolerance:
        return False
    if count >= limits.direct:
        counters[BEGUN] = counters[ITERATIONS] = 0
        return True
    copy_impulses(count, warm, outcome_out.impulse)
    sweeps, residual = solve_groups(
        rows, blocks, sweeping.scratch, sweeping.history, outcome_out.impulse, tolerance, limits.sweeps,
        0 if is_near else limits.some_active,
    )  # fmt: skip
    counters[ITERATIONS] += sweeps
    if residual > tolerance and sweeps < limits.sweeps:
        is_near, best = start_near(
            rows, blocks, near, warm, tolerance, limits.some_active, limits, outcome_out
        )
        if is_near and best <= tolerance:
            return False
    figures[0] = residual
    if residual <= tolerance:
        return False
    # One that is no number is for Python to refuse.
    return not residual < math.inf or not step_from_anywhere(rows, blocks, near, warm, tolerance, outcome_out)
