"""Marching tetrahedra: triangles of the zero level on a regular grid, closed and manifold by construction.

Every cube of the grid is cut into six tetrahedra about its main diagonal, alike in all cubes, so that they fit.
An edge of the tetrahedra runs from a grid point in one of seven directions, given by the bits of 1 to 7.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_characters.distance_kernels import body_distance

DIRECTIONS = 8
# The vertex of a cut edge keeps off the edge's ends, so that no triangle is degenerate.
KEEP_OFF = 0.15
# The blocks of the grid that are skipped when far from the surface.
BLOCK = 6


@njit
def fill_block(limbs, soft, low, spacing, shape, first_x, first_y, first_z, level, values_out):
    """Distances of one block: all points, or all of them `level` where that is not 0."""
    for i in range(first_x, min(first_x + BLOCK, shape[0])):
        for j in range(first_y, min(first_y + BLOCK, shape[1])):
            for k in range(first_z, min(first_z + BLOCK, shape[2])):
                if level != 0.0:
                    values_out[i, j, k] = level
                    continue
                x, y, z = low[0] + i * spacing, low[1] + j * spacing, low[2] + k * spacing
                d, _, _, _ = body_distance(limbs, soft, x, y, z)
                values_out[i, j, k] = d if d != 0.0 else spacing * 1e-9


@njit
def sample_grid(
    limbs, soft,  # model
    low, spacing,  # in
    values_out,  # out
):  # fmt: skip
    """Distances at the points of a grid [nx, ny, nz]; blocks far from the surface get one value throughout."""
    shape = values_out.shape
    half = 0.5 * (BLOCK - 1) * spacing
    # Distances to flattened limbs are of first order only, hence twice the reach of a block.
    far = 2.0 * math.sqrt(3.0) * (half + spacing)
    for i in range(0, shape[0], BLOCK):
        for j in range(0, shape[1], BLOCK):
            for k in range(0, shape[2], BLOCK):
                x = low[0] + i * spacing + half
                y = low[1] + j * spacing + half
                z = low[2] + k * spacing + half
                d, _, _, _ = body_distance(limbs, soft, x, y, z)
                level = d if math.fabs(d) > far else 0.0
                fill_block(limbs, soft, low, spacing, shape, i, j, k, level, values_out)


@njit
def cut_edge(values, low, spacing, at, bits, position, index, count):
    """The vertex on the edge that leaves grid point `at` along `bits`, made where there is none yet."""
    i, j, k = at
    slot = ((i * values.shape[1] + j) * values.shape[2] + k) * DIRECTIONS + bits
    if index[slot] < 0:
        n = count[0]
        di, dj, dk = bits & 1, (bits >> 1) & 1, (bits >> 2) & 1
        here, there = values[i, j, k], values[i + di, j + dj, k + dk]
        t = min(max(here / (here - there), KEEP_OFF), 1.0 - KEEP_OFF)
        if n < position.shape[0]:
            position[n, 0] = low[0] + (i + t * di) * spacing
            position[n, 1] = low[1] + (j + t * dj) * spacing
            position[n, 2] = low[2] + (k + t * dk) * spacing
        index[slot] = n
        count[0] = n + 1
    return index[slot]


@njit
def vertex_between(values, low, spacing, i, j, k, a, b, position, index, count):
    """The vertex on the edge between the corners a and b (bits) of the cube at i, j, k."""
    first, last = (a, b) if a < b else (b, a)
    at = (i + (first & 1), j + ((first >> 1) & 1), k + ((first >> 2) & 1))
    return cut_edge(values, low, spacing, at, last & ~first, position, index, count)


@njit
def add_triangle(a, b, c, turned, triangles, count):
    """Append the triangle a, b, c, the other way round if `turned`."""
    n = count[1]
    if n < triangles.shape[0]:
        triangles[n, 0] = a
        triangles[n, 1] = c if turned else b
        triangles[n, 2] = b if turned else c
    count[1] = n + 1


@njit
def cut_tetrahedron(values, low, spacing, i, j, k, c1, c2, odd, position, triangles, index, count):
    """Triangles within the tetrahedron of the corners 0, c1, c2, 7; `odd` if it is left-handed."""
    corners = (0, c1, c2, 7)
    mask, inside = 0, 0
    for m in range(4):
        c = corners[m]
        if values[i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)] < 0.0:
            mask |= 1 << m
            inside += 1
    if inside == 0 or inside == 4:
        return
    if inside == 2:
        # The corners inside are a, b and those outside c, d, in the order of an even permutation.
        a, b, c, d = 0, 1, 2, 3
        if mask == 5:
            a, b, c, d = 0, 2, 3, 1
        elif mask == 9:
            a, b, c, d = 0, 3, 1, 2
        elif mask == 6:
            a, b, c, d = 1, 2, 0, 3
        elif mask == 10:
            a, b, c, d = 1, 3, 2, 0
        elif mask == 12:
            a, b, c, d = 2, 3, 0, 1
        a, b, c, d = corners[a], corners[b], corners[c], corners[d]
        ac = vertex_between(values, low, spacing, i, j, k, a, c, position, index, count)
        ad = vertex_between(values, low, spacing, i, j, k, a, d, position, index, count)
        bd = vertex_between(values, low, spacing, i, j, k, b, d, position, index, count)
        bc = vertex_between(values, low, spacing, i, j, k, b, c, position, index, count)
        add_triangle(ac, ad, bd, odd, triangles, count)
        add_triangle(ac, bd, bc, odd, triangles, count)
        return
    lone = mask if inside == 1 else 15 - mask
    a, b, c, d = 0, 1, 2, 3
    if lone == 2:
        a, b, c, d = 1, 0, 3, 2
    elif lone == 4:
        a, b, c, d = 2, 0, 1, 3
    elif lone == 8:
        a, b, c, d = 3, 0, 2, 1
    a, b, c, d = corners[a], corners[b], corners[c], corners[d]
    ab = vertex_between(values, low, spacing, i, j, k, a, b, position, index, count)
    ac = vertex_between(values, low, spacing, i, j, k, a, c, position, index, count)
    ad = vertex_between(values, low, spacing, i, j, k, a, d, position, index, count)
    add_triangle(ab, ac, ad, odd != (inside == 3), triangles, count)


@njit
def march(
    values, low, spacing,  # in
    index,  # scratch, -1 throughout
    position_out, triangles_out, count_out,  # out
):  # fmt: skip
    """All triangles of the zero level of `values`; count_out is the number of vertices and of triangles.

    What does not fit into the arrays is counted and left out.
    """
    for i in range(values.shape[0] - 1):
        for j in range(values.shape[1] - 1):
            for k in range(values.shape[2] - 1):
                inside = 0
                for c in range(8):
                    if values[i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)] < 0.0:
                        inside += 1
                if inside == 0 or inside == 8:
                    continue
                for first in range(3):
                    for turn in range(1, 3):
                        c1 = 1 << first
                        c2 = c1 | (1 << ((first + turn) % 3))
                        cut_tetrahedron(
                            values, low, spacing, i, j, k, c1, c2, turn == 2,
                            position_out, triangles_out, index, count_out,
                        )  # fmt: skip
