"""The Coriolis matrix with Mdot - 2 C skew-symmetric; README eq. (1)."""

from __future__ import annotations

from supple.core.jit import njit
from supple_bones.layout import BONE, DOF_PARENT, FOLLOWS, PARENT, ROW_COUNT, ROW_FIRST, V_FIRST
from supple_bones.spatial_kernels import apply_inertia, cross_force


@njit
def apply_body_coriolis(own, velocity, i, c, column_out):
    """Column c of the body's factor: (V x* I e + e x* I V - I (V x e)) / 2 with the unit motion e."""
    v0, v1, v2, w0, w1, w2 = (
        velocity[i, 0], velocity[i, 1], velocity[i, 2], velocity[i, 3], velocity[i, 4], velocity[i, 5],
    )  # fmt: skip
    e0, e1, e2 = 1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0
    e3, e4, e5 = 1.0 if c == 3 else 0.0, 1.0 if c == 4 else 0.0, 1.0 if c == 5 else 0.0
    p0, p1, p2, p3, p4, p5 = apply_inertia(own, i, e0, e1, e2, e3, e4, e5)
    a0, a1, a2, a3, a4, a5 = cross_force(v0, v1, v2, w0, w1, w2, p0, p1, p2, p3, p4, p5)
    p0, p1, p2, p3, p4, p5 = apply_inertia(own, i, v0, v1, v2, w0, w1, w2)
    b0, b1, b2, b3, b4, b5 = cross_force(e0, e1, e2, e3, e4, e5, p0, p1, p2, p3, p4, p5)
    m0 = w1 * e2 - w2 * e1 + v1 * e5 - v2 * e4
    m1 = w2 * e0 - w0 * e2 + v2 * e3 - v0 * e5
    m2 = w0 * e1 - w1 * e0 + v0 * e4 - v1 * e3
    m3, m4, m5 = w1 * e5 - w2 * e4, w2 * e3 - w0 * e5, w0 * e4 - w1 * e3
    d0, d1, d2, d3, d4, d5 = apply_inertia(own, i, m0, m1, m2, m3, m4, m5)
    column_out[i, 0, c] = 0.5 * (a0 + b0 - d0)
    column_out[i, 1, c] = 0.5 * (a1 + b1 - d1)
    column_out[i, 2, c] = 0.5 * (a2 + b2 - d2)
    column_out[i, 3, c] = 0.5 * (a3 + b3 - d3)
    column_out[i, 4, c] = 0.5 * (a4 + b4 - d4)
    column_out[i, 5, c] = 0.5 * (a5 + b5 - d5)


@njit
def add_body_factors(bone, own, velocity, factor_out):
    """Factors [bones, 6, 6] of every bone with all that hangs on it."""
    for i in range(bone.shape[0]):
        for c in range(6):
            apply_body_coriolis(own, velocity, i, c, factor_out)
    for i in range(bone.shape[0] - 1, -1, -1):
        parent = bone[i, PARENT]
        if parent >= 0:
            for r in range(6):
                for c in range(6):
                    factor_out[parent, r, c] += factor_out[i, r, c]


@njit
def couple_rates(axis, axis_rate, composite, factor, i, j, k):
    """axis[j] . (I_i axis_rate[k] + factor_i axis[k]): the entry (j, k) that the composite bone i makes."""
    f = apply_inertia(
        composite, i,
        axis_rate[k, 0], axis_rate[k, 1], axis_rate[k, 2], axis_rate[k, 3], axis_rate[k, 4], axis_rate[k, 5],
    )  # fmt: skip
    total = 0.0
    for r in range(6):
        force = f[r]
        for c in range(6):
            force += factor[i, r, c] * axis[k, c]
        total += axis[j, r] * force
    return total


@njit
def add_follower_coriolis(bone, dof, axis, axis_rate, composite, factor, i, matrix_out):
    """Entries of follower i: between the rates of the bone that it follows, and between these and those above."""
    first, rate = bone[i, ROW_FIRST], bone[i, V_FIRST]
    for a in range(bone[i, ROW_COUNT]):
        for b in range(bone[i, ROW_COUNT]):
            matrix_out[rate + a, rate + b] += couple_rates(
                axis, axis_rate, composite, factor, i, first + a, first + b
            )
        j = dof[rate, DOF_PARENT]
        while j >= 0:
            matrix_out[j, rate + a] += couple_rates(axis, axis_rate, composite, factor, i, j, first + a)
            matrix_out[rate + a, j] += couple_rates(axis, axis_rate, composite, factor, i, first + a, j)
            j = dof[j, DOF_PARENT]


@njit
def fill_coriolis_matrix(bone, dof, axis, axis_rate, velocity, own, composite, factor_out, matrix_out):
    """C [rates, rates] with C v = bias and Mdot - 2 C skew-symmetric; entries off the chains are zero."""
    add_body_factors(bone, own, velocity, factor_out)
    for k in range(dof.shape[0]):
        for j in range(dof.shape[0]):
            matrix_out[k, j] = 0.0
    for k in range(dof.shape[0]):
        i = dof[k, BONE]
        j = k
        while j >= 0:
            matrix_out[j, k] = couple_rates(axis, axis_rate, composite, factor_out, i, j, k)
            matrix_out[k, j] = couple_rates(axis, axis_rate, composite, factor_out, i, k, j)
            j = dof[j, DOF_PARENT]
    for i in range(bone.shape[0]):
        if bone[i, FOLLOWS] >= 0:
            add_follower_coriolis(bone, dof, axis, axis_rate, composite, factor_out, i, matrix_out)
