"""Cholesky factors in blocks of 3 x 3 with a fixed pattern, and solving with them; README eq. (6)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.jacobian import Jacobian
from supple_tets.tables import Factor, Matrix

WIDTH = 16
"""Columns that are solved side by side."""


@njit
def copy_matrix(matrix: Matrix, factor_out: Factor):
    """A into the arrays that its factor will be in."""
    D, L = factor_out.diagonal, factor_out.lower
    for k in range(D.shape[0]):
        for i in range(3):
            for j in range(3):
                D[k, i, j] = matrix.matrix_diagonal[k, i, j]
    for k in range(L.shape[0]):
        for i in range(3):
            for j in range(3):
                L[k, i, j] = matrix.matrix_lower[k, i, j]


@njit
def factorise(factor: Factor):
    """A = L L^T in place, column by column: each is finished, then taken from those behind it."""
    column, row, D, L = factor.column, factor.row, factor.diagonal, factor.lower
    for j in range(column.shape[0] - 1):
        i0 = 1.0 / math.sqrt(D[j, 0, 0])
        l10, l20 = D[j, 1, 0] * i0, D[j, 2, 0] * i0
        i1 = 1.0 / math.sqrt(D[j, 1, 1] - l10 * l10)
        l21 = (D[j, 2, 1] - l20 * l10) * i1
        i2 = 1.0 / math.sqrt(D[j, 2, 2] - l20 * l20 - l21 * l21)
        D[j, 0, 0], D[j, 1, 0], D[j, 2, 0], D[j, 1, 1], D[j, 2, 1], D[j, 2, 2] = i0, l10, l20, i1, l21, i2
        first, last = column[j], column[j + 1]
        for p in range(first, last):
            for r in range(3):
                a = L[p, r, 0] * i0
                b = (L[p, r, 1] - a * l10) * i1
                L[p, r, 0], L[p, r, 1], L[p, r, 2] = a, b, (L[p, r, 2] - a * l20 - b * l21) * i2
        for p in range(first, last):
            i = row[p]
            a00, a01, a02 = L[p, 0, 0], L[p, 0, 1], L[p, 0, 2]
            a10, a11, a12 = L[p, 1, 0], L[p, 1, 1], L[p, 1, 2]
            a20, a21, a22 = L[p, 2, 0], L[p, 2, 1], L[p, 2, 2]
            D[i, 0, 0] -= a00 * a00 + a01 * a01 + a02 * a02
            D[i, 1, 0] -= a10 * a00 + a11 * a01 + a12 * a02
            D[i, 1, 1] -= a10 * a10 + a11 * a11 + a12 * a12
            D[i, 2, 0] -= a20 * a00 + a21 * a01 + a22 * a02
            D[i, 2, 1] -= a20 * a10 + a21 * a11 + a22 * a12
            D[i, 2, 2] -= a20 * a20 + a21 * a21 + a22 * a22
            t = column[i]
            for q in range(p + 1, last):
                # The pattern of column i contains the rest of this one, in the same order.
                while row[t] != row[q]:
                    t += 1
                for r in range(3):
                    b0, b1, b2 = L[q, r, 0], L[q, r, 1], L[q, r, 2]
                    L[t, r, 0] -= b0 * a00 + b1 * a01 + b2 * a02
                    L[t, r, 1] -= b0 * a10 + b1 * a11 + b2 * a12
                    L[t, r, 2] -= b0 * a20 + b1 * a21 + b2 * a22


@njit
def solve_one(factor: Factor, right, scratch, out):
    """out = A^-1 right, both [n, 3]; scratch [n, 3]. They may be the same array."""
    place, column, row, D, L = factor.place, factor.column, factor.row, factor.diagonal, factor.lower
    n = column.shape[0] - 1
    for i in range(n):
        for axis in range(3):
            scratch[place[i], axis] = right[i, axis]
    for j in range(n):
        if scratch[j, 0] == 0.0 and scratch[j, 1] == 0.0 and scratch[j, 2] == 0.0:
            continue
        a = scratch[j, 0] * D[j, 0, 0]
        b = (scratch[j, 1] - D[j, 1, 0] * a) * D[j, 1, 1]
        c = (scratch[j, 2] - D[j, 2, 0] * a - D[j, 2, 1] * b) * D[j, 2, 2]
        scratch[j, 0], scratch[j, 1], scratch[j, 2] = a, b, c
        for p in range(column[j], column[j + 1]):
            for r in range(3):
                scratch[row[p], r] -= L[p, r, 0] * a + L[p, r, 1] * b + L[p, r, 2] * c
    for j in range(n - 1, -1, -1):
        a, b, c = scratch[j, 0], scratch[j, 1], scratch[j, 2]
        for p in range(column[j], column[j + 1]):
            x, y, z = scratch[row[p], 0], scratch[row[p], 1], scratch[row[p], 2]
            a -= L[p, 0, 0] * x + L[p, 1, 0] * y + L[p, 2, 0] * z
            b -= L[p, 0, 1] * x + L[p, 1, 1] * y + L[p, 2, 1] * z
            c -= L[p, 0, 2] * x + L[p, 1, 2] * y + L[p, 2, 2] * z
        c *= D[j, 2, 2]
        b = (b - D[j, 2, 1] * c) * D[j, 1, 1]
        a = (a - D[j, 1, 0] * b - D[j, 2, 0] * c) * D[j, 0, 0]
        scratch[j, 0], scratch[j, 1], scratch[j, 2] = a, b, c
    for i in range(n):
        for axis in range(3):
            out[i, axis] = scratch[place[i], axis]


@njit
def solve_forward(factor: Factor, touched, columns):
    """columns [n, 3, k] = L^-1 columns, both in the order of elimination; touched [n] marks what is not zero."""
    column, row, D, L = factor.column, factor.row, factor.diagonal, factor.lower
    count = columns.shape[2]
    for j in range(column.shape[0] - 1):
        if touched[j] == 0:
            continue
        i0, i1, i2 = D[j, 0, 0], D[j, 1, 1], D[j, 2, 2]
        l10, l20, l21 = D[j, 1, 0], D[j, 2, 0], D[j, 2, 1]
        for k in range(count):
            a = columns[j, 0, k] * i0
            b = (columns[j, 1, k] - l10 * a) * i1
            columns[j, 2, k] = (columns[j, 2, k] - l20 * a - l21 * b) * i2
            columns[j, 0, k] = a
            columns[j, 1, k] = b
        for p in range(column[j], column[j + 1]):
            i = row[p]
            touched[i] = 1
            for r in range(3):
                b0, b1, b2 = L[p, r, 0], L[p, r, 1], L[p, r, 2]
                for k in range(count):
                    columns[i, r, k] -= b0 * columns[j, 0, k] + b1 * columns[j, 1, k] + b2 * columns[j, 2, k]


@njit
def solve_backward(factor: Factor, columns):
    """columns [n, 3, k] = L^-T columns."""
    column, row, D, L = factor.column, factor.row, factor.diagonal, factor.lower
    count = columns.shape[2]
    for j in range(column.shape[0] - 2, -1, -1):
        for p in range(column[j], column[j + 1]):
            i = row[p]
            for r in range(3):
                b0, b1, b2 = L[p, 0, r], L[p, 1, r], L[p, 2, r]
                for k in range(count):
                    columns[j, r, k] -= b0 * columns[i, 0, k] + b1 * columns[i, 1, k] + b2 * columns[i, 2, k]
        i0, i1, i2 = D[j, 0, 0], D[j, 1, 1], D[j, 2, 2]
        l10, l20, l21 = D[j, 1, 0], D[j, 2, 0], D[j, 2, 1]
        for k in range(count):
            c = columns[j, 2, k] * i2
            b = (columns[j, 1, k] - l21 * c) * i1
            columns[j, 0, k] = (columns[j, 0, k] - l10 * b - l20 * c) * i0
            columns[j, 1, k] = b
            columns[j, 2, k] = c


@njit
def solve_many(factor: Factor, columns, touched, scratch, out):
    """out[k] = A^-1 columns[k], both [columns, 3 n]; scratch [n, 3, WIDTH], touched [n]."""
    place, n = factor.place, factor.column.shape[0] - 1
    for first in range(0, columns.shape[0], WIDTH):
        used = min(WIDTH, columns.shape[0] - first)
        for i in range(n):
            j = place[i]
            touched[j] = 0
            for axis in range(3):
                for k in range(WIDTH):
                    scratch[j, axis, k] = 0.0
                for k in range(used):
                    value = columns[first + k, 3 * i + axis]
                    scratch[j, axis, k] = value
                    if value != 0.0:
                        touched[j] = 1
        solve_forward(factor, touched, scratch)
        solve_backward(factor, scratch)
        for i in range(n):
            for axis in range(3):
                for k in range(used):
                    out[first + k, 3 * i + axis] = scratch[place[i], axis, k]


@njit
def spread_rows(factor: Factor, jacobian: Jacobian, column, touched_out, columns_out):
    """columns_out [n, 3, k]: the rows of J that are numbered in `column`, in the order of elimination."""
    for j in range(columns_out.shape[0]):
        touched_out[j] = 0
        for axis in range(3):
            for k in range(columns_out.shape[2]):
                columns_out[j, axis, k] = 0.0
    for b in range(jacobian.counts[0]):
        j = factor.place[jacobian.dof[b] // 3]
        touched_out[j] = 1
        for r in range(3):
            k = column[jacobian.group[b], r]
            if k >= 0:
                for axis in range(3):
                    columns_out[j, axis, k] += jacobian.values[b, r, axis]


@njit
def add_gram(gram, column, group_count, blocks_out):
    """W += gram [k, k] = J A^-1 J^T at the rows that are numbered in `column`."""
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
                        W[p, a, b] += gram[i, j]
