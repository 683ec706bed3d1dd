"""How far the skin is stretched, and which triangles are inside out."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross, dot, length
from supple_flesh.observe_kernels import INVERTED, STRETCH_WORST


@njit
def find_stretch(first, neighbour, edge_length, position, i):
    """Greatest length of the edges of vertex i relative to what they were made with."""
    worst = 0.0
    for k in range(first[i], first[i + 1]):
        j = neighbour[k]
        dx = position[j, 0] - position[i, 0]
        dy = position[j, 1] - position[i, 1]
        dz = position[j, 2] - position[i, 2]
        worst = max(worst, length(dx, dy, dz) / edge_length[k])
    return worst


@njit
def is_inverted(patch_bone, patch_of, triangles, corner_normal, rotation, position, t):
    """Whether a triangle faces away from where the bones of its corners, taken together, turn its normal."""
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
def measure_strain(
    patch_bone, patch_of, part_of, first, neighbour, edge_length, triangles, corner_normal, rotation, position,
    observed_out,
):  # fmt: skip
    """Greatest stretch of every flesh, and how many of its triangles are inverted."""
    for part in range(observed_out.shape[0]):
        observed_out[part, STRETCH_WORST] = 0.0
        observed_out[part, INVERTED] = 0.0
    for i in range(patch_of.shape[0]):
        part = part_of[patch_of[i]]
        stretch = find_stretch(first, neighbour, edge_length, position, i)
        observed_out[part, STRETCH_WORST] = max(observed_out[part, STRETCH_WORST], stretch)
    for t in range(triangles.shape[0]):
        if is_inverted(patch_bone, patch_of, triangles, corner_normal, rotation, position, t):
            observed_out[part_of[patch_of[triangles[t, 0]]], INVERTED] += 1.0
