"""Commands of all tasks of a controller as rows J a = wanted: README eq. (1) to (3)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot, length, normalise
from supple_bones.coordinate_kernels import subtract_coordinates
from supple_bones.limit_kernels import LOWER, SWING, find_gap
from supple_tasks.goal_kernels import find_gain, find_goal, switch_task, turn_sight, turn_to_goal
from supple_tasks.layout import (
    ACTIVE,
    AXES,
    BEGAN,
    ERROR,
    ERROR_WORST,
    FIRST,
    GAZE,
    KIND,
    LIMITS,
    MARGIN,
    MOMENTUM,
    ORIENTATION,
    POSTURE,
    RATE_ERROR,
    ROWS,
    TARGET,
)  # fmt: skip
from supple_tasks.records import Book, Clock, Joints, Seen
from supple_tasks.tables import Bounds, Limits, Wishes


@njit
def command_tasks(
    h, book: Book, clock: Clock, seen: Seen, joints: Joints, start_out, goal, limits_out: Limits,
    bounds_out: Bounds, wishes_out: Wishes, observed_out,
):  # fmt: skip
    """Fill the right sides of all rows, clear the rows of what is not active, and observe the errors."""
    subtract_coordinates(joints.bone, joints.target, joints.q, joints.error[0])
    for t in range(book.task.shape[0]):
        active = switch_task(t, book, clock, seen, start_out)
        kind = book.task[t, KIND]
        observed_out[t, ACTIVE] = 1.0 if active else 0.0
        if not active:
            observed_out[t, ERROR] = observed_out[t, ERROR_WORST] = observed_out[t, RATE_ERROR] = math.nan
            for i in range(joints.limit.shape[0]):
                if joints.limit[i, 0] == t:
                    bounds_out.most[i] = math.inf
            clear_rows(book.task[t, FIRST], book.task[t, ROWS], wishes_out, limits_out)
            continue
        gain = find_gain(t, book, clock, clock.time[0] - start_out[t, BEGAN])
        off = math.nan
        if kind == POSTURE:
            error, off = command_posture(t, gain, joints, wishes_out)
        elif kind == LIMITS:
            error = command_limits(t, gain, book.number[t, MARGIN], joints, bounds_out)
        elif kind == MOMENTUM:
            error = command_momentum(t, gain, book, seen, wishes_out, limits_out)
        else:
            find_goal(t, h, book, clock, seen, start_out, goal)
            if kind == GAZE:
                error, off = command_gaze(t, gain, book, seen, goal, wishes_out, limits_out)
            else:
                error, off = command_place(t, kind, gain, book, seen, start_out, goal, wishes_out, limits_out)
        observed_out[t, ERROR] = observed_out[t, ERROR_WORST] = error
        observed_out[t, RATE_ERROR] = off


@njit
def clear_rows(first, count, wishes_out: Wishes, limits_out: Limits):
    """Rows that ask for nothing."""
    for row in range(first, first + count):
        wishes_out.wanted[row] = limits_out.drift[row] = 0.0
        for k in range(wishes_out.J.shape[1]):
            wishes_out.J[row, k] = 0.0


@njit
def command_posture(t, gain, joints: Joints, wishes_out: Wishes):
    """Joints follow the motion of their skeleton, or stay near a pose; returns errors of places and rates (rms)."""
    damping, square, off, count = 2.0 * math.sqrt(gain), 0.0, 0.0, 0
    for i in range(joints.posture.shape[0]):
        if joints.posture[i, 0] != t:
            continue
        row, rate, source = joints.posture[i, 1], joints.posture[i, 2], joints.posture[i, 3]
        wishes_out.J[row, rate] = 1.0
        error = joints.error[joints.posture[i, 4], source]
        moving = joints.target_rate[source] if joints.posture[i, 4] == 0 else 0.0
        wishes_out.wanted[row] = gain * error + damping * (moving - joints.v[source])
        square += error * error
        off += (moving - joints.v[source]) ** 2
        count += 1
    return math.sqrt(square / max(count, 1)), math.sqrt(off / max(count, 1))


@njit
def command_limits(t, gain, margin, joints: Joints, bounds_out: Bounds):
    """Joints near a limit come no closer than critically damped: README eq. (3). Returns the greatest excess."""
    damping, excess, v = 2.0 * math.sqrt(gain), 0.0, joints.v
    for i in range(joints.limit.shape[0]):
        if joints.limit[i, 0] != t:
            continue
        kind, bone, local = joints.limit[i, 1], joints.limit[i, 2], joints.limit[i, 5]
        place, rate, way = joints.limit[i, 3], joints.limit[i, 4], bounds_out.way[i]
        distance, dx, dy, dz = find_gap(joints.frame, kind, bone, place, local, joints.bound[i], joints.q)
        if kind >= SWING:
            way[0], way[1], way[2] = -dx, -dy, -dz
            towards = way[0] * v[rate] + way[1] * v[rate + 1] + way[2] * v[rate + 2]
        else:
            way[0] = -1.0 if kind == LOWER else 1.0
            towards = way[0] * v[rate + local]
        bounds_out.most[i] = gain * distance - damping * towards if distance < margin else math.inf
        excess = max(excess, -distance)
    return excess


@njit
def command_momentum(t, gain, book: Book, seen: Seen, wishes_out: Wishes, limits_out: Limits):
    """Momenta by mass approach theirs at the rate sqrt(gain); returns the distance."""
    first, square = book.task[t, FIRST], 0.0
    for k in range(6):
        error = book.number[t, TARGET + k] - seen.place[t, k]
        square += error * error
        limits_out.drift[first + k] = seen.drift[t, k]
        wishes_out.wanted[first + k] = math.sqrt(gain) * error - seen.drift[t, k]
    return math.sqrt(square)


@njit
def command_place(t, kind, gain, book: Book, seen: Seen, start, goal, wishes_out: Wishes, limits_out: Limits):
    """Critically damped towards the goal, with its rate and acceleration; returns the distance from it."""
    row, square, off, damping = book.task[t, FIRST], 0.0, 0.0, 2.0 * math.sqrt(gain)
    error, turning = seen.other_place[t], kind == ORIENTATION
    if turning:
        turn_to_goal(t, book, seen, start, goal, error)
    else:
        for k in range(3):
            error[k] = goal[0, k] - seen.place[t, k]
    for k in range(3):
        if book.task[t, AXES] & (1 << k) == 0:
            continue
        rate = 0.0 if turning else goal[1, k]
        speed, drift = seen.velocity[t, k], seen.drift[t, k]
        command = gain * error[k] + damping * (rate - speed) + (0.0 if turning else goal[2, k])
        limits_out.drift[row] = drift
        wishes_out.wanted[row] = command - drift
        square += error[k] * error[k]
        off += (rate - speed) ** 2
        row += 1
    return math.sqrt(square), math.sqrt(off)


@njit
def command_gaze(t, gain, book: Book, seen: Seen, goal, wishes_out: Wishes, limits_out: Limits):
    """The line of sight turns to its goal; returns the angle between them, and how fast it turns.

    Two rows are about axes at right angles to the sight, so that they are as large whichever way it points; the third,
    for turns about the sight itself, asks for nothing.
    """
    row, damping, J = book.task[t, FIRST], 2.0 * math.sqrt(gain), wishes_out.J
    error, sight, spin = seen.other_place[t], seen.other_velocity[t], seen.velocity[t]
    turn_sight(t, book, seen, goal, sight, error)
    x, y, z = sight[0], sight[1], sight[2]
    # Any direction that is not the sight leads to the axes.
    ax, ay, az = cross(x, y, z, 1.0, 0.0, 0.0) if abs(x) < 0.7 else cross(x, y, z, 0.0, 0.0, 1.0)
    ax, ay, az, _ = normalise(ax, ay, az)
    bx, by, bz = cross(x, y, z, ax, ay, az)
    for k in range(J.shape[1]):
        jx, jy, jz = J[row, k], J[row + 1, k], J[row + 2, k]
        J[row, k], J[row + 1, k] = dot(ax, ay, az, jx, jy, jz), dot(bx, by, bz, jx, jy, jz)
        J[row + 2, k] = 0.0
    wishes_out.wanted[row + 2] = limits_out.drift[row + 2] = off = 0.0
    drift = seen.drift[t]
    for i in range(2):
        ux, uy, uz = (ax, ay, az) if i == 0 else (bx, by, bz)
        speed = dot(ux, uy, uz, spin[0], spin[1], spin[2])
        limits_out.drift[row + i] = dot(ux, uy, uz, drift[0], drift[1], drift[2])
        command = gain * dot(ux, uy, uz, error[0], error[1], error[2]) - damping * speed
        wishes_out.wanted[row + i] = command - limits_out.drift[row + i]
        off += speed * speed
    return length(error[0], error[1], error[2]), math.sqrt(off)
