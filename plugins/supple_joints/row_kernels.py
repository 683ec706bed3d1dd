"""Kernels that turn links into groups of one row; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.mechanism import PointArrays
from supple.mechanics.problem import Origin, Rows
from supple.mechanics.spring_tables import SpringTable
from supple_joints.codes import DRIVE, LOCK, LOWER, PULL, ROW_KEY, SPRING, TURN, UPPER
from supple_joints.tables import ActiveRows, Links, Measured, RowColumns


@njit
def list_active_rows(link, active, rows_out: ActiveRows):
    """The numbers of the rows whose link holds, and how many."""
    number, count = rows_out.number, 0
    for row in range(link.shape[0]):
        if active[link[row]] == 1:
            number[count] = row
            count += 1
    rows_out.span[1] = count


@njit
def fill_groups(h, table: RowColumns, rows: ActiveRows, problem_out: Rows, origin_out: Origin):
    """Law, bounds, compliance and identity: README eq. (10) to (13)."""
    law, strongest, stiffness, damping = table.law, table.strongest, table.stiffness, table.damping
    law_out, lower_out, upper_out = problem_out.law, problem_out.lower, problem_out.upper
    compliance_out, key_out = problem_out.compliance, origin_out.key
    for i in range(rows.span[1]):
        row = rows.number[i]
        group = rows.span[0] + i
        law_out[group] = law[row]
        lower_out[group, 0] = -strongest[row] * h
        upper_out[group, 0] = strongest[row] * h
        resistance = damping[row] + h * stiffness[row]
        compliance_out[group, 0] = 1.0 / (h * resistance) if resistance > 0.0 else 0.0
        key_out[group, 0] = ROW_KEY
        key_out[group, 1] = row


@njit
def select_sides(
    carrier,
    motion,
    table: RowColumns,
    rows: ActiveRows,
    links: Links,
    measured: Measured,
    points_out: PointArrays,
    count_out,
):
    """The sides of rows of one motion that belong to one carrier: README eq. (9). count_out[0] is their number."""
    axes, point = measured.axes, measured.point
    found = 0
    for i in range(rows.span[1]):
        row = rows.number[i]
        if table.motion[row] != motion:
            continue
        link = table.link[row]
        towards = -1.0 if table.role[row] == UPPER else 1.0
        for side in range(2):
            if links.carrier[link, side] != carrier:
                continue
            points_out.group[found] = rows.span[0] + i
            points_out.frame[found] = links.frame[link, side]
            points_out.sign[found] = 1.0 - 2.0 * side
            for k in range(3):
                points_out.point[found, k] = point[link, side, k]
                points_out.directions[found, 0, k] = towards * axes[link, motion, table.column[row], k]
            found += 1
    count_out[0] = found


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
def find_haste(table: RowColumns, rows: ActiveRows, bias):
    """The greatest speed [m/s] at which a locked row of moving takes its error back."""
    fastest = 0.0
    for i in range(rows.span[1]):
        row = rows.number[i]
        if table.role[row] == LOCK and table.motion[row] != TURN:
            fastest = max(fastest, abs(bias[rows.span[0] + i, 0]))
    return fastest


@njit
def is_hasty(table: RowColumns, rows: ActiveRows, bias, most):
    """Whether a row takes its error back faster than that [m/s]."""
    return find_haste(table, rows, bias) > most


@njit
def add_spring(table: RowColumns, row, group, stretch, pull, springs_out: SpringTable):
    """Appends a spring with stiffness to the table."""
    n = springs_out.counts[0]
    springs_out.counts[0] += 1
    springs_out.group[n] = group
    springs_out.stiffness[n] = table.stiffness[row]
    springs_out.damping[n] = table.damping[row]
    springs_out.bound[n] = table.strongest[row]
    springs_out.setting[n] = table.implicitness[row]
    springs_out.stretch[n] = stretch - table.offset[row] / table.stiffness[row]
    springs_out.pull[n] = pull


@njit
def set_row_bias(
    h,
    recovery,
    recovery_speed,
    recovery_spin,
    table: RowColumns,
    rows: ActiveRows,
    kind,
    measured: Measured,
    bias_out,
    springs_out: SpringTable,
):
    """Bias of every row by its role: README eq. (10) to (13). Springs with stiffness are closed when W is known."""
    springs_out.counts[0] = 0
    error, coordinate, target, stiffness = measured.error, measured.coordinate, table.target, table.stiffness
    for i in range(rows.span[1]):
        row = rows.number[i]
        link, motion, role, column = table.link[row], table.motion[row], table.role[row], table.column[row]
        fastest = recovery_spin if motion == TURN else recovery_speed
        e = error[link, motion]
        bias = 0.0
        if role == LOCK:
            size = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
            bias = limit_recovery(recovery, fastest, h, e[column], size)
        elif role == LOWER:
            bias = look_ahead(recovery, fastest, h, coordinate[link] - target[row])
        elif role == UPPER:
            bias = look_ahead(recovery, fastest, h, target[row] - coordinate[link])
        elif role == DRIVE:
            bias = -target[row]
        elif role == SPRING:
            stretch = (e[column] if kind[link] == PULL else coordinate[link]) - target[row]
            pull = stiffness[row] * stretch - table.offset[row]
            bias = pull / (table.damping[row] + h * stiffness[row])
            if stiffness[row] > 0.0:
                add_spring(table, row, rows.span[0] + i, stretch, pull, springs_out)
        bias_out[rows.span[0] + i, 0] = bias
