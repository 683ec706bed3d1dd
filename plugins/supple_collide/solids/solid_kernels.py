"""All contacts of pairs with a solid: cylinders, cones and ellipsoids with every primitive."""

from __future__ import annotations

import math
from typing import NamedTuple

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot, normalise
from supple_collide.kernel_arrays import Manifold, Shapes
from supple_collide.primitives.box_kernels import COSINE_FLUSH, FLUSH
from supple_collide.primitives.manifold_kernels import ONE, ZERO, add_contact
from supple_collide.primitives.narrow_kernels import write_contacts
from supple_collide.primitives.pose_kernels import carry_in, carry_out
from supple_collide.shape_kinds import BOX, CONE, CYLINDER, ELLIPSOID, FIRST_SOLID, PLANE, SPHERE
from supple_collide.solids.atom_kernels import Hulls, fill_hull, find_farthest, find_separation
from supple_collide.solids.face_kernels import Face, add_face_contacts, fill_face
from supple_collide.solids.rim_kernels import find_solid_plane
from supple_collide.solids.separation_kernels import Ascent, climb, fill_pair, find_place
from supple_collide.solids.side_kernels import add_side_contacts

# A face is left for something else that parts the shapes better by this part of their size.
TIE = 1e-9
# What overlaps by this part of its size is deep inside.
DEEP = 1e-3
SINGLE = 128
# Tangent of the angle by which a normal is leant to leave that of a face.
LEAN = 0.1
# One minus the cosine between a normal and an axis that are one.
AXIAL = 1e-12


class Solids(NamedTuple):
    """Scratch for the contacts of one pair."""

    hulls: Hulls
    ascent: Ascent
    face: Face


@njit
def find_size(shapes: Shapes, shape):
    """The farthest that a primitive reaches from its centre, about [m]."""
    kind, size = shapes.kind[shape], shapes.size
    if kind == BOX:
        return size[shape, 0] + size[shape, 1] + size[shape, 2]
    return size[shape, 0] + size[shape, 1]


@njit
def find_best_flat(shapes: Shapes, first, second, dx, dy, dz, hulls: Hulls, tie):
    """The face along whose normal both shapes are farthest apart: (separation, owner, axis, sign); owner -1: none.

    The sign makes the normal lead out of its owner. d leads from the second to the first. Rectangles go before discs.
    """
    best, owner, best_axis, best_sign = -math.inf, -1, 0, 1.0
    for turn in range(4):
        shape, away = (first, -1.0) if turn % 2 == 0 else (second, 1.0)
        disc = shapes.kind[shape] == CYLINDER or shapes.kind[shape] == CONE
        if not (shapes.kind[shape] == BOX if turn < 2 else disc):
            continue
        for axis in range(3):
            if turn >= 2 and axis != 1:
                continue
            nx, ny, nz = (
                shapes.rotation[shape, 0, axis],
                shapes.rotation[shape, 1, axis],
                shapes.rotation[shape, 2, axis],
            )
            sign = 1.0 if dot(nx, ny, nz, dx, dy, dz) >= 0.0 else -1.0
            if shapes.kind[shape] == CONE:
                sign = -away
            apart = find_separation(hulls, sign * nx, sign * ny, sign * nz)
            if apart > best + tie:
                best, owner, best_axis, best_sign = apart, shape, axis, sign * away
    return best, owner, best_axis, best_sign


@njit
def choose_rectangle(shapes: Shapes, owner, other, axis, sign):
    """Of two faces that rest on each other the rectangle: it has corners. (owner, axis, sign)."""
    if shapes.kind[owner] == BOX or shapes.kind[other] != BOX:
        return owner, axis, sign
    r = shapes.rotation
    for k in range(3):
        cosine = dot(
            r[owner, 0, 1], r[owner, 1, 1], r[owner, 2, 1], r[other, 0, k], r[other, 1, k], r[other, 2, k]
        )
        if abs(cosine) > COSINE_FLUSH:
            return other, k, -sign if cosine > 0.0 else sign
    return owner, axis, sign


@njit
def try_normal(hulls: Hulls, nx, ny, nz, dx, dy, dz, best):
    """The better of a direction (of any length, on the side of d) and the best one so far: (separation, n)."""
    nx, ny, nz, size = normalise(nx, ny, nz)
    if size < 1e-12:
        return best
    if dot(nx, ny, nz, dx, dy, dz) < 0.0:
        nx, ny, nz = -nx, -ny, -nz
    apart = find_separation(hulls, nx, ny, nz)
    return (apart, nx, ny, nz) if apart > best[0] else best


