"""Columns of numbers made triangular by reflections, and small systems solved with what that leaves.

Arrays hold vectors as columns: a reflection then is sums of rows, loops without dependence that run along memory. Where
sums over single vectors remain they have four accumulators, since without fastmath a sum of one is as slow as its
additions one after the other.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.strip_kernels import (
    LANES,
    reflect_four_vectors,
    reflect_one_vector,
    reflect_three_vectors,
    reflect_two_vectors,
)

# Rotations of the Jacobi method stop when no pair of columns is further from right angles than this.
ORTHOGONAL = 1e-15
SWEEPS = 30
# Squares of what is left of columns are kept by differences; below this part of the largest they are summed anew.
TRUSTED = 1e-4


@njit_inlined
def dot_rows(a, i, b, j, first, end):
    """Scalar product of a[i, first:end] and b[j, first:end]."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = first + (end - first) // 4 * 4
    for k in range(first, whole, 4):
        s0 += a[i, k] * b[j, k]
        s1 += a[i, k + 1] * b[j, k + 1]
        s2 += a[i, k + 2] * b[j, k + 2]
        s3 += a[i, k + 3] * b[j, k + 3]
    for k in range(whole, end):
        s0 += a[i, k] * b[j, k]
    return (s0 + s1) + (s2 + s3)


@njit_inlined
def dot_row_vector(a, i, x, first, end):
    """Scalar product of a[i, first:end] and x[first:end]."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = first + (end - first) // 4 * 4
    for k in range(first, whole, 4):
        s0 += a[i, k] * x[k]
        s1 += a[i, k + 1] * x[k + 1]
        s2 += a[i, k + 2] * x[k + 2]
        s3 += a[i, k + 3] * x[k + 3]
    for k in range(whole, end):
        s0 += a[i, k] * x[k]
    return (s0 + s1) + (s2 + s3)


@njit
def reflect(V, j, offset, length, start, count, A_out):
    """A -= v (v^T A) for rows offset + j to offset + length of A, with v = V[j], whose first j numbers are zero.

    Only columns from `start` to `count` change, and up to LANES - 1 behind them, where nothing may be kept.
    """
    stride, terms, column = A_out.shape[1], length - j, start
    first = (offset + j) * stride
    while column < count:
        left = count - column
        if left > 3 * LANES:
            reflect_four_vectors(V[j], A_out, j, terms, first + column, stride)
        elif left > 2 * LANES:
            reflect_three_vectors(V[j], A_out, j, terms, first + column, stride)
        elif left > LANES:
            reflect_two_vectors(V[j], A_out, j, terms, first + column, stride)
        else:
            reflect_one_vector(V[j], A_out, j, terms, first + column, stride)
        column += 4 * LANES


@njit
def sum_squares(A, first, length, count, squares_out):
    """Squares of what columns have in rows first to length; returns the largest."""
    largest = 0.0
    for i in range(count):
        squares_out[i] = 0.0
    for k in range(first, length):
        row = A[k]
        for i in range(count):
            squares_out[i] += row[i] * row[i]
    for i in range(count):
        largest = max(largest, squares_out[i])
    return largest


@njit
def factor_columns(A, chosen, count, length, tolerance, order_out, V_out, squares):
    """H_{r-1} ... H_0 A is upper triangular in its first r columns, the largest of the `chosen` first; returns r.

    All `count` columns of A [length, count] are overwritten, H_j = 1 - v_j v_j^T with v_j = V_out[j]. The first ones
    change places: what was column order_out[i] is column i. Those of which less than `tolerance` is left count as
    dependent, and stand behind the others; what is left of them is not cleared.
    """
    for i in range(chosen):
        order_out[i] = i
    rank, trusted = 0, sum_squares(A, 0, length, chosen, squares)
    while rank < min(chosen, length):
        best, where = find_largest(squares, rank, chosen)
        if best <= TRUSTED * trusted:
            trusted = sum_squares(A, rank, length, chosen, squares)
            best, where = find_largest(squares, rank, chosen)
        if not best > tolerance * tolerance:
            break
        swap_columns(A, rank, where, length, order_out, squares)
        kept = set_reflection(A, rank, length, V_out)
        reflect(V_out, rank, 0, length, rank + 1, count, A)
        row = A[rank]
        row[rank] = kept
        for i in range(rank + 1, chosen):
            squares[i] -= row[i] * row[i]
        for k in range(rank + 1, length):
            A[k, rank] = 0.0
        rank += 1
    return rank


@njit
def swap_columns(A, i, j, length, order, squares):
    """Columns i and j of A change places."""
    if i == j:
        return
    order[i], order[j] = order[j], order[i]
    squares[i], squares[j] = squares[j], squares[i]
    for k in range(length):
        A[k, i], A[k, j] = A[k, j], A[k, i]


@njit
def find_largest(squares, first, end):
    """The largest of the squares of columns that are not taken yet, and its place."""
    best, where = -1.0, first
    for i in range(first, end):
        if squares[i] > best:
            best, where = squares[i], i
    return best, where


@njit
def set_reflection(A, rank, length, V_out):
    """v of the reflection that leaves one number of column `rank` from row `rank` on; returns that number."""
    v = V_out[rank]
    for k in range(rank, length):
        v[k] = A[k, rank]
    norm, head = math.sqrt(dot_rows(V_out, rank, V_out, rank, rank, length)), v[rank]
    kept = -norm if head > 0.0 else norm
    factor = 1.0 / math.sqrt(norm * (norm + abs(head)))
    for k in range(rank):
        v[k] = 0.0
    v[rank] = (head - kept) * factor
    for k in range(rank + 1, length):
        v[k] *= factor
    return kept


@njit
def turn_back(V, rank, length, x_out):
    """x = H_0 ... H_{r-1} x: from the triangular coordinates to those of the columns."""
    for back in range(rank):
        j = rank - 1 - back
        part = dot_row_vector(V, j, x_out, j, length)
        for k in range(j, length):
            x_out[k] -= part * V[j, k]


@njit
def turn_forth(V, rank, length, x_out):
    """x = H_{r-1} ... H_0 x, the inverse of `turn_back`."""
    for j in range(rank):
        part = dot_row_vector(V, j, x_out, j, length)
        for k in range(j, length):
            x_out[k] -= part * V[j, k]


@njit
def solve_forward(A, order, rank, right, y_out):
    """The transposed of the first `rank` columns of a factored A, times y [rank], is `right`, by columns' numbers."""
    for i in range(rank):
        left = right[order[i]]
        for k in range(i):
            left -= A[k, i] * y_out[k]
        y_out[i] = left / A[i, i]


