"""Kernels that turn links into groups of one row; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_joints.codes import DRIVE, LOCK, LOWER, PULL, ROW_KEY, SPRING, TURN, UPPER


@njit
def list_active_rows(link, active, rows_out):
    """The numbers of the rows whose link holds; returns how many."""
    count = 0
    for row in range(link.shape[0]):
        if active[link[row]] == 1:
            rows_out[count] = row
            count += 1
    return count


@njit
def fill_groups(
    law, strongest, stiffness, damping, h, first, count, rows,
    law_out, lower_out, upper_out, compliance_out, key_out,
):  # fmt: skip
    """Law, bounds, compliance and identity: README eq. (10) to (13)."""
    for i in range(count):
        row = rows[i]
        group = first + i
        law_out[group] = law[row]
        lower_out[group, 0] = -strongest[row] * h
        upper_out[group, 0] = strongest[row] * h
        resistance = damping[row] + h * stiffness[row]
        compliance_out[group, 0] = 1.0 / (h * resistance) if resistance > 0.0 else 0.0
        key_out[group, 0] = ROW_KEY
        key_out[group, 1] = row


@njit
def select_sides(
    row_link, row_role, row_motion, row_column, carrier, frame, number, motion, first, count, rows,
    axes, point,
    group_out, frame_out, sign_out, point_out, directions_out,
):  # fmt: skip
    """The sides of rows of one motion that belong to one carrier: README eq. (9). Returns their number."""
    found = 0
    for i in range(count):
        row = rows[i]
        if row_motion[row] != motion:
            continue
        link = row_link[row]
        towards = -1.0 if row_role[row] == UPPER else 1.0
        for side in range(2):
            if carrier[link, side] != number:
                continue
            group_out[found] = first + i
            frame_out[found] = frame[link, side]
            sign_out[found] = 1.0 - 2.0 * side
            for k in range(3):
                point_out[found, k] = point[link, side, k]
                directions_out[found, 0, k] = towards * axes[link, motion, row_column[row], k]
            found += 1
    return found


@njit
def limit_recovery(recovery, fastest, h, error, size):
    """The speed that takes back `error`, a part of an error of this size: README eq. (10)."""
    if size * recovery > fastest * h:
        return error * fastest / size
    return recovery * error / h


@njit
def look_ahead(recovery, fastest, h, gap):
    """The bias of a limit: the gap may close within the step and not more, README eq. (11)."""
    return gap / h if gap >= 0.0 else limit_recovery(recovery, fastest, h, gap, -gap)


@njit
def set_row_bias(
    recovery, recovery_speed, recovery_spin,
    row_link, row_role, row_motion, row_column, target, stiffness, damping, offset, kind,
    h, first, count, rows, error, coordinate,
    bias_out,
):  # fmt: skip
    """Bias of every row by its role: README eq. (10) to (13)."""
    for i in range(count):
        row = rows[i]
        link, motion, role = row_link[row], row_motion[row], row_role[row]
        fastest = recovery_spin if motion == TURN else recovery_speed
        e = error[link, motion]
        bias = 0.0
        if role == LOCK:
            size = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
            bias = limit_recovery(recovery, fastest, h, e[row_column[row]], size)
        elif role == LOWER:
            bias = look_ahead(recovery, fastest, h, coordinate[link] - target[row])
        elif role == UPPER:
            bias = look_ahead(recovery, fastest, h, target[row] - coordinate[link])
        elif role == DRIVE:
            bias = -target[row]
        elif role == SPRING:
            stretch = (e[row_column[row]] if kind[link] == PULL else coordinate[link]) - target[row]
            bias = (stiffness[row] * stretch - offset[row]) / (damping[row] + h * stiffness[row])
        bias_out[first + i, 0] = bias
