"""The free step of skeletons that carry loads, cut into pieces between which the loads are asked; README eq. (10)."""

from __future__ import annotations

from supple.core.jit import njit
from supple_bones.chain_kernels import factor_chain, solve_chain
from supple_bones.coordinate_kernels import find_deviations
from supple_bones.force_kernels import gather_forces, set_inertial_forces, set_mixed_forces
from supple_bones.inertia_kernels import carry_inertias, make_mass_matrix
from supple_bones.kinematics_kernels import move_bones
from supple_skeleton.step_kernels import (
    add_implicit_gains,
    fill_right_side,
    find_applied_forces,
)


@njit
def factor_loaded(
    h, bones, rigid, effective, armature, gains, gravity, motion, wrench, force,
    scratch, factor_out, applied_out,
):  # fmt: skip
    """Factor of A, and in `work` accelerations and inertial forces of the rigid parts, before the loads add theirs.

    Returns -1, or a rate without inertia.
    """
    bone, dof, own, work = bones.bone, bones.dof, scratch.own, scratch.work
    v, x, rotation, axis = motion.v, motion.x, motion.rotation, motion.axis
    make_mass_matrix(bone, dof, effective, armature, x, rotation, axis, own, scratch.composite, factor_out)
    add_implicit_gains(h, dof, gains, factor_out)
    empty = factor_chain(dof, factor_out)
    if empty >= 0:
        return empty
    find_applied_forces(bone, axis, x, wrench, force, work, applied_out)
    carry_inertias(bone, rigid, x, rotation, own)
    zero = scratch.rates[3]
    for k in range(v.shape[0]):
        zero[k] = 0.0
    set_inertial_forces(bone, gravity, own, axis, motion.axis_rate, motion.spatial_velocity, v, zero, work)
    return -1


@njit
def solve_loaded(h, bones, gains, motion, applied, factor, scratch, v_free_out):
    """The change without corrections, after the loads have added their forces; README eq. (6)."""
    v, right, bias, change = motion.v, scratch.rates[0], scratch.rates[1], scratch.rates[2]
    gather_forces(bones.bone, motion.axis, scratch.work, bias)
    find_deviations(bones.bone, motion.q, change)
    fill_right_side(h, gains, applied, bias, change, v, right)
    for k in range(v.shape[0]):
        change[k] = right[k]
    solve_chain(bones.dof, factor, change)
    for k in range(v.shape[0]):
        v_free_out[k] = v[k] + change[k]


@njit
def mix_loaded(bones, motion, scratch):
    """Accelerations and forces of 2 B(v, change) of the rigid parts, before the loads add theirs."""
    change = scratch.rates[2]
    move_bones(bones.bone, bones.dof, motion.axis, change, scratch.change_velocity, scratch.change_rate)
    set_mixed_forces(
        bones.bone, scratch.own, motion.axis_rate, motion.spatial_velocity, motion.v,
        scratch.change_rate, scratch.change_velocity, change, scratch.work,
    )  # fmt: skip


@njit
def correct_loaded(share, bones, motion, factor, scratch, v_free_out):
    """A lagged correction, after the loads have added their forces; README eq. (7), share = implicitness h."""
    v, right, bias, change = motion.v, scratch.rates[0], scratch.rates[1], scratch.rates[2]
    gather_forces(bones.bone, motion.axis, scratch.work, bias)
    for k in range(v.shape[0]):
        change[k] = right[k] - share * bias[k]
    solve_chain(bones.dof, factor, change)
    for k in range(v.shape[0]):
        v_free_out[k] = v[k] + change[k]
