"""Rows on bones: Jacobian blocks of points, and the Delassus operator; README eq. (16) and (19)."""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross, dot
from supple.mechanics.block_matrix_kernels import find_block
from supple_bones.layout import (
    DOF_PARENT,
    FOLLOWS,
    LAST_DOF,
    ROOT,
    ROW,
    ROW_COUNT,
    ROW_FIRST,
    TREE,
    V_FIRST,
    WINDOW,
)
from supple_bones.tables import RowActs


@njit_inlined
def open_block(bone, i, group, used_out, group_out, unit_out, dof_out, values_out):
    """Appends a zero block for rows of `group` on bone i; returns its place."""
    block = used_out[0]
    group_out[block] = group
    unit_out[block] = bone[i, TREE]
    dof_out[block] = bone[i, WINDOW]
    for row in range(3):
        for column in range(values_out.shape[2]):
            values_out[block, row, column] = 0.0
    used_out[0] = block + 1
    return block


@njit_inlined
def append_block(bone, i, group, blocks_out):
    """`open_block` of a mechanism's blocks."""
    return open_block(
        bone,
        i,
        group,
        blocks_out.counts,
        blocks_out.group,
        blocks_out.unit,
        blocks_out.dof,
        blocks_out.values,
    )


@njit
def note_block(i, block, weight, mx, my, mz, directions, acts_out: RowActs):
    """Where a block acts."""
    acts_out.frame[block] = i
    acts_out.weight[block] = weight
    acts_out.moment[block, 0], acts_out.moment[block, 1], acts_out.moment[block, 2] = mx, my, mz
    for row in range(3):
        for c in range(3):
            acts_out.directions[block, row, c] = directions[row, c]


@njit
def add_point_blocks(
    bone, dof, axis, x, acts_out: RowActs, group, frame, sign, point, directions, blocks_out, count,
):  # fmt: skip
    """Blocks sign * directions @ (Jacobian of the first `count` points), dense over the rates of the tree."""
    values_out, noted = blocks_out.values, acts_out.frame.shape[0] > 0
    for p in range(count):
        i = frame[p]
        block = append_block(bone, i, group[p], blocks_out)
        if noted:
            rx, ry, rz = point[p, 0] - x[i, 0], point[p, 1] - x[i, 1], point[p, 2] - x[i, 2]
            note_block(i, block, sign[p], sign[p] * rx, sign[p] * ry, sign[p] * rz, directions[p], acts_out)
        root = bone[i, ROOT]
        rx, ry, rz = point[p, 0] - x[root, 0], point[p, 1] - x[root, 1], point[p, 2] - x[root, 2]
        first = bone[i, WINDOW]
        k = bone[i, LAST_DOF]
        while k >= 0:
            sx, sy, sz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
            sx, sy, sz = sign[p] * (sx + axis[k, 0]), sign[p] * (sy + axis[k, 1]), sign[p] * (sz + axis[k, 2])
            for row in range(3):
                values_out[block, row, k - first] = (
                    directions[p, row, 0] * sx + directions[p, row, 1] * sy + directions[p, row, 2] * sz
                )
            k = dof[k, DOF_PARENT]


@njit
def append_point_blocks(counts, bone, dof, axis, x, acts_out: RowActs, points, blocks_out):
    """`add_point_blocks` of the first counts[0] points, if there is room; returns whether there is none."""
    if blocks_out.counts[0] + counts[0] > blocks_out.group.shape[0]:
        return True
    add_point_blocks(
        bone, dof, axis, x, acts_out, points.group, points.frame, points.sign, points.point, points.directions,
        blocks_out, counts[0],
    )  # fmt: skip
    return False


@njit
def forget_blocks(count_out, frame_out):
    """Forget all blocks, and where they act."""
    for k in range(count_out[0]):
        frame_out[k] = -1
    count_out[0] = 0


@njit
def add_turn_blocks(bone, dof, axis, group, frame, sign, directions, blocks_out, count):
    """Blocks sign * directions @ (Jacobian of the bone's rotation), dense over the rates of the tree."""
    values_out = blocks_out.values
    for p in range(count):
        i = frame[p]
        block = append_block(bone, i, group[p], blocks_out)
        k = bone[i, LAST_DOF]
        while k >= 0:
            for row in range(3):
                along = dot(
                    directions[p, row, 0], directions[p, row, 1], directions[p, row, 2],
                    axis[k, 3], axis[k, 4], axis[k, 5],
                )  # fmt: skip
                values_out[block, row, k - bone[i, WINDOW]] = sign[p] * along
            k = dof[k, DOF_PARENT]


@njit_inlined
def set_weighted_column(axis, k, s, rx, ry, rz, p, directions, block, column, values_out):
    """Column of a block: directions @ (s * sliding + turning x r) of the axis in row k."""
    jx, jy, jz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
    jx, jy, jz = jx + s * axis[k, 0], jy + s * axis[k, 1], jz + s * axis[k, 2]
    for row in range(3):
        values_out[block, row, column] = dot(
            directions[p, row, 0], directions[p, row, 1], directions[p, row, 2], jx, jy, jz
        )


