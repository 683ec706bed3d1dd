"""When pushes of walkers begin, and what they add; README eq. (14)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.wrench_kernels import add_force_at_point

EARLY = 1e-6
"""Part of the phase, or time [s], by which a push may come early, for round-off."""
READY = -2.0
"""Start of a push whose time has come, but not its moment; before that it is -1."""


@njit
def await_pushes(time, wait, at, share, current, passed, start, start_out):
    """A push begins when the phase comes so far, after its time; one that is past that already is waited for again."""
    for k in range(at.shape[0]):
        start_out[k] = start[k]
        if start[k] >= 0.0 or time[0] < at[k] - EARLY:
            continue
        m = wait[k, 0]
        due = current[m] == wait[k, 1] and passed[m] >= share[k] - EARLY
        if not due:
            start_out[k] = READY
        elif start[k] == READY:
            start_out[k] = time[0]


@njit
def push_frames(h, number, place, point, force, duration, start, time, rotation, wrench_out):
    """Adds every force in proportion to its overlap with the step."""
    for k in range(start.shape[0]):
        overlap = min(start[k] + duration[k], time[0] + h) - max(start[k], time[0])
        if place[k, 0] != number or start[k] < 0.0 or overlap <= 0.0:
            continue
        i, part = place[k, 1], overlap / h
        fx, fy, fz = part * force[k, 0], part * force[k, 1], part * force[k, 2]
        add_force_at_point(rotation, i, point, k, fx, fy, fz, wrench_out)
