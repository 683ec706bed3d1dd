"""Where tasks should be, and the accelerations that bring them there: README eq. (1) to (3)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.curve_kernels import sample_curve
from supple.math.quaternion_kernels import exponentiate_rotation_vector, multiply_quaternions
from supple_tasks.layout import (
    AT_OTHER,
    AXIS,
    BEGAN,
    BY_CURVE,
    BY_VALUE,
    CUBIC,
    CURVE,
    CURVED,
    DURATION,
    END_RATE,
    FIXED,
    GAIN_FROM,
    GAIN_PLACE,
    GOAL,
    HOLD,
    INTERCEPT,
    LAST_GOAL,
    MACHINE,
    NORMAL,
    OFFSET,
    PLACE,
    PLACE_THEN,
    QUINTIC,
    ROTATION_THEN,
    TARGET,
    TOLD_GAIN,
    VALUE,
    VELOCITY_THEN,
    WAS,
)  # fmt: skip
from supple_tasks.records import Book, Clock, Seen


@njit
def switch_task(t, book: Book, clock: Clock, seen: Seen, start_out):
    """Whether a task is active; when it becomes so, what it finds is noted."""
    machine = book.task[t, MACHINE]
    active = machine < 0 or book.during[t, clock.current[machine]] != 0
    if active and start_out[t, WAS] == 0.0:
        start_out[t, BEGAN] = clock.time[0]
        for k in range(3):
            start_out[t, PLACE_THEN + k] = seen.place[t, k]
            start_out[t, VELOCITY_THEN + k] = seen.velocity[t, k]
            start_out[t, LAST_GOAL + k] = seen.place[t, k]
        for k in range(4):
            start_out[t, ROTATION_THEN + k] = seen.rotation[t, k]
    start_out[t, WAS] = 1.0 if active else 0.0
    return active


@njit
def find_gain(t, book: Book, clock: Clock, passed):
    """The gain of a task now [1/s^2]."""
    place = book.task[t, GAIN_PLACE]
    if book.task[t, GAIN_FROM] == BY_VALUE:
        return clock.value[place]
    if book.task[t, GAIN_FROM] == BY_CURVE:
        shape, first, count = book.curve[place, 0], book.curve[place, 1], book.curve[place, 2]
        return sample_curve(shape, first, count, book.segment, passed)[0]
    return book.told[t, TOLD_GAIN]


@njit
def find_goal(t, h, book: Book, clock: Clock, seen: Seen, start_out, goal_out):
    """Place, rate and acceleration [3, 3] that a task should have at the end of the step."""
    source, number = book.task[t, GOAL], book.number
    passed = clock.time[0] + h - start_out[t, BEGAN]
    if source == INTERCEPT:
        intercept(t, number, clock.gravity, seen, start_out)
    for k in range(3):
        goal_out[1, k] = goal_out[2, k] = 0.0
        if source == HOLD:
            goal_out[0, k] = start_out[t, PLACE_THEN + k]
        elif source == FIXED:
            goal_out[0, k] = book.told[t, k]
        elif source == AT_OTHER:
            goal_out[0, k] = seen.other_place[t, k]
        elif source == INTERCEPT:
            goal_out[0, k] = start_out[t, LAST_GOAL + k]
        elif source == VALUE:
            place = book.task[t, PLACE] + k
            goal_out[0, k], goal_out[1, k] = clock.value[place], clock.rate[place]
            goal_out[2, k] = clock.acceleration[place]
        elif source == CURVED:
            row = book.task[t, CURVE] + k
            shape, first, count = book.curve[row, 0], book.curve[row, 1], book.curve[row, 2]
            goal_out[0, k], goal_out[1, k], goal_out[2, k] = sample_curve(
                shape, first, count, book.segment, passed
            )
        elif source in (CUBIC, QUINTIC):
            goal_out[0, k], goal_out[1, k], goal_out[2, k] = follow_path(
                source, start_out[t, PLACE_THEN + k], start_out[t, VELOCITY_THEN + k],
                number[t, TARGET + k], number[t, END_RATE + k], number[t, DURATION], passed,
            )  # fmt: skip


@njit
def follow_path(shape, x0, v0, x1, v1, T, passed):
    """Value, rate and acceleration of a path from x0 at v0 to x1 at v1 within T, which is held afterwards."""
    if passed > T:
        return x1, 0.0, 0.0
    u, d = passed / T, x1 - x0
    m0, m1 = v0 * T, v1 * T
    if shape == CUBIC:
        value = x0 + d * u * u * (3.0 - 2.0 * u) + m0 * u * (1.0 - u) ** 2 - m1 * u * u * (1.0 - u)
        rate = d * 6.0 * u * (1.0 - u) + m0 * (1.0 - u * (4.0 - 3.0 * u)) + m1 * u * (3.0 * u - 2.0)
        second = d * (6.0 - 12.0 * u) + m0 * (6.0 * u - 4.0) + m1 * (6.0 * u - 2.0)
        return value, rate / T, second / (T * T)
    value = x0 + d * u**3 * (10.0 - u * (15.0 - 6.0 * u))
    value += m0 * u * (1.0 - u * u * (6.0 - u * (8.0 - 3.0 * u))) - m1 * u**3 * (4.0 - u * (7.0 - 3.0 * u))
    rate = d * 30.0 * u * u * (1.0 - u) ** 2
    rate += m0 * (1.0 - u * u * (18.0 - u * (32.0 - 15.0 * u))) - m1 * u * u * (12.0 - u * (28.0 - 15.0 * u))
    second = d * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
    second += -m0 * u * (36.0 - u * (96.0 - 60.0 * u)) - m1 * u * (24.0 - u * (84.0 - 60.0 * u))
    return value, rate / T, second / (T * T)


@njit
def intercept(t, number, gravity, seen: Seen, start_out):
    """Where the other one, which falls freely, will pass the plane; without a future passing the goal stays."""
    a = b = c = 0.0
    for k in range(3):
        n = number[t, NORMAL + k]
        a += 0.5 * n * gravity[k]
        b += n * seen.other_velocity[t, k]
        c += n * seen.other_place[t, k]
    c -= number[t, OFFSET]
    when = math.inf
    if abs(a) < 1e-9:
        if b != 0.0 and -c / b > 0.0:
            when = -c / b
    elif b * b >= 4.0 * a * c:
        root = math.sqrt(b * b - 4.0 * a * c)
        for sign in (-1.0, 1.0):
            candidate = (-b + sign * root) / (2.0 * a)
            if candidate > 0.0:
                when = min(when, candidate)
    if when < math.inf:
        for k in range(3):
            start_out[t, LAST_GOAL + k] = seen.other_place[t, k] + when * (
                seen.other_velocity[t, k] + 0.5 * when * gravity[k]
            )


@njit
def turn_to_goal(t, book: Book, seen: Seen, start, goal, error_out):
    """Rotation vector [3] in the world from how a bone is turned to how it should be."""
    if book.task[t, GOAL] == HOLD:
        w, x, y, z = (
            start[t, ROTATION_THEN], start[t, ROTATION_THEN + 1], start[t, ROTATION_THEN + 2],
            start[t, ROTATION_THEN + 3],
        )  # fmt: skip
    else:
        w, x, y, z = exponentiate_rotation_vector(goal[0, 0], goal[0, 1], goal[0, 2])
    r = seen.rotation
    w, x, y, z = multiply_quaternions(w, x, y, z, r[t, 0], -r[t, 1], -r[t, 2], -r[t, 3])
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(size, w) / size if size > 1e-12 else 2.0
    error_out[0], error_out[1], error_out[2] = factor * x, factor * y, factor * z


@njit
def turn_sight(t, book: Book, seen: Seen, goal, sight_out, error_out):
    """The line of sight now, and the rotation vector that turns it to the target by the shortest way."""
    r, n = seen.rotation, book.number
    w, x, y, z = multiply_quaternions(
        r[t, 0], r[t, 1], r[t, 2], r[t, 3], 0.0, n[t, AXIS], n[t, AXIS + 1], n[t, AXIS + 2]
    )
    w, x, y, z = multiply_quaternions(w, x, y, z, r[t, 0], -r[t, 1], -r[t, 2], -r[t, 3])
    sight_out[0], sight_out[1], sight_out[2] = x, y, z
    dx, dy, dz = goal[0, 0] - seen.place[t, 0], goal[0, 1] - seen.place[t, 1], goal[0, 2] - seen.place[t, 2]
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    scale = 1.0 / size if size > 1e-12 else 0.0
    cx, cy, cz = (y * dz - z * dy) * scale, (z * dx - x * dz) * scale, (x * dy - y * dx) * scale
    sine, cosine = math.sqrt(cx * cx + cy * cy + cz * cz), (x * dx + y * dy + z * dz) * scale
    factor = math.atan2(sine, cosine) / sine if sine > 1e-12 else 1.0
    error_out[0], error_out[1], error_out[2] = factor * cx, factor * cy, factor * cz
