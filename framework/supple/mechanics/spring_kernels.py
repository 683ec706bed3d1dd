"""Springs as rows by the consistent theta method, and their books; equations are those of supple_joints' README."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.mechanics.block_matrix import Blocks
from supple.mechanics.problem import Origin, Rows
from supple.mechanics.spring_tables import FAST, SLOW, SpringTable


@njit
def choose_implicitness(h, setting, stiffness, damping, response):
    """Where in the step a spring is taken: README eq. (12b); `response` is the velocity that a unit impulse makes."""
    if setting > 0.0:
        return setting
    if stiffness == 0.0:
        return 1.0
    swing = h * max(math.sqrt(stiffness * max(response, 0.0)), damping * response)
    return 0.5 + 0.5 * min(max((swing - SLOW) / (FAST - SLOW), 0.0), 1.0)


@njit_inlined
def resist(h, theta, late, stiffness, damping):
    """Force against a row per velocity after the step."""
    return damping * theta + h * stiffness * (0.5 if late else theta * theta)


@njit_inlined
def pull_back(h, theta, late, stiffness, damping, goal, w, pull):
    """Force against a row without velocity after the step; w is that before, `pull` the same with theta = 1."""
    if late:
        return pull + (1.0 - theta) * damping * w + 0.5 * stiffness * h * goal
    lag = (1.0 + theta) * goal - (1.0 - theta) * (w - goal)
    return pull + (1.0 - theta) * (damping * w + stiffness * h * lag)


@njit_inlined
def begins_beyond(h, theta, stiffness, bound, stretch, goal, w):
    """Whether a bounded spring is beyond its bound at the start: then its force is that of the step's end.

    Taken at the middle it would give back more than it took where it comes back within its bound.
    """
    middle = stretch + h * goal - 0.5 * h * (w - goal)
    return theta < 0.75 and stiffness * abs(middle) > bound


@njit
def close_springs(h, springs_out: SpringTable, blocks: Blocks, rows_out: Rows, origin_out: Origin):
    """Compliance and bias of all springs of a source, now that W is known."""
    for n in range(springs_out.counts[0]):
        g = springs_out.group[n]
        k, d, goal = springs_out.stiffness[n], springs_out.damping[n], springs_out.goal[n]
        w = origin_out.u_now[g, 0]
        response = blocks.values[blocks.diagonal[g], 0, 0]
        theta = choose_implicitness(h, springs_out.setting[n], k, d, response)
        late = begins_beyond(h, theta, k, springs_out.bound[n], springs_out.stretch[n], goal, w)
        springs_out.theta[n] = theta
        springs_out.late[n] = late
        resisting = resist(h, theta, late, k, d)
        rows_out.compliance[g, 0] = 1.0 / (h * resisting)
        origin_out.bias[g, 0] = pull_back(h, theta, late, k, d, goal, w, springs_out.pull[n]) / resisting


@njit_inlined
def store(stiffness, bound, stretch):
    """Energy of a spring whose force never exceeds `bound` [J]."""
    force = stiffness * abs(stretch)
    if force <= bound:
        return 0.5 * force * abs(stretch)
    return bound * (abs(stretch) - 0.5 * bound / stiffness)


@njit
def keep_books(h, theta, stiffness, damping, bound, start, r, r_next, impulse):
    """Energy stored before and after a step, numerical loss, and what the damper took [J]: README eq. (12c) to (12e).

    `start` is the stretch at the start; r and r_next are its rates. Of a bounded spring without damper, whatever was
    neither stored nor given is numerical; with a damper it is the damper's.
    """
    e = theta - 0.5
    held = 0.5 * (e * e * h * h * stiffness + e * h * damping)
    first, last = start - 0.5 * h * r, start + 0.5 * h * r_next
    before, after = store(stiffness, bound, first), store(stiffness, bound, last)
    mean = 0.5 * (r + r_next)
    lost, damped = 2.0 * e * h * h * stiffness * mean * mean, h * damping * mean * mean
    if bound == math.inf:
        return before + held * r * r, after + held * r_next * r_next, lost, damped
    beyond = stiffness * max(abs(first), abs(last)) > bound or abs(impulse) >= h * bound * (1.0 - 1e-12)
    if not beyond:
        return before, after, lost + held * (r_next * r_next - r * r), damped
    rest = -impulse * mean - (after - before)
    return (before, after, rest, 0.0) if damping == 0.0 else (before, after, 0.0, rest)


@njit
def book_springs(h, time, springs: SpringTable, u_now, u_next, impulse, sums_out):
    """Adds the springs of a source to the energy of the step; sums_out are before, stored, lost, given, driven.

    `given` is that part of the work of rows which springs gave from what they had stored, or lost; `driven` is what
    those that follow moving targets have stored, and before it in the first step.
    """
    for n in range(springs.counts[0]):
        g = springs.group[n]
        goal, damping = springs.goal[n], springs.damping[n]
        r, r_next = u_now[g, 0] - goal, u_next[g, 0] - goal
        before, after, lost, damped = keep_books(
            h, springs.theta[n], springs.stiffness[n], damping, springs.bound[n],
            springs.stretch[n] + h * goal, r, r_next, impulse[g, 0],
        )  # fmt: skip
        sums_out[0] += before
        sums_out[1] += after
        if springs.drives[n] == 1:
            # What is neither stored nor lost is work of the drive.
            lost = 0.5 * (springs.theta[n] - 0.5) * h * h * springs.stiffness[n] * (r + r_next) ** 2
            if abs(impulse[g, 0]) >= h * springs.bound[n] * (1.0 - 1e-12):
                lost = 0.0
            sums_out[3] -= after + lost
            sums_out[4] += after
            if time[0] == 0.0:
                sums_out[3] += before
        else:
            sums_out[3] += impulse[g, 0] * 0.5 * (u_now[g, 0] + u_next[g, 0]) + damped
        sums_out[2] += lost


@njit
def finish_books(
    time, driven, sums_inout, before_out, potential_out, stored_out, numerical_out, given_out, driven_out
):
    """Hands the sums of all sources over; `driven` is what drives had stored after the last step."""
    before_out[0] += sums_inout[0]
    potential_out[0] += sums_inout[1]
    stored_out[0] += sums_inout[1]
    numerical_out[0] += sums_inout[2]
    given_out[0] += sums_inout[3] + (0.0 if time[0] == 0.0 else driven[0])
    driven_out[0] = sums_inout[4]
    for k in range(5):
        sums_inout[k] = 0.0
