"""Kernels that tell what links carry and where they are after a step."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_joints.codes import HINGE, MOVE, PULL, ROW_KEY, SLIDER, STRETCH, UPPER
from supple_joints.tables import Forces, Measured, RowColumns, Springs


@njit
def gather_forces(h, table: RowColumns, count, key, impulse, axes, forces_out: Forces):
    """Force of every row, and of every link on its side A, from the impulses: README eq. (14)."""
    row_force_out, row_effort_out = forces_out.row_force, forces_out.row_effort
    force_out, torque_out = forces_out.force, forces_out.torque
    for row in range(row_force_out.shape[0]):
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
        link = table.link[row]
        motion = table.motion[row]
        force = impulse[group, 0] / h
        if table.role[row] == UPPER:
            force = -force
        row_force_out[row] = force
        row_effort_out[row] = abs(force)
        for k in range(3):
            part = force * axes[link, motion, table.column[row], k]
            if motion == MOVE:
                force_out[link, k] += part
            else:
                torque_out[link, k] += part


@njit
def observe_links(
    h, kind, active, forces: Forces, before, measured: Measured, observed_out, position_out, rate_out
):
    """Metrics of every link, in the order of compile.OBSERVED; nan while a grasp is open. Positions and their rates."""
    force, torque, error, coordinate = forces.force, forces.torque, measured.error, measured.coordinate
    for link in range(kind.shape[0]):
        position_out[link] = coordinate[link]
        free = kind[link] == HINGE or kind[link] == SLIDER
        rate_out[link] = (coordinate[link] - before[link]) / h if free else 0.0
        for motion in range(2):
            e, f = 0.0, 0.0
            for k in range(3):
                e += error[link, motion, k] ** 2
                f += force[link, k] ** 2 if motion == MOVE else torque[link, k] ** 2
            observed_out[link, motion] = math.sqrt(e)
            observed_out[link, 4 + motion] = math.sqrt(f)
        observed_out[link, 2] = coordinate[link] if free else math.nan
        observed_out[link, 3] = rate_out[link] if free else math.nan
        observed_out[link, 6] = force[link, 1]
        observed_out[link, 7] = active[link]
        if active[link] == 0:
            for column in range(7):
                observed_out[link, column] = math.nan


@njit
def find_worst_error(kind, active, measured: Measured, worst_inout):
    """worst_inout [1] rises to the greatest distance of anchors that belong together [m]."""
    for link in range(kind.shape[0]):
        if active[link] == 0 or kind[link] == PULL or kind[link] == STRETCH:
            continue
        e = measured.error[link, MOVE]
        worst_inout[0] = max(worst_inout[0], math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]))


@njit
def is_any_widened(kind, active, error_before, measured: Measured, allowed, link_out):
    """Whether anchors of a link are farther apart than allowed [m] because this step moved them so; which link."""
    for link in range(kind.shape[0]):
        if active[link] == 0 or kind[link] == PULL or kind[link] == STRETCH:
            continue
        a, b = error_before[link, MOVE], measured.error[link, MOVE]
        before = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
        if math.sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) > before + allowed:
            link_out[0] = link
            return True
    return False


@njit
def observe_springs(springs: Springs, kind, target, row_force, measured: Measured, observed_out):
    """Stretch after the step, tension and its size, in the order of compile.OBSERVED_SPRING."""
    error, coordinate = measured.error, measured.coordinate
    for spring in range(springs.link.shape[0]):
        link, row = springs.link[spring], springs.row[spring]
        if kind[link] == PULL:
            squared, stretch = 0.0, 0.0
            for k in range(springs.size[spring]):
                squared += row_force[row + k] ** 2
                stretch += error[link, MOVE, k] ** 2
            observed_out[spring, 0] = math.sqrt(stretch)
            observed_out[spring, 1] = math.sqrt(squared)
        else:
            observed_out[spring, 0] = coordinate[link] - target[row]
            observed_out[spring, 1] = -row_force[row]
        observed_out[spring, 2] = abs(observed_out[spring, 1])
