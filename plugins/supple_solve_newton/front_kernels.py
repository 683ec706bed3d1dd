"""The matrix of a Newton step, factored front by front; `order_kernels` says what a front is.

Each front gathers the entries of its pivots and what the fronts below it have left, eliminates its pivots without
looking for others, and leaves the rest to the next one. Groups without unknowns take no rows, so that the same fronts
serve whatever is open, stuck or slipping.
"""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple_solve_newton.fronts import Factor, Fronts
from supple_solve_newton.newton_kernels import FIXED


@njit_inlined
def add_block(values, p, left, right, i, j, rows, columns, first, size, front_out):
    """front_out += L_i^T W_ij C_j, where W_ij is values[p]."""
    for b in range(columns):
        r0, r1, r2 = right[j, b, 0], right[j, b, 1], right[j, b, 2]
        p0 = values[p, 0, 0] * r0 + values[p, 0, 1] * r1 + values[p, 0, 2] * r2
        p1 = values[p, 1, 0] * r0 + values[p, 1, 1] * r1 + values[p, 1, 2] * r2
        p2 = values[p, 2, 0] * r0 + values[p, 2, 1] * r1 + values[p, 2, 2] * r2
        for a in range(rows):
            front_out[first + a * size + b] = left[i, a, 0] * p0 + left[i, a, 1] * p1 + left[i, a, 2] * p2


@njit_inlined
def add_mirrored(values, p, left, right, i, j, rows, columns, first, size, front_out):
    """front_out += L_i^T W_ij C_j, where W_ij is values[p] transposed."""
    for b in range(columns):
        r0, r1, r2 = right[j, b, 0], right[j, b, 1], right[j, b, 2]
        p0 = values[p, 0, 0] * r0 + values[p, 1, 0] * r1 + values[p, 2, 0] * r2
        p1 = values[p, 0, 1] * r0 + values[p, 1, 1] * r1 + values[p, 2, 1] * r2
        p2 = values[p, 0, 2] * r0 + values[p, 1, 2] * r1 + values[p, 2, 2] * r2
        for a in range(rows):
            front_out[first + a * size + b] = left[i, a, 0] * p0 + left[i, a, 1] * p1 + left[i, a, 2] * p2


@njit
def place_groups(fronts: Fronts, k, mode, factor: Factor):
    """Give the groups of front k their rows: (rows of pivots, rows)."""
    size, pivots = 0, 0
    for q in range(fronts.start[k], fronts.start[k + 1]):
        if q == fronts.start[k] + fronts.pivots[k]:
            pivots = size
        g = fronts.group[q]
        factor.place[g] = size
        size += mode[g]
    if fronts.pivots[k] == fronts.start[k + 1] - fronts.start[k]:
        pivots = size
    return pivots, size


@njit
def gather_entries(blocks, linear, added, fronts: Fronts, k, size, factor: Factor):
    """The entries of the pivots of front k in their rows and columns, which were zero."""
    indptr, indices, values = blocks.indptr, blocks.indices, blocks.values
    mode, left, right = linear.mode, linear.left, linear.right
    front, place = factor.front, factor.place
    for q in range(fronts.start[k], fronts.start[k] + fronts.pivots[k]):
        i = fronts.group[q]
        if mode[i] == FIXED:
            continue
        row = place[i] * size
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if mode[j] == FIXED or fronts.eliminated[j] < k:
                continue
            add_block(values, p, left, right, i, j, mode[i], mode[j], row + place[j], size, front)
            if fronts.eliminated[j] > k:
                add_mirrored(
                    values, p, left, right, j, i, mode[j], mode[i], place[j] * size + place[i], size, front
                )
        for a in range(mode[i]):
            for b in range(mode[i]):
                front[row + a * size + place[i] + b] += added[i, a, b]


@njit
def add_rest(fronts: Fronts, below, mode, rest_size, begin, size, factor: Factor):
    """Add what the front `below` has left to the one at work."""
    row, used = factor.row, 0
    for q in range(fronts.start[below] + fronts.pivots[below], fronts.start[below + 1]):
        g = fronts.group[q]
        for a in range(mode[g]):
            row[used] = factor.place[g] + a
            used += 1
    for a in range(rest_size):
        to = row[a] * size
        line = factor.rest[begin + a * rest_size : begin + (a + 1) * rest_size]
        for b in range(rest_size):
            factor.front[to + row[b]] += line[b]