@njit
def find_start(shapes: Shapes, first, second, dx, dy, dz, hulls: Hulls):
    """A direction to begin with that is no normal of a face: (separation, n)."""
    rotation = shapes.rotation
    best = (-math.inf, 0.0, 1.0, 0.0)
    best = try_normal(hulls, dx, dy, dz, dx, dy, dz, best)
    for shape in (first, second):
        kind = shapes.kind[shape]
        if kind == SPHERE:
            continue
        away = -1.0 if shape == first else 1.0
        if kind == ELLIPSOID:
            # The normal of the ellipsoid where d leads.
            a, b, c = carry_in(rotation, shape, dx, dy, dz)
            s = shapes.size
            nx, ny, nz = carry_out(
                rotation, shape, a / s[shape, 0] ** 2, b / s[shape, 1] ** 2, c / s[shape, 2] ** 2
            )
            best = try_normal(hulls, nx, ny, nz, dx, dy, dz, best)
            continue
        ux, uy, uz = rotation[shape, 0, 1], rotation[shape, 1, 1], rotation[shape, 2, 1]
        along = dot(ux, uy, uz, dx, dy, dz)
        # From the nearest point of the shape, and from its axis.
        if kind == BOX:
            a, b, c = carry_in(rotation, shape, dx, dy, dz)
            s = shapes.size
            a, b, c = (
                a - min(max(a, -s[shape, 0]), s[shape, 0]), b - min(max(b, -s[shape, 1]), s[shape, 1]),
                c - min(max(c, -s[shape, 2]), s[shape, 2]),
            )  # fmt: skip
            nx, ny, nz = carry_out(rotation, shape, a, b, c)
            best = try_normal(hulls, nx, ny, nz, dx, dy, dz, best)
        else:
            best = try_normal(hulls, dx - along * ux, dy - along * uy, dz - along * uz, dx, dy, dz, best)
            if kind == CONE:
                ax, ay, az, size = normalise(dx - along * ux, dy - along * uy, dz - along * uz)
                if size > 0.0:
                    rise = away * 0.5 * shapes.size[shape, 0] / shapes.size[shape, 1]
                    best = try_normal(hulls, ax + rise * ux, ay + rise * uy, az + rise * uz, dx, dy, dz, best)
            held = min(max(along, -shapes.size[shape, 1]), shapes.size[shape, 1])
            best = try_normal(hulls, dx - held * ux, dy - held * uy, dz - held * uz, dx, dy, dz, best)
    for i in range(3):
        if shapes.kind[first] != BOX and i != 1:
            continue
        ax, ay, az = rotation[first, 0, i], rotation[first, 1, i], rotation[first, 2, i]
        for j in range(3):
            if shapes.kind[second] != BOX and j != 1:
                continue
            nx, ny, nz = cross(
                ax, ay, az, rotation[second, 0, j], rotation[second, 1, j], rotation[second, 2, j]
            )
            best = try_normal(hulls, nx, ny, nz, dx, dy, dz, best)
    return best


@njit
def lean(hulls: Hulls, nx, ny, nz, ascent: Ascent):
    """A normal of a face, leant towards what is nearest along it: there both shapes may be farther apart.

    Along the axis of a circle all of its points are equally near, and no step leads away from it.
    """
    _, i = find_farthest(hulls, 0, -nx, -ny, -nz)
    _, j = find_farthest(hulls, 1, nx, ny, nz)
    fill_pair(hulls, 0, i, j, nx, ny, nz, ascent)
    wx, wy, wz = ascent.w[0, 0], ascent.w[0, 1], ascent.w[0, 2]
    along = dot(nx, ny, nz, wx, wy, wz)
    tx, ty, tz, _ = normalise(wx - along * nx, wy - along * ny, wz - along * nz)
    x, y, z, _ = normalise(nx + LEAN * tx, ny + LEAN * ty, nz + LEAN * tz)
    return x, y, z


@njit
def is_axial(hulls: Hulls, nx, ny, nz):
    """Whether n is along the axis of circles."""
    for side in range(2):
        if hulls.atoms[side, 0, 3] > 0.0 and hulls.smooth[side] == 0:
            cosine = dot(nx, ny, nz, hulls.axis[side, 0], hulls.axis[side, 1], hulls.axis[side, 2])
            if 1.0 - abs(cosine) < AXIAL:
                return True
    return False


@njit
def climb_on(hulls: Hulls, nx, ny, nz, scale, ascent: Ascent):
    """`climb`, and once more where it came to rest along the axis of a circle, if that leads higher."""
    found = climb(hulls, nx, ny, nz, scale, ascent)
    if is_axial(hulls, found[0], found[1], found[2]):
        tx, ty, tz = lean(hulls, found[0], found[1], found[2], ascent)
        other = climb(hulls, tx, ty, tz, scale, ascent)
        if other[3] > found[3]:
            return other
        found = climb(hulls, found[0], found[1], found[2], scale, ascent)
    return found


