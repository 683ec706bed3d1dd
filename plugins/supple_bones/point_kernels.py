"""Jacobians of points and rotations, their drift, and quantities of whole skeletons; README eq. (16) to (18)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.vector_kernels import cross
from supple_bones.layout import DOF_PARENT, FOLLOWS, LAST_DOF, ROOT, ROW_COUNT, ROW_FIRST, V_FIRST
from supple_bones.spatial_kernels import apply_inertia


@njit
def set_point_column(axis, k, rx, ry, rz, column, jacobian_out):
    """Velocity of the point O + r by a unit of the axis in row k."""
    sx, sy, sz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
    jacobian_out[0, column] = axis[k, 0] + sx
    jacobian_out[1, column] = axis[k, 1] + sy
    jacobian_out[2, column] = axis[k, 2] + sz


@njit
def fill_point_jacobian(bone, dof, axis, x, i, px, py, pz, jacobian_out):
    """jacobian_out [3, rates]: velocity in the world of the point p [m, in the world] that moves with bone i."""
    root = bone[i, ROOT]
    rx, ry, rz = px - x[root, 0], py - x[root, 1], pz - x[root, 2]
    k = bone[i, LAST_DOF]
    while k >= 0:
        set_point_column(axis, k, rx, ry, rz, k, jacobian_out)
        k = dof[k, DOF_PARENT]
    if bone[i, FOLLOWS] >= 0:
        for local in range(bone[i, ROW_COUNT]):
            set_point_column(
                axis, bone[i, ROW_FIRST] + local, rx, ry, rz, bone[i, V_FIRST] + local, jacobian_out
            )


@njit
def fill_rotation_jacobian(bone, dof, axis, i, jacobian_out):
    """jacobian_out [3, rates]: angular velocity of bone i, in the world."""
    k = bone[i, LAST_DOF]
    while k >= 0:
        for c in range(3):
            jacobian_out[c, k] = axis[k, 3 + c]
        k = dof[k, DOF_PARENT]


@njit
def find_drift(bone, dof, axis_rate, velocity, x, v, i, px, py, pz, drift_out):
    """drift_out [6]: Jdot v of the point p and of the rotation of bone i; README eq. (17)."""
    a0, a1, a2, a3, a4, a5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = bone[i, LAST_DOF]
    while k >= 0:
        a0 += axis_rate[k, 0] * v[k]
        a1 += axis_rate[k, 1] * v[k]
        a2 += axis_rate[k, 2] * v[k]
        a3 += axis_rate[k, 3] * v[k]
        a4 += axis_rate[k, 4] * v[k]
        a5 += axis_rate[k, 5] * v[k]
        k = dof[k, DOF_PARENT]
    root = bone[i, ROOT]
    rx, ry, rz = px - x[root, 0], py - x[root, 1], pz - x[root, 2]
    w0, w1, w2 = velocity[i, 3], velocity[i, 4], velocity[i, 5]
    sx, sy, sz = cross(w0, w1, w2, rx, ry, rz)
    tx, ty, tz = cross(a3, a4, a5, rx, ry, rz)
    cx, cy, cz = cross(w0, w1, w2, velocity[i, 0] + sx, velocity[i, 1] + sy, velocity[i, 2] + sz)
    drift_out[0] = a0 + tx + cx
    drift_out[1] = a1 + ty + cy
    drift_out[2] = a2 + tz + cz
    drift_out[3] = a3
    drift_out[4] = a4
    drift_out[5] = a5


@njit
def find_momentum(first, end, bone, own, x, velocity, whole_out):
    """Adds up over the bones first..end: mass, m c, momentum, angular momentum about the world's origin: [10]."""
    for i in range(first, end):
        root = bone[i, ROOT]
        ox, oy, oz = x[root, 0], x[root, 1], x[root, 2]
        p0, p1, p2, l0, l1, l2 = apply_inertia(
            own, i,
            velocity[i, 0], velocity[i, 1], velocity[i, 2], velocity[i, 3], velocity[i, 4], velocity[i, 5],
        )  # fmt: skip
        tx, ty, tz = cross(ox, oy, oz, p0, p1, p2)
        m = own[i, 0]
        whole_out[0] += m
        whole_out[1] += own[i, 1] + m * ox
        whole_out[2] += own[i, 2] + m * oy
        whole_out[3] += own[i, 3] + m * oz
        whole_out[4] += p0
        whole_out[5] += p1
        whole_out[6] += p2
        whole_out[7] += l0 + tx
        whole_out[8] += l1 + ty
        whole_out[9] += l2 + tz


@njit
def fill_centre_jacobian(first, end, mass, bone, axis, composite, jacobian_out):
    """jacobian_out [3, rates] += velocity of the centre of mass of the bones first..end; README eq. (18)."""
    for i in range(first, end):
        m = composite[i, 0] / mass
        rates = bone[i, V_FIRST] - bone[i, ROW_FIRST]
        for k in range(bone[i, ROW_FIRST], bone[i, ROW_FIRST] + bone[i, ROW_COUNT]):
            sx, sy, sz = cross(
                axis[k, 3], axis[k, 4], axis[k, 5], composite[i, 1], composite[i, 2], composite[i, 3]
            )
            jacobian_out[0, rates + k] += m * axis[k, 0] + sx / mass
            jacobian_out[1, rates + k] += m * axis[k, 1] + sy / mass
            jacobian_out[2, rates + k] += m * axis[k, 2] + sz / mass
