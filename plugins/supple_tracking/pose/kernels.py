"""Implicit PD control of joints; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import find_rotation_vector, multiply_quaternions
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.problem import Origin, Rows
from supple.mechanics.rows import COMPLIANT
from supple.mechanics.spring_kernels import keep_books, pull_back, resist
from supple.mechanics.spring_tables import SpringTable
from supple_bones.layout import BALL, BONE, FREE, JOINT, Q_FIRST, TREE, V_COUNT, V_FIRST, WINDOW
from supple_bones.row_kernels import append_block
from supple_tracking.pose.layout import DAMPING, FOLLOW, GRAVITY, IMPLICITNESS, LIMIT, STIFFNESS
from supple_tracking.pose.tables import Actuation, DriveBalance, Drives


@njit
def find_pose_errors(bone, target, q, error_out):
    """From the coordinates q to the target, in the convention of the rates; README eq. (1). Free joints have none."""
    for i in range(bone.shape[0]):
        a = bone[i, Q_FIRST]
        k = bone[i, V_FIRST]
        if bone[i, JOINT] == BALL:
            w, x, y, z = multiply_quaternions(
                q[a], -q[a + 1], -q[a + 2], -q[a + 3], target[a], target[a + 1], target[a + 2], target[a + 3]
            )
            rx, ry, rz = find_rotation_vector(w, x, y, z)
            error_out[k] = rx
            error_out[k + 1] = ry
            error_out[k + 2] = rz
        else:
            for local in range(bone[i, V_COUNT]):
                error_out[k + local] = 0.0 if bone[i, JOINT] == FREE else target[a + local] - q[a + local]


@njit
def drive_joints(h, drives: Drives, gravity, v, push_out, sums_out: Actuation):
    """Force at the start of the step, and the gains that make it implicit; README eq. (2) to (4)."""
    gains, target_rate, error, shift = drives.gains, drives.target_rate, drives.deviation, drives.shift
    for k in range(gains.shape[0]):
        stiffness, damping = gains[k, STIFFNESS], gains[k, DAMPING]
        push_out[k] = 0.0
        if stiffness == 0.0 and damping == 0.0:
            continue
        push_out[k] = (
            stiffness * (error[k] + shift[k])
            + damping * gains[k, FOLLOW] * target_rate[k]
            + gains[k, GRAVITY] * gravity[k]
        )
        if gains[k, LIMIT] == 0.0:
            theta, goal = drives.theta[k], gains[k, FOLLOW] * target_rate[k]
            push_out[k] = -pull_back(h, theta, False, stiffness, damping, goal, v[k], -push_out[k])
            sums_out.force[k] += push_out[k]
            sums_out.gain_p[k] += theta * theta * stiffness
            sums_out.gain_d[k] += theta * damping


@njit
def append_drives(
    h, first, key, drives: Drives, problem_out: Rows, origin_out: Origin, blocks_out: Jacobian,
    springs_out: SpringTable,
):  # fmt: skip
    """One compliant row for every rate whose force is limited; README eq. (5)."""
    bone, gains, rates = drives.bone, drives.gains, drives.limited
    springs_out.counts[0] = 0
    for n in range(rates.shape[0]):
        g = first[0] + n
        k = rates[n]
        i = drives.dof[k, BONE]
        resisting = gains[k, DAMPING] + h * gains[k, STIFFNESS]
        problem_out.law[g] = COMPLIANT
        origin_out.key[g, 0] = key
        origin_out.key[g, 1] = n
        problem_out.lower[g, 0] = -h * gains[k, LIMIT]
        problem_out.upper[g, 0] = h * gains[k, LIMIT]
        problem_out.compliance[g, 0] = 1.0 / (h * resisting)
        origin_out.bias[g, 0] = -drives.push[k] / resisting
        if gains[k, STIFFNESS] > 0.0:
            s = springs_out.counts[0]
            springs_out.counts[0] += 1
            springs_out.group[s] = g
            springs_out.drives[s] = 1
            springs_out.stiffness[s] = gains[k, STIFFNESS]
            springs_out.damping[s] = gains[k, DAMPING]
            springs_out.bound[s] = gains[k, LIMIT]
            springs_out.setting[s] = gains[k, IMPLICITNESS]
            springs_out.stretch[s] = -(drives.deviation[k] + drives.shift[k])
            springs_out.goal[s] = gains[k, FOLLOW] * drives.target_rate[k]
            springs_out.pull[s] = -drives.push[k]
        block = append_block(bone, i, g, blocks_out)
        blocks_out.values[block, 0, k - bone[i, WINDOW]] = 1.0


@njit
def observe_drives(
    h, first, drives: Drives, target, q_next, v_next, impulse, error_out, torque_out, observed_out
):
    """Forces that were really given, and by skeleton: effort, strongest, error, error; error is scratch."""
    bone, gains, rates = drives.bone, drives.gains, drives.limited
    for k in range(gains.shape[0]):
        torque_out[k] = 0.0
        if gains[k, LIMIT] == 0.0:
            resisting = resist(h, drives.theta[k], False, gains[k, STIFFNESS], gains[k, DAMPING])
            torque_out[k] = drives.push[k] - resisting * v_next[k]
    for n in range(rates.shape[0]):
        torque_out[rates[n]] = impulse[first[0] + n, 0] / h
    find_pose_errors(bone, target, q_next, error_out)
    for tree in range(observed_out.shape[0]):
        squares, strongest, errors, count = 0.0, 0.0, 0.0, 0
        for k in range(gains.shape[0]):
            if bone[drives.dof[k, BONE], TREE] != tree:
                continue
            squares += torque_out[k] * torque_out[k]
            strongest = max(strongest, abs(torque_out[k]))
            if gains[k, STIFFNESS] > 0.0:
                errors += error_out[k] * error_out[k]
                count += 1
        observed_out[tree, 0] = math.sqrt(squares)
        observed_out[tree, 1] = strongest
        observed_out[tree, 2] = math.sqrt(errors / max(count, 1))
        observed_out[tree, 3] = observed_out[tree, 2]


@njit
def book_drives(h, time, drives: Drives, v, v_next, stored, stored_out, balance_out: DriveBalance):
    """What drives without a limit have stored and lost; the rest of what they did is their work: README eq. (5).

    The skeleton has counted all that they did as applied work.
    """
    gains, before, after, lost = drives.gains, 0.0, 0.0, 0.0
    for k in range(gains.shape[0]):
        if gains[k, LIMIT] > 0.0 or gains[k, STIFFNESS] == 0.0:
            continue
        goal = gains[k, FOLLOW] * drives.target_rate[k]
        start = -(drives.deviation[k] + drives.shift[k]) + h * goal
        one, other, loss, _ = keep_books(
            h, drives.theta[k], gains[k, STIFFNESS], gains[k, DAMPING], math.inf, start, v[k] - goal,
            v_next[k] - goal, 0.0,
        )  # fmt: skip
        before += one
        after += other
        lost += loss
    balance_out.before[0] += before
    balance_out.potential[0] += after
    balance_out.stored[0] += after
    balance_out.numerical[0] += lost
    balance_out.applied[0] += after - (before if time[0] == 0.0 else stored[0]) + lost
    stored_out[0] = after
