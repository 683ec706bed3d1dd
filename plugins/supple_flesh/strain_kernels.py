"""How far the skin is stretched, and which triangles are inside out.

Vertices that do not move against their bones leave the skin between them as it was made, except across bones. So only
what moves is looked at, and the borders: edges and triangles whose corners hang on different bones.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross, dot
from supple_flesh.observe_kernels import INVERTED, STRETCH_WORST
from supple_flesh.tables import Borders, MadeSkin, MovedSkin


@njit_inlined
def find_squared_stretch(edge_length, position, i, j, k):
    """Squared length of the edge k from vertex i to j over the square of what it was made with."""
    dx = position[j, 0] - position[i, 0]
    dy = position[j, 1] - position[i, 1]
    dz = position[j, 2] - position[i, 2]
    return dot(dx, dy, dz, dx, dy, dz) / (edge_length[k] * edge_length[k])


@njit_inlined
def is_turned(triangles, corner_normal, local, t):
    """Whether a triangle that hangs on one bone faces away from where it was made to face."""
    i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay, az = cross(
        local[j, 0] - local[i, 0], local[j, 1] - local[i, 1], local[j, 2] - local[i, 2],
        local[k, 0] - local[i, 0], local[k, 1] - local[i, 1], local[k, 2] - local[i, 2],
    )  # fmt: skip
    return dot(ax, ay, az, corner_normal[t, 0, 0], corner_normal[t, 0, 1], corner_normal[t, 0, 2]) < 0.0


@njit_inlined
def is_inverted(made: MadeSkin, rotation, position, t):
    """Whether a triangle faces away from where the bones of its corners, taken together, turn its normal."""
    patch_bone, patch_of = made.patch_bone, made.patch_of
    triangles, corner_normal = made.triangles, made.corner_normal
    wx, wy, wz = 0.0, 0.0, 0.0
    for k in range(3):
        b = patch_bone[patch_of[triangles[t, k]]]
        nx, ny, nz = rotate_vector_at(
            rotation, b, corner_normal[t, k, 0], corner_normal[t, k, 1], corner_normal[t, k, 2]
        )
        wx += nx
        wy += ny
        wz += nz
    i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay, az = cross(
        position[j, 0] - position[i, 0], position[j, 1] - position[i, 1], position[j, 2] - position[i, 2],
        position[k, 0] - position[i, 0], position[k, 1] - position[i, 1], position[k, 2] - position[i, 2],
    )  # fmt: skip
    return dot(ax, ay, az, wx, wy, wz) < 0.0


@njit
def count_turned(triangles, corner_normal, borders: Borders, local, mask, i):
    """How many of the triangles around the moving vertex i are turned, without those of moving ones before it."""
    around_first, around = borders.around_first, borders.around
    count = 0
    for place in range(around_first[i], around_first[i + 1]):
        t = around[place]
        is_mine = True
        for k in range(3):
            j = triangles[t, k]
            is_mine &= (mask[j] == 0) | (j >= i)
        if is_mine and is_turned(triangles, corner_normal, local, t):
            count += 1
    return count


@njit
def measure_strain(made: MadeSkin, borders: Borders, moved: MovedSkin, observed_out):
    """Greatest stretch of every flesh, and how many of its triangles are inverted.

    A vertex at rest counts as an edge as made.
    """
    patch_of, part_of, first, neighbour = made.patch_of, made.patch_part, made.first, made.neighbour
    edge_length, triangles, border_edge = made.edge_length, made.triangles, borders.edge
    mask, position = moved.mask, moved.position
    for part in range(observed_out.shape[0]):
        observed_out[part, STRETCH_WORST] = 0.0
        observed_out[part, INVERTED] = 0.0
    for i in range(mask.shape[0]):
        part, worst = part_of[patch_of[i]], 1.0
        if mask[i] != 0:
            worst = 0.0
            for k in range(first[i], first[i + 1]):
                j = neighbour[k]
                if mask[j] == 0 or j > i:
                    worst = max(worst, find_squared_stretch(edge_length, position, i, j, k))
            observed_out[part, INVERTED] += count_turned(
                triangles, made.corner_normal, borders, moved.x, mask, i
            )
        observed_out[part, STRETCH_WORST] = max(observed_out[part, STRETCH_WORST], worst)
    for n in range(border_edge.shape[0]):
        i, j, k = border_edge[n, 0], border_edge[n, 1], border_edge[n, 2]
        part = part_of[patch_of[i]]
        stretch = find_squared_stretch(edge_length, position, i, j, k)
        observed_out[part, STRETCH_WORST] = max(observed_out[part, STRETCH_WORST], stretch)
    for t in borders.triangle:
        if is_inverted(made, moved.rotation, position, t):
            observed_out[part_of[patch_of[triangles[t, 0]]], INVERTED] += 1.0
    for part in range(observed_out.shape[0]):
        observed_out[part, STRETCH_WORST] = math.sqrt(observed_out[part, STRETCH_WORST])
