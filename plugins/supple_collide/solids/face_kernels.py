"""Contacts of a flat face, of a box, a cylinder or a cone, with another shape that lies on it or above it.

Points are known by their places (a, b) on the face and their heights above it. What matters is over the face: the
lowest edge of the other shape, cut off where the face ends, and where the other is flat too, the corners of what both
have in common.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple.math.vector_kernels import dot
from supple_collide.kernel_arrays import Shapes
from supple_collide.primitives.box_kernels import COSINE_FLUSH
from supple_collide.primitives.manifold_kernels import ZERO, add_contact
from supple_collide.shape_kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FIRST_SOLID
from supple_collide.solids.rim_kernels import COSINE_FLAT, find_lowest, find_oval_lowest, place_on_rim

# What is this part of a face beside it is still above it: rounding.
BESIDE = 1e-9
# Feature codes: of corners of the face, and of places where the edges of two faces cross.
CORNERS, CROSSINGS = 32, 64


class Face(NamedTuple):
    """frame [4, 3]: centre, two unit vectors along the face, and its outward normal; half [2]: half sizes of a
    rectangle, or the radius of a disc and -1."""

    frame: FloatArray
    half: FloatArray
    contacts: FloatArray
    features: IntArray


@njit
def fill_face(shapes: Shapes, owner, axis, sign, face: Face):
    """The face of a box across one of its axes, or of a cylinder or the base of a cone (axis 1)."""
    x, rotation, size = shapes.x, shapes.rotation, shapes.size
    box = shapes.kind[owner] == BOX
    i, j = (axis + 1) % 3, (axis + 2) % 3
    away = size[owner, axis] if box else size[owner, 1]
    for k in range(3):
        face.frame[3, k] = sign * rotation[owner, k, axis]
        face.frame[0, k] = x[owner, k] + away * face.frame[3, k]
        face.frame[1, k] = rotation[owner, k, i]
        face.frame[2, k] = rotation[owner, k, j]
    face.half[0] = size[owner, i] if box else size[owner, 0]
    face.half[1] = size[owner, j] if box else -1.0


@njit
def look_from(face: Face, px, py, pz):
    """A point as (a, b, height) over the face."""
    f = face.frame
    dx, dy, dz = px - f[0, 0], py - f[0, 1], pz - f[0, 2]
    return (
        dot(dx, dy, dz, f[1, 0], f[1, 1], f[1, 2]),
        dot(dx, dy, dz, f[2, 0], f[2, 1], f[2, 2]),
        dot(dx, dy, dz, f[3, 0], f[3, 1], f[3, 2]),
    )


@njit
def is_over(face: Face, a, b):
    """Whether a place is on the face."""
    if face.half[1] < 0.0:
        return math.sqrt(a * a + b * b) <= face.half[0] * (1.0 + BESIDE)
    return abs(a) <= face.half[0] * (1.0 + BESIDE) and abs(b) <= face.half[1] * (1.0 + BESIDE)


@njit
def cut_off(face: Face, a, b, da, db):
    """The part [low, high] of the segment (a, b) + t (da, db), t from 0 to 1, over the face; low > high: none."""
    low, high = 0.0, 1.0
    if face.half[1] < 0.0:
        radius = face.half[0] * (1.0 + BESIDE)
        square, mixed, rest = da * da + db * db, a * da + b * db, a * a + b * b - radius * radius
        if square < 1e-30:
            return (0.0, 1.0) if rest <= 0.0 else (1.0, 0.0)
        under = mixed * mixed - square * rest
        if under < 0.0:
            return 1.0, 0.0
        root = math.sqrt(under)
        return max(low, (-mixed - root) / square), min(high, (root - mixed) / square)
    for k in range(2):
        place, step = (a, da) if k == 0 else (b, db)
        half = face.half[k] * (1.0 + BESIDE)
        if abs(step) < 1e-15:
            if abs(place) > half:
                return 1.0, 0.0
            continue
        one, other = (-half - place) / step, (half - place) / step
        low, high = max(low, min(one, other)), min(high, max(one, other))
    return low, high


@njit
def add_over(face: Face, swapped, feature, a, b, height, count):
    """One contact at a place; swapped: the face is the first shape's."""
    f = face.frame
    up = height if swapped else 0.0
    sign = -1.0 if swapped else 1.0
    return add_contact(
        feature,
        f[0, 0] + a * f[1, 0] + b * f[2, 0] + up * f[3, 0],
        f[0, 1] + a * f[1, 1] + b * f[2, 1] + up * f[3, 1],
        f[0, 2] + a * f[1, 2] + b * f[2, 2] + up * f[3, 2],
        sign * f[3, 0], sign * f[3, 1], sign * f[3, 2], height, count, face.contacts, face.features,
    )  # fmt: skip


