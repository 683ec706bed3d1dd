"""Ghosts: from the free configuration to rates and back, and what their springs hold; equations in README.md.

Differences of coordinates are vectors of rates: numbers are subtracted, and of two quaternions it is the rotation
vector that leads from the one to the other, in the axes of the bone.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import find_rotation_vector, multiply_quaternions
from supple_skeleton.force_kernels import map_wrenches
from supple_skeleton.layout import BALL, BONE, FREE, JOINT, Q_FIRST, TREE, V_COUNT, V_FIRST
from supple_skeleton.step_kernels import turn_coordinates


@njit
def turning_place(joint):
    """First coordinate of the quaternion within a joint, -1 where there is none; numbers come before it."""
    if joint == BALL:
        return 0
    if joint == FREE:
        return 3
    return -1


@njit
def subtract_joint(joint, a, k, count, q, q_from, difference_out):
    """difference_out[k:] = q - q_from for one joint with coordinates from a on: README eq. (2)."""
    turning = turning_place(joint)
    numbers = count if turning < 0 else turning
    for local in range(numbers):
        difference_out[k + local] = q[a + local] - q_from[a + local]
    if turning >= 0:
        a, k = a + turning, k + turning
        w, x, y, z = multiply_quaternions(
            q_from[a], -q_from[a + 1], -q_from[a + 2], -q_from[a + 3], q[a], q[a + 1], q[a + 2], q[a + 3]
        )
        rx, ry, rz = find_rotation_vector(w, x, y, z)
        difference_out[k] = rx
        difference_out[k + 1] = ry
        difference_out[k + 2] = rz


@njit
def add_joint(joint, a, k, count, q, scale, change, q_out):
    """q_out = q + scale change for one joint: the inverse of `subtract_joint`."""
    turning = turning_place(joint)
    numbers = count if turning < 0 else turning
    for local in range(numbers):
        q_out[a + local] = q[a + local] + scale * change[k + local]
    if turning >= 0:
        turn_coordinates(scale, q, a + turning, change, k + turning, q_out)


@njit
def copy_joint(joint, a, count, q, q_out):
    """q_out = q for one joint; a quaternion has one coordinate more than rates."""
    for local in range(count + (turning_place(joint) >= 0)):
        q_out[a + local] = q[a + local]


@njit
def subtract_coordinates(bone, q, q_from, difference_out):
    """difference_out [rates] = q - q_from."""
    for i in range(bone.shape[0]):
        subtract_joint(
            bone[i, JOINT], bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, V_COUNT], q, q_from, difference_out
        )


@njit
def foresee_motion(h, bone, recovery, q, target_now, target, difference_out, wanted_out, rate_out):
    """Where the ghost goes if nothing touches, and at which rates: README eq. (3). difference is scratch."""
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
    """Rates if nothing touched: what the motion wants, and how far wrenches and forces push: README eq. (5)."""
    map_wrenches(bone, axis, x, wrench, work_out, pushed_out)
    for k in range(v_free_out.shape[0]):
        pushed_out[k] = h * (pushed_out[k] + force[k])
        v_free_out[k] = wanted_rate[k] + mobility[k] * pushed_out[k]


@njit
def advance_ghosts(h, bone, mobility, q, wanted, pushed, v_free, impulse, q_out, v_out):
    """v = v_free + A^-1 impulse and coordinates after h, README eq. (6).

    A joint that nothing pushes is where it was wanted, to the last digit.
    """
    for i in range(bone.shape[0]):
        joint, a, first, count = bone[i, JOINT], bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, V_COUNT]
        pushes = False
        for k in range(first, first + count):
            v_out[k] = v_free[k] + mobility[k] * impulse[k]
            pushes = pushes or impulse[k] != 0.0 or pushed[k] != 0.0
        if pushes:
            add_joint(joint, a, first, count, q, h, v_out, q_out)
        else:
            copy_joint(joint, a, count, wanted, q_out)


@njit
def add_spring_energies(bone, dof, stiffness, deviation, column, observed_out):
    """observed_out[ghost, column] = energy of the springs: README eq. (9)."""
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
    """The balance of the run: energy of the springs, and the work of whoever moves the ghost: README eq. (10)."""
    work = 0.0
    for tree in range(before.shape[0]):
        before_out[0] += before[tree, 1]
        potential_out[0] += after[tree, 1]
        work += after[tree, 1] - before[tree, 1]
    for k in range(v.shape[0]):
        work -= 0.5 * impulse[k] * (v[k] + v_next[k])
    work_out[0] += work