@njit
def add_weighted_blocks(
    bone, dof, axis, x, acts_out: RowActs, group, frame, weight, moment, directions, blocks_out, count
):  # fmt: skip
    """Blocks directions @ (weight * velocity of the bone's origin + spin x moment); README eq. (22)."""
    values_out, noted = blocks_out.values, acts_out.frame.shape[0] > 0
    for p in range(count):
        i = frame[p]
        block = append_block(bone, i, group[p], blocks_out)
        if noted:
            note_block(i, block, weight[p], moment[p, 0], moment[p, 1], moment[p, 2], directions[p], acts_out)
        root = bone[i, ROOT]
        s = weight[p]
        rx = moment[p, 0] + s * (x[i, 0] - x[root, 0])
        ry = moment[p, 1] + s * (x[i, 1] - x[root, 1])
        rz = moment[p, 2] + s * (x[i, 2] - x[root, 2])
        first = bone[i, WINDOW]
        k = bone[i, LAST_DOF]
        while k >= 0:
            set_weighted_column(axis, k, s, rx, ry, rz, p, directions, block, k - first, values_out)
            k = dof[k, DOF_PARENT]
        if bone[i, FOLLOWS] >= 0:
            for local in range(bone[i, ROW_COUNT]):
                column = bone[i, V_FIRST] + local - first
                row = bone[i, ROW_FIRST] + local
                set_weighted_column(axis, row, s, rx, ry, rz, p, directions, block, column, values_out)


@njit
def list_blocks(count, unit, first_out, next_out):
    """Chain the blocks of every skeleton in rising order: first_out[skeleton], then next_out[block], -1 at the end."""
    for tree in range(first_out.shape[0]):
        first_out[tree] = -1
    for block in range(count[0] - 1, -1, -1):
        next_out[block] = first_out[unit[block]]
        first_out[unit[block]] = block


@njit_inlined
def list_rows(values, first, following, members_out, start_out):
    """The blocks of a skeleton, and where their rows begin when they stand side by side; returns how many blocks.

    A joint's row is one of its block's three; the other two are zero, and left out.
    """
    count, rows, block = 0, 0, first
    while block >= 0:
        members_out[count], start_out[count] = block, rows
        single = True
        for c in range(values.shape[2]):
            single = single and values[block, 1, c] == 0.0 and values[block, 2, c] == 0.0
        rows += 1 if single else 3
        count += 1
        block = following[block]
    start_out[count] = rows
    return count


@njit_inlined
def mark_columns(values, count, members, mark_out):
    """mark_out[c] > 0 for the columns in which one of the blocks has an entry."""
    for c in range(mark_out.size):
        mark_out[c] = 0.0
    for n in range(count):
        own = values[members[n]]
        first, second, third = own[0], own[1], own[2]
        for c in range(mark_out.size):
            mark_out[c] += abs(first[c]) + abs(second[c]) + abs(third[c])


@njit_inlined
def gather_rows(values, count, width, members, start, mark, span_out, half_out):
    """The rows of all blocks of a skeleton side by side: column c is half_out[c * rows:(c + 1) * rows].

    It has entries only in rows span_out[c] <= r < span_out[width + c]: contacts come bone by bone, so most columns have
    them in a few neighbouring rows. Columns that are not marked have none.
    """
    rows = start[count]
    for c in range(width):
        place, low, high = c * rows, rows, 0
        if mark[c] == 0.0:
            empty = half_out[place : place + rows]
            for r in range(empty.size):
                empty[r] = 0.0
        else:
            for n in range(count):
                block, begin, used = members[n], start[n], False
                for row in range(start[n + 1] - begin):
                    value = values[block, row, c]
                    half_out[place + begin + row] = value
                    used = used or value != 0.0
                if used:
                    low, high = min(low, begin), start[n + 1]
        span_out[c], span_out[width + c] = low, high


@njit_inlined
def halve_rows(dof, factor, window, width, rows, span_inout, half_inout):
    """half_inout <- L^-T half_inout for all rows at once. Columns off all chains are zero and stay so."""
    for c in range(width - 1, -1, -1):
        start, end = span_inout[c], span_inout[width + c]
        if start >= end:
            continue
        # Views, because only indices that count from 0 become vector instructions.
        own = half_inout[c * rows + start : c * rows + end]
        place = dof[window + c, ROW]
        j = dof[window + c, DOF_PARENT]
        while j >= 0:
            place += 1
            ratio = factor[place]
            above = j - window
            span_inout[above] = min(span_inout[above], start)
            span_inout[width + above] = max(span_inout[width + above], end)
            other = half_inout[above * rows + start : above * rows + end]
            for n in range(own.size):
                other[n] -= ratio * own[n]
            j = dof[j, DOF_PARENT]


