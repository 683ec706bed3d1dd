"""Small steps of bones between two contact problems; README eq. (15) to (18)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.vector_kernels import cross
from supple_bones.force_kernels import differentiate_bias, find_inverse_dynamics, map_wrenches
from supple_bones.inertia_kernels import carry_inertias
from supple_bones.kinematics_kernels import move_bones
from supple_bones.tables import Bones, Motion
from supple_simbicon.layout import Asked, Drives, Output, Pressed
from supple_skeleton.step_kernels import begin_free, finish_free
from supple_skeleton.step_tables import FreeStep, Masses, StepScratch


@njit
def stiffen_drives(h, stiffness, drives: Drives, v, asked_out: Asked, output: Output):
    """What the contact problem sees of the torques gives way as the joints do; README eq. (15)."""
    for n in range(1, drives.bone.shape[0]):
        for k in range(drives.first[n], drives.first[n] + drives.rates[n]):
            asked_out.push[k] += h * stiffness * v[k]
            asked_out.resisting[k] += h * stiffness
            output.force[k] += h * stiffness * v[k]
            output.gain_p[k] += stiffness


@njit
def set_contact_wrenches(share, pressed: Pressed, x, wrench_out):
    """Contact forces on the bones between those of the last problem (share 0) and of this one (1); README eq. (16)."""
    new, old = share[0], 1.0 - share[0]
    for n in range(pressed.bone.shape[0]):
        i, k = pressed.bone[n], pressed.row[n]
        fx = old * pressed.old_force[k, 0] + new * pressed.force[k, 0]
        fy = old * pressed.old_force[k, 1] + new * pressed.force[k, 1]
        fz = old * pressed.old_force[k, 2] + new * pressed.force[k, 2]
        tx, ty, tz = cross(x[i, 0], x[i, 1], x[i, 2], fx, fy, fz)
        wrench_out[i, 0], wrench_out[i, 1], wrench_out[i, 2] = fx, fy, fz
        wrench_out[i, 3] = old * pressed.old_torque[k, 0] + new * pressed.torque[k, 0] - tx
        wrench_out[i, 4] = old * pressed.old_torque[k, 1] + new * pressed.torque[k, 1] - ty
        wrench_out[i, 5] = old * pressed.old_torque[k, 2] + new * pressed.torque[k, 2] - tz


@njit
def find_held_force(
    h, implicitness, bones: Bones, masses: Masses, gravity, motion: Motion, v_free, v_rows, wrench, asked: Asked,
    scratch: StepScratch, held_out,
):  # fmt: skip
    """What the problem put on the bones besides contacts and the drives' torques; README eq. (17)."""
    acceleration, other, change = scratch.rates[0], scratch.rates[1], scratch.rates[2]
    for k in range(v_rows.shape[0]):
        change[k] = v_free[k] - motion.v[k]
        acceleration[k] = (v_rows[k] - motion.v[k]) / h
    carry_inertias(bones.bone, masses.inertia, motion.x, motion.rotation, scratch.own)
    find_inverse_dynamics(
        bones.bone, masses.armature, gravity, scratch.own, motion.axis, motion.axis_rate, motion.spatial_velocity,
        motion.v, acceleration, scratch.work, held_out,
    )  # fmt: skip
    move_bones(bones.bone, bones.dof, motion.axis, change, scratch.change_velocity, scratch.change_rate)
    differentiate_bias(
        bones.bone, scratch.own, motion.axis, motion.axis_rate, motion.spatial_velocity, motion.v,
        scratch.change_rate, scratch.change_velocity, change, scratch.work, other,
    )  # fmt: skip
    for k in range(v_rows.shape[0]):
        held_out[k] += implicitness * other[k] - asked.push[k] + asked.resisting[k] * v_rows[k]
    map_wrenches(bones.bone, motion.axis, motion.x, wrench, scratch.work, other)
    for k in range(v_rows.shape[0]):
        held_out[k] -= other[k]


@njit
def start_small_step(held, output: Output):
    """Forces before the drives add theirs."""
    for k in range(held.shape[0]):
        output.force[k] = held[k]
        output.gain_p[k] = 0.0
        output.gain_d[k] = 0.0


@njit
def move_small(step: FreeStep):
    """Rates after a small step. Returns -1, or a rate without inertia."""
    begin_free(step)
    return finish_free(step, False)
