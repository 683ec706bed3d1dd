"""The free step of skeletons that carry loads, cut into pieces between which the loads are asked; README eq. (31)."""

from __future__ import annotations

from supple.core.jit import njit
from supple_skeleton.chain_kernels import factor_chain, solve_chain
from supple_skeleton.force_kernels import gather_forces, set_inertial_forces, set_mixed_forces
from supple_skeleton.inertia_kernels import carry_inertias, make_mass_matrix
from supple_skeleton.kinematics_kernels import move_bones
from supple_skeleton.step_kernels import (
    add_implicit_gains,
    fill_right_side,
    find_applied_forces,
    find_deviations,
)


@njit
def factor_loaded(
    h, bone, dof, rigid, effective, armature, damping, stiffness, gravity,
    x, rotation, axis, axis_rate, velocity, v, wrench, force, gain_p, gain_d,
    own_out, composite_out, work_out, rates_out, factor_out, applied_out,
):  # fmt: skip
    """Factor of A, and in `work` accelerations and inertial forces of the rigid parts, before the loads add theirs.

    Returns -1, or a rate without inertia.
    """
    make_mass_matrix(bone, dof, effective, armature, x, rotation, axis, own_out, composite_out, factor_out)
    add_implicit_gains(h, dof, damping, stiffness, gain_p, gain_d, factor_out)
    empty = factor_chain(dof, factor_out)
    if empty >= 0:
        return empty
    find_applied_forces(bone, axis, x, wrench, force, work_out, applied_out)
    carry_inertias(bone, rigid, x, rotation, own_out)
    zero = rates_out[3]
    for k in range(v.shape[0]):
        zero[k] = 0.0
    set_inertial_forces(bone, gravity, own_out, axis, axis_rate, velocity, v, zero, work_out)
    return -1


@njit
def solve_loaded(
    h, bone, dof, damping, stiffness, axis, q, v, gain_p, gain_d, applied, factor,
    work_out, rates_out, v_free_out,
):  # fmt: skip
    """The change without corrections, after the loads have added their forces; README eq. (23)."""
    right, bias, change = rates_out[0], rates_out[1], rates_out[2]
    gather_forces(bone, axis, work_out, bias)
    find_deviations(bone, q, change)
    fill_right_side(h, damping, stiffness, gain_p, gain_d, applied, bias, change, v, right)
    for k in range(v.shape[0]):
        change[k] = right[k]
    solve_chain(dof, factor, change)
    for k in range(v.shape[0]):
        v_free_out[k] = v[k] + change[k]


@njit
def mix_loaded(
    bone, dof, own, axis, axis_rate, velocity, v, rates,
    change_velocity_out, change_rate_out, work_out,
):  # fmt: skip
    """Accelerations and forces of 2 B(v, change) of the rigid parts, before the loads add theirs."""
    change = rates[2]
    move_bones(bone, dof, axis, change, change_velocity_out, change_rate_out)
    set_mixed_forces(
        bone, own, axis_rate, velocity, v, change_rate_out, change_velocity_out, change, work_out
    )


@njit
def correct_loaded(share, bone, dof, axis, v, factor, work_out, rates_out, v_free_out):
    """A lagged correction, after the loads have added their forces; README eq. (24), share = implicitness h."""
    right, bias, change = rates_out[0], rates_out[1], rates_out[2]
    gather_forces(bone, axis, work_out, bias)
    for k in range(v.shape[0]):
        change[k] = right[k] - share * bias[k]
    solve_chain(dof, factor, change)
    for k in range(v.shape[0]):
        v_free_out[k] = v[k] + change[k]
