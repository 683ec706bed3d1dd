"""Cholesky factors in dense panels with a fixed pattern, and solving with them; README eq. (6)."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple_tets.product_kernels import AT_ONCE, subtract_sum, sum_products
from supple_tets.tables import Factor, Matrix

WIDTH = 32
"""Columns that are solved side by side."""


@njit
def copy_matrix(matrix: Matrix, factor_out: Factor):
    """A into the panels that its factor will be in."""
    N = factor_out.numbers
    for i in range(N.shape[0]):
        N[i] = 0.0
    for k in range(factor_out.diagonal_home.shape[0]):
        at, length = factor_out.diagonal_home[k, 0], factor_out.diagonal_home[k, 1]
        for r in range(3):
            for c in range(r + 1):
                N[at + c * length + r] = matrix.matrix_diagonal[k, r, c]
    for k in range(factor_out.lower_home.shape[0]):
        at, length = factor_out.lower_home[k, 0], factor_out.lower_home[k, 1]
        for c in range(3):
            for r in range(3):
                N[at + c * length + r] = matrix.matrix_lower[k, r, c]


@njit_inlined
def finish_columns(N, at, m):
    """The three columns of L whose diagonal begins at N[at], m apart; diagonals are kept as their reciprocals."""
    i0 = 1.0 / math.sqrt(N[at])
    l10, l20 = N[at + 1] * i0, N[at + 2] * i0
    i1 = 1.0 / math.sqrt(N[at + m + 1] - l10 * l10)
    l21 = (N[at + m + 2] - l20 * l10) * i1
    i2 = 1.0 / math.sqrt(N[at + 2 * m + 2] - l20 * l20 - l21 * l21)
    N[at], N[at + 1], N[at + 2] = i0, l10, l20
    N[at + m + 1], N[at + m + 2], N[at + 2 * m + 2] = i1, l21, i2
    return i0, l10, l20, i1, l21, i2


@njit
def factorise(factor: Factor, sums):
    """A = L L^T in place, panel by panel: each is finished, then taken from those that its rows belong to.

    sums [3 ROOM].
    """
    N = factor.numbers
    for s in range(factor.panel.shape[0] - 1):
        width, under = 3 * (factor.panel[s + 1] - factor.panel[s]), factor.below[s + 1] - factor.below[s]
        home, m = factor.home[s], width + 3 * under
        for j in range(0, width, 3):
            for low in range(j, m if j > 0 else 0, AT_ONCE):
                count = min(AT_ONCE, m - low)
                sum_products(N, home + low, m, count, j, N, home + j, m, 1, sums)
                for e in range(3):
                    subtract_sum(sums, e, count, N, home + (j + e) * m + low)
            at, left = home + j * m + j, m - j - 3
            i0, l10, l20, i1, l21, i2 = finish_columns(N, at, m)
            at += 3
            c0, c1 = N[at : at + left], N[at + m : at + m + left]
            c2 = N[at + 2 * m : at + 2 * m + left]
            for i in range(left):
                a = c0[i] * i0
                b = (c1[i] - a * l10) * i1
                c0[i], c1[i], c2[i] = a, b, (c2[i] - a * l20 - b * l21) * i2
        for k in range(factor.meet_start[s], factor.meet_start[s + 1]):
            take_from(factor, k, home, width, under, sums)


@njit_inlined
def take_from(factor: Factor, k, home, width, under, sums):
    """Take the products of a panel's rows from one of the panels that they belong to."""
    N, run, m = factor.numbers, factor.run, width + 3 * under
    t, first, last = factor.meet[k, 0], factor.meet[k, 1], factor.meet[k, 2]
    begin, end = factor.meet[k, 3], factor.meet[k + 1, 3]
    length = 3 * (factor.panel[t + 1] - factor.panel[t] + factor.below[t + 1] - factor.below[t])
    for a in range(first, last):
        while run[begin, 0] + run[begin, 2] <= a:
            begin += 1
        column = factor.home[t] + 3 * (a - run[begin, 0] + run[begin, 1]) * length
        for low in range(a, under, AT_ONCE // 3):
            high = min(low + AT_ONCE // 3, under)
            source = home + width + 3 * low
            sum_products(N, source, m, 3 * (high - low), width, N, home + width + 3 * a, m, 1, sums)
            for r in range(begin, end):
                here, stop = max(run[r, 0], low), min(run[r, 0] + run[r, 2], high)
                target = column + 3 * (here - run[r, 0] + run[r, 1])
                for e in range(3):
                    subtract_part(sums, e, 3 * (here - low), 3 * (stop - here), N, target + e * length)


@njit_inlined
def subtract_part(sums, e, first, count, numbers, target):
    """numbers[target + i] -= sum e from `first` on; nothing where count is not positive."""
    if count > 0:
        subtract_sum(sums[first:], e, count, numbers, target)


@njit
def solve_one(factor: Factor, right, scratch, out):
    """out = A^-1 right, both [n, 3]; scratch [2 n, 3]. They may be the same array."""
    place, n = factor.place, factor.place.shape[0]
    flat = scratch.reshape(-1)
    x, far = flat[: 3 * n], flat[3 * n :]
    for i in range(n):
        for axis in range(3):
            x[3 * place[i] + axis] = right[i, axis]
    for s in range(factor.panel.shape[0] - 1):
        solve_panel_down(factor, s, x, far)
    for s in range(factor.panel.shape[0] - 2, -1, -1):
        solve_panel_up(factor, s, x, far)
    for i in range(n):
        for axis in range(3):
            out[i, axis] = x[3 * place[i] + axis]


@njit_inlined
def solve_panel_down(factor: Factor, s, x, far):
    """x of a panel is solved for, and taken from that of the vertices below it."""
    N, first, under = factor.numbers, factor.below[s], factor.below[s + 1] - factor.below[s]
    width = 3 * (factor.panel[s + 1] - factor.panel[s])
    m, own, below = width + 3 * under, x[3 * factor.panel[s] : 3 * factor.panel[s + 1]], far[: 3 * under]
    for i in range(3 * under):
        below[i] = 0.0
    for k in range(0, width, 3):
        at = factor.home[s] + k * m
        p, q, r = N[at : at + m], N[at + m : at + 2 * m], N[at + 2 * m : at + 3 * m]
        a = own[k] * p[k]
        b = (own[k + 1] - p[k + 1] * a) * q[k + 1]
        c = (own[k + 2] - p[k + 2] * a - q[k + 2] * b) * r[k + 2]
        own[k], own[k + 1], own[k + 2] = a, b, c
        for i in range(k + 3, width):
            own[i] -= p[i] * a + q[i] * b + r[i] * c
        p, q, r = p[width:], q[width:], r[width:]
        for i in range(3 * under):
            below[i] += p[i] * a + q[i] * b + r[i] * c
    for i in range(under):
        for axis in range(3):
            x[3 * factor.row[first + i] + axis] -= below[3 * i + axis]


@njit_inlined
def solve_panel_up(factor: Factor, s, x, far):
    """The same with L^T: what is below is known, and a panel is solved for."""
    N, first, under = factor.numbers, factor.below[s], factor.below[s + 1] - factor.below[s]
    width = 3 * (factor.panel[s + 1] - factor.panel[s])
    m, own, known = (
        width + 3 * under,
        x[3 * factor.panel[s] : 3 * factor.panel[s + 1]],
        far[: width + 3 * under],
    )
    for i in range(under):
        for axis in range(3):
            known[width + 3 * i + axis] = x[3 * factor.row[first + i] + axis]
    for k in range(width - 3, -1, -3):
        at = factor.home[s] + k * m
        p, q, r = N[at : at + m], N[at + m : at + 2 * m], N[at + 2 * m : at + 3 * m]
        # Two sums each: one addition need not wait for the other.
        a, b, c, d, e, f = own[k], own[k + 1], own[k + 2], 0.0, 0.0, 0.0
        start = k + 3 + (m - k - 3) % 2
        if start > k + 3:
            y = known[k + 3]
            d, e, f = p[k + 3] * y, q[k + 3] * y, r[k + 3] * y
        for i in range(start, m, 2):
            y, z = known[i], known[i + 1]
            a, b, c = a - p[i] * y, b - q[i] * y, c - r[i] * y
            d, e, f = d + p[i + 1] * z, e + q[i + 1] * z, f + r[i + 1] * z
        a, b, c = a - d, b - e, c - f
        c *= r[k + 2]
        b = (b - q[k + 2] * c) * q[k + 1]
        a = (a - p[k + 1] * b - p[k + 2] * c) * p[k]
        own[k], own[k + 1], own[k + 2] = a, b, c
        known[k], known[k + 1], known[k + 2] = a, b, c


@njit_inlined
def solve_panel(factor: Factor, s, rows, stride, low, count, sums):
    """Three rows a vertex, `stride` long: those of a panel are solved for, and taken from those below it.

    Only `count` numbers of a row from `low` on are looked at.
    """
    N, own = factor.numbers, 3 * factor.panel[s] * stride + low
    width, under = 3 * (factor.panel[s + 1] - factor.panel[s]), factor.below[s + 1] - factor.below[s]
    home, m = factor.home[s], width + 3 * under
    for j in range(0, width, 3):
        target, at = own + j * stride, home + j * m + j
        if j > 0:
            sum_products(rows, own, stride, count, j, N, home + j, m, 1, sums)
            for e in range(3):
                subtract_sum(sums, e, count, rows, target + e * stride)
        i0, l10, l20, i1, l21, i2 = (
            N[at],
            N[at + 1],
            N[at + 2],
            N[at + m + 1],
            N[at + m + 2],
            N[at + 2 * m + 2],
        )
        x, y = rows[target : target + count], rows[target + stride : target + stride + count]
        z = rows[target + 2 * stride : target + 2 * stride + count]
        for i in range(count):
            a = x[i] * i0
            b = (y[i] - l10 * a) * i1
            x[i], y[i], z[i] = a, b, (z[i] - l20 * a - l21 * b) * i2
    for a in range(under):
        sum_products(rows, own, stride, count, width, N, home + width + 3 * a, m, 1, sums)
        target = 3 * factor.row[factor.below[s] + a] * stride + low
        for e in range(3):
            subtract_sum(sums, e, count, rows, target + e * stride)


@njit
def solve_forward(factor: Factor, touched, rows, sums):
    """rows = L^-1 rows, flat [3 n, WIDTH], in the order of elimination; touched [panels] marks what is not zero."""
    for s in range(factor.panel.shape[0] - 1):
        if touched[s] == 0:
            continue
        if factor.meet_start[s] < factor.meet_start[s + 1]:
            # Whatever else its rows touch is reached from there.
            touched[factor.meet[factor.meet_start[s], 0]] = 1
        solve_panel(factor, s, rows, WIDTH, 0, WIDTH, sums)


@njit
def solve_backward(factor: Factor, rows, gathered, sums):
    """rows = L^-T rows, flat [3 n, WIDTH]; gathered as long as rows."""
    N = factor.numbers
    for s in range(factor.panel.shape[0] - 2, -1, -1):
        own = 3 * factor.panel[s] * WIDTH
        width, under = 3 * (factor.panel[s + 1] - factor.panel[s]), factor.below[s + 1] - factor.below[s]
        m = width + 3 * under
        for a in range(under):
            source, target = 3 * factor.row[factor.below[s] + a] * WIDTH, 3 * a * WIDTH
            part, goal = rows[source : source + 3 * WIDTH], gathered[target : target + 3 * WIDTH]
            for i in range(3 * WIDTH):
                goal[i] = part[i]
        for j in range(width - 3, -1, -3):
            at, target = factor.home[s] + j * m, own + j * WIDTH
            sum_products(gathered, 0, WIDTH, WIDTH, 3 * under, N, at + width, 1, m, sums)
            for e in range(3):
                subtract_sum(sums, e, WIDTH, rows, target + e * WIDTH)
            sum_products(rows, target + 3 * WIDTH, WIDTH, WIDTH, width - j - 3, N, at + j + 3, 1, m, sums)
            for e in range(3):
                subtract_sum(sums, e, WIDTH, rows, target + e * WIDTH)
            at += j
            i0, l10, l20, i1, l21, i2 = (
                N[at],
                N[at + 1],
                N[at + 2],
                N[at + m + 1],
                N[at + m + 2],
                N[at + 2 * m + 2],
            )
            x, y = rows[target : target + WIDTH], rows[target + WIDTH : target + 2 * WIDTH]
            z = rows[target + 2 * WIDTH : target + 3 * WIDTH]
            for i in range(WIDTH):
                c = z[i] * i2
                b = (y[i] - l21 * c) * i1
                x[i], y[i], z[i] = (x[i] - l10 * b - l20 * c) * i0, b, c


@njit
def solve_many(factor: Factor, columns, touched, scratch, sums, out):
    """out[k] = A^-1 columns[k], both [columns, 3 n]; scratch [2, 3 n WIDTH], touched [panels], sums [3 ROOM]."""
    place, rows = factor.place, scratch[0]
    n = place.shape[0]
    for first in range(0, columns.shape[0], WIDTH):
        used = min(WIDTH, columns.shape[0] - first)
        for s in range(touched.shape[0]):
            touched[s] = 0
        for i in range(n):
            j, found = place[i], False
            for axis in range(3):
                at = (3 * j + axis) * WIDTH
                for k in range(used, WIDTH):
                    rows[at + k] = 0.0
                for k in range(used):
                    value = columns[first + k, 3 * i + axis]
                    rows[at + k] = value
                    found = found or value != 0.0
            if found:
                touched[factor.panel_of[j]] = 1
        solve_forward(factor, touched, rows, sums)
        solve_backward(factor, rows, scratch[1], sums)
        for i in range(n):
            for axis in range(3):
                at = (3 * place[i] + axis) * WIDTH
                for k in range(used):
                    out[first + k, 3 * i + axis] = rows[at + k]