@njit
def find_lowest_edge(shapes: Shapes, other, face: Face):
    """The two ends of the lowest edge of a shape over a face, in the world: (ax, ay, az, bx, by, bz)."""
    kind, size, x, rotation = shapes.kind[other], shapes.size, shapes.x, shapes.rotation
    nx, ny, nz = face.frame[3, 0], face.frame[3, 1], face.frame[3, 2]
    px, py, pz = x[other, 0], x[other, 1], x[other, 2]
    if kind == ELLIPSOID:
        ax, ay, az = find_oval_lowest(size, rotation, other, nx, ny, nz)
        return px + ax, py + ay, pz + az, px + ax, py + ay, pz + az
    if kind >= FIRST_SOLID:
        ax, ay, az, _ = find_lowest(rotation, other, nx, ny, nz)
        one = place_on_rim(size, x, rotation, other, -1.0, 0, (ax, ay, az))
        two = place_on_rim(size, x, rotation, other, 1.0, 0, (ax, ay, az))
        if kind == CONE:
            half = size[other, 1]
            two = (
                px + half * rotation[other, 0, 1], py + half * rotation[other, 1, 1], pz + half * rotation[other, 2, 1],
            )  # fmt: skip
        return one[0], one[1], one[2], two[0], two[1], two[2]
    along, half = 1, size[other, 1]
    if kind == BOX:
        least = 2.0
        for k in range(3):
            cosine = abs(dot(nx, ny, nz, rotation[other, 0, k], rotation[other, 1, k], rotation[other, 2, k]))
            if cosine < least:
                least, along = cosine, k
        half = size[other, along]
        for k in range(3):
            if k != along:
                ax, ay, az = rotation[other, 0, k], rotation[other, 1, k], rotation[other, 2, k]
                side = -size[other, k] if dot(nx, ny, nz, ax, ay, az) > 0.0 else size[other, k]
                px, py, pz = px + side * ax, py + side * ay, pz + side * az
    else:
        radius = size[other, 0]
        px, py, pz = px - radius * nx, py - radius * ny, pz - radius * nz
        if kind != CAPSULE:
            half = 0.0
    ax, ay, az = (
        half * rotation[other, 0, along],
        half * rotation[other, 1, along],
        half * rotation[other, 2, along],
    )
    return px - ax, py - ay, pz - az, px + ax, py + ay, pz + az


@njit
def add_lowest_edge(shapes: Shapes, other, swapped, face: Face):
    """Contacts of the lowest edge of a shape with a face, as far as it is over it; returns their number."""
    ax, ay, az, bx, by, bz = find_lowest_edge(shapes, other, face)
    a, b, height = look_from(face, ax, ay, az)
    a_end, b_end, height_end = look_from(face, bx, by, bz)
    da, db, rise = a_end - a, b_end - b, height_end - height
    low, high = cut_off(face, a, b, da, db)
    count = ZERO
    if low > high:
        return count
    count = add_over(face, swapped, 0, a + low * da, b + low * db, height + low * rise, count)
    if high > low:
        count = add_over(face, swapped, 1, a + high * da, b + high * db, height + high * rise, count)
    return count


@njit
def add_rim_points(shapes: Shapes, other, swapped, first, step, face: Face, count):
    """Points of the lower rim of a cylinder or cone that are over the face; returns the new count.

    They begin at so many eighths of a turn from the lowest point, and are a step of so many apart.
    """
    nx, ny, nz = face.frame[3, 0], face.frame[3, 1], face.frame[3, 2]
    lowest = find_lowest(shapes.rotation, other, nx, ny, nz)
    end = -1.0 if shapes.kind[other] == CONE or lowest[3] > 0.0 else 1.0
    for turn in range(first, 8, step):
        px, py, pz = place_on_rim(
            shapes.size, shapes.x, shapes.rotation, other, end, turn, (lowest[0], lowest[1], lowest[2])
        )
        a, b, height = look_from(face, px, py, pz)
        if is_over(face, a, b):
            count = add_over(face, swapped, 2 + turn, a, b, height, count)
    return count


@njit
def find_height_at(face: Face, centre, slope, a, b):
    """The height of a flat end over a place: at its centre (a, b, height), and how it rises along a and b."""
    return centre[2] + slope[0] * (a - centre[0]) + slope[1] * (b - centre[1])


