"""Triangles that a whole rigid mesh stays away from: seen in its own frame, where a box along the axes holds it."""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import matrix_of_quaternion_at
from supple.math.vector_kernels import cross, dot
from supple_collide.meshes.columns import CENTRE, HALF, SCALE

# Rounding in coordinates, as a part of their size.
ROUNDING = 1e-12


@njit
def is_distant(ax, ay, az, bx, by, bz, cx, cy, cz, hx, hy, hz, far):
    """Whether the triangle a, b, c is farther than `far` [m] from a box about the origin with half sizes h.

    It looks along the axes of the box and the normal of the triangle, so it may fail to notice. Nothing nearer than
    `far` is ever called distant.
    """
    apart = (min(ax, bx, cx) > hx + far) | (max(ax, bx, cx) < -hx - far)
    apart |= (min(ay, by, cy) > hy + far) | (max(ay, by, cy) < -hy - far)
    apart |= (min(az, bz, cz) > hz + far) | (max(az, bz, cz) < -hz - far)
    if apart:
        return True
    nx, ny, nz = cross(bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az)
    apart_by = abs(dot(nx, ny, nz, ax, ay, az)) - (abs(nx) * hx + abs(ny) * hy + abs(nz) * hz)
    return apart_by > 0.0 and apart_by * apart_by > far * far * dot(nx, ny, nz, nx, ny, nz)


@njit_inlined
def drop_distant(x, triangles, owns, mesh_sizes, position, q, mesh, limit, start, count, list_inout):
    """Drop triangles farther than `limit` [m] from a rigid mesh from list_inout[start : start + count].

    The mesh has its origin at position[mesh] [m] and is turned by q[mesh]. Triangles within a plane, which own
    nothing, stay: looking costs more than they do. Returns how many triangles are left; their order stays.
    """
    m = matrix_of_quaternion_at(q, mesh)
    sizes = mesh_sizes[mesh]
    hx, hy, hz = sizes[HALF], sizes[HALF + 1], sizes[HALF + 2]
    ox, oy, oz = sizes[CENTRE], sizes[CENTRE + 1], sizes[CENTRE + 2]
    px = position[mesh, 0] + m[0] * ox + m[1] * oy + m[2] * oz
    py = position[mesh, 1] + m[3] * ox + m[4] * oy + m[5] * oz
    pz = position[mesh, 2] + m[6] * ox + m[7] * oy + m[8] * oz
    far = limit + ROUNDING * (sizes[SCALE] + abs(px) + abs(py) + abs(pz))
    kept = np.int64(0)
    for place in range(start, start + count):
        t = list_inout[place]
        if owns[t] == 0:
            list_inout[start + kept] = t
            kept += 1
            continue
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = turn_back(m, x[i, 0] - px, x[i, 1] - py, x[i, 2] - pz)
        bx, by, bz = turn_back(m, x[j, 0] - px, x[j, 1] - py, x[j, 2] - pz)
        cx, cy, cz = turn_back(m, x[k, 0] - px, x[k, 1] - py, x[k, 2] - pz)
        if not is_distant(ax, ay, az, bx, by, bz, cx, cy, cz, hx, hy, hz, far):
            list_inout[start + kept] = t
            kept += 1
    return kept


@njit
def turn_back(m, x, y, z):
    """The vector (x, y, z) along the axes that are the columns of the matrix m, nine floats."""
    return m[0] * x + m[3] * y + m[6] * z, m[1] * x + m[4] * y + m[7] * z, m[2] * x + m[5] * y + m[8] * z


@njit
def surround(triangle_bounds, start, count, found, box_out):
    """box_out [1, 6]: the box around the triangles found[start : start + count]."""
    for k in range(3):
        box_out[0, k], box_out[0, 3 + k] = math.inf, -math.inf
    for place in range(start, start + count):
        t = found[place]
        for k in range(3):
            box_out[0, k] = min(box_out[0, k], triangle_bounds[t, k])
            box_out[0, 3 + k] = max(box_out[0, 3 + k], triangle_bounds[t, 3 + k])
