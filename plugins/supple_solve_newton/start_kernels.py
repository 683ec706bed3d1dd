"""What every solve of a few groups begins with: Newton's method from the impulses of the last step, and sweeps."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.rows import BILATERAL
from supple.mechanics.solution import ITERATIONS
from supple.mechanics.sweep_kernels import solve_groups
from supple_solve_newton.watchdog_kernels import BEST_RESIDUAL, STEPS, improve_near


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
def start_quickly(rows, blocks, warm, tolerance, limits, near, sweeping, outcome_out):
    """Newton's method if `warm` is near, sweeps, and Newton's method again; returns the residual [m/s].

    The impulses are the outcome: where the residual is above the tolerance, those that sweeps came to.
    """
    few = choose_few_active(rows, limits.few_active, limits.looped_active)
    is_near, best = start_near(rows, blocks, near, warm, tolerance, few, limits, outcome_out)
    if best <= tolerance:
        return best
    copy_impulses(rows.counts[0], warm, outcome_out.impulse)
    sweeps, residual = solve_groups(
        rows, blocks, sweeping.scratch, sweeping.history, outcome_out.impulse, tolerance, limits.sweeps,
        0 if is_near else limits.some_active,
    )  # fmt: skip
    outcome_out.counters[ITERATIONS] += sweeps
    if residual > tolerance and sweeps < limits.sweeps:
        is_near, best = start_near(
            rows, blocks, near, warm, tolerance, limits.some_active, limits, outcome_out
        )
        if is_near and best <= tolerance:
            return best
    return residual
