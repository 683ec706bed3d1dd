"""Coordinates and rates of joints: README eq. (5).

Differences of coordinates are vectors of rates: numbers are subtracted, and of two quaternions it is the rotation
vector that leads from the one to the other, in the axes of the bone.
"""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import (
    exponentiate_rotation_vector,
    find_rotation_vector,
    multiply_quaternions,
    normalise_quaternion,
)
from supple_bones.layout import BALL, FREE, JOINT, Q_FIRST, V_COUNT, V_FIRST


@njit
def find_deviations(bone, q, deviation_out):
    """How far every rate's coordinate is from the neutral pose [rad, m]; a free joint has no neutral pose."""
    for i in range(bone.shape[0]):
        a = bone[i, Q_FIRST]
        k = bone[i, V_FIRST]
        if bone[i, JOINT] == BALL:
            rx, ry, rz = find_rotation_vector(q[a], q[a + 1], q[a + 2], q[a + 3])
            deviation_out[k] = rx
            deviation_out[k + 1] = ry
            deviation_out[k + 2] = rz
        else:
            for local in range(bone[i, V_COUNT]):
                deviation_out[k + local] = 0.0 if bone[i, JOINT] == FREE else q[a + local]


@njit_inlined
def turn_coordinates(h, q, a, v, k, q_out):
    """The quaternion at q[a] turned by the body-fixed angular velocity v[k:k+3] for h."""
    dw, dx, dy, dz = exponentiate_rotation_vector(h * v[k], h * v[k + 1], h * v[k + 2])
    w, x, y, z = multiply_quaternions(q[a], q[a + 1], q[a + 2], q[a + 3], dw, dx, dy, dz)
    w, x, y, z = normalise_quaternion(w, x, y, z)
    q_out[a] = w
    q_out[a + 1] = x
    q_out[a + 2] = y
    q_out[a + 3] = z


@njit
def integrate_coordinates(h, bone, q, v, q_out):
    """Coordinates after h at rates v: README eq. (5)."""
    for i in range(bone.shape[0]):
        a = bone[i, Q_FIRST]
        k = bone[i, V_FIRST]
        if bone[i, JOINT] == BALL:
            turn_coordinates(h, q, a, v, k, q_out)
        elif bone[i, JOINT] == FREE:
            for local in range(3):
                q_out[a + local] = q[a + local] + h * v[k + local]
            turn_coordinates(h, q, a + 3, v, k + 3, q_out)
        else:
            for local in range(bone[i, V_COUNT]):
                q_out[a + local] = q[a + local] + h * v[k + local]


@njit
def turning_place(joint):
    """First coordinate of the quaternion within a joint, -1 where there is none; numbers come before it."""
    if joint == BALL:
        return 0
    if joint == FREE:
        return 3
    return -1


@njit
def subtract_joint(joint, a, k, count, q, q_from, difference_out):
    """difference_out[k:] = q - q_from for one joint with coordinates from a on: README eq. (5)."""
    turning = turning_place(joint)
    numbers = count if turning < 0 else turning
    for local in range(numbers):
        difference_out[k + local] = q[a + local] - q_from[a + local]
    if turning >= 0:
        a, k = a + turning, k + turning
        w, x, y, z = multiply_quaternions(
            q_from[a], -q_from[a + 1], -q_from[a + 2], -q_from[a + 3], q[a], q[a + 1], q[a + 2], q[a + 3]
        )
        rx, ry, rz = find_rotation_vector(w, x, y, z)
        difference_out[k] = rx
        difference_out[k + 1] = ry
        difference_out[k + 2] = rz


@njit
def add_joint(joint, a, k, count, q, scale, change, q_out):
    """q_out = q + scale change for one joint: the inverse of `subtract_joint`."""
    turning = turning_place(joint)
    numbers = count if turning < 0 else turning
    for local in range(numbers):
        q_out[a + local] = q[a + local] + scale * change[k + local]
    if turning >= 0:
        turn_coordinates(scale, q, a + turning, change, k + turning, q_out)


@njit
def copy_joint(joint, a, count, q, q_out):
    """q_out = q for one joint; a quaternion has one coordinate more than rates."""
    for local in range(count + (turning_place(joint) >= 0)):
        q_out[a + local] = q[a + local]


@njit
def subtract_coordinates(bone, q, q_from, difference_out):
    """difference_out [rates] = q - q_from."""
    for i in range(bone.shape[0]):
        subtract_joint(
            bone[i, JOINT], bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, V_COUNT], q, q_from, difference_out
        )