@njit_inlined
def multiply_row(dof, factor, window, width, rows, begin, span, half, product_out):
    """product_out[0, m] = sum half[begin] half[m] / D for m >= begin, for a block of one row."""
    for m in range(begin, rows):
        product_out[0, m] = 0.0
    for c in range(width):
        end = span[width + c]
        if begin < span[c] or begin >= end:
            continue
        y = half[c * rows + begin] * factor[dof[window + c, ROW]]
        if y != 0.0:
            later, p = half[c * rows + begin : c * rows + end], product_out[0, begin:end]
            for m in range(later.size):
                p[m] += y * later[m]


@njit_inlined
def list_columns(dof, factor, window, width, rows, begin, span, half, columns_out, scaled_out):
    """The columns in which the three rows from `begin` on have entries, where each lies and ends; and these by 1 / D.

    Returns how many.
    """
    used = 0
    for c in range(width):
        end, first = span[width + c], c * rows + begin
        if begin + 3 <= span[c] or begin >= end:
            continue
        inverse = factor[dof[window + c, ROW]]
        y0, y1, y2 = half[first] * inverse, half[first + 1] * inverse, half[first + 2] * inverse
        if y0 != 0.0 or y1 != 0.0 or y2 != 0.0:
            columns_out[used, 0], columns_out[used, 1] = c * rows, end
            scaled_out[used, 0], scaled_out[used, 1], scaled_out[used, 2] = y0, y1, y2
            used += 1
    return used


@njit_inlined
def multiply_rows(rows, begin, used, columns, scaled, half, product_out):
    """product_out[row, m] = sum half[begin + row] half[m] / D for m >= begin, for a block of three rows.

    Four m at a time, whose twelve sums stay in registers; the last may lie behind all rows, where nobody looks. Indices
    are unsigned, for of others numba asks whether they count from the end.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    p0, p1, p2 = product_out[0], product_out[1], product_out[2]
    for m in range(begin, rows, 4):
        a0, a1, a2, a3 = 0.0, 0.0, 0.0, 0.0
        b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0
        c0, c1, c2, c3 = 0.0, 0.0, 0.0, 0.0
        for k in range(used):
            if m >= columns[k, 1]:
                continue
            i = np.uint64(columns[k, 0] + m)
            h0, h1, h2, h3 = half[i], half[i + one], half[i + two], half[i + three]
            y0, y1, y2 = scaled[k, 0], scaled[k, 1], scaled[k, 2]
            a0, a1, a2, a3 = a0 + y0 * h0, a1 + y0 * h1, a2 + y0 * h2, a3 + y0 * h3
            b0, b1, b2, b3 = b0 + y1 * h0, b1 + y1 * h1, b2 + y1 * h2, b3 + y1 * h3
            c0, c1, c2, c3 = c0 + y2 * h0, c1 + y2 * h1, c2 + y2 * h2, c3 + y2 * h3
        i = np.uint64(m)
        p0[i], p0[i + one], p0[i + two], p0[i + three] = a0, a1, a2, a3
        p1[i], p1[i + one], p1[i + two], p1[i + three] = b0, b1, b2, b3
        p2[i], p2[i + one], p2[i + two], p2[i + three] = c0, c1, c2, c3


@njit_inlined
def find_near_block(indptr, indices, row, column, guess):
    """Position of block (row, column); `guess` is right when groups come in rising order."""
    if indptr[row] <= guess < indptr[row + 1] and indices[guess] == column:
        return guess
    return find_block(indptr, indices, row, column)


@njit
def add_bone_delassus(dof, factor, blocks, indptr, indices, scratch, W_out):
    """W_out += J A^-1 J^T: blocks of one tree couple their groups; README eq. (19)."""
    group, values = blocks.group, blocks.values
    first, members, cursor, start = scratch.first, scratch.members, scratch.cursor, scratch.start
    span, half, product = scratch.span, scratch.half, scratch.product
    width = values.shape[2]
    list_blocks(blocks.counts, blocks.unit, first, scratch.following)
    for tree in range(first.shape[0]):
        if first[tree] < 0:
            continue
        window = blocks.dof[first[tree]]
        count = list_rows(values, first[tree], scratch.following, members, start)
        rows = start[count]
        mark_columns(values, count, members, scratch.mark)
        gather_rows(values, count, width, members, start, scratch.mark, span, half)
        halve_rows(dof, factor, window, width, rows, span, half)
        for n in range(count):
            cursor[n] = -1
        for n in range(count):
            own_rows = start[n + 1] - start[n]
            if own_rows == 1:
                multiply_row(dof, factor, window, width, rows, start[n], span, half, product)
            else:
                used = list_columns(
                    dof, factor, window, width, rows, start[n], span, half, scratch.columns, scratch.scaled
                )
                multiply_rows(rows, start[n], used, scratch.columns, scratch.scaled, half, product)
            own = group[members[n]]
            place = -1
            for m in range(n, count):
                other = group[members[m]]
                place = find_near_block(indptr, indices, own, other, place + 1)
                mirror = find_near_block(indptr, indices, other, own, cursor[m] + 1)
                cursor[m] = mirror
                for row in range(own_rows):
                    for column in range(start[m + 1] - start[m]):
                        entry = product[row, start[m] + column]
                        W_out[place, row, column] += entry
                        if m != n:
                            W_out[mirror, column, row] += entry
