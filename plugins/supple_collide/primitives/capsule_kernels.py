"""Contacts of round shapes (spheres, capsules) with each other and with planes.

A sphere is a capsule of no length, so each kernel here serves both. Capsules that lie along each other touch
at the two ends of their overlap; each such contact is the true distance of an end from the other capsule, so
it is a valid contact at any angle.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot, normalise
from supple_collide.primitives.manifold_kernels import MANIFOLD_WIDTH, ONE, TWO, ZERO, add_contact

# Axes closer than about 0.1 rad count as lying along each other: cosine and sine of that angle.
COSINE_ALONG, SINE_ALONG = 0.995, 0.1
# An overlap shorter than this part of the segments is no line of contact.
SHORTEST_OVERLAP = 1e-6
# The closest point counts beside the ends of the overlap only if deeper by this part of the radii. It then
# replaces an end that is nearer than SNAP times the overlap, else it is a contact of its own.
DEEPER = 1e-7
SNAP = 0.1
# Axes nearer than this part of the radii have no direction of their own.
TOUCHING = 1e-9

LOW_END, HIGH_END, CLOSEST = ZERO, ONE, TWO


@njit
def clamp(value, half):
    """The number nearest to `value` in [-half, half]."""
    return min(max(value, -half), half)


@njit
def choose_line_contacts(low, high, closest, margin, manifold_inout):
    """Choose among the contacts at both ends of a line (rows 0, 1) and at its closest point (row 2).

    low, high and closest are their places along the line. Returns how many rows count.
    """
    if manifold_inout[2, 6] >= min(manifold_inout[0, 6], manifold_inout[1, 6]) - margin:
        return TWO
    if SNAP * (high - low) < min(closest - low, high - closest):
        return TWO + ONE
    end = 0 if closest - low < high - closest else 1
    for k in range(MANIFOLD_WIDTH):
        manifold_inout[end, k] = manifold_inout[2, k]
    return TWO


@njit
def find_round_plane(size, x, rotation, first, second, manifold_out, features_out):
    """Contacts of the ends of a sphere or capsule (first) with a plane (second); returns their number."""
    nx, ny, nz = rotation[second, 0, 1], rotation[second, 1, 1], rotation[second, 2, 1]
    half = size[first, 1]
    count = ZERO
    for end in range(2 if half > 0.0 else 1):
        s = half * (2 * end - 1)
        px = x[first, 0] + s * rotation[first, 0, 1]
        py = x[first, 1] + s * rotation[first, 1, 1]
        pz = x[first, 2] + s * rotation[first, 2, 1]
        height = dot(nx, ny, nz, px - x[second, 0], py - x[second, 1], pz - x[second, 2])
        count = add_contact(
            end, px - height * nx, py - height * ny, pz - height * nz, nx, ny, nz, height - size[first, 0],
            count, manifold_out, features_out,
        )  # fmt: skip
    return count


@njit
def find_any_normal(size, rotation, first, second):
    """A unit normal for two segments that meet: across both if they cross, else across the longer one."""
    ux, uy, uz = rotation[first, 0, 1], rotation[first, 1, 1], rotation[first, 2, 1]
    vx, vy, vz = rotation[second, 0, 1], rotation[second, 1, 1], rotation[second, 2, 1]
    if size[first, 1] > 0.0 and size[second, 1] > 0.0:
        nx, ny, nz, sine = normalise(*cross(ux, uy, uz, vx, vy, vz))
        if sine > 1e-7:
            return nx, ny, nz
    # The sign makes the normal turn round if the two shapes are exchanged.
    longer, sign = (first, -1.0) if size[first, 1] > size[second, 1] else (second, 1.0)
    return sign * rotation[longer, 0, 0], sign * rotation[longer, 1, 0], sign * rotation[longer, 2, 0]


@njit
def add_round_contact(
    size, x, rotation, first, second, s, t, feature, count, manifold_out, features_out
):  # fmt: skip
    """Contact between the axis points at s on the first and t on the second [m]; returns the new count."""
    qx = x[second, 0] + t * rotation[second, 0, 1]
    qy = x[second, 1] + t * rotation[second, 1, 1]
    qz = x[second, 2] + t * rotation[second, 2, 1]
    nx, ny, nz, distance = normalise(
        x[first, 0] + s * rotation[first, 0, 1] - qx,
        x[first, 1] + s * rotation[first, 1, 1] - qy,
        x[first, 2] + s * rotation[first, 2, 1] - qz,
    )
    if distance <= TOUCHING * (size[first, 0] + size[second, 0]):
        nx, ny, nz = find_any_normal(size, rotation, first, second)
    radius = size[second, 0]
    return add_contact(
        feature, qx + radius * nx, qy + radius * ny, qz + radius * nz, nx, ny, nz,
        distance - size[first, 0] - radius, count, manifold_out, features_out,
    )  # fmt: skip


@njit
def find_closest_axis_points(half_first, half_second, u_w, v_w, u_v, squared_sine):
    """Where two segments come closest: (s, t) along their axes u and v [m], w = centre minus other centre."""
    s = 0.0
    if squared_sine > 1e-14:
        s = clamp((u_v * v_w - u_w) / squared_sine, half_first)
    t = clamp(v_w + s * u_v, half_second)
    s = clamp(t * u_v - u_w, half_first)
    return s, t


@njit
def find_round_round(size, x, rotation, first, second, manifold_out, features_out):
    """Contacts of two spheres or capsules: one, or up to three if they lie along each other."""
    ux, uy, uz = rotation[first, 0, 1], rotation[first, 1, 1], rotation[first, 2, 1]
    vx, vy, vz = rotation[second, 0, 1], rotation[second, 1, 1], rotation[second, 2, 1]
    wx, wy, wz = x[first, 0] - x[second, 0], x[first, 1] - x[second, 1], x[first, 2] - x[second, 2]
    half_first, half_second = size[first, 1], size[second, 1]
    u_w, v_w, u_v = dot(ux, uy, uz, wx, wy, wz), dot(vx, vy, vz, wx, wy, wz), dot(ux, uy, uz, vx, vy, vz)
    cx, cy, cz = cross(ux, uy, uz, vx, vy, vz)
    s, t = find_closest_axis_points(half_first, half_second, u_w, v_w, u_v, dot(cx, cy, cz, cx, cy, cz))

    # The overlap along the middle of both axes, so that exchanging the two shapes does not change it: there the first
    # segment is `ahead` of the second by this much, and both are as long as they are, up to one factor.
    ahead = (u_w + math.copysign(1.0, u_v) * v_w) / (1.0 + abs(u_v))
    overlap = min(half_second, ahead + half_first) - max(-half_second, ahead - half_first)
    along = abs(u_v) >= COSINE_ALONG and overlap > SHORTEST_OVERLAP * (half_first + half_second)
    # An end of the overlap is the end of one segment and the nearest point of the other.
    turned = math.copysign(half_second, u_v)
    low, low_t, high, high_t = -half_first, -turned, half_first, turned
    if ahead - half_first >= -half_second:
        low_t = clamp(v_w + low * u_v, half_second)
    else:
        low = clamp(low_t * u_v - u_w, half_first)
    if ahead + half_first <= half_second:
        high_t = clamp(v_w + high * u_v, half_second)
    else:
        high = clamp(high_t * u_v - u_w, half_first)
    start = LOW_END if along else CLOSEST
    for feature in range(start, CLOSEST + 1):
        row_s, row_t = s, t
        if feature == LOW_END:
            row_s, row_t = low, low_t
        elif feature == HIGH_END:
            row_s, row_t = high, high_t
        add_round_contact(
            size, x, rotation, first, second, row_s, row_t, feature, feature - start,
            manifold_out, features_out,
        )  # fmt: skip
    if not along:
        return ONE
    return choose_line_contacts(low, high, s, DEEPER * (size[first, 0] + size[second, 0]), manifold_out)
