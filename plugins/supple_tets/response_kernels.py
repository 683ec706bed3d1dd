"""W = J A^-1 J^T of contacts on tetrahedra, from the factor: (L^-1 J^T)^T (L^-1 J^T).

Rows of J are sorted by the vertex that is eliminated first. What is eliminated after a vertex is a path through the
panels, so the rows that a panel has to do with lie together, and others cost nothing.
"""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.jacobian import Jacobian
from supple_tets.factor_kernels import solve_panel
from supple_tets.product_kernels import ROOM, sum_products
from supple_tets.tables import Factor

TILE = 96
"""Columns that are worked at together: what a panel has of them stays in the nearest cache."""


@njit
def number_rows(factor: Factor, jacobian: Jacobian, group_count, key, start, order, column_out):
    """column_out [groups, 3]: where the rows of J stand when they are sorted, -1 for those that are zero.

    key and order [groups], start [n + 1]. Returns how many there are.
    """
    n = factor.place.shape[0]
    for j in range(n + 1):
        start[j] = 0
    for g in range(group_count):
        key[g] = n
        for row in range(3):
            column_out[g, row] = -1
    for b in range(jacobian.counts[0]):
        g = jacobian.group[b]
        key[g] = min(key[g], factor.place[jacobian.dof[b] // 3])
        for row in range(3):
            values = jacobian.values[b, row]
            if values[0] != 0.0 or values[1] != 0.0 or values[2] != 0.0:
                column_out[g, row] = 0
    for g in range(group_count):
        if key[g] < n:
            start[key[g] + 1] += 1
    for j in range(n):
        start[j + 1] += start[j]
    involved = start[n]
    for g in range(group_count):
        if key[g] < n:
            order[start[key[g]]] = g
            start[key[g]] += 1
    found = 0
    for k in range(involved):
        for row in range(3):
            if column_out[order[k], row] >= 0:
                column_out[order[k], row] = found
                found += 1
    return found


@njit
def spread_rows(factor: Factor, jacobian: Jacobian, column, count, reach_out, rows_out):
    """rows_out, flat [3 n, count]: J^T in the order of elimination; reach_out [panels, 2]: which of its columns are
    not zero after solving. Both are multiples of 3. Nothing is written beyond these.
    """
    panels = factor.panel.shape[0] - 1
    for s in range(panels):
        reach_out[s, 0], reach_out[s, 1] = count, 0
    for b in range(jacobian.counts[0]):
        s, g = factor.panel_of[factor.place[jacobian.dof[b] // 3]], jacobian.group[b]
        for row in range(3):
            k = column[g, row]
            if k >= 0:
                reach_out[s, 0] = min(reach_out[s, 0], k - k % 3)
                reach_out[s, 1] = max(reach_out[s, 1], k - k % 3 + 3)
    for s in range(panels):
        low, high = reach_out[s, 0], reach_out[s, 1]
        if low >= high:
            continue
        if factor.meet_start[s] < factor.meet_start[s + 1]:
            t = factor.meet[factor.meet_start[s], 0]
            reach_out[t, 0], reach_out[t, 1] = min(reach_out[t, 0], low), max(reach_out[t, 1], high)
        for row in range(3 * factor.panel[s], 3 * factor.panel[s + 1]):
            line = rows_out[row * count + low : row * count + high]
            for i in range(high - low):
                line[i] = 0.0
    for b in range(jacobian.counts[0]):
        j, g = factor.place[jacobian.dof[b] // 3], jacobian.group[b]
        for row in range(3):
            k = column[g, row]
            if k >= 0:
                for axis in range(3):
                    rows_out[(3 * j + axis) * count + k] += jacobian.values[b, row, axis]


@njit
def multiply_rows(factor: Factor, count, reach, rows, sums, gram_out):
    """gram_out, flat [count, count], below its diagonal: (L^-1 rows)^T (L^-1 rows); rows are overwritten."""
    gram = gram_out[: count * count]
    for i in range(count * count):
        gram[i] = 0.0
    for s in range(factor.panel.shape[0] - 1):
        low, high = reach[s, 0], reach[s, 1]
        first, width = 3 * factor.panel[s] * count, 3 * (factor.panel[s + 1] - factor.panel[s])
        for begin in range(low, high, TILE):
            solve_panel(factor, s, rows, count, begin, min(TILE, high - begin), sums)
        for begin in range(low, high, TILE):
            for i in range(begin, high, 3):
                many = min(TILE, i + 3 - begin)
                sum_products(rows, first + begin, count, many, width, rows, first + i, count, 1, sums)
                for e in range(3):
                    at = (i + e) * count + begin
                    part, goal = sums[e * ROOM : e * ROOM + many], gram[at : at + many]
                    for k in range(many):
                        goal[k] += part[k]


@njit
def add_gram(gram, count, column, group_count, blocks_out):
    """W += the gram matrix, flat [count, count] and filled below its diagonal, at the rows numbered in `column`."""
    indptr, indices, W = blocks_out.indptr, blocks_out.indices, blocks_out.values
    for g in range(group_count):
        for p in range(indptr[g], indptr[g + 1]):
            for a in range(3):
                i = column[g, a]
                if i < 0:
                    continue
                for b in range(3):
                    j = column[indices[p], b]
                    if j >= 0:
                        W[p, a, b] += gram[max(i, j) * count + min(i, j)]
