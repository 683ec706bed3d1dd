"""A whole Newton step in one call, for systems so small that calling LAPACK costs more than solving them."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.strip_kernels import subtract_row
from supple_solve_newton.newton_kernels import (
    FIXED,
    SLIPPING,
    assemble_dense,
    expand_step,
    finish_right_side,
    linearise_groups,
    list_floors,
)

SINGULAR = -1


@njit
def factor_rows(size, matrix_inout, order_out):
    """P A -> L U in place, with the largest pivot of each column; False where A is singular.

    L has ones on its diagonal; row k of P A is row order_out[k] of A. Rows of the matrix are longer by LANES numbers or
    more, which are used up.
    """
    length = matrix_inout.shape[1]
    for k in range(size):
        order_out[k] = k
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            if abs(matrix_inout[i, k]) > abs(matrix_inout[best, k]):
                best = i
        if not abs(matrix_inout[best, k]) > 0.0:
            return False
        if best != k:
            order_out[k], order_out[best] = order_out[best], order_out[k]
            for j in range(size):
                matrix_inout[k, j], matrix_inout[best, j] = matrix_inout[best, j], matrix_inout[k, j]
        inverse = 1.0 / matrix_inout[k, k]
        for i in range(k + 1, size):
            ratio = matrix_inout[i, k] * inverse
            matrix_inout[i, k] = ratio
            if ratio != 0.0:
                subtract_row(matrix_inout, i * length + k + 1, k * length + k + 1, size - k - 1, ratio)
    return True


@njit
def solve_transposed(size, factor, order, right_inout, solution_out):
    """A^T x = right with the factors of A: U^T z = right, L^T P x = z. `right` becomes z."""
    for k in range(size):
        right_inout[k] /= factor[k, k]
        for j in range(k + 1, size):
            right_inout[j] -= right_inout[k] * factor[k, j]
    for k in range(size - 1, -1, -1):
        for j in range(k):
            right_inout[j] -= right_inout[k] * factor[k, j]
        solution_out[order[k]] = right_inout[k]


@njit
def is_symmetric(group_count, mode):
    """Whether the matrix of the step is symmetric: no contact slips."""
    slipping = 0
    for i in range(group_count):
        slipping += mode[i] == SLIPPING
    return slipping == 0


@njit
def assemble_upper(rows, blocks, linear, floors, size, matrix_out):
    """The upper triangle of the matrix of a step in which nothing slips, [size, size]: there L = C is diagonal."""
    compliance, indptr, indices, values = rows.compliance, blocks.indptr, blocks.indices, blocks.values
    mode, first, left = linear.mode, linear.first, linear.left
    if indptr[rows.counts[0]] < rows.counts[0] ** 2:
        for i in range(size):
            row = matrix_out[i, i:size]
            for j in range(row.size):
                row[j] = 0.0
    for i in range(rows.counts[0]):
        if mode[i] == FIXED:
            continue
        for p in range(blocks.diagonal[i], indptr[i + 1]):
            j = indices[p]
            if mode[j] == FIXED:
                continue
            for a in range(mode[i]):
                for b in range(mode[j]):
                    matrix_out[first[i] + a, first[j] + b] = left[i, a, a] * values[p, a, b] * left[j, b, b]
        for a in range(mode[i]):
            k = first[i] + a
            matrix_out[k, k] += left[i, a, a] * compliance[i, a] * left[i, a, a] + floors[k]


@njit
def factor_symmetric(size, matrix_inout):
    """A -> L D L^T in place from its upper triangle; False unless A is positive definite.

    Above the diagonal stands D L^T, on it D, and below it L. Rows of the matrix are longer, as for `factor_rows`.
    """
    length = matrix_inout.shape[1]
    for k in range(size):
        if not matrix_inout[k, k] > 0.0:
            return False
        inverse = 1.0 / matrix_inout[k, k]
        for i in range(k + 1, size):
            ratio = matrix_inout[k, i] * inverse
            matrix_inout[i, k] = ratio
            if ratio != 0.0:
                subtract_row(matrix_inout, i * length + i, k * length + i, size - i, ratio)
    return True


@njit
def solve_symmetric(size, factor, right_inout, solution_out):
    """A x = right with the factors of `factor_symmetric`. `right` is used up."""
    for k in range(size):
        right_inout[k] /= factor[k, k]
        rest, row = right_inout[k + 1 : size], factor[k, k + 1 : size]
        for j in range(rest.size):
            rest[j] -= right_inout[k] * row[j]
    for k in range(size - 1, -1, -1):
        solution_out[k] = right_inout[k]
        rest, row = right_inout[:k], factor[k, :k]
        for j in range(rest.size):
            rest[j] -= solution_out[k] * row[j]


@njit
def solve_small(size, symmetric, factor, order, right_inout, solution_out):
    """The system of a step with its factors, of whichever kind."""
    if symmetric:
        solve_symmetric(size, factor, right_inout, solution_out)
    else:
        solve_transposed(size, factor, order, right_inout, solution_out)


@njit
def find_small_step(rows, blocks, rho, floor, refinements, edge, impulse, velocity, linear_out, scratch):
    """Linearise all groups; if their unknowns fit into `scratch.matrix`, also find the step, `scratch.step`.

    Returns the number of unknowns, or SINGULAR. Without room the step is left alone. All else in `scratch` is used up.
    """
    group_count, matrix, floors, vector = rows.counts[0], scratch.matrix, scratch.floors, scratch.vector
    unknown, correction = scratch.unknown, scratch.correction
    size = linearise_groups(rows, rho, edge, impulse, velocity, linear_out)
    if size > matrix.shape[0]:
        return size
    finish_right_side(rows, blocks, linear_out, vector)
    list_floors(group_count, linear_out, rho, floor, floors)
    symmetric = is_symmetric(group_count, linear_out.mode)
    if symmetric:
        assemble_upper(rows, blocks, linear_out, floors, size, matrix)
        symmetric = factor_symmetric(size, matrix)
    if not symmetric:
        if blocks.indptr[group_count] < group_count**2:
            for i in range(size):
                row = matrix[i, :size]
                for j in range(row.size):
                    row[j] = 0.0
        assemble_dense(rows, blocks, linear_out, floors, matrix)
        if not factor_rows(size, matrix, scratch.order):
            return SINGULAR
    solve_small(size, symmetric, matrix, scratch.order, vector, unknown)
    for i in range(size):
        correction[i] = unknown[i]
    for _ in range(refinements):
        for i in range(size):
            vector[i] = floors[i] * correction[i]
        solve_small(size, symmetric, matrix, scratch.order, vector, correction)
        for i in range(size):
            unknown[i] += correction[i]
    expand_step(group_count, linear_out, unknown, scratch.step)
    return size
