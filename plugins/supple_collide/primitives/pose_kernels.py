"""From the frame of a shape to the world and back; `rotation` [ns, 3, 3] holds one matrix a shape."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import matrix_of_quaternion_at


@njit
def fill_rotations(q, rotation_out):
    """The rotation matrix of every unit quaternion in q, shape [ns, 4]; its columns are the local axes."""
    for i in range(q.shape[0]):
        m = matrix_of_quaternion_at(q, i)
        r = rotation_out[i]
        r[0, 0], r[0, 1], r[0, 2] = m[0], m[1], m[2]
        r[1, 0], r[1, 1], r[1, 2] = m[3], m[4], m[5]
        r[2, 0], r[2, 1], r[2, 2] = m[6], m[7], m[8]


@njit
def carry_out(rotation, shape, vx, vy, vz):
    """A vector of the shape's frame in world coordinates, as (x, y, z)."""
    return (
        rotation[shape, 0, 0] * vx + rotation[shape, 0, 1] * vy + rotation[shape, 0, 2] * vz,
        rotation[shape, 1, 0] * vx + rotation[shape, 1, 1] * vy + rotation[shape, 1, 2] * vz,
        rotation[shape, 2, 0] * vx + rotation[shape, 2, 1] * vy + rotation[shape, 2, 2] * vz,
    )


@njit
def carry_in(rotation, shape, vx, vy, vz):
    """A vector of the world in coordinates of the shape's frame, as (x, y, z)."""
    return (
        rotation[shape, 0, 0] * vx + rotation[shape, 1, 0] * vy + rotation[shape, 2, 0] * vz,
        rotation[shape, 0, 1] * vx + rotation[shape, 1, 1] * vy + rotation[shape, 2, 1] * vz,
        rotation[shape, 0, 2] * vx + rotation[shape, 1, 2] * vy + rotation[shape, 2, 2] * vz,
    )