@njit
def is_touched(scratch: Manifold, count, gap):
    """Whether one of the contacts is no farther apart than the shapes are."""
    nearest = math.inf
    for k in range(count):
        nearest = min(nearest, scratch.contacts[k, 6])
    return nearest <= gap


@njit
def find_solid_pair(shapes: Shapes, first, second, limit, scratch: Manifold, solids: Solids):
    """Contacts of two primitives, one of them a solid and neither a plane, with gap <= limit [m]; their number."""
    x, hulls, face = shapes.x, solids.hulls, solids.face
    fill_hull(shapes.kind, shapes.size, x, shapes.rotation, first, second, 0, hulls)
    fill_hull(shapes.kind, shapes.size, x, shapes.rotation, second, second, 1, hulls)
    dx, dy, dz = x[first, 0] - x[second, 0], x[first, 1] - x[second, 1], x[first, 2] - x[second, 2]
    scale = find_size(shapes, first) + find_size(shapes, second)
    flat, owner, axis, sign = find_best_flat(shapes, first, second, dx, dy, dz, hulls, TIE * scale)
    if flat > limit:
        return ZERO
    apart, nx, ny, nz = find_start(shapes, first, second, dx, dy, dz, hulls)
    if apart > limit:
        return ZERO
    swapped, fx, fy, fz = False, nx, ny, nz
    if owner >= 0:
        owner, axis, sign = choose_rectangle(shapes, owner, first + second - owner, axis, sign)
        swapped = owner == first
        fill_face(shapes, owner, axis, sign, face)
        away = -1.0 if swapped else 1.0
        fx, fy, fz = away * face.frame[3, 0], away * face.frame[3, 1], away * face.frame[3, 2]
        flat = find_separation(hulls, fx, fy, fz)
    if owner >= 0 and flat > apart - TIE * scale:
        count = add_face_contacts(shapes, second if swapped else first, swapped, face)
        if is_touched(scratch, count, flat + TIE * scale):
            return count
        nx, ny, nz = lean(hulls, fx, fy, fz, solids.ascent)
    start = (nx, ny, nz)
    nx, ny, nz, apart, count = climb_on(hulls, nx, ny, nz, scale, solids.ascent)
    if apart < -DEEP * scale:
        # There may be several ways out.
        tx, ty, tz = lean(hulls, fx, fy, fz, solids.ascent)
        other = climb_on(hulls, tx, ty, tz, scale, solids.ascent)
        if other[3] > apart:
            nx, ny, nz, apart, count = other
        else:
            nx, ny, nz, apart, count = climb_on(hulls, start[0], start[1], start[2], scale, solids.ascent)
    if apart > limit:
        return ZERO
    if owner >= 0 and dot(nx, ny, nz, fx, fy, fz) > COSINE_FLUSH:
        found = add_face_contacts(shapes, second if swapped else first, swapped, face)
        if is_touched(scratch, found, apart + 0.5 * FLUSH * FLUSH * scale):
            return found
    found = add_side_contacts(shapes, first, second, nx, ny, nz, scratch)
    if is_touched(scratch, found, apart + 0.5 * FLUSH * FLUSH * scale):
        return found
    px, py, pz = find_place(hulls, count, nx, ny, nz, solids.ascent)
    add_contact(
        SINGLE, x[second, 0] + px, x[second, 1] + py, x[second, 2] + pz, nx, ny, nz, apart, ZERO,
        scratch.contacts, scratch.features,
    )  # fmt: skip
    return ONE


@njit
def find_solid_contacts(
    shapes: Shapes, pairs, pair_count, scratch: Manifold, solids: Solids, total, shape_out, feature_out, point_out,
    normal_out, gap_out,
):  # fmt: skip
    """Append the contacts of pairs with a solid behind the first `total`, as `find_contacts` finds all others."""
    kind, reach = shapes.kind, shapes.reach
    for pair in range(pair_count):
        a, b = pairs[pair, 0], pairs[pair, 1]
        if kind[a] < FIRST_SOLID and kind[b] < FIRST_SOLID:
            continue
        limit = reach[a] + reach[b]
        swapped = kind[a] == PLANE
        first, second = (b, a) if swapped else (a, b)
        if kind[second] == PLANE:
            count = find_solid_plane(
                kind,
                shapes.size,
                shapes.x,
                shapes.rotation,
                first,
                second,
                scratch.contacts,
                scratch.features,
            )
        else:
            count = find_solid_pair(shapes, first, second, limit, scratch, solids)
        total = write_contacts(
            a, b, swapped, limit, count, scratch.contacts, scratch.features, total,
            shape_out, feature_out, point_out, normal_out, gap_out,
        )  # fmt: skip
    return total
