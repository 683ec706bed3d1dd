"""Factors and solves with chain matrices: symmetric, A[k, j] nonzero only where one rate is above the other.

Row k of a chain matrix lies at dof[k, ROW]: its diagonal, then its ancestors, nearest first. The row of an
ancestor is thus the tail of the same list, and A = L^T D L fills in nothing (README eq. (10)). A factor holds L
in the places of A, and 1 / D on the diagonal.
"""

from __future__ import annotations

from supple.core.jit import njit
from supple_bones.layout import DEPTH, DOF_PARENT, ROW


@njit
def factor_chain(dof, matrix_out):
    """A -> L, 1 / D in place. Returns the first rate from the tips with no inertia left, or -1."""
    for k in range(dof.shape[0] - 1, -1, -1):
        row = dof[k, ROW]
        pivot = matrix_out[row]
        if not pivot > 0.0:
            return k
        inverse = 1.0 / pivot
        matrix_out[row] = inverse
        place = row
        j = dof[k, DOF_PARENT]
        while j >= 0:
            place += 1
            ratio = matrix_out[place] * inverse
            # Views, because only indices that count from 0 become vector instructions.
            length = dof[j, DEPTH] + 1
            other = matrix_out[dof[j, ROW] : dof[j, ROW] + length]
            tail = matrix_out[place : place + length]
            for t in range(length):
                other[t] -= ratio * tail[t]
            matrix_out[place] = ratio
            j = dof[j, DOF_PARENT]
    return -1


@njit
def solve_chain(dof, factor, x_out):
    """x -> A^-1 x in place: README eq. (11)."""
    count = dof.shape[0]
    for k in range(count - 1, -1, -1):
        value = x_out[k]
        place = dof[k, ROW]
        j = dof[k, DOF_PARENT]
        while j >= 0:
            place += 1
            x_out[j] -= factor[place] * value
            j = dof[j, DOF_PARENT]
    for k in range(count):
        place = dof[k, ROW]
        value = x_out[k] * factor[place]
        j = dof[k, DOF_PARENT]
        while j >= 0:
            place += 1
            value -= factor[place] * x_out[j]
            j = dof[j, DOF_PARENT]
        x_out[k] = value


@njit
def solve_columns(dof, factor, columns, out):
    """out[k] = A^-1 columns[k], both [columns, rates]."""
    for k in range(columns.shape[0]):
        for j in range(columns.shape[1]):
            out[k, j] = columns[k, j]
        solve_chain(dof, factor, out[k])


@njit
def multiply_chain(dof, matrix, x, y_out):
    """y_out = A x."""
    for k in range(dof.shape[0]):
        y_out[k] = 0.0
    for k in range(dof.shape[0]):
        place = dof[k, ROW]
        total = matrix[place] * x[k]
        j = dof[k, DOF_PARENT]
        while j >= 0:
            place += 1
            total += matrix[place] * x[j]
            y_out[j] += matrix[place] * x[k]
            j = dof[j, DOF_PARENT]
        y_out[k] += total
