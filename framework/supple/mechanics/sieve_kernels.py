"""Kernels of steps in which few of many contacts bear; see `sieve`."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.residual_kernels import evaluate_coulomb_group
from supple.mechanics.rows import COULOMB, UNILATERAL

MANY_GROUPS = 200
"""From here on W is left open, where at least half of all pairs of groups are coupled."""
COUPLED_SHARE = 0.5


@njit
def add_pairs(counts, jacobian, count_out, last_out, pairs_inout):
    """Add how many pairs of groups the units of one mechanism couple, where there are many groups.

    count_out and last_out are scratch, one entry for each unit.
    """
    if counts[0] < MANY_GROUPS:
        return
    for unit in range(count_out.shape[0]):
        count_out[unit], last_out[unit] = 0, -1
    for k in range(jacobian.counts[0]):
        unit, group = jacobian.unit[k], jacobian.group[k]
        if last_out[unit] != group:
            count_out[unit] += 1
            last_out[unit] = group
    for unit in range(count_out.shape[0]):
        pairs_inout[0] += float(count_out[unit]) ** 2


@njit
def choose_open(counts, pairs_inout, open_out):
    """Whether W is left open in this step; forgets the pairs."""
    count = counts[0]
    open_out[0] = count >= MANY_GROUPS and pairs_inout[0] >= COUPLED_SHARE * float(count) ** 2
    pairs_inout[0] = 0.0


@njit
def hide(is_open, kept_out, counts_inout):
    """Where W is left open, whoever makes it sees nothing: counts_inout[0] = 0."""
    if is_open[0] != 0:
        kept_out[0] = counts_inout[0]
        counts_inout[0] = 0


@njit
def show(is_open, kept, counts_out):
    """What `hide` hid is there again."""
    if is_open[0] != 0:
        counts_out[0] = kept[0]


@njit
def note_open(is_open, planned_out):
    """The last of planned_out says whether W is open: then no kernel begins to solve."""
    planned_out[planned_out.shape[0] - 1] = is_open[0]


@njit
def keep_blocks(jacobian, kept_out):
    """kept_out = the blocks in use."""
    kept_out.counts[0] = jacobian.counts[0]
    copy_blocks(jacobian, jacobian.counts[0], kept_out)


@njit
def copy_blocks(source, count, target_out):
    """The first `count` blocks; target_out.counts stays."""
    for k in range(count):
        copy_block(source, k, source.group[k], k, target_out)


@njit
def copy_block(source, k, group, place, target_out):
    """Block k of the source becomes that of `group` at a place of the target."""
    target_out.group[place], target_out.unit[place] = group, source.unit[k]
    target_out.dof[place] = source.dof[k]
    for row in range(3):
        for c in range(source.values.shape[2]):
            target_out.values[place, row, c] = source.values[k, row, c]


@njit
def take_blocks(kept, place, jacobian_out):
    """Of the blocks kept only those of chosen groups, which are at place[group]; -1 for others."""
    found = 0
    for k in range(kept.counts[0]):
        group = place[kept.group[k]]
        if group >= 0:
            copy_block(kept, k, group, found, jacobian_out)
            found += 1
    jacobian_out.counts[0] = found


@njit
def measure_outside(rows, velocity, chosen, idle, size_out):
    """size_out[i] = |F| [m/s] of groups that are not chosen and have no impulse; 0 for all others.

    Without an impulse the natural map does not depend on the weight of the group. Idle groups move nothing.
    """
    law = rows.law
    for i in range(rows.counts[0]):
        size_out[i] = 0.0
        if chosen[i] or idle[i] or not velocity[i, 0] < 0.0:
            continue
        if law[i] == UNILATERAL:
            size_out[i] = -velocity[i, 0]
        elif law[i] == COULOMB:
            size_out[i] = evaluate_coulomb_group(
                rows.friction[i], rows.scale[i, 1], rows.scale[i, 2], 1.0, 0.0, 0.0, 0.0,
                velocity[i, 0], velocity[i, 1], velocity[i, 2],
            )  # fmt: skip


@njit
def stand_alone(is_open, impulse, velocity, own, blocks_out, sizes_out, rows_out):
    """Where W was left open: W of single groups, `own` [groups, 3, 3], and what is free such that u = velocity."""
    if is_open[0] == 0:
        return
    count, compliance, free = rows_out.counts[0], rows_out.compliance, rows_out.free
    for i in range(count):
        blocks_out.indptr[i] = blocks_out.indices[i] = blocks_out.diagonal[i] = i
        for a in range(3):
            free[i, a] = velocity[i, a] - compliance[i, a] * impulse[i, a]
            for b in range(3):
                blocks_out.values[i, a, b] = own[i, a, b]
                free[i, a] -= own[i, b, a] * impulse[i, b]
    blocks_out.indptr[count] = count
    sizes_out[0] = sizes_out[1] = count
