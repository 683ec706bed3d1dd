"""Contacts of two boxes through a face: the incident face clipped by the sides of the reference face."""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit
from supple.math.vector_kernels import dot
from supple_collide.primitives.manifold_kernels import ZERO, add_contact

FOUR = np.int64(4)
# Corners beyond the reference face by this part of its size are kept: corners that coincide then stay corners of the
# incident face, whatever the rounding, and keep their feature code.
WIDENING = 1e-5
# An axis of the incident box is preferred over an earlier one only if better by this much (cosine).
TIE = 1e-7


@njit
def clip_polygon(polygon, lines, source, count, column, sign, half, line):
    """Clip polygon[source] by sign * coordinate[column] <= half into polygon[1 - source]; returns its size.

    Corners are kept a little beyond the line (WIDENING); what leaves them is cut at the line, and is the corner itself
    where it comes nearer to it than twice that.
    lines[side, k] holds the codes of the lines before and after corner k; the clipping line is called `line`.
    """
    target, beyond = 1 - source, WIDENING * half
    kept = 0
    for k in range(count):
        following = k + 1 if k + 1 < count else 0
        here = sign * polygon[source, k, column] - half
        there = sign * polygon[source, following, column] - half
        if here <= beyond:
            for c in range(3):
                polygon[target, kept, c] = polygon[source, k, c]
            lines[target, kept, 0], lines[target, kept, 1] = lines[source, k, 0], lines[source, k, 1]
            kept += 1
        if (here <= beyond) != (there <= beyond):
            fraction = min(max(here / (here - there), 0.0), 1.0)
            for c in range(3):
                polygon[target, kept, c] = polygon[source, k, c] + fraction * (
                    polygon[source, following, c] - polygon[source, k, c]
                )
            crossed = lines[source, k, 1]
            leaves = here <= beyond
            lines[target, kept, 0], lines[target, kept, 1] = (crossed, line) if leaves else (line, crossed)
            corner = k if leaves else following
            du = polygon[target, kept, 0] - polygon[source, corner, 0]
            dv = polygon[target, kept, 1] - polygon[source, corner, 1]
            if du * du + dv * dv > 4.0 * beyond * beyond:
                kept += 1
    return kept


@njit
def find_incident_axis(rotation, incident, nx, ny, nz):
    """The axis of the incident box most parallel to n, and the sign of its face that looks against n."""
    axis, best, sign = ZERO, -1.0, 1.0
    for k in range(3):
        cosine = dot(nx, ny, nz, rotation[incident, 0, k], rotation[incident, 1, k], rotation[incident, 2, k])
        if abs(cosine) > best + TIE:
            axis, best, sign = k, abs(cosine), -1.0 if cosine > 0.0 else 1.0
    return axis, sign


@njit
def lay_incident_face(
    size, x, rotation, reference, incident, axis, outward, face, side, polygon, lines
):  # fmt: skip
    """Write the corners of the incident face as (u, v, height above the reference face) into polygon[0]."""
    i = (face + 1) % 3
    dx, dy, dz = (
        x[incident, 0] - x[reference, 0],
        x[incident, 1] - x[reference, 1],
        x[incident, 2] - x[reference, 2],
    )
    for corner in range(4):
        si = -1.0 if corner in (1, 2) else 1.0
        sj = -1.0 if corner in (2, 3) else 1.0
        lines[0, corner, 0], lines[0, corner, 1] = (corner + 3) % 4, corner
        px, py, pz = dx, dy, dz
        for k in range(3):
            reach = size[incident, k] * (side if k == face else (si if k == i else sj))
            px += reach * rotation[incident, 0, k]
            py += reach * rotation[incident, 1, k]
            pz += reach * rotation[incident, 2, k]
        for c in range(3):
            a = (axis + 1 + c) % 3
            ax, ay, az = rotation[reference, 0, a], rotation[reference, 1, a], rotation[reference, 2, a]
            along = dot(px, py, pz, ax, ay, az)
            polygon[0, corner, c] = along if c < 2 else outward * along - size[reference, axis]


@njit
def add_face_contacts(
    size, x, rotation, first, second, axis, swapped, nx, ny, nz, limit, polygon, lines,
    manifold_out, features_out,
):  # fmt: skip
    """Contacts with gap <= limit [m] through a face across `axis` of the first box, of the second if swapped.

    n is the contact normal, from second to first, hence along that axis. Returns the number of contacts.
    """
    reference, incident, toward = (second, first, 1.0) if swapped else (first, second, -1.0)
    ox, oy, oz = toward * nx, toward * ny, toward * nz
    ax, ay, az = rotation[reference, 0, axis], rotation[reference, 1, axis], rotation[reference, 2, axis]
    outward = math.copysign(1.0, dot(ox, oy, oz, ax, ay, az))
    face, side = find_incident_axis(rotation, incident, ox, oy, oz)
    lay_incident_face(size, x, rotation, reference, incident, axis, outward, face, side, polygon, lines)
    u, v = (axis + 1) % 3, (axis + 2) % 3
    corners, source = FOUR, ZERO
    for line in range(4):
        column = line // 2
        half = size[reference, u if column == 0 else v]
        sign = 1.0 - 2.0 * (line % 2)
        corners = clip_polygon(polygon, lines, source, corners, column, sign, half, 4 + line)
        source = 1 - source

    faces = ((int(swapped) * 3 + axis) * 2 + int(outward > 0.0)) * 6 + face * 2 + int(side > 0.0)
    count = ZERO
    for k in range(corners):
        gap = polygon[source, k, 2]
        feature = faces * 64 + lines[source, k, 0] * 8 + lines[source, k, 1]
        known = gap > limit
        # Rounding may let a line cross an almost flat corner twice: the point is then already there.
        for earlier in range(count):
            known = known or features_out[earlier] == feature
        if known:
            continue
        # The contact point on the second shape: on the reference face if that is the second shape's.
        height = size[reference, axis] + (0.0 if swapped else gap)
        pu, pv = polygon[source, k, 0], polygon[source, k, 1]
        px = x[reference, 0] + pu * rotation[reference, 0, u] + pv * rotation[reference, 0, v] + height * ox
        py = x[reference, 1] + pu * rotation[reference, 1, u] + pv * rotation[reference, 1, v] + height * oy
        pz = x[reference, 2] + pu * rotation[reference, 2, u] + pv * rotation[reference, 2, v] + height * oz
        count = add_contact(
            feature, px, py, pz, nx, ny, nz, gap, count, manifold_out, features_out
        )  # fmt: skip
    return count
