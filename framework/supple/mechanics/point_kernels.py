"""Kernels of points on surfaces: sort them by surface, place them, and find the nearest."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import dot


@njit
def sort_sides(count, surface, element, weights, point, group, directions, span_out, points_out):
    """The sides of all contacts as points, surface by surface; within one in the order of contacts.

    span_out [surfaces, 2] says where the points of a surface begin and end. points_out are `SurfacePoints`.
    """
    for s in range(span_out.shape[0]):
        span_out[s, 1] = 0
    for c in range(count[0]):
        for side in range(2):
            span_out[surface[c, side], 1] += 1
    begin = 0
    for s in range(span_out.shape[0]):
        used = span_out[s, 1]
        span_out[s, 0] = span_out[s, 1] = begin
        begin += used
    for c in range(count[0]):
        for side in range(2):
            s = surface[c, side]
            k = span_out[s, 1]
            span_out[s, 1] = k + 1
            points_out.group[k] = group[c]
            points_out.element[k] = element[c, side]
            points_out.sign[k] = 1.0 - 2.0 * side
            for i in range(3):
                points_out.weights[k, i] = weights[c, side, i]
                points_out.point[k, i] = point[c, side, i]
                for j in range(3):
                    points_out.directions[k, i, j] = directions[c, i, j]


@njit
def select_carried(carrier, frame, number, points, group_out, frame_out, sign_out, point_out, directions_out):
    """The points whose elements one carrier moves, as `PointRows`. Returns their number.

    carrier and frame [elements] say what moves an element.
    """
    found = 0
    for k in range(points.span[0], points.span[1]):
        e = points.element[k]
        if carrier[e] != number:
            continue
        group_out[found] = points.group[k]
        frame_out[found] = frame[e]
        sign_out[found] = points.sign[k]
        for i in range(3):
            point_out[found, i] = points.point[k, i]
            for j in range(3):
                directions_out[found, i, j] = points.directions[k, i, j]
        found += 1
    return found


@njit
def list_carried(
    carrier, frame, number, points, group_out, frame_out, sign_out, point_out, directions_out, counts_out
):  # fmt: skip
    """`select_carried`, with the number of points in counts_out[0]."""
    counts_out[0] = select_carried(
        carrier, frame, number, points, group_out, frame_out, sign_out, point_out, directions_out
    )


@njit
def place_point(triangles, x, element, weights, place_out):
    """place_out [3] = sum of the corners of a triangle by their weights; of velocities as of positions."""
    for axis in range(3):
        place_out[axis] = 0.0
        for corner in range(3):
            place_out[axis] += weights[corner] * x[triangles[element, corner], axis]


@njit_inlined
def find_nearest_on_segment(px, py, pz, ax, ay, az, bx, by, bz):
    """The share of b in the point of the segment a b that is nearest to p, and the square of the distance."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    size = dot(dx, dy, dz, dx, dy, dz)
    share = dot(px - ax, py - ay, pz - az, dx, dy, dz) / size if size > 0.0 else 0.0
    share = min(max(share, 0.0), 1.0)
    rx, ry, rz = px - ax - share * dx, py - ay - share * dy, pz - az - share * dz
    return share, dot(rx, ry, rz, rx, ry, rz)


@njit
def find_nearest_on_triangle(px, py, pz, x, a, b, c):
    """Weights of the point of the triangle a b c that is nearest to p, and the square of the distance.

    It is the foot of the perpendicular if that lies within, else the nearest point of the three edges.
    """
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    rx, ry, rz = px - x[a, 0], py - x[a, 1], pz - x[a, 2]
    uu, uv, vv = dot(ux, uy, uz, ux, uy, uz), dot(ux, uy, uz, vx, vy, vz), dot(vx, vy, vz, vx, vy, vz)
    ru, rv = dot(rx, ry, rz, ux, uy, uz), dot(rx, ry, rz, vx, vy, vz)
    area = uu * vv - uv * uv
    if area > 0.0:
        s, t = (vv * ru - uv * rv) / area, (uu * rv - uv * ru) / area
        if s >= 0.0 and t >= 0.0 and s + t <= 1.0:
            ex, ey, ez = rx - s * ux - t * vx, ry - s * uy - t * vy, rz - s * uz - t * vz
            return 1.0 - s - t, s, t, dot(ex, ey, ez, ex, ey, ez)
    w0, w1, w2, least = 1.0, 0.0, 0.0, math.inf
    for edge in range(3):
        i = a if edge == 0 else (b if edge == 1 else c)
        j = b if edge == 0 else (c if edge == 1 else a)
        share, far = find_nearest_on_segment(px, py, pz, x[i, 0], x[i, 1], x[i, 2], x[j, 0], x[j, 1], x[j, 2])
        if far < least:
            least = far
            w0 = 1.0 - share if edge == 0 else (0.0 if edge == 1 else share)
            w1 = share if edge == 0 else (1.0 - share if edge == 1 else 0.0)
            w2 = 0.0 if edge == 0 else (share if edge == 1 else 1.0 - share)
    return w0, w1, w2, least


@njit
def find_nearest_point(triangles, x, place, weights_out):
    """The triangle that is nearest to a place, the first of several; weights_out [3] of its nearest point."""
    nearest, least = -1, math.inf
    for t in range(triangles.shape[0]):
        w0, w1, w2, far = find_nearest_on_triangle(
            place[0], place[1], place[2], x, triangles[t, 0], triangles[t, 1], triangles[t, 2]
        )
        if far < least:
            nearest, least = t, far
            weights_out[0], weights_out[1], weights_out[2] = w0, w1, w2
    return nearest
