"""Factors and solves with chain matrices: symmetric, A[k, j] nonzero only where one rate is above the other.

Row k of a chain matrix lies at dof[k, ROW]: its diagonal, then its ancestors, nearest first. The row of an
ancestor is thus the tail of the same list, and A = L^T D L fills in nothing (README eq. (10)). A factor holds L
in the places of A, and 1 / D on the diagonal.

Ancestors are taken run by run (dof[k, RUN]), and indices of inner loops are unsigned, for of others numba asks whether
they count from the end.
"""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit
from supple_bones.layout import DEPTH, DOF_PARENT, ROW, RUN


@njit
def factor_chain(dof, matrix_out):
    """A -> L, 1 / D in place. Returns the first rate from the tips with no inertia left, or -1."""
    one = np.uint64(1)
    for k in range(dof.shape[0] - 1, -1, -1):
        row, length, j = dof[k, ROW], dof[k, DEPTH], dof[k, DOF_PARENT]
        pivot = matrix_out[row]
        if not pivot > 0.0:
            return k
        inverse = 1.0 / pivot
        matrix_out[row] = inverse
        place = np.uint64(row)
        while j >= 0:
            place += one
            ratio, other = matrix_out[place] * inverse, np.uint64(dof[j, ROW])
            for t in range(length):
                matrix_out[other + np.uint64(t)] -= ratio * matrix_out[place + np.uint64(t)]
            matrix_out[place] = ratio
            length -= 1
            j = dof[j, DOF_PARENT]
    return -1


@njit
def solve_chain(dof, factor, x_out):
    """x -> A^-1 x in place: README eq. (11)."""
    count, one = dof.shape[0], np.uint64(1)
    for k in range(count - 1, -1, -1):
        value, place, j = x_out[k], np.uint64(dof[k, ROW]) + one, dof[k, DOF_PARENT]
        while j >= 0:
            run = dof[j, RUN]
            for t in range(run):
                x_out[np.uint64(j - t)] -= factor[place] * value
                place += one
            j = dof[j - run + 1, DOF_PARENT]
    for k in range(count):
        place, j = np.uint64(dof[k, ROW]), dof[k, DOF_PARENT]
        value = x_out[k] * factor[place]
        place += one
        while j >= 0:
            run = dof[j, RUN]
            for t in range(run):
                value -= factor[place] * x_out[np.uint64(j - t)]
                place += one
            j = dof[j - run + 1, DOF_PARENT]
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
