"""Small matrices: 3 x 3 systems held in scalars, and the axes of symmetric 3 x 3 matrices."""

from __future__ import annotations

import math

from supple.core.jit import njit

SWEEPS = 20
ROUND_OFF = 1e-16


@njit
def solve_small(m, bx, by, bz):
    """x with m x = b for a 3 x 3 matrix m, by cofactors, as three floats; nan where m is singular."""
    c00 = m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1]
    c01 = m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2]
    c02 = m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]
    determinant = m[0, 0] * c00 + m[0, 1] * c01 + m[0, 2] * c02
    if determinant == 0.0:
        return math.nan, math.nan, math.nan
    c10 = m[0, 2] * m[2, 1] - m[0, 1] * m[2, 2]
    c11 = m[0, 0] * m[2, 2] - m[0, 2] * m[2, 0]
    c12 = m[0, 1] * m[2, 0] - m[0, 0] * m[2, 1]
    c20 = m[0, 1] * m[1, 2] - m[0, 2] * m[1, 1]
    c21 = m[0, 2] * m[1, 0] - m[0, 0] * m[1, 2]
    c22 = m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
    return (
        (c00 * bx + c10 * by + c20 * bz) / determinant,
        (c01 * bx + c11 * by + c21 * bz) / determinant,
        (c02 * bx + c12 * by + c22 * bz) / determinant,
    )


@njit
def turn_axes(a, b, matrix_inout, vectors_inout):
    """One rotation of Jacobi, which makes the entry (a, b) of a symmetric matrix zero."""
    entry = matrix_inout[a, b]
    if entry == 0.0:
        return
    ratio = (matrix_inout[b, b] - matrix_inout[a, a]) / (2.0 * entry)
    tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    for k in range(3):
        x, y = matrix_inout[k, a], matrix_inout[k, b]
        matrix_inout[k, a], matrix_inout[k, b] = cosine * x - sine * y, sine * x + cosine * y
    for k in range(3):
        x, y = matrix_inout[a, k], matrix_inout[b, k]
        matrix_inout[a, k], matrix_inout[b, k] = cosine * x - sine * y, sine * x + cosine * y
        x, y = vectors_inout[k, a], vectors_inout[k, b]
        vectors_inout[k, a], vectors_inout[k, b] = cosine * x - sine * y, sine * x + cosine * y
    matrix_inout[a, b] = 0.0
    matrix_inout[b, a] = 0.0


@njit
def diagonalise(matrix_inout, vectors_out):
    """Eigenvalues of a symmetric 3 x 3 matrix on its diagonal, unit eigenvectors in the columns of vectors_out."""
    for a in range(3):
        for b in range(3):
            vectors_out[a, b] = 1.0 if a == b else 0.0
    for _ in range(SWEEPS):
        beside = abs(matrix_inout[0, 1]) + abs(matrix_inout[0, 2]) + abs(matrix_inout[1, 2])
        along = abs(matrix_inout[0, 0]) + abs(matrix_inout[1, 1]) + abs(matrix_inout[2, 2])
        if beside <= ROUND_OFF * (along + beside):
            return
        turn_axes(0, 1, matrix_inout, vectors_out)
        turn_axes(0, 2, matrix_inout, vectors_out)
        turn_axes(1, 2, matrix_inout, vectors_out)
