"""Points, turns and centres of pressure that shift the pose to be tracked; README eq. (6) to (10)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import find_rotation_vector, multiply_quaternions, rotate_vector_at
from supple.math.vector_kernels import cross, length
from supple_bones.layout import BONE as BONE_OF_RATE
from supple_bones.layout import DOF_PARENT, LAST_DOF, ROOT, TREE
from supple_motion.sample_kernels import sample_track
from supple_tracking.pose.layout import STIFFNESS
from supple_tracking.tasks.layout import (
    BONE,
    DESIRED,
    KIND,
    LEAST,
    OTHER,
    OTHER_PAD,
    OWNER,
    PAD,
    POSITION,
    PRESSURE,
    SOFTNESS,
    STILL,
    TURN,
    WEIGHT,
)
from supple_tracking.tasks.tables import Limbs, Pads, TaskTable


@njit
def sample_desired(track, clock, segment, time, desired_out):
    """Where all tasks should be at a time."""
    for n in range(track.shape[0]):
        sample_track(track, clock, segment, n, time[0], desired_out)


@njit
def place_point(x, rotation, i, local, n):
    """The point local[n, 0:3] of bone i, in the world."""
    px, py, pz = rotate_vector_at(rotation, i, local[n, 0], local[n, 1], local[n, 2])
    return x[i, 0] + px, x[i, 1] + py, x[i, 2] + pz


@njit
def add_point_jacobian(limbs: Limbs, i, px, py, pz, row, fx, fy, fz, J_out):
    """Adds the Jacobian of the point p on bone i, times f along each axis, to three rows; of driven rates only."""
    bone, dof, axis, gains, x = limbs.bone, limbs.dof, limbs.axis, limbs.gains, limbs.x
    root = bone[i, ROOT]
    rx, ry, rz = px - x[root, 0], py - x[root, 1], pz - x[root, 2]
    k = bone[i, LAST_DOF]
    while k >= 0:
        if gains[k, STIFFNESS] > 0.0:
            sx, sy, sz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
            J_out[row, k] += fx * (axis[k, 0] + sx)
            J_out[row + 1, k] += fy * (axis[k, 1] + sy)
            J_out[row + 2, k] += fz * (axis[k, 2] + sz)
        k = dof[k, DOF_PARENT]


@njit
def add_turn_jacobian(limbs: Limbs, i, row, J_out):
    """Adds the Jacobian of the angular velocity of bone i, in the world, to three rows."""
    dof, axis, gains = limbs.dof, limbs.axis, limbs.gains
    k = limbs.bone[i, LAST_DOF]
    while k >= 0:
        if gains[k, STIFFNESS] > 0.0:
            for c in range(3):
                J_out[row + c, k] += axis[k, 3 + c]
        k = dof[k, DOF_PARENT]


@njit
def find_turn_miss(rotation, i, desired, d):
    """Rotation vector in the world that takes bone i to the quaternion desired[d:d+4]."""
    w, x, y, z = multiply_quaternions(
        desired[d], desired[d + 1], desired[d + 2], desired[d + 3],
        rotation[i, 0], -rotation[i, 1], -rotation[i, 2], -rotation[i, 3],
    )  # fmt: skip
    return find_rotation_vector(w, x, y, z)


@njit
def presses(tasks: TaskTable, force, t):
    """Whether all centres of pressure that the task speaks of exist."""
    task, shape = tasks.task, tasks.shape
    if force[task[t, PAD]] < shape[t, LEAST]:
        return False
    return task[t, OTHER_PAD] < 0 or force[task[t, OTHER_PAD]] >= shape[t, LEAST]


@njit
def find_miss(tasks: TaskTable, pads: Pads, x, rotation, desired, t):
    """From where task t is to where it should be, and 1; zeros while there is no pressure. [m], [rad]"""
    task = tasks.task
    i, d = task[t, BONE], task[t, DESIRED]
    if task[t, KIND] == TURN:
        rx, ry, rz = find_turn_miss(rotation, i, desired, d)
        return rx, ry, rz, 1
    if task[t, KIND] == POSITION:
        px, py, pz = place_point(x, rotation, i, tasks.shape, t)
        return desired[d] - px, desired[d + 1] - py, desired[d + 2] - pz, 1
    if not presses(tasks, pads.force, t):
        return 0.0, 0.0, 0.0, 0
    if task[t, KIND] == STILL:
        return 0.0, 0.0, 0.0, 1
    px, py, pz = place_point(x, rotation, i, pads.point, task[t, PAD])
    if task[t, OTHER] >= 0:
        ox, oy, oz = place_point(x, rotation, task[t, OTHER], pads.point, task[t, OTHER_PAD])
        px, py, pz = px - ox, py - oy, pz - oz
    return desired[d] - px, desired[d + 1] - py, desired[d + 2] - pz, 1


@njit
def add_pressure_jacobian(limbs: Limbs, tasks: TaskTable, point, t, J_out):
    """Rows of a centre of pressure, against another where that is tracked; README eq. (9)."""
    task, shape, x, rotation = tasks.task, tasks.shape, limbs.x, limbs.rotation
    row, i, other = 3 * t, task[t, BONE], task[t, OTHER]
    fx, fy, fz = shape[t, WEIGHT] > 0.0, shape[t, WEIGHT + 1] > 0.0, shape[t, WEIGHT + 2] > 0.0
    px, py, pz = place_point(x, rotation, i, point, task[t, PAD])
    if task[t, KIND] == STILL:
        add_point_jacobian(limbs, i, px, py, pz, row, 1.0 - fx, 1.0 - fy, 1.0 - fz, J_out)
        return
    add_point_jacobian(limbs, i, px, py, pz, row, 1.0, 1.0, 1.0, J_out)
    if other >= 0:
        px, py, pz = place_point(x, rotation, other, point, task[t, OTHER_PAD])
        add_point_jacobian(limbs, other, px, py, pz, row, -1.0 * fx, -1.0 * fy, -1.0 * fz, J_out)


@njit
def fill_task_rows(limbs: Limbs, tasks: TaskTable, pads: Pads, desired, error, yielded, J_out, miss_out):
    """Weighted rows J and what they should bring about: README eq. (7). Three rows for every task.

    error is the way from the coordinates to the pose, yielded the same and what loads take back of it.
    """
    task, shape, x, rotation = tasks.task, tasks.shape, limbs.x, limbs.rotation
    for row in range(J_out.shape[0]):
        for k in range(J_out.shape[1]):
            J_out[row, k] = 0.0
    for t in range(task.shape[0]):
        row, i = 3 * t, task[t, BONE]
        mx, my, mz, exists = find_miss(tasks, pads, x, rotation, desired, t)
        miss_out[row] = mx
        miss_out[row + 1] = my
        miss_out[row + 2] = mz
        if exists == 0:
            continue
        if task[t, KIND] == TURN:
            add_turn_jacobian(limbs, i, row, J_out)
        elif task[t, KIND] == POSITION:
            px, py, pz = place_point(x, rotation, i, shape, t)
            add_point_jacobian(limbs, i, px, py, pz, row, 1.0, 1.0, 1.0, J_out)
        else:
            add_pressure_jacobian(limbs, tasks, pads.point, t, J_out)
        if task[t, KIND] == PRESSURE:
            weigh_rows(shape, t, yielded, J_out, miss_out)
        elif task[t, KIND] != STILL:
            weigh_rows(shape, t, error, J_out, miss_out)


@njit
def weigh_rows(shape, t, error, J_out, miss_out):
    """What the pose brings about by itself is not asked for again; then all three rows are weighted.

    A direction of weight 0 is left to the pose: its row says that the shift changes nothing there.
    """
    for c in range(3):
        row, weight = 3 * t + c, shape[t, WEIGHT + c]
        if weight == 0.0:
            miss_out[row] = 0.0
            continue
        for k in range(J_out.shape[1]):
            miss_out[row] -= J_out[row, k] * error[k]
            J_out[row, k] *= weight
        miss_out[row] *= weight


@njit
def soften(shape, J, t):
    """What damps the three rows of task t: a part of their mean square; never quite 0, for tasks without rows."""
    total = 0.0
    for row in range(3 * t, 3 * t + 3):
        for k in range(J.shape[1]):
            total += J[row, k] * J[row, k]
    return shape[t, SOFTNESS] ** 2 * total / 3.0 + 1e-18


@njit
def solve_least_squares(shape, J, miss, S_out, y_out, shift_out):
    """shift = J^T (J J^T + softness)^-1 miss, by Cholesky; README eq. (8)."""
    rows, rates = J.shape[0], J.shape[1]
    for r in range(rows):
        for c in range(r + 1):
            total = soften(shape, J, r // 3) if r == c else 0.0
            for k in range(rates):
                total += J[r, k] * J[c, k]
            for j in range(c):
                total -= S_out[r, j] * S_out[c, j]
            S_out[r, c] = math.sqrt(total) if r == c else total / S_out[c, c]
    for r in range(rows):
        total = miss[r]
        for c in range(r):
            total -= S_out[r, c] * y_out[c]
        y_out[r] = total / S_out[r, r]
    for r in range(rows - 1, -1, -1):
        total = y_out[r]
        for c in range(r + 1, rows):
            total -= S_out[c, r] * y_out[c]
        y_out[r] = total / S_out[r, r]
    for k in range(rates):
        shift_out[k] = 0.0
        for r in range(rows):
            shift_out[k] += J[r, k] * y_out[r]


@njit
def bound_shift(bone, dof, largest, peak_out, shift_out):
    """Shrinks the shift of a skeleton as a whole until no joint is shifted by more than its largest [rad, m]."""
    for tree in range(largest.shape[0]):
        peak_out[tree] = 0.0
    for k in range(dof.shape[0]):
        tree = bone[dof[k, BONE_OF_RATE], TREE]
        peak_out[tree] = max(peak_out[tree], abs(shift_out[k]))
    for k in range(dof.shape[0]):
        tree = bone[dof[k, BONE_OF_RATE], TREE]
        if peak_out[tree] > largest[tree]:
            shift_out[k] *= largest[tree] / peak_out[tree]


@njit
def observe_misses(tasks: TaskTable, pads: Pads, x, rotation, desired, observed_out):
    """Greatest miss of every skeleton and kind of task, nan where there is none: [skeletons, 3].

    Directions of weight 0 do not count.
    """
    task, shape = tasks.task, tasks.shape
    for tree in range(observed_out.shape[0]):
        for kind in range(3):
            observed_out[tree, kind] = math.nan
    for t in range(task.shape[0]):
        mx, my, mz, exists = find_miss(tasks, pads, x, rotation, desired, t)
        if exists == 1 and task[t, KIND] != STILL:
            tree, kind = task[t, OWNER], task[t, KIND]
            before = observed_out[tree, kind]
            far = length(
                mx if shape[t, WEIGHT] > 0.0 else 0.0,
                my if shape[t, WEIGHT + 1] > 0.0 else 0.0,
                mz if shape[t, WEIGHT + 2] > 0.0 else 0.0,
            )
            observed_out[tree, kind] = far if math.isnan(before) else max(before, far)
