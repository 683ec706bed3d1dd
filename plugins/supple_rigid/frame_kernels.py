"""Several points of free bodies at once: motion and Jacobians, README eq. (4) and (5)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import matrix_of_quaternion_at, rotate_vector_at
from supple.math.vector_kernels import cross
from supple_rigid.query_kernels import Bodies, fill_motion


@njit
def query_frames(bodies: Bodies, frames, points, slots, first, motion_out, jacobian_out):
    """For points p of a body, rows `slots` of motion_out [m, 19] and jacobian_out [m, 6, n], from column `first` on.

    Columns of other bodies are left alone: they are zero, and stay so.
    """
    for f in range(frames.shape[0]):
        k, slot = frames[f], slots[f]
        px, py, pz = points[f, 0], points[f, 1], points[f, 2]
        fill_motion(bodies, motion_out[slot], k, px, py, pz)
        i, column = bodies.rows[k], first + 6 * k
        m = matrix_of_quaternion_at(bodies.q, i)
        rx, ry, rz = rotate_vector_at(bodies.q, i, px, py, pz)
        for c in range(3):
            jacobian_out[slot, c, column + c] = 1.0
            ax, ay, az = m[c], m[3 + c], m[6 + c]
            sx, sy, sz = cross(ax, ay, az, rx, ry, rz)
            jacobian_out[slot, 0, column + 3 + c] = sx
            jacobian_out[slot, 1, column + 3 + c] = sy
            jacobian_out[slot, 2, column + 3 + c] = sz
            jacobian_out[slot, 3, column + 3 + c] = ax
            jacobian_out[slot, 4, column + 3 + c] = ay
            jacobian_out[slot, 5, column + 3 + c] = az
