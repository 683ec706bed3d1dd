"""Kernels of the working set: which groups are in it."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.residual_kernels import evaluate_coulomb_group
from supple.mechanics.rows import COULOMB, UNILATERAL
from supple.mechanics.sweep_kernels import count_active

# From here on, forty contacts, and where at least half of all pairs are coupled, a set is worth its trouble.
FEWEST_ROWS, COUPLED_SHARE = 120, 0.5
ADMITTED = 8  # per round; all violators at once would be far too many
MAX_ROUNDS = 60
DROPPING_ROUNDS = 30  # afterwards the set only grows, so that it cannot go round in circles
GREATEST_SHARE = 0.7  # of all groups; with more in the set it has no advantage


@njit
def is_worth_it(rows, block_count):
    """Whether the problem is large, and most groups are coupled: then W has few ranks and few groups carry force."""
    count, all_rows = rows.counts[0], 0
    if 3 * count < FEWEST_ROWS or block_count < COUPLED_SHARE * count * count:
        return False
    for i in range(count):
        all_rows += rows.size[i]
    return all_rows >= FEWEST_ROWS


@njit
def fills_a_set(count, impulse):
    """Whether so many groups carry force that a set of them has no advantage."""
    return count_active(count, impulse) > GREATEST_SHARE * count


@njit
def choose_first_groups(rows, impulse, chosen_out):
    """chosen_out[i] = 1 for groups that have an impulse, and for those that are no contact or limit."""
    law = rows.law
    for i in range(rows.counts[0]):
        one_sided = law[i] == COULOMB or law[i] == UNILATERAL
        chosen_out[i] = not one_sided or impulse[i, 0] != 0.0


@njit
def drop_open_groups(rows, impulse, chosen_out):
    """Forget contacts and limits that turned out to carry nothing."""
    law = rows.law
    for i in range(rows.counts[0]):
        if (law[i] == COULOMB or law[i] == UNILATERAL) and impulse[i, 0] == 0.0:
            chosen_out[i] = 0


@njit
def list_chosen(count, chosen, group_out):
    """The chosen groups in rising order; returns how many there are."""
    found = 0
    for i in range(count):
        if chosen[i] != 0:
            group_out[found] = i
            found += 1
    return found


@njit
def find_velocities(rows, blocks, group, chosen_count, impulse, velocity_out):
    """velocity_out = W impulse + E impulse + free, where only the chosen groups have an impulse."""
    compliance, free = rows.compliance, rows.free
    indptr, indices, values = blocks.indptr, blocks.indices, blocks.values
    for i in range(rows.counts[0]):
        for a in range(3):
            velocity_out[i, a] = free[i, a]
    for k in range(chosen_count):
        i = group[k]
        r0, r1, r2 = impulse[i, 0], impulse[i, 1], impulse[i, 2]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        velocity_out[i, 0] += compliance[i, 0] * r0
        velocity_out[i, 1] += compliance[i, 1] * r1
        velocity_out[i, 2] += compliance[i, 2] * r2
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            velocity_out[j, 0] += values[p, 0, 0] * r0 + values[p, 1, 0] * r1 + values[p, 2, 0] * r2
            velocity_out[j, 1] += values[p, 0, 1] * r0 + values[p, 1, 1] * r1 + values[p, 2, 1] * r2
            velocity_out[j, 2] += values[p, 0, 2] * r0 + values[p, 1, 2] * r1 + values[p, 2, 2] * r2


@njit
def measure_violation(rows, blocks, velocity, i):
    """|F| [m/s] of the natural map of an open contact or limit without impulse."""
    law, friction, scale, compliance, values = (
        rows.law,
        rows.friction,
        rows.scale,
        rows.compliance,
        blocks.values,
    )
    p = blocks.diagonal[i]
    trace = values[p, 0, 0] + compliance[i, 0]
    if law[i] == COULOMB:
        trace += values[p, 1, 1] + values[p, 2, 2] + compliance[i, 1] + compliance[i, 2]
    if trace == 0.0 or velocity[i, 0] >= 0.0:
        return 0.0
    if law[i] == UNILATERAL:
        return -velocity[i, 0]
    return evaluate_coulomb_group(
        friction[i], scale[i, 1], scale[i, 2], 3.0 / trace, 0.0, 0.0, 0.0,
        velocity[i, 0], velocity[i, 1], velocity[i, 2],
    )  # fmt: skip


@njit
def admit_worst(rows, blocks, velocity, tolerance, most, size_out, chosen_out):
    """Choose up to `most` of the groups outside that violate their law most: (how many, worst |F| [m/s])."""
    count = rows.counts[0]
    worst = 0.0
    for i in range(count):
        size_out[i] = 0.0
        if chosen_out[i] == 0:
            size_out[i] = measure_violation(rows, blocks, velocity, i)
            worst = max(worst, size_out[i])
    admitted = 0
    while admitted < most:
        best, greatest = -1, tolerance
        for i in range(count):
            if chosen_out[i] == 0 and size_out[i] > greatest:
                best, greatest = i, size_out[i]
        if best < 0:
            break
        chosen_out[best] = 1
        admitted += 1
    return admitted, worst
