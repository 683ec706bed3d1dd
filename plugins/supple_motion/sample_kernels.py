"""Reference coordinates at a time; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.curve_kernels import find_segment, weigh_tangents
from supple.math.curve_layout import BASE, DURATION, NEXT_TANGENT, START, TANGENT, WAY
from supple.math.quaternion_kernels import (
    exponentiate_rotation_vector,
    find_rotation_vector,
    multiply_quaternions,
    normalise_quaternion,
)
from supple_bones.layout import BALL, FREE, JOINT, Q_FIRST, V_COUNT, V_FIRST
from supple_motion.layout import (
    BY_SHARE,
    CLOCK,
    COORDINATE,
    FIRST_SEGMENT,
    OFFSET,
    PERIOD,
    PHASE,
    SEGMENT_COUNT,
    SHAPE,
    SPEED,
    TURNS,
)  # fmt: skip


@njit
def sample_track_at(track, segment, n, at, q_out):
    """Sets the coordinates of track n where its own time is `at`: README eq. (1) and (2)."""
    first = track[n, FIRST_SEGMENT]
    k = find_segment(first, track[n, SEGMENT_COUNT], at, segment)
    u = min(max((at - segment[k, START]) / segment[k, DURATION], 0.0), 1.0)
    way, tangent, following = weigh_tangents(track[n, SHAPE], u)
    rx = way * segment[k, WAY] + tangent * segment[k, TANGENT] + following * segment[k, NEXT_TANGENT]
    a = track[n, COORDINATE]
    if track[n, TURNS] == 0:
        q_out[a] = segment[k, BASE] + rx
        return
    ry = (
        way * segment[k, WAY + 1]
        + tangent * segment[k, TANGENT + 1]
        + following * segment[k, NEXT_TANGENT + 1]
    )
    rz = (
        way * segment[k, WAY + 2]
        + tangent * segment[k, TANGENT + 2]
        + following * segment[k, NEXT_TANGENT + 2]
    )
    dw, dx, dy, dz = exponentiate_rotation_vector(rx, ry, rz)
    w, x, y, z = multiply_quaternions(
        segment[k, BASE], segment[k, BASE + 1], segment[k, BASE + 2], segment[k, BASE + 3], dw, dx, dy, dz
    )
    w, x, y, z = normalise_quaternion(w, x, y, z)
    q_out[a] = w
    q_out[a + 1] = x
    q_out[a + 2] = y
    q_out[a + 3] = z


@njit
def sample_track(track, clock, segment, n, time, q_out):
    """Sets the coordinates of track n at `time` of the run."""
    m = track[n, CLOCK]
    first = track[n, FIRST_SEGMENT]
    at = clock[m, OFFSET] + clock[m, SPEED] * time
    period = clock[m, PERIOD]
    if period > 0.0:
        begin = segment[first, START]
        at -= period * math.floor((at - begin) / period)
    sample_track_at(track, segment, n, at, q_out)


@njit
def set_turn_rate(h, now, then, a, k, rate_out):
    """Angular velocity in the bone's axes that turns the quaternion now[a] into then[a] within h."""
    w, x, y, z = multiply_quaternions(
        now[a], -now[a + 1], -now[a + 2], -now[a + 3], then[a], then[a + 1], then[a + 2], then[a + 3]
    )
    rx, ry, rz = find_rotation_vector(w, x, y, z)
    rate_out[k] = rx / h
    rate_out[k + 1] = ry / h
    rate_out[k + 2] = rz / h


@njit
def find_rates(h, bone, now, then, rate_out):
    """Rates that lead from the coordinates `now` to `then` within h: README eq. (5)."""
    for i in range(bone.shape[0]):
        a = bone[i, Q_FIRST]
        k = bone[i, V_FIRST]
        joint = bone[i, JOINT]
        if joint == BALL:
            set_turn_rate(h, now, then, a, k, rate_out)
            continue
        for local in range(3 if joint == FREE else bone[i, V_COUNT]):
            rate_out[k + local] = (then[a + local] - now[a + local]) / h
        if joint == FREE:
            set_turn_rate(h, now, then, a + 3, k + 3, rate_out)


@njit
def sample_tracks(start, track, clock, segment, time, time_next, now_out, target_out):
    """Coordinates at the start and at the end of the step; those without a track stay as they were at the start."""
    for a in range(start.shape[0]):
        now_out[a] = start[a]
        target_out[a] = start[a]
    for n in range(track.shape[0]):
        sample_track(track, clock, segment, n, time[0], now_out)
        sample_track(track, clock, segment, n, time_next[0], target_out)


@njit
def sample_targets(h, bone, start, track, clock, segment, time, time_next, now_out, target_out, rate_out):
    """Reference coordinates at the start and at the end of the step, and the rates between them.

    Both times are the clock's, so the target of a step is bit for bit where the next one starts.
    """
    sample_tracks(start, track, clock, segment, time, time_next, now_out, target_out)
    find_rates(h, bone, now_out, target_out, rate_out)


@njit
def sample_phased_tracks(h, track, segment, current, time, duration, now_out, target_out):
    """The same for the tracks of the phases that last, instead of what was set before."""
    for n in range(track.shape[0]):
        machine, phase = track[n, CLOCK], track[n, PHASE]
        if current[machine] != phase:
            continue
        span = duration[phase] if track[n, BY_SHARE] == 1 else 1.0
        sample_track_at(track, segment, n, time[machine] / span, now_out)
        sample_track_at(track, segment, n, (time[machine] + h) / span, target_out)
