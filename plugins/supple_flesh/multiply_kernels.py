"""Matrices of the active vertices of every patch: A_s, and products with its inverse; README eq. (3) and (4).

Active vertices are numbered patch by patch: those of patch p are vertex[start[p]] to vertex[start[p + 1] - 1]. slot[i]
is the place of vertex i among those of its patch, -1 if it is not active. The inverse of patch p is a dense matrix,
row by row from inverse_start[p] on.
"""

from __future__ import annotations

from supple.core.jit import njit


@njit
def fill_patch_matrix(
    h, mass, vertex_stiffness, damping, first, neighbour, edge_stiffness, patch_of, vertex, slot, begin, end,
    matrix_out,
):  # fmt: skip
    """matrix_out [m, m] = A_s of the active vertices begin..end, all of one patch; README eq. (3)."""
    for k in range(end - begin):
        for other in range(end - begin):
            matrix_out[k, other] = 0.0
    for k in range(begin, end):
        i = vertex[k]
        total = vertex_stiffness[i]
        for e in range(first[i], first[i + 1]):
            j = neighbour[e]
            total += edge_stiffness[e]
            if slot[j] >= 0 and patch_of[j] == patch_of[i]:
                matrix_out[k - begin, slot[j]] -= h * h * edge_stiffness[e]
        matrix_out[k - begin, k - begin] += mass[i] + h * damping[i] + h * h * total


@njit
def multiply_patches(start, inverse_start, inverse, right, product_out):
    """product_out = A_s^-1 right patch by patch, both [3, n] over the active vertices."""
    for p in range(start.shape[0] - 1):
        begin = start[p]
        size = start[p + 1] - begin
        # Views, because only indices that count from 0 become vector instructions.
        out0 = product_out[0, begin : begin + size]
        out1 = product_out[1, begin : begin + size]
        out2 = product_out[2, begin : begin + size]
        for k in range(size):
            out0[k] = 0.0
            out1[k] = 0.0
            out2[k] = 0.0
        for j in range(size):
            row = inverse[inverse_start[p] + j * size : inverse_start[p] + (j + 1) * size]
            r0, r1, r2 = right[0, begin + j], right[1, begin + j], right[2, begin + j]
            for k in range(size):
                out0[k] += row[k] * r0
                out1[k] += row[k] * r1
                out2[k] += row[k] * r2
