"""Rows of joint limits; README eq. (20) and (21).

limit [limits, 3] holds kind, bone, and the place of the coordinate within the joint.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector, rotate_vector_back
from supple.math.vector_kernels import cross, dot, length
from supple.mechanics.rows import UNILATERAL
from supple_bones.layout import AXIS, FOCUS, Q_FIRST, SECOND_AXIS, V_FIRST, WINDOW
from supple_bones.row_kernels import append_block

LOWER = 0


UPPER = 1


SWING = 2


TWIST_LOWER = 3


TWIST_UPPER = 4


OVAL = 5


@njit_inlined
def find_swing(frame, column, q, i, a):
    """Angle between the axis of bone i and the direction in a column of its frame, and the way in which it grows.

    The direction is that of the angular velocity, in the bone's frame; zero where the angle is 0 or pi.
    """
    ax, ay, az = frame[i, AXIS], frame[i, AXIS + 1], frame[i, AXIS + 2]
    mx, my, mz = frame[i, column], frame[i, column + 1], frame[i, column + 2]
    w, x, y, z = q[a], q[a + 1], q[a + 2], q[a + 3]
    bx, by, bz = rotate_vector(w, x, y, z, ax, ay, az)
    nx, ny, nz = cross(mx, my, mz, bx, by, bz)
    sine = length(nx, ny, nz)
    angle = math.atan2(sine, dot(mx, my, mz, bx, by, bz))
    if sine < 1e-12:
        return angle, 0.0, 0.0, 0.0
    dx, dy, dz = rotate_vector_back(w, x, y, z, nx / sine, ny / sine, nz / sine)
    return angle, dx, dy, dz


@njit_inlined
def find_twist(frame, q, i, a):
    """Angle that bone i has turned by about its axis, from -pi to pi, and its derivative: README eq. (21).

    The derivative is by the angular velocity in the bone's frame.
    """
    ax, ay, az = frame[i, AXIS], frame[i, AXIS + 1], frame[i, AXIS + 2]
    w, x, y, z = q[a], q[a + 1], q[a + 2], q[a + 3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    p = dot(ax, ay, az, x, y, z)
    cx, cy, cz = cross(ax, ay, az, x, y, z)
    # Nothing turns about the axis alone where the swing is pi.
    scale = 1.0 / max(w * w + p * p, 1e-12)
    angle = 2.0 * math.atan2(p, w)
    return (
        angle,
        scale * (w * (w * ax + cx) + p * x),
        scale * (w * (w * ay + cy) + p * y),
        scale * (w * (w * az + cz) + p * z),
    )


@njit
def find_gap(frame, kind, i, a, local, bound, q):
    """Distance of a coordinate from its limit [rad, m], and of a ball joint the derivative of it by its rates."""
    if kind == LOWER:
        return q[a + local] - bound, 0.0, 0.0, 0.0
    if kind == UPPER:
        return bound - q[a + local], 0.0, 0.0, 0.0
    if kind == SWING:
        angle, dx, dy, dz = find_swing(frame, SECOND_AXIS, q, i, a)
        return bound - angle, -dx, -dy, -dz
    if kind == OVAL:
        angle, dx, dy, dz = find_swing(frame, SECOND_AXIS, q, i, a)
        other, ex, ey, ez = find_swing(frame, FOCUS, q, i, a)
        return bound - 0.5 * (angle + other), -0.5 * (dx + ex), -0.5 * (dy + ey), -0.5 * (dz + ez)
    angle, dx, dy, dz = find_twist(frame, q, i, a)
    if kind == TWIST_LOWER:
        return angle - bound, dx, dy, dz
    return bound - angle, -dx, -dy, -dz


@njit
def find_limit_gaps(bone, frame, limit, bound, q, gap_out):
    """Distance of every coordinate from its limit [rad, m], negative beyond it."""
    for n in range(limit.shape[0]):
        i = limit[n, 1]
        gap_out[n], _, _, _ = find_gap(frame, limit[n, 0], i, bone[i, Q_FIRST], limit[n, 2], bound[n], q)


@njit
def find_near_limits(h, margin, tree, gap_out, near_out):
    """Lists the limits that may be reached within the step; returns their number."""
    bone, limit, v, v_free = tree.bone, tree.limit, tree.v, tree.v_free
    find_limit_gaps(bone, tree.frame, limit, tree.bound, tree.q, gap_out)
    count = 0
    for n in range(limit.shape[0]):
        i = limit[n, 1]
        k = bone[i, V_FIRST] + limit[n, 2]
        speed = max(abs(v[k]), abs(v_free[k]))
        if limit[n, 0] >= SWING:
            speed = max(length(v[k], v[k + 1], v[k + 2]), length(v_free[k], v_free[k + 1], v_free[k + 2]))
        if gap_out[n] <= margin + 2.0 * h * speed:
            near_out[count] = n
            count += 1
    return count


@njit
def list_near_limits(h, margin, tree, gap_out, near_out, span_out):
    """`find_near_limits` with the number in span_out[1]."""
    span_out[1] = find_near_limits(h, margin, tree, gap_out, near_out)


@njit
def append_limits(span, tree, near, key, blocks_out, law_out, key_out):
    """One unilateral row for every near limit: u = rate of the gap. `span` [2] is their first group, and how many.

    Returns whether there is no room for their blocks.
    """
    bone, limit, q, values_out = tree.bone, tree.limit, tree.q, blocks_out.values
    first, count = span[0], span[1]
    if blocks_out.counts[0] + count > blocks_out.group.shape[0]:
        return True
    for c in range(count):
        n = near[c]
        i = limit[n, 1]
        k = bone[i, V_FIRST] + limit[n, 2] - bone[i, WINDOW]
        law_out[first + c] = UNILATERAL
        key_out[first + c, 0] = key
        key_out[first + c, 1] = n
        block = append_block(bone, i, first + c, blocks_out)
        if limit[n, 0] >= SWING:
            _, dx, dy, dz = find_gap(
                tree.frame, limit[n, 0], i, bone[i, Q_FIRST], limit[n, 2], tree.bound[n], q
            )
            values_out[block, 0, k] = dx
            values_out[block, 0, k + 1] = dy
            values_out[block, 0, k + 2] = dz
        else:
            values_out[block, 0, k] = 1.0 if limit[n, 0] == LOWER else -1.0
    return False


@njit
def set_limit_bias(recovery, recovery_speed, h, gap, near, span, bias_out):
    """May reach the limit within the step, and recovers from beyond it: README eq. (20)."""
    for c in range(span[1]):
        distance = gap[near[c]]
        if distance >= 0.0:
            bias_out[span[0] + c, 0] = distance / h
        else:
            bias_out[span[0] + c, 0] = max(recovery * distance / h, -recovery_speed)
