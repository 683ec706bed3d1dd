"""Kernels for edges of bending surfaces that slide fast along those of boxes; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import cross, dot, normalise
from supple_collide.kernel_arrays import Contacts, Frames, Mounts, Shapes
from supple_collide.shape_kinds import BOX

# Edges that are slower along each other than this part of the edge in a step touch where they are.
SLIDES = 0.05
# Cosine of an edge with the normal, and weight of a corner, that are none.
NONE = 1e-6


@njit
def find_box_edge(shapes: Shapes, box, nx, ny, nz):
    """Which axis of a box lies across a normal, so that an edge along it may touch with this; -1: none, or two."""
    found = -1
    for k in range(3):
        along = (
            shapes.rotation[box, 0, k] * nx
            + shapes.rotation[box, 1, k] * ny
            + shapes.rotation[box, 2, k] * nz
        )
        if abs(along) < NONE:
            if found >= 0:
                return -1
            found = k
    return found


@njit
def find_skin_edge(weights, c, side):
    """The corners (i, j) of a triangle whose edge a contact lies on: the third one has no weight. -1: it is no edge."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        if abs(weights[c, side, k]) < NONE and weights[c, side, i] > NONE and weights[c, side, j] > NONE:
            return i, j
    return -1, -1


@njit
def find_relative_way(h, mounts: Mounts, frames: Frames, own, box, position, velocity, vertex):
    """How far a vertex goes within the step [m], seen from a box, if both go on as they do."""
    vx, vy, vz = velocity[vertex, 0], velocity[vertex, 1], velocity[vertex, 2]
    if mounts.carrier[box] != own:
        return h * vx, h * vy, h * vz
    f = mounts.frame[box]
    x, q, twist = frames.position, frames.rotation, frames.twist
    rx, ry, rz = (
        position[vertex, 0] - x[f, 0],
        position[vertex, 1] - x[f, 1],
        position[vertex, 2] - x[f, 2],
    )
    wx, wy, wz = rotate_vector_at(q, f, twist[f, 3], twist[f, 4], twist[f, 5])
    tx, ty, tz = cross(wx, wy, wz, rx, ry, rz)
    return h * (vx - twist[f, 0] - tx), h * (vy - twist[f, 1] - ty), h * (vz - twist[f, 2] - tz)


@njit
def cross_lines(px, py, pz, ux, uy, uz, qx, qy, qz, ex, ey, ez):
    """Where the lines p + s u and q + r e, e of length 1, come nearest: s, r, and whether they are not parallel."""
    u_u, u_e = dot(ux, uy, uz, ux, uy, uz), dot(ux, uy, uz, ex, ey, ez)
    wx, wy, wz = px - qx, py - qy, pz - qz
    u_w, e_w = dot(ux, uy, uz, wx, wy, wz), dot(ex, ey, ez, wx, wy, wz)
    squared = u_u - u_e * u_e
    if squared <= NONE * u_u:
        return 0.0, 0.0, False
    s = (u_e * e_w - u_w) / squared
    return s, e_w + s * u_e, True


@njit
def place_contact(c, side, normal, a, b, s, position, dx, dy, dz, contacts_inout: Contacts):
    """Move contact c to the place s between vertices a and b, and on by d along the box's edge.

    Only if they are apart there; returns whether they are.
    """
    points, way = contacts_inout.point, (dx, dy, dz)
    sign = 1.0 if side == 1 else -1.0
    gap = 0.0
    for m in range(3):
        on_skin = (1.0 - s) * position[a, m] + s * position[b, m]
        gap += sign * normal[m] * (points[c, 1 - side, m] + way[m] - on_skin)
    if gap <= 0.0:
        return False
    contacts_inout.gap[c] = gap
    for m in range(3):
        contacts_inout.normal[c, m] = normal[m]
        points[c, side, m] = (1.0 - s) * position[a, m] + s * position[b, m]
        points[c, 1 - side, m] += way[m]
    return True


@njit
def meet_edges(
    h, numbers, count, triangles, position, velocity, mounts: Mounts, own, frames: Frames, shapes: Shapes,
    contacts_inout: Contacts,
):  # fmt: skip
    """Contacts of the edges of one bending surface with those of boxes, where these will cross: README eq. (7).

    numbers are those of the surface of primitives, and of the bending one; `own` is the carrier with these frames.
    """
    normal, weights, points = contacts_inout.normal, contacts_inout.weights, contacts_inout.point
    for c in range(count[0]):
        if contacts_inout.gap[c] <= 0.0:
            continue
        if contacts_inout.surface[c, 0] == numbers[0] and contacts_inout.surface[c, 1] == numbers[1]:
            side = 1
        elif contacts_inout.surface[c, 1] == numbers[0] and contacts_inout.surface[c, 0] == numbers[1]:
            side = 0
        else:
            continue
        box, t = contacts_inout.element[c, 1 - side], contacts_inout.element[c, side]
        carried = mounts.carrier[box]
        if shapes.kind[box] != BOX or (carried >= 0 and carried != own):
            continue
        i, j = find_skin_edge(weights, c, side)
        k = find_box_edge(shapes, box, normal[c, 0], normal[c, 1], normal[c, 2])
        if i < 0 or k < 0:
            continue
        a, b, q = triangles[t, i], triangles[t, j], points[c, 1 - side]
        ax, ay, az = find_relative_way(h, mounts, frames, own, box, position, velocity, a)
        bx, by, bz = find_relative_way(h, mounts, frames, own, box, position, velocity, b)
        px, py, pz = position[a, 0] + ax, position[a, 1] + ay, position[a, 2] + az
        ux, uy, uz = (
            position[b, 0] + bx - px,
            position[b, 1] + by - py,
            position[b, 2] + bz - pz,
        )
        ex, ey, ez = shapes.rotation[box, 0, k], shapes.rotation[box, 1, k], shapes.rotation[box, 2, k]
        s, r, crosses = cross_lines(px, py, pz, ux, uy, uz, q[0], q[1], q[2], ex, ey, ez)
        # What leaves the edge of either touches otherwise.
        if not crosses or s < 0.0 or s > 1.0 or abs(s - weights[c, side, j]) < SLIDES:
            continue
        lx, ly, lz = rotate_vector_back_at(
            shapes.q, box, q[0] + r * ex - shapes.x[box, 0], q[1] + r * ey - shapes.x[box, 1],
            q[2] + r * ez - shapes.x[box, 2],
        )  # fmt: skip
        along = lx if k == 0 else (ly if k == 1 else lz)
        if abs(along) > shapes.size[box, k]:
            continue
        nx, ny, nz, length = normalise(*cross(ux, uy, uz, ex, ey, ez))
        toward = nx * normal[c, 0] + ny * normal[c, 1] + nz * normal[c, 2]
        if length == 0.0 or abs(toward) < 0.5:
            continue
        turn = math.copysign(1.0, toward)
        ways = (turn * nx, turn * ny, turn * nz)
        if place_contact(c, side, ways, a, b, s, position, r * ex, r * ey, r * ez, contacts_inout):
            weights[c, side, i], weights[c, side, j] = 1.0 - s, s
