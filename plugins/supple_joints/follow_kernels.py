"""When grasps that follow phases close and open."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def follow_phases(flags, never, step, active, first, last, first_out, last_out):
    """Rows of flags: grasp, its place in `active`, and the step from which on it may close."""
    for i in range(flags.shape[0]):
        grasp, now = flags[i, 0], step[0]
        holds = first[grasp] <= now and now < last[grasp]
        wanted = active[flags[i, 1]] != 0 and now >= flags[i, 2]
        if wanted and not holds:
            first_out[grasp], last_out[grasp] = now, never
        elif holds and not wanted:
            last_out[grasp] = now
