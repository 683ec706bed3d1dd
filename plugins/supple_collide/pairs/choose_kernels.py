"""Which of the contacts of one pair of objects are kept.

Two contacts at one place with one normal say the same thing; the deeper one stays, under the lower codes. Within a flat
patch only its corners are needed (`patch_kernels`). If more than `most` are left, those that can be met within the
step come first, and all of them are kept if they fit. Of the others, or of too many, the deepest is kept, and around it
those that lie farthest in evenly spread directions: the corners of the polygon that carries the load. Contacts with
other normals form patches of their own.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import dot
from supple_collide.kernel_arrays import Choice, Raw
from supple_collide.meshes.triangle_kernels import NUMBER_BITS
from supple_collide.pairs.patch_kernels import compare_normals, drop_carried, find_axes

# Normals with a larger cosine are the same; those of one patch have at least the smaller one.
SAME_NORMAL, PATCH_NORMAL = 0.9999, 0.94
# Directions in which the extreme points of a patch are kept.
DIRECTIONS = 8
# Part of the distance at which two places are one, within which a patch counts as flat.
FLAT_PART = 0.1
# State of contacts that wait until those in reach have their room.
FAR = -1


@njit
def comes_before(ids, i, j):
    """Whether contact i has a lower first object or lower feature codes than contact j."""
    if ids[i, 0] != ids[j, 0]:
        return ids[i, 0] < ids[j, 0]
    return ids[i, 2] < ids[j, 2] or (ids[i, 2] == ids[j, 2] and ids[i, 3] < ids[j, 3])


@njit_inlined
def sort_rows(ids, first, last, rows_out):
    """rows_out[: last - first]: the rows first <= i < last by their codes (Shell's method)."""
    count = last - first
    for place in range(count):
        rows_out[place] = first + place
    step = 1
    while step < count // 3:
        step = 3 * step + 1
    while step > 0:
        for place in range(step, count):
            row, slot = rows_out[place], place
            while slot >= step and comes_before(ids, row, rows_out[slot - step]):
                rows_out[slot] = rows_out[slot - step]
                slot -= step
            rows_out[slot] = row
        step //= 3


@njit
def name_like(ids_inout, row, other):
    """Contact `row` gets the feature codes of contact `other` of the same two objects."""
    side = 2 if ids_inout[row, 0] == ids_inout[other, 0] else 3
    ids_inout[row, 2], ids_inout[row, 3] = ids_inout[other, side], ids_inout[other, 5 - side]


@njit
def are_edges(ids, row):
    """Whether a contact is one of an edge with an edge."""
    return ids[row, 2] >> NUMBER_BITS == 1 and ids[row, 3] >> NUMBER_BITS == 1


@njit_inlined
def drop_repeated(ids_inout, values, same_place, count, rows_inout):
    """Drop contacts that repeat an earlier one within `same_place` [m]; returns how many are left.

    The deeper one is kept, so the least gap is never lost, under the name of the earlier one: which of the two is
    deeper by a hair does not change the identity of what is left. Edges that cross at a vertex take its name: it is
    there on either side of the edge.
    """
    kept = 0
    for place in range(count):
        row, new = rows_inout[place], True
        for other in range(kept):
            i = rows_inout[other]
            side = 3 if ids_inout[row, 0] == ids_inout[i, 0] else 0
            dx, dy = values[row, 3] - values[i, side], values[row, 4] - values[i, side + 1]
            dz, higher = values[row, 5] - values[i, side + 2], values[row, 9] - values[i, 9]
            near = dx * dx + dy * dy + dz * dz + higher * higher <= same_place * same_place
            if near and compare_normals(ids_inout, values, row, i) > SAME_NORMAL:
                new = False
                named, kept_row = i, (row if higher < 0.0 else i)
                if are_edges(ids_inout, i) and not are_edges(ids_inout, row):
                    named = row
                if kept_row != named:
                    name_like(ids_inout, kept_row, named)
                rows_inout[other] = kept_row
                break
        if new:
            rows_inout[kept] = row
            kept += 1
    return kept


@njit_inlined
def drop_same_codes(ids, count, rows_inout):
    """Drop contacts with the codes of the one before; rows_inout is sorted. Returns how many are left."""
    kept = 0
    for place in range(count):
        if kept == 0 or comes_before(ids, rows_inout[kept - 1], rows_inout[place]):
            rows_inout[kept] = rows_inout[place]
            kept += 1
    return kept


@njit
def find_deepest(values, rows, count, state):
    """The deepest contact that belongs to no patch yet (state 0); -1 if there is none."""
    best = -1
    for place in range(count):
        if state[place] == 0 and (best < 0 or values[rows[place], 9] < values[rows[best], 9]):
            best = place
    return best


@njit
def keep_extremes(ids, values, rows, count, seed, room, state_inout):
    """Mark (2) the seed and, while there is room, what lies farthest in its patch; the others of the patch 1."""
    lead = rows[seed]
    tx, ty, tz, sx, sy, sz = find_axes(values[lead, 6], values[lead, 7], values[lead, 8])
    for place in range(count):
        if state_inout[place] == 0 and compare_normals(ids, values, rows[place], lead) > PATCH_NORMAL:
            state_inout[place] = 1
    state_inout[seed] = 2
    room -= 1
    for turn in range(DIRECTIONS):
        # Off the axes, so that the corners of a rectangle are no ties.
        angle = (2.0 * math.pi * (turn + 0.3)) / DIRECTIONS
        c, s = math.cos(angle), math.sin(angle)
        best, farthest = -1, -math.inf
        for place in range(count):
            if state_inout[place] <= 0 or compare_normals(ids, values, rows[place], lead) <= PATCH_NORMAL:
                continue
            row = rows[place]
            dx, dy, dz = values[row, 3], values[row, 4], values[row, 5]
            far = c * dot(tx, ty, tz, dx, dy, dz) + s * dot(sx, sy, sz, dx, dy, dz)
            if far > farthest:
                best, farthest = place, far
        if state_inout[best] != 2 and room > 0:
            state_inout[best] = 2
            room -= 1
    return room


@njit
def reduce_rows(ids, values, rows, count, close, most, state_out):
    """Mark (2) at most `most` contacts: those within `close` [m] or their extremes, then extremes of the others."""
    near = 0
    for place in range(count):
        near += values[rows[place], 9] <= close
    keeps_near = near <= most
    room = most
    for place in range(count):
        is_near = values[rows[place], 9] <= close
        state_out[place] = (2 if keeps_near else 0) if is_near else FAR
        room -= is_near and keeps_near
    for turn in range(2):
        if turn == 1:
            for place in range(count):
                if state_out[place] == FAR:
                    state_out[place] = 0
        while room > 0:
            seed = find_deepest(values, rows, count, state_out)
            if seed < 0:
                break
            room = keep_extremes(ids, values, rows, count, seed, room, state_out)


@njit_inlined
def choose_rows(
    raw: Raw, first, last, bends, same_place, close, most, choice: Choice, chosen_count, chosen_out
):  # fmt: skip
    """Append the contacts first <= i < last that are kept to chosen_out; returns the new number of chosen ones.

    On a surface that bends every contact has a vertex of its own to push, and all are kept. Contacts with gaps up to
    `close` [m] can be met within the step: the others get the room that these leave.
    """
    ids, values, rows, state = raw.ids, raw.values, choice.rows, choice.state
    last = min(last, ids.shape[0])
    sort_rows(ids, first, last, rows)
    count = drop_same_codes(ids, last - first, rows)
    if not bends:
        count = drop_repeated(ids, values, same_place, count, rows)
        count = drop_carried(ids, values, FLAT_PART * same_place, count, choice)
    if count > most and not bends:
        reduce_rows(ids, values, rows, count, close, most, state)
    else:
        for place in range(count):
            state[place] = 2
    for place in range(count):
        if state[place] == 2:
            chosen_out[chosen_count] = rows[place]
            chosen_count += 1
    return chosen_count
