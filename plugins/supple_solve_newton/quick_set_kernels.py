"""Working sets without Python, as long as quick starts solve the problems of all of them; see `working_set`."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.problem_kernels import cut_blocks, cut_groups
from supple.mechanics.solution import ITERATIONS
from supple_solve_newton.start_kernels import copy_impulses, start_quickly
from supple_solve_newton.working_set_kernels import (
    ADMITTED,
    DROPPING_ROUNDS,
    GREATEST_SHARE,
    MAX_ROUNDS,
    admit_worst,
    choose_first_groups,
    drop_open_groups,
    fills_a_set,
    find_velocities,
    is_worth_it,
    list_chosen,
)


@njit
def solve_part(rows, origin, blocks, size, tolerance, limits, near, sweeping, part, impulse_inout):
    """Solve the problem of the chosen groups alone, from their impulses; whether that was quick.

    impulse_inout [n, 3] are the impulses of all groups: those of the others become zero.
    """
    part.rows.counts[0], outcome = size, part.outcome
    if size > 0:
        cut_groups(part.group, rows, origin, part.place, part.rows, part.origin)
        cut_blocks(part.group, size, part.place, blocks, part.blocks)
        for k in range(size):
            for row in range(3):
                part.warm[k, row] = impulse_inout[part.group[k], row]
        residual = start_quickly(
            part.rows, part.blocks, part.warm, tolerance, limits, near, sweeping, outcome
        )
        if not residual <= tolerance:
            return False
    for i in range(rows.counts[0]):
        for row in range(3):
            impulse_inout[i, row] = 0.0
    for k in range(size):
        for row in range(3):
            impulse_inout[part.group[k], row] = outcome.impulse[k, row]
    return True


@njit
def solve_set(rows, origin, blocks, warm, tolerance, limits, near, sweeping, part, outcome_out):
    """What `WorkingSet.solve` does, for sets of few groups; returns whether that solved it.

    If not, nothing is known: Python begins anew.
    """
    count, impulse, counters = rows.counts[0], outcome_out.impulse, part.outcome.counters
    if limits.set_groups == 0 or not is_worth_it(rows, blocks.indptr[count]) or fills_a_set(count, warm):
        return False
    copy_impulses(count, warm, impulse)
    choose_first_groups(rows, impulse, part.chosen)
    counters[ITERATIONS] = 0
    for number in range(MAX_ROUNDS):
        size = list_chosen(count, part.chosen, part.group)
        if size > GREATEST_SHARE * count or size > limits.set_groups:
            return False
        if not solve_part(rows, origin, blocks, size, tolerance, limits, near, sweeping, part, impulse):
            return False
        find_velocities(rows, blocks, part.group, size, impulse, part.velocity)
        if number < DROPPING_ROUNDS:
            drop_open_groups(rows, impulse, part.chosen)
        admitted, _ = admit_worst(
            rows, blocks, part.velocity, tolerance, ADMITTED, part.violation, part.chosen
        )
        if admitted == 0:
            outcome_out.counters[ITERATIONS] = counters[ITERATIONS]
            return True
    return False
