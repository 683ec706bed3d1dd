"""Forces at points of frames, as wrenches [6]: force, then torque about the frame's origin, both in the world."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross


@njit
def add_force_at_point(rotation, i, point, k, fx, fy, fz, wrench_out):
    """wrench_out[i] += the force f of the world at point[k] of frame i, whose rotation is rotation[i]."""
    rx, ry, rz = rotate_vector_at(rotation, i, point[k, 0], point[k, 1], point[k, 2])
    tx, ty, tz = cross(rx, ry, rz, fx, fy, fz)
    wrench_out[i, 0] += fx
    wrench_out[i, 1] += fy
    wrench_out[i, 2] += fz
    wrench_out[i, 3] += tx
    wrench_out[i, 4] += ty
    wrench_out[i, 5] += tz
