"""Straight edges against the edges and vertices of a mesh.

Two edges touch along the normal n across both if n leads outwards from each of them: if it lies between the
normals of the two triangles at the edge, up to the angle FLUSH. This holds whether they overlap or not.

A surface that bends lies flat against an edge that it is pressed on. Its own edges that cross that one stick out or
not as rounding has it, and what holds them now must hold them at the end of the step. So an edge of such a surface
counts if it may stick out by then: if the surface beside it would have to give way by less than `give` [m].
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross, dot, normalise
from supple_collide.meshes.triangle_kernels import (
    FLUSH,
    NEARER,
    are_flat,
    find_face_normal,
    find_opposite_corner,
    subtract,
)

# Edges of two meshes this nearly parallel (sine of the angle) define no normal across both: their ends speak for them.
PARALLEL = 1e-4
# The same for an edge and the axis of a capsule, whose ends see nothing but what is nearest to them.
PARALLEL_AXIS = 1e-6
# Part of the slack by which edges are lengthened where they cross: rounding must not put what happens at a vertex
# beyond the edge and yet before the vertex.
OVERHANG = 1e-4
# What gives way to nothing: only edges that stick out count.
NO_GIVE = -math.inf


@njit
def find_edge_cone(x, triangles, neighbour, t, k):
    """Whether edge k of triangle t sticks out, its pseudo-normal, and how far its other side rises [m].

    Returns (sticks out, x, y, z, rise): the height of the neighbour's far corner above the plane of the triangle.
    """
    fx, fy, fz = find_face_normal(x, triangles, t)
    other = neighbour[t, k]
    if other < 0:
        return True, fx, fy, fz, -math.inf
    gx, gy, gz = find_face_normal(x, triangles, other)
    i, j = triangles[t, k], triangles[t, (k + 1) % 3]
    o = triangles[other, find_opposite_corner(triangles, other, i, j)]
    ox, oy, oz = subtract(x, o, i)
    rise = dot(fx, fy, fz, ox, oy, oz)
    sticks_out = rise < 0.0 and not are_flat(fx, fy, fz, gx, gy, gz)
    return sticks_out, fx + gx, fy + gy, fz + gz, rise


@njit
def leads_outwards(x, triangles, neighbour, t, k, nx, ny, nz, give):
    """Whether n, which is normal to edge k of triangle t, leads away from both of its triangles, up to `give` [m]."""
    i, j = triangles[t, k], triangles[t, (k + 1) % 3]
    ex, ey, ez, _ = normalise(*subtract(x, j, i))
    for side in range(2):
        owner = t if side == 0 else neighbour[t, k]
        if owner < 0:
            continue
        o = triangles[owner, find_opposite_corner(triangles, owner, i, j)]
        ox, oy, oz = subtract(x, o, i)
        along = dot(ex, ey, ez, ox, oy, oz)
        mx, my, mz, far = normalise(ox - along * ex, oy - along * ey, oz - along * ez)
        towards = dot(nx, ny, nz, mx, my, mz)
        if towards > FLUSH and towards * far > give:
            return False
    return True


@njit
def find_crossing(px, py, pz, ux, uy, uz, qx, qy, qz, vx, vy, vz, parallel, overhang):
    """Where the lines p + s u and q + t v come closest: (crosses, s, t).

    They cross if the sine of their angle is above `parallel`, and that is on both segments or not farther from them
    than `overhang` [m].
    """
    wx, wy, wz = px - qx, py - qy, pz - qz
    u_u, u_v, v_v = dot(ux, uy, uz, ux, uy, uz), dot(ux, uy, uz, vx, vy, vz), dot(vx, vy, vz, vx, vy, vz)
    u_w, v_w = dot(ux, uy, uz, wx, wy, wz), dot(vx, vy, vz, wx, wy, wz)
    determinant = u_u * v_v - u_v * u_v
    if determinant <= parallel * parallel * u_u * v_v:
        return False, 0.0, 0.0
    s, t = (u_v * v_w - v_v * u_w) / determinant, (u_u * v_w - u_v * u_w) / determinant
    # The distances from the nearer ends, negative beyond them, are compared as squares with a sign.
    end_s, end_t, least = min(s, 1.0 - s), min(t, 1.0 - t), -overhang * overhang
    return end_s * abs(end_s) * u_u > least and end_t * abs(end_t) * v_v > least, s, t


@njit_inlined
def cross_edge(x, triangles, neighbour, t, k, px, py, pz, ux, uy, uz, parallel, overhang, reach, give):
    """How the segment p + s u, 0 <= s <= 1, passes edge k of triangle t nearer than `reach` [m]; see `find_crossing`.

    The edge sticks out, or would if the surface gave way by `give` [m]. Returns (passes, s, place along the edge,
    normal outwards from the edge, signed distance): seven floats after the flag.
    """
    i, j = triangles[t, k], triangles[t, (k + 1) % 3]
    vx, vy, vz = subtract(x, j, i)
    qx, qy, qz = x[i, 0], x[i, 1], x[i, 2]
    crosses, s, r = find_crossing(px, py, pz, ux, uy, uz, qx, qy, qz, vx, vy, vz, parallel, overhang)
    if not crosses:
        return False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    dx, dy, dz = px + s * ux - qx - r * vx, py + s * uy - qy - r * vy, pz + s * uz - qz - r * vz
    if dot(dx, dy, dz, dx, dy, dz) > reach * reach:
        return False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    sticks_out, ax, ay, az, rise = find_edge_cone(x, triangles, neighbour, t, k)
    if not sticks_out and rise >= give:
        return False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    nx, ny, nz, _ = normalise(*cross(ux, uy, uz, vx, vy, vz))
    if dot(nx, ny, nz, ax, ay, az) < 0.0:
        nx, ny, nz = -nx, -ny, -nz
    passes = leads_outwards(x, triangles, neighbour, t, k, nx, ny, nz, 0.0 if sticks_out else give)
    return passes, s, r, nx, ny, nz, dot(nx, ny, nz, dx, dy, dz)


@njit
def pass_vertex(x, v, px, py, pz, ux, uy, uz):
    """How the segment p + s u passes vertex v: (strictly between its ends, s, direction from v, distance)."""
    wx, wy, wz = x[v, 0] - px, x[v, 1] - py, x[v, 2] - pz
    s = dot(wx, wy, wz, ux, uy, uz) / dot(ux, uy, uz, ux, uy, uz)
    dx, dy, dz, distance = normalise(s * ux - wx, s * uy - wy, s * uz - wz)
    return s > 0.0 and s < 1.0 and math.isfinite(s), s, dx, dy, dz, distance


@njit
def is_nearest_to_axis(x, triangles, vertex_first, vertex_triangle, v, dx, dy, dz, ux, uy, uz):
    """Whether no edge that leaves vertex v comes nearer to the axis along u, which is in direction d from v.

    Edges that lie along the axis, up to the angle FLUSH, do not count: they touch at their ends too, and nowhere else
    if they are parallel.
    """
    u_u = dot(ux, uy, uz, ux, uy, uz)
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        for k in range(3):
            if triangles[t, k] == v:
                continue
            ex, ey, ez = subtract(x, triangles[t, k], v)
            e_e, e_u = dot(ex, ey, ez, ex, ey, ez), dot(ex, ey, ez, ux, uy, uz)
            along = e_e * u_u - e_u * e_u <= FLUSH * FLUSH * e_e * u_u
            if not along and dot(dx, dy, dz, ex, ey, ez) > NEARER * math.sqrt(e_e):
                return False
    return True
