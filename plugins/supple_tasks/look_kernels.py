"""Where tasks about points are, their rows of J, and what is told of the answer."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.layout import (
    AXES,
    FIRST,
    FORCE_USED,
    GAZE,
    KIND,
    MISSED,
    ORIENTATION,
    RELATIVE,
    SHARE,
)  # fmt: skip
from supple_tasks.records import Book, Centres, Points, Seen
from supple_tasks.tables import Answer, Limits, Wishes

# Where `supple.mechanics.dynamics` has them in a row of numbers.
ROTATION, VELOCITY, SPIN, DRIFT, SPIN_DRIFT = 3, 7, 10, 13, 16


@njit
def look_at_points(book: Book, points: Points, seen_out: Seen, wishes_out: Wishes):
    """Places, velocities, drifts and rows of J of all tasks that are about points or turns."""
    for t in range(book.task.shape[0]):
        mine, other, kind = points.slot[t, 0], points.slot[t, 1], book.task[t, KIND]
        if mine < 0:
            continue
        moved, turning = points.motion[mine], kind in (ORIENTATION, GAZE)
        rate, drift = (SPIN, SPIN_DRIFT) if turning else (VELOCITY, DRIFT)
        for k in range(3):
            seen_out.place[t, k] = moved[k]
            seen_out.velocity[t, k], seen_out.drift[t, k] = moved[rate + k], moved[drift + k]
        for k in range(4):
            seen_out.rotation[t, k] = moved[ROTATION + k]
        if other >= 0:
            look_at_other(t, kind == RELATIVE, points.motion[other], seen_out)
        row = book.task[t, FIRST]
        for k in range(3):
            if kind == GAZE or book.task[t, AXES] & (1 << k) != 0:
                set_row(
                    points,
                    mine,
                    other if kind == RELATIVE else -1,
                    3 + k if turning else k,
                    wishes_out.J[row],
                )
                row += 1


@njit
def look_at_other(t, relative, moved, seen_out: Seen):
    """The other one, which for relative positions is taken off."""
    for k in range(3):
        seen_out.other_place[t, k], seen_out.other_velocity[t, k] = moved[k], moved[VELOCITY + k]
        if relative:
            seen_out.place[t, k] -= moved[k]
            seen_out.velocity[t, k] -= moved[VELOCITY + k]
            seen_out.drift[t, k] -= moved[DRIFT + k]


@njit
def set_row(points: Points, mine, other, which, row_out):
    """One row of J, less that of the other one if there is any."""
    jacobian = points.jacobian[mine, which]
    for k in range(row_out.shape[0]):
        row_out[k] = jacobian[k]
    if other >= 0:
        jacobian = points.jacobian[other, which]
        for k in range(row_out.shape[0]):
            row_out[k] -= jacobian[k]


@njit
def look_at_centres(centres: Centres, seen_out: Seen, wishes_out: Wishes, part, whole, matrix):
    """What one part of the dynamics gives to all centres of mass; parts come in turn, the first one first.

    `whole` [15] is its centre, momenta and their drift, `matrix` [6, n] its momenta by its rates.
    """
    for c in range(centres.task.shape[0]):
        t, mass, total = centres.task[c], centres.mass[c, part], 0.0
        for p in range(centres.mass.shape[1]):
            total += centres.mass[c, p]
        if part == 0:
            for k in range(3):
                seen_out.place[t, k] = seen_out.velocity[t, k] = seen_out.drift[t, k] = 0.0
        if mass == 0.0:
            continue
        for k in range(3):
            seen_out.place[t, k] += mass / total * whole[k]
            seen_out.velocity[t, k] += whole[3 + k] / total
            seen_out.drift[t, k] += whole[9 + k] / total
            if centres.row[c, k] >= 0:
                out = wishes_out.J[centres.row[c, k]]
                for i in range(matrix.shape[1]):
                    out[centres.column[part] + i] = matrix[k, i] / total


@njit
def begin_telling(torque_out, probed_out):
    """Nothing acts yet, and nobody has looked."""
    for k in range(torque_out.shape[0]):
        torque_out[k] = 0.0
    for row in range(probed_out.shape[0]):
        for k in range(probed_out.shape[1]):
            probed_out[row, k] = math.nan


@njit
def act_and_tell(
    answer: Answer, limits: Limits, places, yielded, force_out, torque_out, observed_out, whole_out
):
    """Torques are added to the forces of the skeletons, and what is left of wishes is told.

    `places` [m, 2] are rates of the skeletons, and of the controller; `yielded` [3] goes into the last of whole_out.
    """
    for i in range(places.shape[0]):
        value = answer.tau[places[i, 1]]
        force_out[places[i, 0]] += value
        torque_out[places[i, 0]] = value
    greatest, softened = 0.0, 0
    for k in range(answer.tau.shape[0]):
        greatest = max(greatest, abs(answer.tau[k]))
    for level in range(answer.softened.shape[0]):
        softened += answer.softened[level]
    whole_out[0] = whole_out[1] = greatest
    whole_out[2] = softened
    for k in range(3):
        whole_out[3 + k] = yielded[k]
    for t in range(limits.first.shape[0]):
        observed_out[t, FORCE_USED], observed_out[t, SHARE] = limits.force[t], limits.share[t]
        square = 0.0
        for row in range(limits.first[t], limits.first[t] + limits.size[t]):
            square += answer.left[row] * answer.left[row]
        observed_out[t, MISSED] = math.sqrt(square)
