"""Contacts of shapes that lie along each other: sides of cylinders, cones and capsules, and edges of boxes."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import dot, normalise
from supple_collide.kernel_arrays import Manifold, Shapes
from supple_collide.primitives.box_kernels import find_edge_point
from supple_collide.primitives.manifold_kernels import ZERO, add_contact
from supple_collide.shape_kinds import BOX, CONE, ELLIPSOID, SPHERE
from supple_collide.solids.rim_kernels import find_lowest

# Lines that lean against each other, or against the plane of their contact, by less [rad] lie along each other.
SINE_ALONG = 5e-3
# An overlap shorter than this part of the lines is a point.
SHORTEST = 1e-6


@njit
def find_slope_line(shapes: Shapes, shape, nx, ny, nz):
    """The line within a cone along its side, if that lies across n, half a radius below it; as `find_line`."""
    size, x, rotation = shapes.size, shapes.x, shapes.rotation
    radius, half = size[shape, 0], size[shape, 1]
    slant = math.sqrt(radius * radius + 4.0 * half * half)
    ax, ay, az, _ = find_lowest(rotation, shape, -nx, -ny, -nz)
    ux, uy, uz = rotation[shape, 0, 1], rotation[shape, 1, 1], rotation[shape, 2, 1]
    out, up = 2.0 * half / slant, radius / slant
    gx, gy, gz = out * ax + up * ux, out * ay + up * uy, out * az + up * uz
    if dot(nx, ny, nz, gx, gy, gz) < 1.0 - 0.5 * SINE_ALONG * SINE_ALONG:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0
    below = 0.5 * radius
    return (
        x[shape, 0] + 0.5 * radius * ax - below * gx,
        x[shape, 1] + 0.5 * radius * ay - below * gy,
        x[shape, 2] + 0.5 * radius * az - below * gz,
        up * ax - out * ux, up * ay - out * uy, up * az - out * uz,
        0.5 * slant, below,
    )  # fmt: skip


@njit
def find_line(shapes: Shapes, shape, nx, ny, nz):
    """The line of a shape that lies across n, on its side towards n: (middle, unit vector, half length, radius).

    The radius is -1 where no line lies across n.
    """
    kind, rotation, x, size = shapes.kind[shape], shapes.rotation, shapes.x, shapes.size
    if kind == CONE:
        return find_slope_line(shapes, shape, nx, ny, nz)
    if kind in (SPHERE, ELLIPSOID):
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0
    axis = 1
    if kind == BOX:
        least = 2.0
        for k in range(3):
            cosine = abs(dot(nx, ny, nz, rotation[shape, 0, k], rotation[shape, 1, k], rotation[shape, 2, k]))
            if cosine < least:
                least, axis = cosine, k
    ux, uy, uz = rotation[shape, 0, axis], rotation[shape, 1, axis], rotation[shape, 2, axis]
    if abs(dot(nx, ny, nz, ux, uy, uz)) > SINE_ALONG:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0
    if kind == BOX:
        px, py, pz, _ = find_edge_point(size, x, rotation, shape, axis, nx, ny, nz)
        return px, py, pz, ux, uy, uz, size[shape, axis], 0.0
    return x[shape, 0], x[shape, 1], x[shape, 2], ux, uy, uz, size[shape, 1], size[shape, 0]


@njit
def look_across(px, py, pz, vx, vy, vz, half, t):
    """The place t v on a line of this half length, at most at its end; direction across v and distance from it to p."""
    t = min(max(t, -half), half)
    mx, my, mz = px - t * vx, py - t * vy, pz - t * vz
    along = dot(mx, my, mz, vx, vy, vz)
    mx, my, mz, distance = normalise(mx - along * vx, my - along * vy, mz - along * vz)
    return t * vx, t * vy, t * vz, mx, my, mz, distance


@njit
def add_side_contacts(shapes: Shapes, first, second, nx, ny, nz, scratch: Manifold):
    """Contacts at both ends of what two lines have in common; none unless both lie along each other across n."""
    ax, ay, az, ux, uy, uz, half, radius = find_line(shapes, first, -nx, -ny, -nz)
    bx, by, bz, vx, vy, vz, other_half, other_radius = find_line(shapes, second, nx, ny, nz)
    count = ZERO
    if radius < 0.0 or other_radius < 0.0:
        return count
    cosine = dot(ux, uy, uz, vx, vy, vz)
    if cosine < 0.0:
        vx, vy, vz, cosine = -vx, -vy, -vz, -cosine
    if 1.0 - cosine * cosine > SINE_ALONG * SINE_ALONG:
        return count
    # Along the first line, where the second begins and ends.
    ahead = dot(bx - ax, by - ay, bz - az, ux, uy, uz)
    low, high = max(-half, ahead - other_half), min(half, ahead + other_half)
    if high - low < SHORTEST * (half + other_half):
        return count
    for end in range(2):
        s = low if end == 0 else high
        qx, qy, qz, mx, my, mz, distance = look_across(
            ax - bx + s * ux, ay - by + s * uy, az - bz + s * uz, vx, vy, vz, other_half, (s - ahead) / cosine
        )
        if abs(s) == half:
            # Across the second line, a line that leans is met beyond its end by its distance times the lean.
            s -= (distance - radius) * dot(mx, my, mz, ux, uy, uz)
            qx, qy, qz, mx, my, mz, distance = look_across(
                ax - bx + s * ux,
                ay - by + s * uy,
                az - bz + s * uz,
                vx,
                vy,
                vz,
                other_half,
                (s - ahead) / cosine,
            )
        if dot(mx, my, mz, nx, ny, nz) <= 0.0:
            return ZERO
        count = add_contact(
            end, bx + qx + other_radius * mx, by + qy + other_radius * my, bz + qz + other_radius * mz, mx, my, mz,
            distance - radius - other_radius, count, scratch.contacts, scratch.features,
        )  # fmt: skip
    return count
