"""Rotations as unit quaternions (w, x, y, z) held in scalars, for use inside kernels.

A quaternion turns coordinates of the body frame into coordinates of the world frame. Functions that end in
`_at` take row `index` of an array of quaternions, shape [n, 4]. Nothing is normalised unless the name says
so.
"""

from __future__ import annotations

import math

from supple.core.jit import njit

# Below this squared angle [rad^2] the series of sin(angle / 2) / angle is exact to the last digit.
SERIES_SQUARED_ANGLE = 1e-4


@njit
def multiply_quaternions(aw, ax, ay, az, bw, bx, by, bz):
    """The product a b as (w, x, y, z): the rotation b followed by the rotation a, both seen in the world."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@njit
def normalise_quaternion(w, x, y, z):
    """The unit quaternion along (w, x, y, z); the identity for the zero quaternion."""
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if size == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    return w / size, x / size, y / size, z / size


@njit
def exponentiate_rotation_vector(rx, ry, rz):
    """The unit quaternion of a rotation by |r| [rad] about r: the exponential map, accurate down to r = 0."""
    squared = rx * rx + ry * ry + rz * rz
    if squared < SERIES_SQUARED_ANGLE:
        scale = 0.5 - squared / 48.0 + squared * squared / 3840.0
        w = 1.0 - squared / 8.0 + squared * squared / 384.0
    else:
        angle = math.sqrt(squared)
        scale = math.sin(0.5 * angle) / angle
        w = math.cos(0.5 * angle)
    return w, scale * rx, scale * ry, scale * rz


@njit
def find_rotation_vector(w, x, y, z):
    """The rotation vector [rad] of a unit quaternion, at most pi long: the logarithm."""
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-9:  # then 2 atan2(sine, w) / sine is 2 / w to the last digit
        scale = 2.0 / w
    elif w >= 0.0:
        scale = 2.0 * math.atan2(sine, w) / sine
    else:
        scale = -2.0 * math.atan2(sine, -w) / sine
    return scale * x, scale * y, scale * z


@njit
def rotate_vector(w, x, y, z, vx, vy, vz):
    """v turned by the unit quaternion: body coordinates to world coordinates, as (x, y, z)."""
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


@njit
def rotate_vector_back(w, x, y, z, vx, vy, vz):
    """v turned by the inverse of the unit quaternion: world coordinates to body coordinates, as (x, y, z)."""
    return rotate_vector(w, -x, -y, -z, vx, vy, vz)


@njit
def rotate_vector_at(q, index, vx, vy, vz):
    """`rotate_vector` by q[index], q of shape [n, 4]."""
    return rotate_vector(q[index, 0], q[index, 1], q[index, 2], q[index, 3], vx, vy, vz)


@njit
def rotate_vector_back_at(q, index, vx, vy, vz):
    """`rotate_vector_back` by q[index], q of shape [n, 4]."""
    return rotate_vector(q[index, 0], -q[index, 1], -q[index, 2], -q[index, 3], vx, vy, vz)


@njit
def matrix_of_quaternion(w, x, y, z):
    """The rotation matrix of a unit quaternion, as nine floats row by row; columns are the body's axes."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@njit
def matrix_of_quaternion_at(q, index):
    """`matrix_of_quaternion` of q[index], q of shape [n, 4]."""
    return matrix_of_quaternion(q[index, 0], q[index, 1], q[index, 2], q[index, 3])
