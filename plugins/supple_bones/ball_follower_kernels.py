"""Followers of ball joints: README eq. (25) and (26).

The joint has turned by the angle t about the unit vector n, so that its rates u, in the axes of the bone, move the
rotation vector t n. The follower turns by w t about n. Its spin is A u in the axes that the joint starts from, where

    A = c 1 + (w - c) n n^T + d [n]x,   c + i d = m exp(i (w + 1) t / 2),   m = sin(w t / 2) / sin(t / 2)

n in the world, t and w stand in the row of `axis` behind the three axes of the follower, for whoever wants A's rate.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import multiply_quaternions, rotate_vector
from supple.math.vector_kernels import cross, dot
from supple_bones.spatial_kernels import cross_motion

# Below this angle [rad] A and its rate are taken from their series.
SMALL_ANGLE = 1e-4


@njit_inlined
def find_turn(w, x, y, z):
    """Unit axis and angle, at most pi, of a rotation, as (x, y, z, angle)."""
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-150:
        return 1.0, 0.0, 0.0, 0.0
    if w < 0.0:
        return -x / sine, -y / sine, -z / sine, 2.0 * math.atan2(sine, -w)
    return x / sine, y / sine, z / sine, 2.0 * math.atan2(sine, w)


@njit_inlined
def find_ratio(share, angle):
    """c and d of eq. (25), and their derivatives by the angle."""
    if angle < SMALL_ANGLE:
        bend, curve = share * (share + 1.0) / 2.0, share * (share + 1.0) * (2.0 * share + 1.0) / 12.0
        return share - curve * angle * angle, bend * angle, -2.0 * curve * angle, bend
    part, whole = 0.5 * share * angle, 0.5 * angle
    sine = math.sin(whole)
    m = math.sin(part) / sine
    slope = 0.5 * (share * math.cos(part) - m * math.cos(whole)) / sine
    turned, speed = part + whole, 0.5 * (share + 1.0)
    cosine, sine = math.cos(turned), math.sin(turned)
    return m * cosine, m * sine, slope * cosine - m * speed * sine, slope * sine + m * speed * cosine


@njit
def turn_ball_follower(share, q, a, rx, ry, rz, k, qw, qx, qy, qz, axis_out):
    """Rotation of a follower of the ball joint at q[a]; its axes go into the rows from k on.

    (qw, qx, qy, qz) is the rotation before the joint turns, O + r its origin.
    """
    nx, ny, nz, angle = find_turn(q[a], q[a + 1], q[a + 2], q[a + 3])
    c, d, _, _ = find_ratio(share, angle)
    ux, uy, uz = rotate_vector(qw, qx, qy, qz, nx, ny, nz)
    for local in range(3):
        ex, ey, ez = 1.0 if local == 0 else 0.0, 1.0 if local == 1 else 0.0, 1.0 if local == 2 else 0.0
        along = (share - c) * dot(nx, ny, nz, ex, ey, ez)
        ex, ey, ez = rotate_vector(qw, qx, qy, qz, ex, ey, ez)
        sx, sy, sz = cross(ux, uy, uz, ex, ey, ez)
        wx, wy, wz = (
            c * ex + along * ux + d * sx,
            c * ey + along * uy + d * sy,
            c * ez + along * uz + d * sz,
        )
        lx, ly, lz = cross(rx, ry, rz, wx, wy, wz)
        row = k + local
        axis_out[row, 0], axis_out[row, 1], axis_out[row, 2] = lx, ly, lz
        axis_out[row, 3], axis_out[row, 4], axis_out[row, 5] = wx, wy, wz
    axis_out[k + 3, 0], axis_out[k + 3, 1], axis_out[k + 3, 2] = ux, uy, uz
    axis_out[k + 3, 3], axis_out[k + 3, 4], axis_out[k + 3, 5] = angle, share, 0.0
    sine = math.sin(0.5 * share * angle)
    return multiply_quaternions(
        qw, qx, qy, qz, math.cos(0.5 * share * angle), sine * nx, sine * ny, sine * nz
    )


@njit_inlined
def turn_back(nx, ny, nz, cosine, sine, x, y, z):
    """(x, y, z) turned back about n by the angle with this cosine and sine."""
    along = (1.0 - cosine) * dot(nx, ny, nz, x, y, z)
    sx, sy, sz = cross(nx, ny, nz, x, y, z)
    return (
        cosine * x + along * nx - sine * sx,
        cosine * y + along * ny - sine * sy,
        cosine * z + along * nz - sine * sz,
    )


@njit_inlined
def find_axis_speed(nx, ny, nz, angle, ux, uy, uz):
    """Derivative of n times the angle's sine of the half, twice, at the rates u: (x, y, z), and that of the angle."""
    speed = dot(nx, ny, nz, ux, uy, uz)
    px, py, pz = ux - speed * nx, uy - speed * ny, uz - speed * nz
    sx, sy, sz = cross(nx, ny, nz, px, py, pz)
    cosine, sine = math.cos(0.5 * angle), math.sin(0.5 * angle)
    return cosine * px + sine * sx, cosine * py + sine * sy, cosine * pz + sine * sz, speed


