"""The Delassus operator of rows on bones, W = J A^-1 J^T; README eq. (19).

Indices of inner loops are unsigned, for of others numba asks whether they count from the end.
"""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple.math.strip_kernels import LANES, sum_one_vector, sum_two_vectors
from supple_bones.layout import DOF_PARENT, ROW
from supple_bones.row_kernels import find_near_block


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
def gather_column(values, count, c, members, start, column_out):
    """Column c of all blocks, one behind the other; returns between which rows it has entries."""
    first, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    low, high = column_out.size, 0
    for n in range(count):
        block, begin, end = members[n], start[n], start[n + 1]
        here, column = np.uint64(begin), np.uint64(c)
        v0 = values[np.uint64(block), first, column]
        column_out[here] = v0
        used = v0 != 0.0
        if end - begin == 3:
            v1, v2 = values[np.uint64(block), one, column], values[np.uint64(block), two, column]
            column_out[here + one], column_out[here + two] = v1, v2
            used = used or v1 != 0.0 or v2 != 0.0
        if used:
            low, high = min(low, begin), end
    return low, high


@njit_inlined
def gather_rows(values, count, width, members, start, mark, span_out, half_out):
    """The rows of all blocks of a skeleton side by side: column c is half_out[c * rows:(c + 1) * rows].

    It has entries only in rows span_out[c] <= r < span_out[width + c]: contacts come bone by bone, so most columns have
    them in a few neighbouring rows. Columns that are not marked have none.
    """
    rows = start[count]
    for c in range(width):
        column = half_out[c * rows : (c + 1) * rows]
        if mark[c] == 0.0:
            span_out[c], span_out[width + c] = rows, 0
            for r in range(column.size):
                column[r] = 0.0
        else:
            span_out[c], span_out[width + c] = gather_column(values, count, c, members, start, column)


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
def list_live_columns(width, span, live_out):
    """The columns that have entries; returns how many."""
    live = 0
    for c in range(width):
        if span[c] < span[width + c]:
            live_out[live] = c
            live += 1
    return live


@njit_inlined
def multiply_row(dof, factor, window, width, rows, begin, span, half, product_out):
    """product_out[m] = sum half[begin] half[m] / D for m >= begin, for a block of one row."""
    for m in range(begin, rows):
        product_out[m] = 0.0
    for c in range(width):
        end = span[width + c]
        if begin < span[c] or begin >= end:
            continue
        y = half[c * rows + begin] * factor[dof[window + c, ROW]]
        if y != 0.0:
            later, p = half[c * rows + begin : c * rows + end], product_out[begin:end]
            for m in range(later.size):
                p[m] += y * later[m]


@njit_inlined
def scale_columns(dof, factor, window, width, rows, begin, span, half, live, scratch):
    """The columns in which the three rows from `begin` on have entries, where each lies and ends; and these by 1 / D.

    Returns how many.
    """
    used, one, two = 0, np.uint64(1), np.uint64(2)
    for k in range(live):
        c = scratch.live[k]
        end = span[width + c]
        if begin + 3 <= span[c] or begin >= end:
            continue
        first = np.uint64(c * rows + begin)
        inverse = factor[dof[window + c, ROW]]
        y0, y1, y2 = half[first] * inverse, half[first + one] * inverse, half[first + two] * inverse
        if y0 != 0.0 or y1 != 0.0 or y2 != 0.0:
            scratch.places[used], scratch.ends[used] = c * rows, end
            scratch.scaled[used, 0], scratch.scaled[used, 1], scratch.scaled[used, 2] = y0, y1, y2
            used += 1
    return used


@njit_inlined
def multiply_rows(rows, begin, used, room, scratch, half, product_out):
    """product_out[room * row + m] = sum half[begin + row] half[m] / D for m >= begin, for a block of three rows.

    Columns that end before m, and come last, are left out; the others have zeros behind their ends. What is behind all
    rows is of no use.
    """
    m = begin
    while m < rows:
        while used > 0 and scratch.ends[used - 1] <= m:
            used -= 1
        if rows - m > LANES:
            sum_two_vectors(half, scratch.places, scratch.scaled, used, m, product_out, room)
            m += 2 * LANES
        else:
            sum_one_vector(half, scratch.places, scratch.scaled, used, m, product_out, room)
            m += LANES


@njit_inlined
def add_full_block(product, room, m, at, W_out):
    """W_out[at] += the three by three products from m on."""
    p, w = np.uint64(m), np.uint64(9 * at)
    step, one, two, three = np.uint64(room), np.uint64(1), np.uint64(2), np.uint64(3)
    for _ in range(3):
        W_out[w] += product[p]
        W_out[w + one] += product[p + one]
        W_out[w + two] += product[p + two]
        p, w = p + step, w + three


@njit_inlined
def add_transposed_block(product, room, m, at, W_out):
    """W_out[at] += the transpose of the three by three products from m on."""
    p, w = np.uint64(m), np.uint64(9 * at)
    step, one, two, three, six = np.uint64(room), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(6)
    for _ in range(3):
        W_out[w] += product[p]
        W_out[w + three] += product[p + one]
        W_out[w + six] += product[p + two]
        p, w = p + step, w + one


@njit_inlined
def add_products(n, count, room, indptr, indices, group, scratch, W_out):
    """Add the products of the rows of block n and those behind it to W, and below its diagonal."""
    members, start, cursor, product = scratch.members, scratch.start, scratch.cursor, scratch.product
    own, own_rows, place = group[members[n]], start[n + 1] - start[n], -1
    for m in range(n, count):
        other, other_rows = group[members[m]], start[m + 1] - start[m]
        place = find_near_block(indptr, indices, own, other, place + 1)
        mirror = find_near_block(indptr, indices, other, own, cursor[m] + 1)
        cursor[m] = mirror
        if own_rows == 3 and other_rows == 3:
            add_full_block(product, room, start[m], place, W_out)
            if m != n:
                add_transposed_block(product, room, start[m], mirror, W_out)
            continue
        for row in range(own_rows):
            for column in range(other_rows):
                entry = product[room * row + start[m] + column]
                W_out[9 * place + 3 * row + column] += entry
                if m != n:
                    W_out[9 * mirror + 3 * column + row] += entry


@njit
def add_bone_delassus(dof, factor, blocks, indptr, indices, scratch, W_out):
    """W_out += J A^-1 J^T: blocks of one tree couple their groups; README eq. (19). W_out is flat, [9 * blocks]."""
    values, half, span, product = blocks.values, scratch.half, scratch.span, scratch.product
    first, members, start = scratch.first, scratch.members, scratch.start
    width, room = values.shape[2], product.shape[0] // 3
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
        live = list_live_columns(width, span, scratch.live)
        for n in range(count):
            scratch.cursor[n] = -1
        for n in range(count):
            begin = start[n]
            if start[n + 1] - begin == 1:
                multiply_row(dof, factor, window, width, rows, begin, span, half, product)
            else:
                used = scale_columns(dof, factor, window, width, rows, begin, span, half, live, scratch)
                multiply_rows(rows, begin, used, room, scratch, half, product)
            add_products(n, count, room, indptr, indices, blocks.group, scratch, W_out)
