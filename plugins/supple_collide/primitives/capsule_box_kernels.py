"""Contacts of a sphere or capsule with a box, in the frame of the box.

The segment of the capsule is c + t d, -1 <= t <= 1. Its distance from the box is convex in t and its slope is
piecewise linear, so the closest point is found exactly. Where the segment runs along a face or an edge of the
box, the ends of the common stretch touch as well. If the segment itself pierces the box, the capsule leaves
along the axis of least depth among the three face normals and the three normals across segment and edge:
these are all the face normals of the sum of box and segment, so the depth is exact.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit
from supple_collide.primitives.capsule_kernels import (
    COSINE_ALONG,
    DEEPER,
    SHORTEST_OVERLAP,
    SINE_ALONG,
    choose_line_contacts,
    clamp,
)
from supple_collide.primitives.manifold_kernels import ONE, TWO, ZERO, add_contact
from supple_collide.primitives.pose_kernels import carry_in, carry_out

# A segment nearer to the box than this part of the sizes pierces it.
PIERCING = 1e-9
# An axis is preferred over an earlier one only if it is better by this part of the sizes, so that rounding
# does not decide between axes that are equally good.
TIE = 1e-7
# A segment along a side of the box is within it up to this part of the size, so that rounding does not decide.
LEVEL = 1e-9
# An edge this nearly parallel to the segment (sine of the angle) defines no normal across both.
PARALLEL = 1e-7

# Feature codes: 0-11 are the two ends of the stretch along each of the six faces.
ALONG_EDGE, CLOSEST, ACROSS_EDGE = np.int64(12), np.int64(14), np.int64(15)


@njit
def find_excess(value, half):
    """By how much `value` lies outside [-half, half], with its sign; zero inside."""
    return value - clamp(value, half)


@njit
def find_slope(size, box, segment, t):
    """Half the derivative of the squared distance between c + t d and the box; never decreases with t."""
    slope = 0.0
    for k in range(3):
        slope += segment[1, k] * find_excess(segment[0, k] + t * segment[1, k], size[box, k])
    return slope


@njit
def find_closest_parameter(size, box, segment):
    """The t in [-1, 1] at which the segment comes closest to the box."""
    low, high = -1.0, 1.0
    low_slope, high_slope = find_slope(size, box, segment, low), find_slope(size, box, segment, high)
    if low_slope >= 0.0:
        return low
    if high_slope <= 0.0:
        return high
    for k in range(3):
        if segment[1, k] == 0.0:
            continue
        for side in range(2):
            t = ((2 * side - 1) * size[box, k] - segment[0, k]) / segment[1, k]
            if low < t < high:
                slope = find_slope(size, box, segment, t)
                if slope < 0.0:
                    low, low_slope = t, slope
                else:
                    high, high_slope = t, slope
    return low - low_slope * (high - low) / (high_slope - low_slope)


@njit
def clip_segment(size, box, segment, skip_one, skip_other):
    """The stretch (low, high) of t within the sides of the box, but for two axes; low > high if empty."""
    low, high = -1.0, 1.0
    for k in range(3):
        if k in (skip_one, skip_other):
            continue
        c, d = segment[0, k], segment[1, k]
        if abs(d) <= 1e-12 * size[box, k]:
            if abs(c) > (1.0 + LEVEL) * size[box, k]:
                return 1.0, -1.0
        else:
            middle, width = -c / d, size[box, k] / abs(d)
            low, high = max(low, middle - width), min(high, middle + width)
    return low, high


@njit
def add_nearest_contact(
    size, x, rotation, capsule, box, segment, t, feature, count, manifold_out, features_out
):  # fmt: skip
    """Contact of the sphere around c + t d with the box, its centre being outside; returns the new count."""
    px = segment[0, 0] + t * segment[1, 0]
    py = segment[0, 1] + t * segment[1, 1]
    pz = segment[0, 2] + t * segment[1, 2]
    ex, ey, ez = find_excess(px, size[box, 0]), find_excess(py, size[box, 1]), find_excess(pz, size[box, 2])
    distance = math.sqrt(ex * ex + ey * ey + ez * ez)
    return add_local_contact(
        x, rotation, box, px - ex, py - ey, pz - ez, ex / distance, ey / distance, ez / distance,
        distance - size[capsule, 0], feature, count, manifold_out, features_out,
    )  # fmt: skip


@njit
def add_local_contact(
    x, rotation, box, px, py, pz, nx, ny, nz, gap, feature, count, manifold_out, features_out
):  # fmt: skip
    """Write a contact given by point and normal in the frame of the box; returns the new count."""
    qx, qy, qz = carry_out(rotation, box, px, py, pz)
    wx, wy, wz = carry_out(rotation, box, nx, ny, nz)
    return add_contact(
        feature, x[box, 0] + qx, x[box, 1] + qy, x[box, 2] + qz, wx, wy, wz, gap, count,
        manifold_out, features_out,
    )  # fmt: skip


@njit
def find_common_stretch(size, box, segment, t, distance):
    """The stretch of the segment along the face or edge it is closest to: (low, high, feature code).

    low > high if the segment is closest to a corner, or crosses an edge at a large angle.
    """
    main, least = ZERO, ZERO
    main_excess, least_excess = -1.0, math.inf
    for k in range(3):
        excess = abs(find_excess(segment[0, k] + t * segment[1, k], size[box, k]))
        if excess > main_excess:
            main, main_excess = k, excess
        if excess <= least_excess:
            least, least_excess = k, excess
    if main_excess >= COSINE_ALONG * distance:
        low, high = clip_segment(size, box, segment, main, main)
        if high - low > SHORTEST_OVERLAP:
            above = 1 if segment[0, main] + t * segment[1, main] > 0.0 else 0
            return low, high, 4 * main + 2 * above
    half = math.sqrt(segment[1, 0] ** 2 + segment[1, 1] ** 2 + segment[1, 2] ** 2)
    if least_excess <= SINE_ALONG * distance and abs(segment[1, least]) >= COSINE_ALONG * half:
        low, high = clip_segment(size, box, segment, main, 3 - main - least)
        return low, high, ALONG_EDGE
    return 1.0, -1.0, CLOSEST


@njit
def find_exit_axis(size, capsule, box, segment, tie):
    """The axis of least depth for a segment that pierces the box: (0-2 face, 3-5 across edge; sign)."""
    best, code, towards = -math.inf, ZERO, 1.0
    for k in range(3):
        sign = -1.0 if segment[0, k] < -tie else 1.0
        separation = sign * segment[0, k] - size[box, k] - abs(segment[1, k])
        if separation > best + tie:
            best, code, towards = separation, k, sign
    half = size[capsule, 1]
    for k in range(3 if half > 0.0 else 0):
        i, j = (k + 1) % 3, (k + 2) % 3
        # e_k x d has components -d_j along i and d_i along j.
        ai, aj = -segment[1, j] / half, segment[1, i] / half
        sine = math.sqrt(ai * ai + aj * aj)
        if sine < PARALLEL:
            continue
        along = (ai * segment[0, i] + aj * segment[0, j]) / sine
        sign = -1.0 if along < -tie else 1.0
        separation = sign * along - (abs(ai) * size[box, i] + abs(aj) * size[box, j]) / sine
        if separation > best + tie:
            best, code, towards = separation, 3 + k, sign
    return code, towards


@njit
def add_face_exit(
    size, x, rotation, capsule, box, segment, k, sign, manifold_out, features_out
):  # fmt: skip
    """Contacts of a piercing segment with face `sign` of axis k, at the ends of its stretch over it."""
    low, high = clip_segment(size, box, segment, k, k)
    feature = 4 * k + (2 if sign > 0.0 else 0)
    count = ZERO
    for end in range(2 if high - low > SHORTEST_OVERLAP and size[capsule, 1] > 0.0 else 1):
        t = high if end == 1 else low
        px = segment[0, 0] + t * segment[1, 0]
        py = segment[0, 1] + t * segment[1, 1]
        pz = segment[0, 2] + t * segment[1, 2]
        depth = size[box, k] - sign * (px if k == 0 else (py if k == 1 else pz))
        nx, ny, nz = sign * (k == 0), sign * (k == 1), sign * (k == 2)
        count = add_local_contact(
            x, rotation, box, px + depth * nx, py + depth * ny, pz + depth * nz, nx, ny, nz,
            -depth - size[capsule, 0], feature + end, count, manifold_out, features_out,
        )  # fmt: skip
    return count


@njit
def add_edge_exit(
    size, x, rotation, capsule, box, segment, k, sign, manifold_out, features_out
):  # fmt: skip
    """Contact of a piercing segment with the box edge along axis k that it leaves across."""
    i, j = (k + 1) % 3, (k + 2) % 3
    di, dj, dk = segment[1, i], segment[1, j], segment[1, k]
    sine = math.sqrt(di * di + dj * dj)
    ni, nj = -sign * dj / sine, sign * di / sine
    edge_i, edge_j = math.copysign(size[box, i], ni), math.copysign(size[box, j], nj)
    # Seen along the edge the segment is a line; its point nearest to the edge lies at t.
    t = clamp(((edge_i - segment[0, i]) * di + (edge_j - segment[0, j]) * dj) / (sine * sine), 1.0)
    edge_k = clamp(segment[0, k] + t * dk, size[box, k])
    separation = ni * (segment[0, i] - edge_i) + nj * (segment[0, j] - edge_j)
    px = edge_k if k == 0 else (edge_i if i == 0 else edge_j)
    py = edge_k if k == 1 else (edge_i if i == 1 else edge_j)
    pz = edge_k if k == 2 else (edge_i if i == 2 else edge_j)
    nx = 0.0 if k == 0 else (ni if i == 0 else nj)
    ny = 0.0 if k == 1 else (ni if i == 1 else nj)
    nz = 0.0 if k == 2 else (ni if i == 2 else nj)
    return add_local_contact(
        x, rotation, box, px, py, pz, nx, ny, nz, separation - size[capsule, 0], ACROSS_EDGE + k,
        ZERO, manifold_out, features_out,
    )  # fmt: skip


@njit
def find_round_box(size, x, rotation, capsule, box, segment, manifold_out, features_out):
    """Contacts of a sphere or capsule (first) with a box (second); `segment` is scratch, shape [2, 3]."""
    wx, wy, wz = x[capsule, 0] - x[box, 0], x[capsule, 1] - x[box, 1], x[capsule, 2] - x[box, 2]
    segment[0, 0], segment[0, 1], segment[0, 2] = carry_in(rotation, box, wx, wy, wz)
    half = size[capsule, 1]
    segment[1, 0], segment[1, 1], segment[1, 2] = carry_in(
        rotation, box,
        half * rotation[capsule, 0, 1], half * rotation[capsule, 1, 1], half * rotation[capsule, 2, 1],
    )  # fmt: skip
    t = find_closest_parameter(size, box, segment)
    squared = 0.0
    for k in range(3):
        squared += find_excess(segment[0, k] + t * segment[1, k], size[box, k]) ** 2
    distance = math.sqrt(squared)
    scale = min(size[box, 0], size[box, 1], size[box, 2])
    if distance <= PIERCING * scale:
        code, sign = find_exit_axis(size, capsule, box, segment, TIE * scale)
        if code < 3:
            return add_face_exit(
                size, x, rotation, capsule, box, segment, code, sign, manifold_out, features_out
            )  # fmt: skip
        return add_edge_exit(
            size, x, rotation, capsule, box, segment, code - 3, sign, manifold_out, features_out
        )  # fmt: skip
    low, high, feature = 1.0, -1.0, CLOSEST
    if half > 0.0:
        low, high, feature = find_common_stretch(size, box, segment, t, distance)
    start = ZERO if high - low > SHORTEST_OVERLAP else TWO
    for row in range(start, TWO + ONE):
        at = low if row == 0 else (high if row == 1 else t)
        code = CLOSEST if row == TWO else feature + row
        add_nearest_contact(
            size, x, rotation, capsule, box, segment, at, code, row - start, manifold_out, features_out
        )  # fmt: skip
    if start == TWO:
        return ONE
    return choose_line_contacts(low, high, t, DEEPER * size[capsule, 0], manifold_out)
