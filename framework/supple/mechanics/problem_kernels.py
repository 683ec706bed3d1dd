"""Kernels of the constraint problem."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.jacobian_kernels import add_row_velocities
from supple.mechanics.rows import BILATERAL, COULOMB


@njit
def reset_groups(first, last, rows_out, origin_out):
    """What groups first to last are until somebody writes into them: free bilateral rows without an identity."""
    for g in range(first, last):
        rows_out.law[g] = BILATERAL
        rows_out.size[g] = 1
        rows_out.friction[g] = 0.0
        origin_out.restitution[g] = 0.0
        origin_out.gap[g] = 0.0
        origin_out.key[g, 0] = -1
        origin_out.key[g, 1] = -1
        for row in range(3):
            rows_out.scale[g, row] = 1.0
            rows_out.lower[g, row] = -math.inf
            rows_out.upper[g, row] = math.inf
            rows_out.compliance[g, row] = 0.0
            rows_out.free[g, row] = 0.0
            origin_out.bias[g, row] = 0.0
            origin_out.u_now[g, row] = 0.0


@njit
def reserve_groups(extra, rows_out, origin_out, first_out):
    """Add extra[0] groups behind those in use, as `reset_groups` makes them; returns whether there is no room."""
    first = rows_out.counts[0]
    last = first + extra[0]
    if last > rows_out.law.shape[0]:
        return True
    reset_groups(first, last, rows_out, origin_out)
    first_out[0] = first
    rows_out.counts[0] = last
    return False


@njit
def clear_rows(counts_out, struck_out):
    """Forget all groups, and that anything strikes."""
    counts_out[0] = 0
    struck_out[0] = 0


@njit
def note_groups(counts, source, groups_out):
    """The first group and the number of groups of a source, which all lie behind those of the source before it."""
    first = groups_out[source - 1, 0] + groups_out[source - 1, 1] if source > 0 else 0
    groups_out[source, 0] = first
    groups_out[source, 1] = counts[0] - first


@njit
def begin_free(rows_out, bias, jacobian, v_free):
    """free = bias + J v_free of the first mechanism; those of others are added."""
    for g in range(rows_out.counts[0]):
        for row in range(3):
            rows_out.free[g, row] = bias[g, row]
    add_row_velocities(jacobian, v_free, rows_out.free)


@njit
def cut_groups(groups, rows, origin, place_out, rows_out, origin_out):
    """The first rows_out.counts groups of `groups` become those of the part, and place_out says which is where."""
    for g in range(rows.counts[0]):
        place_out[g] = -1
    for i in range(rows_out.counts[0]):
        g = groups[i]
        place_out[g] = i
        rows_out.law[i] = rows.law[g]
        rows_out.size[i] = rows.size[g]
        rows_out.friction[i] = rows.friction[g]
        origin_out.restitution[i] = origin.restitution[g]
        origin_out.gap[i] = origin.gap[g]
        origin_out.key[i, 0] = origin.key[g, 0]
        origin_out.key[i, 1] = origin.key[g, 1]
        for row in range(3):
            rows_out.scale[i, row] = rows.scale[g, row]
            rows_out.lower[i, row] = rows.lower[g, row]
            rows_out.upper[i, row] = rows.upper[g, row]
            rows_out.compliance[i, row] = rows.compliance[g, row]
            rows_out.free[i, row] = rows.free[g, row]
            origin_out.bias[i, row] = origin.bias[g, row]
            origin_out.u_now[i, row] = origin.u_now[g, row]


@njit
def cut_blocks(groups, count, place, blocks, blocks_out):
    """The rows and columns of W of `count` groups, which rise; returns the number of blocks."""
    found = 0
    for k in range(count):
        blocks_out.indptr[k] = found
        g = groups[k]
        for p in range(blocks.indptr[g], blocks.indptr[g + 1]):
            column = place[blocks.indices[p]]
            if column < 0:
                continue
            if column == k:
                blocks_out.diagonal[k] = found
            blocks_out.indices[found] = column
            for a in range(3):
                for b in range(3):
                    blocks_out.values[found, a, b] = blocks.values[p, a, b]
            found += 1
    blocks_out.indptr[count] = found
    return found


@njit
def measure_rows(counts, law, gap, count_out, contacts_out, penetration_out):
    """Figures of a step: groups of rows, frictional contacts among them, deepest penetration [m]."""
    contacts = 0
    deepest = 0.0
    for g in range(counts[0]):
        contacts += law[g] == COULOMB
        deepest = max(deepest, -gap[g])
    count_out[0] = counts[0]
    contacts_out[0] = contacts
    penetration_out[0] = deepest


@njit
def clear_groups(counts, values_out):
    """Set values [groups, 3] of the groups in use to zero."""
    for g in range(counts[0]):
        for row in range(3):
            values_out[g, row] = 0.0