@njit
def eliminate_pair(size, k, front):
    """Eliminate the pivots k and k + 1 from all rows behind them; False where one is zero."""
    if not abs(front[k * size + k]) > 0.0:
        return False
    inverse_0 = 1.0 / front[k * size + k]
    ratio = front[(k + 1) * size + k] * inverse_0
    front[(k + 1) * size + k] = ratio
    pivot_0 = front[k * size + k + 1 : (k + 1) * size]
    row = front[(k + 1) * size + k + 1 : (k + 2) * size]
    for j in range(row.size):
        row[j] -= ratio * pivot_0[j]
    if not abs(row[0]) > 0.0:
        return False
    inverse_1 = 1.0 / row[0]
    top_0, top_1 = front[k * size + k + 2 : (k + 1) * size], front[(k + 1) * size + k + 2 : (k + 2) * size]
    across = front[k * size + k + 1]
    for i in range(k + 2, size):
        a = front[i * size + k]
        b = front[i * size + k + 1]
        if a == 0.0 and b == 0.0:
            continue
        a *= inverse_0
        b = (b - a * across) * inverse_1
        front[i * size + k] = a
        front[i * size + k + 1] = b
        line = front[i * size + k + 2 : (i + 1) * size]
        for j in range(line.size):
            line[j] -= a * top_0[j] + b * top_1[j]
    return True


@njit
def eliminate_one(size, k, front):
    """Eliminate the pivot k from all rows behind it; False where it is zero."""
    if not abs(front[k * size + k]) > 0.0:
        return False
    inverse = 1.0 / front[k * size + k]
    top = front[k * size + k + 1 : (k + 1) * size]
    for i in range(k + 1, size):
        ratio = front[i * size + k] * inverse
        front[i * size + k] = ratio
        if ratio != 0.0:
            line = front[i * size + k + 1 : (i + 1) * size]
            for j in range(line.size):
                line[j] -= ratio * top[j]
    return True


@njit
def keep_front(pivots, size, begin, factor: Factor):
    """Copy the finished rows and columns of the front at work; returns where they end."""
    front, values = factor.front, factor.values
    used = begin
    for k in range(pivots * size):
        values[used + k] = front[k]
    used += pivots * size
    for i in range(pivots, size):
        for k in range(pivots):
            values[used + k] = front[i * size + k]
        used += pivots
    return used


@njit
def factor_fronts(blocks, linear, added, fronts: Fronts, factor: Factor):
    """Factors of L^T W C + added, where `added` [groups, 3, 3] stands on the diagonal.

    Returns the number of multiplications, or -1 where a pivot is zero.
    """
    front, rest = factor.front, factor.rest
    used, depth, top, work = 0, 0, 0, 0
    for k in range(fronts.counts[0]):
        pivots, size = place_groups(fronts, k, linear.mode, factor)
        for a in range(size * size):
            front[a] = 0.0
        gather_entries(blocks, linear, added, fronts, k, size, factor)
        for _ in range(fronts.children[k]):
            depth -= 1
            left_size = factor.sizes[depth]
            top -= left_size * left_size
            add_rest(fronts, factor.waiting[depth], linear.mode, left_size, top, size, factor)
        done = 0
        while done + 1 < pivots:
            if not eliminate_pair(size, done, front):
                return -1
            done += 2
        if done < pivots and not eliminate_one(size, done, front):
            return -1
        work += pivots * size * size
        factor.begin[k] = used
        used = keep_front(pivots, size, used, factor)
        left_size = size - pivots
        if fronts.start[k + 1] - fronts.start[k] > fronts.pivots[k]:
            for i in range(left_size):
                source = front[(pivots + i) * size + pivots : (pivots + i + 1) * size]
                target = rest[top + i * left_size : top + (i + 1) * left_size]
                for j in range(left_size):
                    target[j] = source[j]
            top += left_size * left_size
            factor.sizes[depth], factor.waiting[depth] = left_size, k
            depth += 1
    return work


@njit
def list_rows(fronts: Fronts, k, linear, row_out):
    """The unknowns of front k: (those of pivots, all)."""
    used, pivots = 0, 0
    for q in range(fronts.start[k], fronts.start[k + 1]):
        g = fronts.group[q]
        for a in range(linear.mode[g]):
            row_out[used] = linear.first[g] + a
            used += 1
        if q < fronts.start[k] + fronts.pivots[k]:
            pivots = used
    return pivots, used


