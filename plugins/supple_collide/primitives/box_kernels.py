"""Contacts of boxes with planes and with each other.

Two boxes are compared along the 15 axes that can separate them: three face normals of each and the nine
normals across an edge of one and an edge of the other. The axis of largest separation decides which features
touch, whether the boxes overlap or not, but faces are preferred: an edge normal that leans less than
FLUSH against a face normal would describe two faces resting on each other by a single point.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot, normalise
from supple_collide.primitives.box_distance_kernels import add_closest_contact, place_corner
from supple_collide.primitives.box_face_kernels import add_face_contacts
from supple_collide.primitives.capsule_kernels import clamp
from supple_collide.primitives.manifold_kernels import ZERO, add_contact
from supple_collide.primitives.pose_kernels import carry_in, carry_out

# Faces that lean against each other by less than this angle [rad] rest on each other.
FLUSH = 5e-3
COSINE_FLUSH = math.cos(FLUSH)
# An axis is preferred over an earlier one only if it is better by this part of the smallest size, so that
# rounding does not decide between axes that are equally good.
TIE = 1e-7
# Edges this nearly parallel (sine of the angle) define no normal across both.
PARALLEL = 1e-7
# The closest points of two edges may lie outside them by this part of their length, from rounding.
OVERHANG = 1e-9
# Feature codes of edge contacts: 1 << 16 plus the pair of edges.
EDGES = np.int64(1 << 16)


@njit
def find_box_plane(size, x, rotation, first, second, manifold_out, features_out):
    """Contacts of the eight corners of a box (first) with a plane (second)."""
    nx, ny, nz = rotation[second, 0, 1], rotation[second, 1, 1], rotation[second, 2, 1]
    centre = dot(
        nx, ny, nz, x[first, 0] - x[second, 0], x[first, 1] - x[second, 1], x[first, 2] - x[second, 2]
    )  # fmt: skip
    count = ZERO
    for corner in range(8):
        px, py, pz = carry_out(rotation, first, *place_corner(size, first, corner))
        gap = centre + dot(nx, ny, nz, px, py, pz)
        count = add_contact(
            corner, x[first, 0] + px - gap * nx, x[first, 1] + py - gap * ny, x[first, 2] + pz - gap * nz,
            nx, ny, nz, gap, count, manifold_out, features_out,
        )  # fmt: skip
    return count


@njit
def find_best_face(size, rotation, owner, other, dx, dy, dz, tie):
    """The face normal of `owner` with the largest separation: (separation, axis); d = owner minus other."""
    best, axis = -math.inf, ZERO
    for i in range(3):
        ax, ay, az = rotation[owner, 0, i], rotation[owner, 1, i], rotation[owner, 2, i]
        bx, by, bz = carry_in(rotation, other, ax, ay, az)
        spread = size[owner, i]
        spread += abs(bx) * size[other, 0] + abs(by) * size[other, 1] + abs(bz) * size[other, 2]
        separation = abs(dot(ax, ay, az, dx, dy, dz)) - spread
        if separation > best + tie:
            best, axis = separation, i
    return best, axis


@njit
def find_best_edges(size, rotation, first, second, dx, dy, dz, tie, cosines):
    """The edge normal with the largest separation: (separation, axis of first, of second, face cosine).

    The face cosine is the largest against any face normal. `cosines` is scratch, shape [3, 3].
    """
    for i in range(3):
        cosines[i, 0], cosines[i, 1], cosines[i, 2] = carry_in(
            rotation, second, rotation[first, 0, i], rotation[first, 1, i], rotation[first, 2, i]
        )  # fmt: skip
    offset = carry_in(rotation, first, dx, dy, dz)
    best, best_i, best_j, face_cosine = -math.inf, ZERO, ZERO, 1.0
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            # a_i x b_j has components -c2, c1 along the first's axes i1, i2 and, up to sign, e2, e1 along the
            # second's axes j1, j2.
            c1, c2 = cosines[i1, j], cosines[i2, j]
            e1, e2 = cosines[i, j1], cosines[i, j2]
            sine = math.sqrt(c1 * c1 + c2 * c2)
            if sine < PARALLEL:
                continue
            spread = abs(c2) * size[first, i1] + abs(c1) * size[first, i2]
            spread += abs(e2) * size[second, j1] + abs(e1) * size[second, j2]
            separation = (abs(offset[i2] * c1 - offset[i1] * c2) - spread) / sine
            if separation > best + tie:
                best, best_i, best_j = separation, i, j
                face_cosine = max(abs(c1), abs(c2), abs(e1), abs(e2)) / sine
    return best, best_i, best_j, face_cosine


@njit
def find_edge_point(size, x, rotation, box, axis, nx, ny, nz):
    """The middle of the edge along `axis` that lies farthest in direction n, and a code for its sides."""
    px, py, pz, sides = x[box, 0], x[box, 1], x[box, 2], ZERO
    for step in range(1, 3):
        k = (axis + step) % 3
        ax, ay, az = rotation[box, 0, k], rotation[box, 1, k], rotation[box, 2, k]
        half = size[box, k]
        if dot(nx, ny, nz, ax, ay, az) < 0.0:
            half = -half
        else:
            sides += step
        px, py, pz = px + half * ax, py + half * ay, pz + half * az
    return px, py, pz, sides


@njit
def add_edge_contact(
    size, x, rotation, first, second, i, j, nx, ny, nz, separation, manifold_out, features_out
):  # fmt: skip
    """Contact of the edges along axes i and j that face each other along n; returns the number of contacts.

    None if the closest points of their lines lie outside the edges: this happens only if the boxes are apart.
    """
    ax, ay, az = rotation[first, 0, i], rotation[first, 1, i], rotation[first, 2, i]
    bx, by, bz = rotation[second, 0, j], rotation[second, 1, j], rotation[second, 2, j]
    px, py, pz, first_sides = find_edge_point(size, x, rotation, first, i, -nx, -ny, -nz)
    qx, qy, qz, second_sides = find_edge_point(size, x, rotation, second, j, nx, ny, nz)
    wx, wy, wz = px - qx, py - qy, pz - qz
    cx, cy, cz = cross(ax, ay, az, bx, by, bz)
    cosine = dot(ax, ay, az, bx, by, bz)
    a_w, b_w = dot(ax, ay, az, wx, wy, wz), dot(bx, by, bz, wx, wy, wz)
    s = (cosine * b_w - a_w) / dot(cx, cy, cz, cx, cy, cz)
    t = b_w + s * cosine
    slack = 1.0 + OVERHANG
    if separation > 0.0 and (abs(s) > slack * size[first, i] or abs(t) > slack * size[second, j]):
        return ZERO
    t = clamp(t, size[second, j])
    feature = EDGES + ((i * 3 + j) * 4 + first_sides) * 4 + second_sides
    return add_contact(
        feature, qx + t * bx, qy + t * by, qz + t * bz, nx, ny, nz, separation, ZERO,
        manifold_out, features_out,
    )  # fmt: skip


@njit
def find_box_box(
    size, x, rotation, first, second, limit, cosines, polygon, lines, manifold_out, features_out
):  # fmt: skip
    """Contacts of two boxes with gap <= limit [m]; `cosines`, `polygon` and `lines` are scratch."""
    dx, dy, dz = x[first, 0] - x[second, 0], x[first, 1] - x[second, 1], x[first, 2] - x[second, 2]
    tie = TIE * min(
        size[first, 0], size[first, 1], size[first, 2], size[second, 0], size[second, 1], size[second, 2]
    )  # fmt: skip
    face_first, i = find_best_face(size, rotation, first, second, dx, dy, dz, tie)
    face_second, j = find_best_face(size, rotation, second, first, dx, dy, dz, tie)
    if max(face_first, face_second) > limit:
        return 0
    ax, ay, az = rotation[first, 0, i], rotation[first, 1, i], rotation[first, 2, i]
    bx, by, bz = rotation[second, 0, j], rotation[second, 1, j], rotation[second, 2, j]
    if abs(dot(ax, ay, az, bx, by, bz)) > COSINE_FLUSH:
        # The larger of two faces that rest on each other stays the reference while they rock.
        area_first = size[first, (i + 1) % 3] * size[first, (i + 2) % 3]
        swapped = size[second, (j + 1) % 3] * size[second, (j + 2) % 3] > area_first * (1.0 + TIE)
    else:
        swapped = face_second > face_first + tie
    edges, edge_i, edge_j, face_cosine = find_best_edges(
        size, rotation, first, second, dx, dy, dz, tie, cosines
    )  # fmt: skip
    if edges > limit:
        return 0
    if face_cosine < COSINE_FLUSH and edges > max(face_first, face_second) + tie:
        separation = edges
        nx, ny, nz, _ = normalise(
            *cross(
                rotation[first, 0, edge_i], rotation[first, 1, edge_i], rotation[first, 2, edge_i],
                rotation[second, 0, edge_j], rotation[second, 1, edge_j], rotation[second, 2, edge_j],
            )
        )  # fmt: skip
        sign = -1.0 if dot(nx, ny, nz, dx, dy, dz) < 0.0 else 1.0
        nx, ny, nz = sign * nx, sign * ny, sign * nz
        count = add_edge_contact(
            size, x, rotation, first, second, edge_i, edge_j, nx, ny, nz, separation,
            manifold_out, features_out,
        )  # fmt: skip
    else:
        separation = face_second if swapped else face_first
        nx, ny, nz = (bx, by, bz) if swapped else (ax, ay, az)
        sign = -1.0 if dot(nx, ny, nz, dx, dy, dz) < -tie else 1.0
        nx, ny, nz = sign * nx, sign * ny, sign * nz
        count = add_face_contacts(
            size, x, rotation, first, second, j if swapped else i, swapped, nx, ny, nz, limit, polygon, lines,
            manifold_out, features_out,
        )  # fmt: skip
    if count == 0:
        count = add_closest_contact(
            size, x, rotation, first, second, nx, ny, nz, separation, manifold_out, features_out
        )  # fmt: skip
    return count
