"""The free step of skeletons that carry loads, cut into pieces between which the loads are asked; README eq. (10)."""

from __future__ import annotations

from supple.core.jit import njit
from supple_bones.chain_kernels import factor_chain, solve_chain
from supple_bones.coordinate_kernels import find_deviations
from supple_bones.force_kernels import gather_forces, set_inertial_forces, set_mixed_forces
from supple_bones.inertia_kernels import carry_inertias, make_mass_matrix
from supple_bones.kinematics_kernels import move_bones
from supple_skeleton.step_kernels import add_implicit_gains, fill_right_side, find_applied_forces
from supple_skeleton.step_tables import FreeStep

LARGEST_TURN = 0.25
"""Turn within a step [rad] beyond which bones in flesh, which are stepped plainly, gain more than 0.5 % a second."""


@njit
def find_turning_bone(h, spinning, velocity):
    """The first of these bones that turns by more than that within a step, or -1. velocity [bones, 6] is spatial."""
    for n in range(spinning.shape[0]):
        i = spinning[n]
        wx, wy, wz = h * velocity[i, 3], h * velocity[i, 4], h * velocity[i, 5]
        if wx * wx + wy * wy + wz * wz > LARGEST_TURN * LARGEST_TURN:
            return i
    return -1


@njit
def factor_loaded(step: FreeStep, rigid, effective):
    """Factor of A, and in `work` accelerations and inertial forces of the rigid parts, before the loads add theirs.

    Returns -1, or a rate without inertia.
    """
    motion, scratch = step.motion, step.scratch
    bone, dof, own, work = step.bones.bone, step.bones.dof, scratch.own, scratch.work
    v, x, rotation, axis = motion.v, motion.x, motion.rotation, motion.axis
    make_mass_matrix(
        bone, dof, effective, step.masses.armature, x, rotation, axis, own, scratch.composite, step.factor
    )
    add_implicit_gains(step.h, dof, step.gains, step.factor)
    empty = factor_chain(dof, step.factor)
    if empty >= 0:
        return empty
    find_applied_forces(bone, axis, x, step.wrench, step.force, work, step.applied)
    carry_inertias(bone, rigid, x, rotation, own)
    zero = scratch.rates[3]
    for k in range(v.shape[0]):
        zero[k] = 0.0
    set_inertial_forces(
        bone, step.gravity, own, axis, motion.axis_rate, motion.spatial_velocity, v, zero, work
    )
    return -1


@njit
def solve_loaded(step: FreeStep):
    """The change without corrections, after the loads have added their forces; README eq. (6)."""
    bones, motion, scratch, v_free_out = step.bones, step.motion, step.scratch, step.v_free
    v, right, bias, change = motion.v, scratch.rates[0], scratch.rates[1], scratch.rates[2]
    gather_forces(bones.bone, motion.axis, scratch.work, bias)
    find_deviations(bones.bone, motion.q, change)
    fill_right_side(step.h, step.gains, step.applied, bias, change, v, right)
    for k in range(v.shape[0]):
        change[k] = right[k]
    solve_chain(bones.dof, step.factor, change)
    for k in range(v.shape[0]):
        v_free_out[k] = v[k] + change[k]


@njit
def mix_loaded(step: FreeStep):
    """Accelerations and forces of 2 B(v, change) of the rigid parts, before the loads add theirs."""
    bones, motion, scratch = step.bones, step.motion, step.scratch
    change = scratch.rates[2]
    move_bones(bones.bone, bones.dof, motion.axis, change, scratch.change_velocity, scratch.change_rate)
    set_mixed_forces(
        bones.bone, scratch.own, motion.axis_rate, motion.spatial_velocity, motion.v,
        scratch.change_rate, scratch.change_velocity, change, scratch.work,
    )  # fmt: skip


@njit
def correct_loaded(share, step: FreeStep):
    """A lagged correction, after the loads have added their forces; README eq. (7), share = implicitness h."""
    bones, motion, scratch, v_free_out = step.bones, step.motion, step.scratch, step.v_free
    v, right, bias, change = motion.v, scratch.rates[0], scratch.rates[1], scratch.rates[2]
    gather_forces(bones.bone, motion.axis, scratch.work, bias)
    for k in range(v.shape[0]):
        change[k] = right[k] - share * bias[k]
    solve_chain(bones.dof, step.factor, change)
    for k in range(v.shape[0]):
        v_free_out[k] = v[k] + change[k]
