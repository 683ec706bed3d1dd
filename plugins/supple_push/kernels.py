"""Forces of pushes at points of frames, for the part of a step in which they act."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross


@njit
def apply_forces(h, number, carrier, frame, point, force, start, end, time, rotation, wrench_out):
    """Adds each force in proportion to its overlap with the step, so that its impulse does not depend on h."""
    for k in range(carrier.shape[0]):
        overlap = min(end[k], time[0] + h) - max(start[k], time[0])
        if carrier[k] != number or overlap <= 0.0:
            continue
        part = overlap / h
        i = frame[k]
        fx, fy, fz = part * force[k, 0], part * force[k, 1], part * force[k, 2]
        rx, ry, rz = rotate_vector_at(rotation, i, point[k, 0], point[k, 1], point[k, 2])
        tx, ty, tz = cross(rx, ry, rz, fx, fy, fz)
        wrench_out[i, 0] += fx
        wrench_out[i, 1] += fy
        wrench_out[i, 2] += fz
        wrench_out[i, 3] += tx
        wrench_out[i, 4] += ty
        wrench_out[i, 5] += tz