@njit
def solve_back(A, order, rank, right, y_out):
    """The first `rank` columns of a factored A, times y, are `right` [rank].

    y is in the order of the columns' numbers; columns beyond the rank get nothing.
    """
    for back in range(rank):
        i = rank - 1 - back
        left = right[i]
        for j in range(i + 1, rank):
            left -= A[i, j] * y_out[order[j]]
        y_out[order[i]] = left / A[i, i]


@njit
def bound_smallest_value(T, rank, y):
    """A lower bound of the singular values of an upper triangular T: 1 by the Frobenius norm of its inverse."""
    square = 0.0
    for i in range(rank):
        y[i] = 1.0 / T[i, i]
        square += y[i] * y[i]
        for back in range(i):
            k = i - 1 - back
            left = 0.0
            for j in range(k + 1, i + 1):
                left -= T[k, j] * y[j]
            y[k] = left / T[k, k]
            square += y[k] * y[k]
    return 1.0 / math.sqrt(square)


@njit
def decompose(B, W_out, size):
    """One-sided Jacobi: rows of B [size, size] become orthogonal by rotations, which W_out collects.

    With B the transposed of T, afterwards T W[j] = B[j]: the rows of W are the right singular vectors of T, the
    lengths of those of B its singular values.
    """
    for i in range(size):
        for k in range(size):
            W_out[i, k] = 1.0 if i == k else 0.0
    for _ in range(SWEEPS):
        turned = False
        for p in range(size - 1):
            for q in range(p + 1, size):
                turned = rotate_pair(B, W_out, p, q, size) or turned
        if not turned:
            return


@njit
def rotate_pair(B, W, p, q, size):
    """Make rows p and q of B orthogonal; False if they are."""
    a, b, c = dot_rows(B, p, B, p, 0, size), dot_rows(B, q, B, q, 0, size), dot_rows(B, p, B, q, 0, size)
    if abs(c) <= ORTHOGONAL * math.sqrt(a * b) or c == 0.0:
        return False
    ratio = (b - a) / (2.0 * c)
    tangent = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for k in range(size):
        B[p, k], B[q, k] = cosine * B[p, k] - sine * B[q, k], sine * B[p, k] + cosine * B[q, k]
        W[p, k], W[q, k] = cosine * W[p, k] - sine * W[q, k], sine * W[p, k] + cosine * W[q, k]
    return True
