"""The closest points of two boxes that do not overlap, by looking at every pair of features.

Only needed where two boxes pass each other corner to corner or edge to edge, so that the axis of largest
separation is not the direction of the closest points.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot
from supple_collide.primitives.capsule_kernels import clamp
from supple_collide.primitives.manifold_kernels import ZERO, add_contact
from supple_collide.primitives.pose_kernels import carry_in, carry_out

# Edges this nearly parallel (squared sine) are closest at a corner too.
PARALLEL_SQUARED = 1e-14
# Features nearer than this part of the sizes have no direction of their own.
TOUCHING = 1e-12
# Feature codes: 16 of corner to box, then 144 of edge to edge.
CLOSEST = np.int64(1 << 20)


@njit
def find_closest_corner(size, x, rotation, owner, box):
    """The corner of one box nearest to another box: (squared distance, corner, nearest point x, y, z)."""
    best, closest = math.inf, ZERO
    bx, by, bz = 0.0, 0.0, 0.0
    wx, wy, wz = carry_in(
        rotation, box, x[owner, 0] - x[box, 0], x[owner, 1] - x[box, 1], x[owner, 2] - x[box, 2]
    )  # fmt: skip
    for corner in range(8):
        ox, oy, oz = place_corner(size, owner, corner)
        ox, oy, oz = carry_out(rotation, owner, ox, oy, oz)
        cx, cy, cz = carry_in(rotation, box, ox, oy, oz)
        px, py, pz = wx + cx, wy + cy, wz + cz
        qx, qy, qz = clamp(px, size[box, 0]), clamp(py, size[box, 1]), clamp(pz, size[box, 2])
        squared = (px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2
        if squared < best:
            best, closest = squared, corner
            bx, by, bz = qx, qy, qz
    ox, oy, oz = carry_out(rotation, box, bx, by, bz)
    return best, closest, x[box, 0] + ox, x[box, 1] + oy, x[box, 2] + oz


@njit
def place_corner(size, box, corner):
    """Corner 0-7 of a box in its own frame, as (x, y, z); bit k set means the positive side of axis k."""
    return (
        size[box, 0] if corner & 1 else -size[box, 0],
        size[box, 1] if corner & 2 else -size[box, 1],
        size[box, 2] if corner & 4 else -size[box, 2],
    )


@njit
def place_edge(size, x, rotation, box, axis, sides):
    """The middle of one of the four edges along an axis, in the world, as (x, y, z)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    along_i = size[box, i] if sides & 1 else -size[box, i]
    along_j = size[box, j] if sides & 2 else -size[box, j]
    return (
        x[box, 0] + along_i * rotation[box, 0, i] + along_j * rotation[box, 0, j],
        x[box, 1] + along_i * rotation[box, 1, i] + along_j * rotation[box, 1, j],
        x[box, 2] + along_i * rotation[box, 2, i] + along_j * rotation[box, 2, j],
    )


@njit
def find_closest_edges(size, x, rotation, first, second, bound):
    """The closest pair of edges nearer than `bound` (squared) with inner closest points.

    Returns (squared distance, code or -1, point on first x, y, z, point on second x, y, z).
    """
    best, code = bound, -1
    px, py, pz, qx, qy, qz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for pair in range(9):
        i, j = pair // 3, pair % 3
        ax, ay, az = rotation[first, 0, i], rotation[first, 1, i], rotation[first, 2, i]
        bx, by, bz = rotation[second, 0, j], rotation[second, 1, j], rotation[second, 2, j]
        cx, cy, cz = cross(ax, ay, az, bx, by, bz)
        squared_sine, cosine = dot(cx, cy, cz, cx, cy, cz), dot(ax, ay, az, bx, by, bz)
        if squared_sine < PARALLEL_SQUARED:
            continue
        for sides in range(16):
            mx, my, mz = place_edge(size, x, rotation, first, i, sides & 3)
            ox, oy, oz = place_edge(size, x, rotation, second, j, sides >> 2)
            wx, wy, wz = mx - ox, my - oy, mz - oz
            squared = dot(cx, cy, cz, wx, wy, wz) ** 2 / squared_sine
            if squared >= best:
                continue
            a_w, b_w = dot(ax, ay, az, wx, wy, wz), dot(bx, by, bz, wx, wy, wz)
            s = (cosine * b_w - a_w) / squared_sine
            t = b_w + s * cosine
            if abs(s) < size[first, i] and abs(t) < size[second, j]:
                best, code = squared, pair * 16 + sides
                px, py, pz = mx + s * ax, my + s * ay, mz + s * az
                qx, qy, qz = ox + t * bx, oy + t * by, oz + t * bz
    return best, code, px, py, pz, qx, qy, qz


@njit
def add_closest_contact(
    size, x, rotation, first, second, nx, ny, nz, separation, manifold_out, features_out
):  # fmt: skip
    """One contact between the closest points of two boxes; (n, separation) serve if these coincide."""
    squared, feature = math.inf, CLOSEST
    px, py, pz, qx, qy, qz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for turn in range(2):
        owner, box = (first, second) if turn == 0 else (second, first)
        nearest, corner, bx, by, bz = find_closest_corner(size, x, rotation, owner, box)
        if nearest < squared:
            squared, feature = nearest, CLOSEST + 8 * turn + corner
            cx, cy, cz = place_corner(size, owner, corner)
            cx, cy, cz = carry_out(rotation, owner, cx, cy, cz)
            cx, cy, cz = cx + x[owner, 0], cy + x[owner, 1], cz + x[owner, 2]
            px, py, pz, qx, qy, qz = (cx, cy, cz, bx, by, bz) if turn == 0 else (bx, by, bz, cx, cy, cz)
    best, code, ax, ay, az, bx, by, bz = find_closest_edges(size, x, rotation, first, second, squared)
    if code >= 0:
        squared, feature = best, CLOSEST + 16 + code
        px, py, pz, qx, qy, qz = ax, ay, az, bx, by, bz
    gap = math.sqrt(squared)
    if gap > TOUCHING * min(size[first, 0], size[first, 1], size[first, 2]) and separation > 0.0:
        nx, ny, nz = (px - qx) / gap, (py - qy) / gap, (pz - qz) / gap
    else:
        gap = separation
    return add_contact(feature, qx, qy, qz, nx, ny, nz, gap, ZERO, manifold_out, features_out)