@njit
def solve_fronts(linear, fronts: Fronts, factor: Factor, unknown_inout):
    """The right-hand side in `unknown_inout` becomes the solution."""
    values, local, row = factor.values, factor.local, factor.row
    for k in range(fronts.counts[0]):
        pivots, size = list_rows(fronts, k, linear, row)
        begin = factor.begin[k]
        for i in range(pivots):
            total = unknown_inout[row[i]]
            line = values[begin + i * size : begin + i * size + i]
            for j in range(line.size):
                total -= line[j] * local[j]
            local[i] = total
            unknown_inout[row[i]] = total
        begin += pivots * size
        for i in range(pivots, size):
            total = 0.0
            line = values[begin : begin + pivots]
            for j in range(line.size):
                total += line[j] * local[j]
            unknown_inout[row[i]] -= total
            begin += pivots
    for k in range(fronts.counts[0] - 1, -1, -1):
        pivots, size = list_rows(fronts, k, linear, row)
        begin = factor.begin[k]
        for i in range(pivots, size):
            local[i] = unknown_inout[row[i]]
        for i in range(pivots - 1, -1, -1):
            total = unknown_inout[row[i]]
            line = values[begin + i * size : begin + (i + 1) * size]
            for j in range(i + 1, size):
                total -= line[j] * local[j]
            local[i] = total / line[i]
            unknown_inout[row[i]] = local[i]


@njit
def find_remainder(group_count, blocks, linear, added, right_side, unknown, step, remainder_out):
    """remainder_out = right side - (L^T W C + added) unknown: (the greatest of it, the greatest of the right side).

    `step` [groups, 3] is C unknown.
    """
    indptr, indices, values = blocks.indptr, blocks.indices, blocks.values
    mode, first, left = linear.mode, linear.first, linear.left
    worst, greatest = 0.0, 0.0
    for i in range(group_count):
        if mode[i] == FIXED:
            continue
        u0, u1, u2 = 0.0, 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if mode[j] == FIXED:
                continue
            s0, s1, s2 = step[j, 0], step[j, 1], step[j, 2]
            u0 += values[p, 0, 0] * s0 + values[p, 0, 1] * s1 + values[p, 0, 2] * s2
            u1 += values[p, 1, 0] * s0 + values[p, 1, 1] * s1 + values[p, 1, 2] * s2
            u2 += values[p, 2, 0] * s0 + values[p, 2, 1] * s1 + values[p, 2, 2] * s2
        for a in range(mode[i]):
            k = first[i] + a
            effect = left[i, a, 0] * u0 + left[i, a, 1] * u1 + left[i, a, 2] * u2
            for b in range(mode[i]):
                effect += added[i, a, b] * unknown[first[i] + b]
            remainder_out[k] = right_side[k] - effect
            worst = max(worst, abs(remainder_out[k]))
            greatest = max(greatest, abs(right_side[k]))
    return worst, greatest


@njit
def list_added(rows, linear, floors, added_out):
    """added_out = L^T E C + extra + floor: what a Newton step has on the diagonal besides W, [groups, 3, 3]."""
    compliance, mode, first, left, right = (
        rows.compliance,
        linear.mode,
        linear.first,
        linear.left,
        linear.right,
    )
    for i in range(rows.counts[0]):
        for a in range(mode[i]):
            for b in range(mode[i]):
                stiff = left[i, a, 0] * compliance[i, 0] * right[i, b, 0]
                stiff += left[i, a, 1] * compliance[i, 1] * right[i, b, 1]
                stiff += left[i, a, 2] * compliance[i, 2] * right[i, b, 2]
                added_out[i, a, b] = stiff
            added_out[i, a, a] += linear.extra[i, a] + floors[first[i] + a]


@njit
def expand_unknowns(group_count, linear, unknown, step_out):
    """step_out = C unknown, without the shift, [n, 3] N s."""
    mode, first, right = linear.mode, linear.first, linear.right
    for i in range(group_count):
        for k in range(3):
            total = 0.0
            for a in range(mode[i]):
                total += right[i, a, k] * unknown[first[i] + a]
            step_out[i, k] = total