@njit
def add_corners(swapped, radius, centre, slope, face: Face, count):
    """Corners of a rectangle below a disc of this radius, and where its edges cross the rim; returns the new count."""
    for corner in range(4):
        a = face.half[0] if corner & 1 else -face.half[0]
        b = face.half[1] if corner & 2 else -face.half[1]
        if (a - centre[0]) ** 2 + (b - centre[1]) ** 2 < radius * radius:
            height = find_height_at(face, centre, slope, a, b)
            count = add_over(face, swapped, CORNERS + corner, a, b, height, count)
    for edge in range(4):
        k = edge // 2
        across = (face.half[k] if edge & 1 else -face.half[k]) - centre[k]
        if abs(across) >= radius:
            continue
        reach = math.sqrt(radius * radius - across * across)
        for side in range(2):
            along = centre[1 - k] + (reach if side == 1 else -reach)
            if abs(along) <= face.half[1 - k]:
                a, b = (across + centre[0], along) if k == 0 else (along, across + centre[1])
                height = find_height_at(face, centre, slope, a, b)
                count = add_over(face, swapped, CROSSINGS + 2 * edge + side, a, b, height, count)
    return count


@njit
def add_circle_crossings(swapped, radius, centre, slope, face: Face, count):
    """Where the rim of a disc of this radius crosses that of the face, a disc as well; returns the new count."""
    distance = math.sqrt(centre[0] ** 2 + centre[1] ** 2)
    mine = face.half[0]
    if distance < abs(mine - radius) or distance > mine + radius or distance == 0.0:
        return count
    along = (distance * distance + mine * mine - radius * radius) / (2.0 * distance)
    across = math.sqrt(max(0.0, mine * mine - along * along))
    ux, uy = centre[0] / distance, centre[1] / distance
    for side in range(2):
        s = across if side == 1 else -across
        a, b = along * ux - s * uy, along * uy + s * ux
        height = find_height_at(face, centre, slope, a, b)
        count = add_over(face, swapped, CROSSINGS + side, a, b, height, count)
    return count


@njit
def add_own_rim(swapped, radius, centre, slope, face: Face, count):
    """Points of the rim of the face, a disc, that are below another disc of this radius; returns the new count."""
    for feature in range(8):
        angle = 0.25 * math.pi * feature
        a, b = face.half[0] * math.cos(angle), face.half[0] * math.sin(angle)
        if (a - centre[0]) ** 2 + (b - centre[1]) ** 2 < radius * radius * (1.0 - BESIDE):
            height = find_height_at(face, centre, slope, a, b)
            count = add_over(face, swapped, 16 + feature, a, b, height, count)
    return count


@njit
def add_flat_end(shapes: Shapes, other, swapped, face: Face):
    """Contacts of a cylinder or cone whose end rests flush on a face; returns their number."""
    x, rotation, radius = shapes.x, shapes.rotation, shapes.size[other, 0]
    ux, uy, uz = rotation[other, 0, 1], rotation[other, 1, 1], rotation[other, 2, 1]
    f = face.frame
    rise = dot(ux, uy, uz, f[3, 0], f[3, 1], f[3, 2])
    # The base of a cone is below its middle wherever it rests on something.
    half = shapes.size[other, 1] * (-1.0 if rise > 0.0 else 1.0)
    centre = look_from(face, x[other, 0] + half * ux, x[other, 1] + half * uy, x[other, 2] + half * uz)
    slope = (
        -dot(ux, uy, uz, f[1, 0], f[1, 1], f[1, 2]) / rise,
        -dot(ux, uy, uz, f[2, 0], f[2, 1], f[2, 2]) / rise,
    )
    count = add_rim_points(shapes, other, swapped, 0, 1, face, ZERO)
    if count == 8:  # nothing of it sticks out: faces have no holes
        return count
    if face.half[1] > 0.0:
        return add_corners(swapped, radius, centre, slope, face, count)
    count = add_circle_crossings(swapped, radius, centre, slope, face, count)
    return add_own_rim(swapped, radius, centre, slope, face, count)


@njit
def add_face_contacts(shapes: Shapes, other, swapped, face: Face):
    """Contacts of a shape with a face; none if its lowest edge is nowhere over it. Returns their number."""
    if shapes.kind[other] != CYLINDER and shapes.kind[other] != CONE:
        return add_lowest_edge(shapes, other, swapped, face)
    rotation = shapes.rotation
    cosine = dot(
        face.frame[3, 0], face.frame[3, 1], face.frame[3, 2],
        rotation[other, 0, 1], rotation[other, 1, 1], rotation[other, 2, 1],
    )  # fmt: skip
    if shapes.kind[other] == CYLINDER:
        cosine = abs(cosine)
    if cosine > COSINE_FLUSH:
        return add_flat_end(shapes, other, swapped, face)
    count = add_lowest_edge(shapes, other, swapped, face)
    if count > 0 and cosine > COSINE_FLAT:
        count = add_rim_points(shapes, other, swapped, 2, 2, face, count)
    return count
