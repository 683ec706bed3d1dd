"""Distances from a closed surface of triangles, and whether it crosses itself."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined


@njit_inlined
def find_solid_angle(ax, ay, az, bx, by, bz, cx, cy, cz):
    """Half the solid angle under which a triangle is seen from the origin (van Oosterom and Strackee)."""
    a = math.sqrt(ax * ax + ay * ay + az * az)
    b = math.sqrt(bx * bx + by * by + bz * bz)
    c = math.sqrt(cx * cx + cy * cy + cz * cz)
    volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    ab, bc, ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    return math.atan2(volume, a * b * c + ab * c + bc * a + ca * b)


@njit_inlined
def find_square_distance(ax, ay, az, bx, by, bz, cx, cy, cz):
    """Square of the distance of the origin from a triangle."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    d1, d2 = -(ux * ax + uy * ay + uz * az), -(vx * ax + vy * ay + vz * az)
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    det = uu * vv - uv * uv
    s, t = vv * d1 - uv * d2, uu * d2 - uv * d1
    if det > 0.0 and s >= 0.0 and t >= 0.0 and s + t <= det:
        s, t = s / det, t / det
    else:
        # On one of the edges: the nearest of the three.
        e1 = min(max(d1 / uu, 0.0), 1.0)
        e2 = min(max(d2 / vv, 0.0), 1.0)
        wx, wy, wz = vx - ux, vy - uy, vz - uz
        e3 = -(wx * bx + wy * by + wz * bz) / (wx * wx + wy * wy + wz * wz)
        e3 = min(max(e3, 0.0), 1.0)
        s, t = e1, 0.0
        best = 1e300
        for k in range(3):
            p, q = (e1, 0.0) if k == 0 else ((0.0, e2) if k == 1 else (1.0 - e3, e3))
            x, y, z = ax + p * ux + q * vx, ay + p * uy + q * vy, az + p * uz + q * vz
            if x * x + y * y + z * z < best:
                best, s, t = x * x + y * y + z * z, p, q
    x, y, z = ax + s * ux + t * vx, ay + s * uy + t * vy, az + s * uz + t * vz
    return x * x + y * y + z * z


@njit
def find_depths(vertices, triangles, ball, points, depth_out):
    """depth_out: distance of every point from a closed surface, positive inside; ball [nt, 4] wraps each triangle."""
    for k in range(points.shape[0]):
        px, py, pz = points[k, 0], points[k, 1], points[k, 2]
        nearest, around = 1e300, 0.0
        for t in range(triangles.shape[0]):
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            ax, ay, az = vertices[a, 0] - px, vertices[a, 1] - py, vertices[a, 2] - pz
            bx, by, bz = vertices[b, 0] - px, vertices[b, 1] - py, vertices[b, 2] - pz
            cx, cy, cz = vertices[c, 0] - px, vertices[c, 1] - py, vertices[c, 2] - pz
            around += find_solid_angle(ax, ay, az, bx, by, bz, cx, cy, cz)
            dx, dy, dz = ball[t, 0] - px, ball[t, 1] - py, ball[t, 2] - pz
            reach = math.sqrt(nearest) + ball[t, 3]
            if dx * dx + dy * dy + dz * dz <= reach * reach:
                nearest = min(nearest, find_square_distance(ax, ay, az, bx, by, bz, cx, cy, cz))
        inside = around > math.pi
        depth_out[k] = math.sqrt(nearest) if inside else -math.sqrt(nearest)


@njit_inlined
def pierces(vertices, p, q, a, b, c):
    """Whether the edge from vertex p to q passes through the triangle a, b, c, its sides included.

    Sides, because an edge that passes between two triangles would be missed by both.
    """
    ox, oy, oz = vertices[p, 0], vertices[p, 1], vertices[p, 2]
    dx, dy, dz = vertices[q, 0] - ox, vertices[q, 1] - oy, vertices[q, 2] - oz
    ux, uy, uz = (
        vertices[b, 0] - vertices[a, 0],
        vertices[b, 1] - vertices[a, 1],
        vertices[b, 2] - vertices[a, 2],
    )
    vx, vy, vz = (
        vertices[c, 0] - vertices[a, 0],
        vertices[c, 1] - vertices[a, 1],
        vertices[c, 2] - vertices[a, 2],
    )
    hx, hy, hz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    det = ux * hx + uy * hy + uz * hz
    if det == 0.0:
        return False
    sx, sy, sz = ox - vertices[a, 0], oy - vertices[a, 1], oz - vertices[a, 2]
    u = (sx * hx + sy * hy + sz * hz) / det
    kx, ky, kz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    v = (dx * kx + dy * ky + dz * kz) / det
    t = (vx * kx + vy * ky + vz * kz) / det
    return u > -1e-9 and v > -1e-9 and u + v < 1.0 + 1e-9 and 1e-9 < t < 1.0 - 1e-9


@njit
def find_crossing(vertices, triangles, ball, pair_out):
    """Two triangles of which an edge of one passes through the other, into pair_out [2]; False if there are none."""
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        for o in range(triangles.shape[0]):
            dx, dy, dz = ball[o, 0] - ball[t, 0], ball[o, 1] - ball[t, 1], ball[o, 2] - ball[t, 2]
            reach = ball[o, 3] + ball[t, 3]
            if o == t or dx * dx + dy * dy + dz * dz > reach * reach:
                continue
            for k in range(3):
                p, q = triangles[o, k], triangles[o, (k + 1) % 3]
                if p in (a, b, c) or q in (a, b, c):
                    continue
                if pierces(vertices, p, q, a, b, c):
                    pair_out[0], pair_out[1] = t, o
                    return True
    return False
