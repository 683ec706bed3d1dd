"""Ghosts: from the free configuration to rates and back, and what their springs hold; equations in README.md."""

from __future__ import annotations

import math
from typing import NamedTuple

from supple.core.arrays import FloatArray
from supple.core.jit import njit
from supple_bones.coordinate_kernels import add_joint, copy_joint, subtract_coordinates, subtract_joint
from supple_bones.force_kernels import map_wrenches
from supple_bones.kinematics_kernels import follow_state
from supple_bones.layout import BONE, JOINT, Q_FIRST, TREE, V_COUNT, V_FIRST


class Change(NamedTuple):
    """From where, with what, and what pushes a ghost in a step: coordinates, and for each rate the rest."""

    q: FloatArray
    wanted: FloatArray
    pushed: FloatArray
    v_free: FloatArray
    impulse: FloatArray


@njit
def foresee_motion(h, bone, recovery, q, target_now, target, difference_out, wanted_out, rate_out):
    """Where the ghost goes if nothing touches, and at which rates: README eq. (2). difference is scratch."""
    subtract_coordinates(bone, q, target_now, difference_out)
    for i in range(bone.shape[0]):
        joint, a, k, count = bone[i, JOINT], bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, V_COUNT]
        if count == 0:
            continue
        left = recovery[k] / (h + recovery[k])
        if left > 0.0:
            add_joint(joint, a, k, count, target, left, difference_out, wanted_out)
        else:
            copy_joint(joint, a, count, target, wanted_out)
        subtract_joint(joint, a, k, count, wanted_out, q, rate_out)
    for k in range(rate_out.shape[0]):
        rate_out[k] /= h


@njit
def add_wrenches(h, bone, mobility, axis, x, wanted_rate, wrench, force, work_out, pushed_out, v_free_out):
    """Rates if nothing touched: what the motion wants, and how far wrenches and forces push: README eq. (4)."""
    map_wrenches(bone, axis, x, wrench, work_out, pushed_out)
    for k in range(v_free_out.shape[0]):
        pushed_out[k] = h * (pushed_out[k] + force[k])
        v_free_out[k] = wanted_rate[k] + mobility[k] * pushed_out[k]


@njit
def advance_ghosts(h, bones, mobility, change, motion_out):
    """v = v_free + A^-1 impulse, coordinates after h, README eq. (5), and where the bones then are.

    A joint that nothing pushes is where it was wanted, to the last digit.
    """
    bone, q_out, v_out = bones.bone, motion_out.q, motion_out.v
    v_free, pushed, impulse = change.v_free, change.pushed, change.impulse
    for i in range(bone.shape[0]):
        joint, a, first, count = bone[i, JOINT], bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, V_COUNT]
        pushes = False
        for k in range(first, first + count):
            v_out[k] = v_free[k] + mobility[k] * impulse[k]
            pushes = pushes or impulse[k] != 0.0 or pushed[k] != 0.0
        if pushes:
            add_joint(joint, a, first, count, change.q, h, v_out, q_out)
        else:
            copy_joint(joint, a, count, change.wanted, q_out)
    follow_state(
        bone, bones.dof, bones.frame, q_out, v_out, motion_out.x, motion_out.rotation, motion_out.twist,
        motion_out.axis, motion_out.axis_rate, motion_out.spatial_velocity,
    )  # fmt: skip


@njit
def add_spring_energies(bone, dof, stiffness, deviation, column, observed_out):
    """observed_out[ghost, column] = energy of the springs: README eq. (7)."""
    for tree in range(observed_out.shape[0]):
        observed_out[tree, column] = 0.0
    for k in range(dof.shape[0]):
        tree = bone[dof[k, BONE], TREE]
        observed_out[tree, column] += 0.5 * stiffness[k] * deviation[k] * deviation[k]


@njit
def observe_ghosts(bone, dof, stiffness, turning, deviation, count_out, observed_out):
    """Root mean square deviation of the turning rates [rad], and energy of the springs; count is scratch."""
    for tree in range(observed_out.shape[0]):
        observed_out[tree, 0] = 0.0
        count_out[tree] = 0.0
    for k in range(dof.shape[0]):
        if turning[k] != 0:
            tree = bone[dof[k, BONE], TREE]
            observed_out[tree, 0] += deviation[k] * deviation[k]
            count_out[tree] += 1.0
    for tree in range(observed_out.shape[0]):
        observed_out[tree, 0] = math.sqrt(observed_out[tree, 0] / max(1.0, count_out[tree]))
    add_spring_energies(bone, dof, stiffness, deviation, 1, observed_out)


@njit
def balance_ghosts(before, after, v, v_next, impulse, before_out, potential_out, work_out):
    """The balance of the run: energy of the springs, and the work of whoever moves the ghost: README eq. (8)."""
    work = 0.0
    for tree in range(before.shape[0]):
        before_out[0] += before[tree, 1]
        potential_out[0] += after[tree, 1]
        work += after[tree, 1] - before[tree, 1]
    for k in range(v.shape[0]):
        work -= 0.5 * impulse[k] * (v[k] + v_next[k])
    work_out[0] += work