@njit
def move_ball_follower(v0, v1, v2, w0, w1, w2, own, k, rate, v, axis, axis_rate_out):
    """Rates of the axes from row k on; (v, w) moves the parent, rows `own` are the axes of the bone that it follows.

    A place of the joint's rates moves as sum (a . axis) of the bone's own axes: they share its origin.
    """
    nx, ny, nz = axis[k + 3, 0], axis[k + 3, 1], axis[k + 3, 2]
    angle, share = axis[k + 3, 3], axis[k + 3, 4]
    cosine, sine = math.cos(angle), math.sin(angle)
    ux, uy, uz = 0.0, 0.0, 0.0
    for local in range(3):
        row = own + local
        ex, ey, ez = turn_back(nx, ny, nz, cosine, sine, axis[row, 3], axis[row, 4], axis[row, 5])
        ux, uy, uz = ux + v[rate + local] * ex, uy + v[rate + local] * ey, uz + v[rate + local] * ez
    c, d, c_slope, d_slope = find_ratio(share, angle)
    mx, my, mz, speed = find_axis_speed(nx, ny, nz, angle, ux, uy, uz)
    half = 2.0 * math.sin(0.5 * angle)
    # (share - c) / half and d / half have limits where the angle is 0.
    if angle < SMALL_ANGLE:
        bend = share * (share + 1.0) / 2.0
        stretch, turn = bend * (2.0 * share + 1.0) / 6.0 * angle, bend
    else:
        stretch, turn = (share - c) / half, d / half
    c_rate, d_rate = c_slope * speed, d_slope * speed
    for local in range(3):
        row = own + local
        ex, ey, ez = turn_back(nx, ny, nz, cosine, sine, axis[row, 3], axis[row, 4], axis[row, 5])
        along, across = dot(nx, ny, nz, ex, ey, ez), dot(mx, my, mz, ex, ey, ez)
        sx, sy, sz = cross(
            d_rate * nx + turn * mx, d_rate * ny + turn * my, d_rate * nz + turn * mz, ex, ey, ez
        )
        on_axis = stretch * across - c_rate * along
        ax = c_rate * ex + on_axis * nx + stretch * along * mx + sx
        ay = c_rate * ey + on_axis * ny + stretch * along * my + sy
        az = c_rate * ez + on_axis * nz + stretch * along * mz + sz
        row = k + local
        r0, r1, r2, r3, r4, r5 = cross_motion(
            v0, v1, v2, w0, w1, w2,
            axis[row, 0], axis[row, 1], axis[row, 2], axis[row, 3], axis[row, 4], axis[row, 5],
        )  # fmt: skip
        for each in range(own, own + 3):
            part = dot(ax, ay, az, axis[each, 3], axis[each, 4], axis[each, 5])
            r0, r1, r2 = r0 + part * axis[each, 0], r1 + part * axis[each, 1], r2 + part * axis[each, 2]
        axis_rate_out[row, 0], axis_rate_out[row, 1], axis_rate_out[row, 2] = r0, r1, r2
        axis_rate_out[row, 3], axis_rate_out[row, 4], axis_rate_out[row, 5] = r3 + ax, r4 + ay, r5 + az
