"""A whole Newton step in one call, for systems so small that calling LAPACK costs more than solving them."""

from __future__ import annotations

from supple.core.jit import njit
from supple_solve_newton.newton_kernels import (
    assemble_dense,
    expand_step,
    finish_right_side,
    linearise_groups,
)

SINGULAR = -1


@njit
def factor_rows(size, matrix_inout, order_out):
    """P A -> L U in place, with the largest pivot of each column; False where A is singular.

    L has ones on its diagonal; row k of P A is row order_out[k] of A.
    """
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
        # Views, because only indices that count from 0 become vector instructions.
        pivot_row = matrix_inout[k, k + 1 : size]
        for i in range(k + 1, size):
            ratio = matrix_inout[i, k] * inverse
            matrix_inout[i, k] = ratio
            if ratio != 0.0:
                row = matrix_inout[i, k + 1 : size]
                for j in range(row.size):
                    row[j] -= ratio * pivot_row[j]
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
def find_small_step(
    law, friction, scale, lower, upper, compliance, indptr, indices, values, group_count, floor,
    rho, impulse, velocity,
    mode_out, first_out, left_out, right_out, shift_out, extra_out, right_side_out,
    part, matrix, order, vector, unknown, step_out,
):  # fmt: skip
    """Linearise all groups; if their unknowns fit into `matrix`, also find the step.

    Returns the number of unknowns, or SINGULAR. The outputs before `part` are those of `linearise_groups`; the arrays
    from `part` to `unknown` are scratch. Without room step_out is left alone.
    """
    size = linearise_groups(
        law, friction, scale, lower, upper, rho, group_count, impulse, velocity,
        mode_out, first_out, left_out, right_out, shift_out, extra_out, right_side_out,
    )  # fmt: skip
    if size > matrix.shape[0]:
        return size
    finish_right_side(
        compliance, indptr, indices, values, group_count, mode_out, first_out, left_out, shift_out,
        right_side_out, vector,
    )  # fmt: skip
    for i in range(size):
        for j in range(size):
            matrix[i, j] = 0.0
    assemble_dense(
        compliance, indptr, indices, values, rho, group_count, floor,
        mode_out, first_out, left_out, right_out, extra_out, part, matrix,
    )  # fmt: skip
    if not factor_rows(size, matrix, order):
        return SINGULAR
    solve_transposed(size, matrix, order, vector, unknown)
    expand_step(group_count, mode_out, first_out, right_out, shift_out, unknown, step_out)
    return size
