"""Rows of numbers made triangular by reflections, and small systems solved with what that leaves.

A row is a vector, so all loops run along memory. Sums have four accumulators, since without fastmath a sum of one is
as slow as its additions one after the other.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined

# Rotations of the Jacobi method stop when no pair of columns is further from right angles than this.
ORTHOGONAL = 1e-15
SWEEPS = 30


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
def factor_rows(A, count, width, tolerance, order_out, V_out):
    """A H_0 ... H_{r-1} is lower trapezoidal in the order of its largest rows; returns the rank r.

    A [count, width] is overwritten by it, H_j = 1 - v_j v_j^T with v_j = V_out[j]. Rows of which less than `tolerance`
    is left count as dependent; what is left of them is not cleared.
    """
    for i in range(count):
        order_out[i] = i
    rank = 0
    while rank < min(count, width):
        best, where = -1.0, rank
        for i in range(rank, count):
            square = dot_rows(A, order_out[i], A, order_out[i], rank, width)
            if square > best:
                best, where = square, i
        if not best > tolerance * tolerance:
            break
        order_out[rank], order_out[where] = order_out[where], order_out[rank]
        reflect_rows(A, count, width, rank, math.sqrt(best), order_out, V_out)
        rank += 1
    return rank


@njit
def reflect_rows(A, count, width, rank, norm, order, V_out):
    """The reflection that leaves one number of row order[rank] beyond column `rank`, for it and all later rows."""
    row = order[rank]
    head = A[row, rank]
    kept = -norm if head > 0.0 else norm
    factor = 1.0 / math.sqrt(norm * (norm + abs(head)))
    for k in range(rank):
        V_out[rank, k] = 0.0
    V_out[rank, rank] = (head - kept) * factor
    for k in range(rank + 1, width):
        V_out[rank, k] = A[row, k] * factor
        A[row, k] = 0.0
    A[row, rank] = kept
    for i in range(rank + 1, count):
        each = order[i]
        part = dot_rows(A, each, V_out, rank, rank, width)
        for k in range(rank, width):
            A[each, k] -= part * V_out[rank, k]


@njit
def turn_back(V, rank, width, x_out):
    """x = H_0 ... H_{r-1} x: from the triangular coordinates to those of the rows."""
    for back in range(rank):
        j = rank - 1 - back
        part = dot_row_vector(V, j, x_out, j, width)
        for k in range(j, width):
            x_out[k] -= part * V[j, k]


@njit
def turn_forth(V, rank, width, x_out):
    """x = H_{r-1} ... H_0 x, the inverse of `turn_back`."""
    for j in range(rank):
        part = dot_row_vector(V, j, x_out, j, width)
        for k in range(j, width):
            x_out[k] -= part * V[j, k]


@njit
def solve_rows(A, order, rank, right, y_out):
    """Forward substitution: the first `rank` rows of a factored A, times y, are these of `right`."""
    for i in range(rank):
        row = order[i]
        left = right[row]
        for k in range(i):
            left -= A[row, k] * y_out[k]
        y_out[i] = left / A[row, i]


@njit
def solve_columns(A, order, rank, right, y_out):
    """Back substitution: the transposed of the first `rank` rows of a factored A, times y, is `right` [rank].

    y is in the order of the rows' numbers; rows beyond the rank get nothing.
    """
    for back in range(rank):
        i = rank - 1 - back
        left = right[i]
        for j in range(i + 1, rank):
            left -= A[order[j], i] * y_out[order[j]]
        y_out[order[i]] = left / A[order[i], i]


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
