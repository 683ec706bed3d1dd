"""Which triangle is seen where: projection, clipping and a depth buffer.

`nearness` is larger for what is nearer and linear on the screen: 1 / depth in perspective, -depth in parallel
projection. A pixel belongs to a triangle if its centre does, so neighbours share no pixel and leave none out.
"""

from __future__ import annotations

import math

from supple.core.jit import njit


@njit
def place_points(axes, eye, points, seen_out):
    """Points [n, 3] of the world in camera axes: right, up, forward."""
    for i in range(points.shape[0]):
        x = points[i, 0] - eye[0]
        y = points[i, 1] - eye[1]
        z = points[i, 2] - eye[2]
        for k in range(3):
            seen_out[i, k] = axes[k, 0] * x + axes[k, 1] * y + axes[k, 2] * z


@njit
def add_normals(triangles, points, normals_out):
    """normals_out += the normals of the triangles around each point, weighted by their areas."""
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        for k in range(3):
            i = triangles[t, k]
            normals_out[i, 0] += nx
            normals_out[i, 1] += ny
            normals_out[i, 2] += nz


@njit
def fill_half(y_low, y_high, xa, ya, da, xb, yb, db, q, qx, qy, number, nearness_out, owner_out):
    """Fill the rows between two edges; the edges start at (xa, ya), (xb, yb) and move by da, db a row.

    q is the nearness at the origin of the screen, qx and qy its change along a row and from row to row.
    """
    height, width = nearness_out.shape
    # Held to the screen first: beyond it a number may be too large for an integer.
    first = math.ceil(min(max(y_low, 0.0), float(height)) - 0.5)
    last = math.ceil(min(max(y_high, 0.0), float(height)) - 0.5)
    for row in range(max(first, 0), last):
        y = row + 0.5
        x1 = xa + (y - ya) * da
        x2 = xb + (y - yb) * db
        left, right = min(x1, x2), max(x1, x2)
        start = math.ceil(min(max(left, 0.0), float(width)) - 0.5)
        stop = math.ceil(min(max(right, 0.0), float(width)) - 0.5)
        base = q + qy * y
        for column in range(max(start, 0), stop):
            here = base + qx * (column + 0.5)
            if here > nearness_out[row, column]:
                nearness_out[row, column] = here
                owner_out[row, column] = number


@njit
def fill_triangle(x0, y0, q0, x1, y1, q1, x2, y2, q2, number, nearness_out, owner_out):
    """Enter a triangle given by column, row and nearness of its corners."""
    # Sorted by row, an edge is followed in the same direction by both triangles that share it.
    if y1 < y0 or (y1 == y0 and x1 < x0):
        x0, y0, q0, x1, y1, q1 = x1, y1, q1, x0, y0, q0
    if y2 < y1 or (y2 == y1 and x2 < x1):
        x1, y1, q1, x2, y2, q2 = x2, y2, q2, x1, y1, q1
    if y1 < y0 or (y1 == y0 and x1 < x0):
        x0, y0, q0, x1, y1, q1 = x1, y1, q1, x0, y0, q0
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if area == 0.0 or not math.isfinite(area):
        return
    qx = ((q1 - q0) * (y2 - y0) - (q2 - q0) * (y1 - y0)) / area
    qy = ((q2 - q0) * (x1 - x0) - (q1 - q0) * (x2 - x0)) / area
    q = q0 - qx * x0 - qy * y0
    long = (x2 - x0) / (y2 - y0)
    if y1 > y0:
        short = (x1 - x0) / (y1 - y0)
        fill_half(y0, y1, x0, y0, long, x0, y0, short, q, qx, qy, number, nearness_out, owner_out)
    if y2 > y1:
        short = (x2 - x1) / (y2 - y1)
        fill_half(y1, y2, x0, y0, long, x1, y1, short, q, qx, qy, number, nearness_out, owner_out)


@njit
def fill_clipped(triangles, t, seen, focal, centre_x, centre_y, near, number, nearness_out, owner_out):
    """Enter the part of a triangle that lies before the plane depth = near; at least one corner does."""
    count = 0
    ax, ay, aq, bx, by, bq, cx, cy, cq = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        i, j = triangles[t, k], triangles[t, (k + 1) % 3]
        for part in range(2):
            z = seen[i, 2]
            if part == 0:
                if z < near:
                    continue
                x, y = seen[i, 0], seen[i, 1]
            else:
                if (z < near) == (seen[j, 2] < near):
                    continue
                s = (near - z) / (seen[j, 2] - z)
                x = seen[i, 0] + s * (seen[j, 0] - seen[i, 0])
                y = seen[i, 1] + s * (seen[j, 1] - seen[i, 1])
                z = near
            q = 1.0 / z
            if count == 0:
                cx, cy, cq = centre_x + focal * x * q, centre_y - focal * y * q, q
            else:
                ax, ay, aq = bx, by, bq
                bx, by, bq = centre_x + focal * x * q, centre_y - focal * y * q, q
            count += 1
            if count >= 3:
                # A fan about the first corner: up to two triangles.
                fill_triangle(cx, cy, cq, ax, ay, aq, bx, by, bq, number, nearness_out, owner_out)


@njit
def fill_perspective(triangles, seen, focal, centre_x, centre_y, near, nearness_out, owner_out):
    """Enter all triangles, seen by the camera; owner_out gets their numbers where they are the nearest."""
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        za, zb, zc = seen[a, 2], seen[b, 2], seen[c, 2]
        if za >= near and zb >= near and zc >= near:
            qa, qb, qc = 1.0 / za, 1.0 / zb, 1.0 / zc
            fill_triangle(
                centre_x + focal * seen[a, 0] * qa, centre_y - focal * seen[a, 1] * qa, qa,
                centre_x + focal * seen[b, 0] * qb, centre_y - focal * seen[b, 1] * qb, qb,
                centre_x + focal * seen[c, 0] * qc, centre_y - focal * seen[c, 1] * qc, qc,
                t, nearness_out, owner_out,
            )  # fmt: skip
        elif za >= near or zb >= near or zc >= near:
            fill_clipped(triangles, t, seen, focal, centre_x, centre_y, near, t, nearness_out, owner_out)


@njit
def fill_parallel(triangles, seen, scale, nearness_out, owner_out):
    """Enter all triangles as seen by the sun; `scale` is in pixels per metre, the axis in the middle."""
    middle = 0.5 * nearness_out.shape[0]
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        fill_triangle(
            middle + scale * seen[a, 0], middle - scale * seen[a, 1], -seen[a, 2],
            middle + scale * seen[b, 0], middle - scale * seen[b, 1], -seen[b, 2],
            middle + scale * seen[c, 0], middle - scale * seen[c, 1], -seen[c, 2],
            t, nearness_out, owner_out,
        )  # fmt: skip
