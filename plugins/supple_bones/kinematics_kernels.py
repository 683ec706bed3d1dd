"""Where the bones are and how they move; equations are numbered in README.md.

axis [rows, 6]        spatial axis of every rate: the motion that a unit of it makes, about the origin O of
                      the chain's root bone, in world axes; behind those of the rates come the axes of the followers,
                      which say how the rates of the bone that each follows move it
axis_rate [rows, 6]   its derivative in time, O being held
velocity [bones, 6]   spatial velocity of every bone about O
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import (
    matrix_of_quaternion,
    multiply_quaternions,
    rotate_vector,
    rotate_vector_at,
    rotate_vector_back_at,
)
from supple.math.vector_kernels import cross
from supple_bones.ball_follower_kernels import move_ball_follower, turn_ball_follower
from supple_bones.layout import (
    AXIS,
    BALL,
    BALL_FOLLOWER,
    CHILD_FIXED,
    FOLLOWER,
    FOLLOWS,
    FREE,
    HINGE,
    JOINT,
    PARENT,
    POSITION,
    Q_FIRST,
    ROOT,
    ROTATION,
    ROW_COUNT,
    ROW_FIRST,
    SECOND_AXIS,
    SHARE,
    SLIDER,
    TRANSLATION,
    UNIVERSAL,
    V_FIRST,
)
from supple_bones.spatial_kernels import cross_motion


@njit
def set_sliding_axis(k, dx, dy, dz, axis_out):
    """The rate k moves along d."""
    axis_out[k, 0] = dx
    axis_out[k, 1] = dy
    axis_out[k, 2] = dz
    axis_out[k, 3] = 0.0
    axis_out[k, 4] = 0.0
    axis_out[k, 5] = 0.0


@njit
def set_turning_axis(k, rx, ry, rz, wx, wy, wz, axis_out):
    """The rate k turns about the direction w through the point O + r."""
    lx, ly, lz = cross(rx, ry, rz, wx, wy, wz)
    axis_out[k, 0] = lx
    axis_out[k, 1] = ly
    axis_out[k, 2] = lz
    axis_out[k, 3] = wx
    axis_out[k, 4] = wy
    axis_out[k, 5] = wz


@njit_inlined
def place_origin(bone, frame, q, i, x_out, rotation, axis_out):
    """Origin of bone i and its sliding axes, README eq. (1); returns the rotation before the joint turns."""
    parent = bone[i, PARENT]
    joint = bone[i, JOINT]
    a = bone[i, Q_FIRST]
    k = bone[i, V_FIRST]
    px, py, pz = frame[i, POSITION], frame[i, POSITION + 1], frame[i, POSITION + 2]
    qw, qx = frame[i, ROTATION], frame[i, ROTATION + 1]
    qy, qz = frame[i, ROTATION + 2], frame[i, ROTATION + 3]
    if parent >= 0:
        px, py, pz = rotate_vector_at(rotation, parent, px, py, pz)
        px, py, pz = px + x_out[parent, 0], py + x_out[parent, 1], pz + x_out[parent, 2]
        qw, qx, qy, qz = multiply_quaternions(
            rotation[parent, 0], rotation[parent, 1], rotation[parent, 2], rotation[parent, 3], qw, qx, qy, qz
        )
    if joint == SLIDER:
        dx, dy, dz = rotate_vector(qw, qx, qy, qz, frame[i, AXIS], frame[i, AXIS + 1], frame[i, AXIS + 2])
        set_sliding_axis(k, dx, dy, dz, axis_out)
        px, py, pz = px + q[a] * dx, py + q[a] * dy, pz + q[a] * dz
    elif joint in (TRANSLATION, FREE):
        m = matrix_of_quaternion(qw, qx, qy, qz)
        for local in range(3):
            dx, dy, dz = m[local], m[3 + local], m[6 + local]
            set_sliding_axis(k + local, dx, dy, dz, axis_out)
            px, py, pz = px + q[a + local] * dx, py + q[a + local] * dy, pz + q[a + local] * dz
    x_out[i, 0] = px
    x_out[i, 1] = py
    x_out[i, 2] = pz
    return qw, qx, qy, qz


@njit_inlined
def turn_about_axis(frame, i, column, angle, rx, ry, rz, k, qw, qx, qy, qz, axis_out):
    """Turns by the share of `angle` about an axis of the joint; returns the new rotation and sets the axis in row k."""
    ax, ay, az = frame[i, column], frame[i, column + 1], frame[i, column + 2]
    wx, wy, wz = rotate_vector(qw, qx, qy, qz, ax, ay, az)
    share = frame[i, SHARE]
    set_turning_axis(k, rx, ry, rz, share * wx, share * wy, share * wz, axis_out)
    half = 0.5 * share * angle
    sine = math.sin(half)
    return multiply_quaternions(qw, qx, qy, qz, math.cos(half), sine * ax, sine * ay, sine * az)


@njit_inlined
def turn_bone(bone, frame, q, i, qw, qx, qy, qz, x, rotation_out, axis_out):
    """Rotation of bone i and its turning axes, README eq. (1) and (2)."""
    joint = bone[i, JOINT]
    root = bone[i, ROOT]
    a = bone[i, Q_FIRST]
    k = bone[i, ROW_FIRST]
    rx, ry, rz = x[i, 0] - x[root, 0], x[i, 1] - x[root, 1], x[i, 2] - x[root, 2]
    if joint in (HINGE, UNIVERSAL, FOLLOWER):
        qw, qx, qy, qz = turn_about_axis(frame, i, AXIS, q[a], rx, ry, rz, k, qw, qx, qy, qz, axis_out)
    if joint == UNIVERSAL or (joint == FOLLOWER and bone[i, ROW_COUNT] == 2):
        qw, qx, qy, qz = turn_about_axis(
            frame, i, SECOND_AXIS, q[a + 1], rx, ry, rz, k + 1, qw, qx, qy, qz, axis_out
        )
    elif joint == BALL_FOLLOWER:
        qw, qx, qy, qz = turn_ball_follower(frame[i, SHARE], q, a, rx, ry, rz, k, qw, qx, qy, qz, axis_out)
    elif joint in (BALL, FREE):
        if joint == FREE:
            a += 3
            k += 3
        qw, qx, qy, qz = multiply_quaternions(qw, qx, qy, qz, q[a], q[a + 1], q[a + 2], q[a + 3])
        m = matrix_of_quaternion(qw, qx, qy, qz)
        for local in range(3):
            set_turning_axis(k + local, rx, ry, rz, m[local], m[3 + local], m[6 + local], axis_out)
    rotation_out[i, 0] = qw
    rotation_out[i, 1] = qx
    rotation_out[i, 2] = qy
    rotation_out[i, 3] = qz


@njit
def place_bones(bone, frame, q, x_out, rotation_out, axis_out):
    """World pose of every bone and spatial axis of every rate."""
    for i in range(bone.shape[0]):
        qw, qx, qy, qz = place_origin(bone, frame, q, i, x_out, rotation_out, axis_out)
        turn_bone(bone, frame, q, i, qw, qx, qy, qz, x_out, rotation_out, axis_out)


@njit
def move_bones(bone, dof, axis, v, velocity_out, axis_rate_out):
    """Spatial velocity of every bone and derivative of every axis, README eq. (3) and (4)."""
    for i in range(bone.shape[0]):
        parent = bone[i, PARENT]
        v0, v1, v2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if parent >= 0:
            v0, v1, v2 = velocity_out[parent, 0], velocity_out[parent, 1], velocity_out[parent, 2]
            w0, w1, w2 = velocity_out[parent, 3], velocity_out[parent, 4], velocity_out[parent, 5]
        first = bone[i, ROW_FIRST]
        end = first + bone[i, ROW_COUNT]
        rates = bone[i, V_FIRST] - first
        follows_ball = bone[i, JOINT] == BALL_FOLLOWER
        if follows_ball:
            own = bone[bone[i, FOLLOWS], ROW_FIRST]
            move_ball_follower(v0, v1, v2, w0, w1, w2, own, first, rates + first, v, axis, axis_rate_out)
        for k in range(first, end):
            if dof[rates + k, CHILD_FIXED] == 0:
                set_axis_rate(v0, v1, v2, w0, w1, w2, axis, k, axis_rate_out)
            rate = v[rates + k]
            v0, v1, v2 = v0 + axis[k, 0] * rate, v1 + axis[k, 1] * rate, v2 + axis[k, 2] * rate
            w0, w1, w2 = w0 + axis[k, 3] * rate, w1 + axis[k, 4] * rate, w2 + axis[k, 5] * rate
        for k in range(first, end):
            if dof[rates + k, CHILD_FIXED] != 0 and not follows_ball:
                set_axis_rate(v0, v1, v2, w0, w1, w2, axis, k, axis_rate_out)
        velocity_out[i, 0] = v0
        velocity_out[i, 1] = v1
        velocity_out[i, 2] = v2
        velocity_out[i, 3] = w0
        velocity_out[i, 4] = w1
        velocity_out[i, 5] = w2


@njit_inlined
def set_axis_rate(v0, v1, v2, w0, w1, w2, axis, k, axis_rate_out):
    """The axis k moves along with the motion (v, w)."""
    r0, r1, r2, r3, r4, r5 = cross_motion(
        v0, v1, v2, w0, w1, w2, axis[k, 0], axis[k, 1], axis[k, 2], axis[k, 3], axis[k, 4], axis[k, 5]
    )
    axis_rate_out[k, 0] = r0
    axis_rate_out[k, 1] = r1
    axis_rate_out[k, 2] = r2
    axis_rate_out[k, 3] = r3
    axis_rate_out[k, 4] = r4
    axis_rate_out[k, 5] = r5


@njit
def set_twists(bone, x, rotation, velocity, twist_out):
    """Velocity of every bone's origin in the world, and its angular velocity in the bone's frame."""
    for i in range(bone.shape[0]):
        root = bone[i, ROOT]
        w0, w1, w2 = velocity[i, 3], velocity[i, 4], velocity[i, 5]
        sx, sy, sz = cross(w0, w1, w2, x[i, 0] - x[root, 0], x[i, 1] - x[root, 1], x[i, 2] - x[root, 2])
        twist_out[i, 0] = velocity[i, 0] + sx
        twist_out[i, 1] = velocity[i, 1] + sy
        twist_out[i, 2] = velocity[i, 2] + sz
        bx, by, bz = rotate_vector_back_at(rotation, i, w0, w1, w2)
        twist_out[i, 3] = bx
        twist_out[i, 4] = by
        twist_out[i, 5] = bz


@njit
def follow_state(
    bone, dof, frame, q, v,
    x_out, rotation_out, twist_out, axis_out, axis_rate_out, velocity_out,
):  # fmt: skip
    """Everything that follows from coordinates and rates without masses."""
    place_bones(bone, frame, q, x_out, rotation_out, axis_out)
    move_bones(bone, dof, axis_out, v, velocity_out, axis_rate_out)
    set_twists(bone, x_out, rotation_out, velocity_out, twist_out)
