"""Kernels that tell what links carry and where they are after a step."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_joints.codes import HINGE, MOVE, PULL, ROW_KEY, SLIDER, UPPER


@njit
def gather_forces(
    row_link, row_role, row_motion, row_column, h, count, key, impulse, axes,
    row_force_out, row_effort_out, force_out, torque_out,
):  # fmt: skip
    """Force of every row, and of every link on its side A, from the impulses: README eq. (14)."""
    for row in range(row_link.shape[0]):
        row_force_out[row] = 0.0
        row_effort_out[row] = 0.0
    for link in range(force_out.shape[0]):
        for k in range(3):
            force_out[link, k] = 0.0
            torque_out[link, k] = 0.0
    for group in range(count[0]):
        if key[group, 0] != ROW_KEY:
            continue
        row = key[group, 1]
        link = row_link[row]
        motion = row_motion[row]
        force = impulse[group, 0] / h
        if row_role[row] == UPPER:
            force = -force
        row_force_out[row] = force
        row_effort_out[row] = abs(force)
        for k in range(3):
            part = force * axes[link, motion, row_column[row], k]
            if motion == MOVE:
                force_out[link, k] += part
            else:
                torque_out[link, k] += part


@njit
def observe_links(
    kind, h, active, force, torque, before, error, coordinate,
    observed_out, position_out,
):  # fmt: skip
    """Metrics of every link, in the order of compile.OBSERVED; nan while a grasp is open."""
    for link in range(kind.shape[0]):
        position_out[link] = coordinate[link]
        free = kind[link] == HINGE or kind[link] == SLIDER
        for motion in range(2):
            e, f = 0.0, 0.0
            for k in range(3):
                e += error[link, motion, k] ** 2
                f += force[link, k] ** 2 if motion == MOVE else torque[link, k] ** 2
            observed_out[link, motion] = math.sqrt(e)
            observed_out[link, 4 + motion] = math.sqrt(f)
        observed_out[link, 2] = coordinate[link] if free else math.nan
        observed_out[link, 3] = (coordinate[link] - before[link]) / h if free else math.nan
        observed_out[link, 6] = force[link, 1]
        observed_out[link, 7] = active[link]
        if active[link] == 0:
            for column in range(7):
                observed_out[link, column] = math.nan


@njit
def observe_springs(
    spring_link, spring_row, spring_size, kind, target, row_force, error, coordinate, observed_out,
):  # fmt: skip
    """Stretch after the step, tension and its size, in the order of compile.OBSERVED_SPRING."""
    for spring in range(spring_link.shape[0]):
        link, row = spring_link[spring], spring_row[spring]
        if kind[link] == PULL:
            squared, stretch = 0.0, 0.0
            for k in range(spring_size[spring]):
                squared += row_force[row + k] ** 2
                stretch += error[link, MOVE, k] ** 2
            observed_out[spring, 0] = math.sqrt(stretch)
            observed_out[spring, 1] = math.sqrt(squared)
        else:
            observed_out[spring, 0] = coordinate[link] - target[row]
            observed_out[spring, 1] = -row_force[row]
        observed_out[spring, 2] = abs(observed_out[spring, 1])
