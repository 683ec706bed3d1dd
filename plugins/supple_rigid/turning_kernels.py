"""How bodies turn: freely, through large angles, and under the pull of joints; equations are numbered in README.md."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.matrix_kernels import solve_small
from supple.math.quaternion_kernels import (
    exponentiate_rotation_vector,
    multiply_quaternions,
    normalise_quaternion,
    rotate_vector,
    rotate_vector_back_at,
)
from supple.math.spin_kernels import find_middle_spin, find_turning_time
from supple.math.vector_kernels import cross
from supple.mechanics.rows import BILATERAL
from supple.mechanics.tension_kernels import SMOOTHING, find_tension_inertia, resist_unsteady_spin
from supple_rigid.layout import Bodies, Motion, Tie, Turning

GYROSCOPIC_ITERATIONS = 20
GYROSCOPIC_TOLERANCE = 1e-15
FAST = 0.02
"""Turn within a step [rad] beyond which a body is turned by eq. (6) to (8)."""
ROUND = 1e-9
"""Relative difference of principal inertias up to which a body is a ball to gyroscopic torques: it has none."""


@njit
def multiply_at(matrix, i, x, y, z):
    """The 3 x 3 matrix of body i times (x, y, z)."""
    return (
        matrix[i, 0, 0] * x + matrix[i, 0, 1] * y + matrix[i, 0, 2] * z,
        matrix[i, 1, 0] * x + matrix[i, 1, 1] * y + matrix[i, 1, 2] * z,
        matrix[i, 2, 0] * x + matrix[i, 2, 1] * y + matrix[i, 2, 2] * z,
    )


@njit
def turn_freely(h, inertia, inverse_inertia, i, wx, wy, wz):
    """Spin after h of free rotation by the implicit midpoint rule: README eq. (2).

    It keeps the kinetic energy and the length of the angular momentum. Solved by fixed-point iteration, which
    converges when the body turns by less than a radian or so within a step.
    """
    mx, my, mz = wx, wy, wz
    for _ in range(GYROSCOPIC_ITERATIONS):
        lx, ly, lz = multiply_at(inertia, i, mx, my, mz)
        tx, ty, tz = cross(mx, my, mz, lx, ly, lz)
        ax, ay, az = multiply_at(inverse_inertia, i, tx, ty, tz)
        nx, ny, nz = wx - 0.5 * h * ax, wy - 0.5 * h * ay, wz - 0.5 * h * az
        change = abs(nx - mx) + abs(ny - my) + abs(nz - mz)
        mx, my, mz = nx, ny, nz
        if change <= GYROSCOPIC_TOLERANCE * (abs(nx) + abs(ny) + abs(nz)):
            break
    return 2.0 * mx - wx, 2.0 * my - wy, 2.0 * mz - wz


@njit_inlined
def is_fast(h, inertia, v, i):
    """Whether body i turns by a large angle within the step and is no ball."""
    if h * h * (v[i, 3] * v[i, 3] + v[i, 4] * v[i, 4] + v[i, 5] * v[i, 5]) <= FAST * FAST:
        return False
    beside = abs(inertia[i, 0, 1]) + abs(inertia[i, 0, 2]) + abs(inertia[i, 1, 2])
    uneven = abs(inertia[i, 0, 0] - inertia[i, 1, 1]) + abs(inertia[i, 1, 1] - inertia[i, 2, 2])
    return beside + uneven > ROUND * inertia[i, 0, 0]


@njit_inlined
def set_response(h, bodies: Bodies, tie: Tie, v, i, work, response_out):
    """response_out[i] = (I + K)^-1. Returns whether K is not zero, and what resists the spin: README eq. (9)."""
    added = work[2]
    abruptness = find_tension_inertia(h, tie.pull[i], tie.pull_before[i], bodies.inertia[i], work[:2], added)
    if abruptness < 0.0:
        for a in range(3):
            for b in range(3):
                response_out[i, a, b] = bodies.inverse_inertia[i, a, b]
        return False, 0.0, 0.0, 0.0
    total = work[3]
    for a in range(3):
        for b in range(3):
            total[a, b] = bodies.inertia[i, a, b] + added[a, b]
    for c in range(3):
        x, y, z = solve_small(total, 1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        response_out[i, 0, c] = x
        response_out[i, 1, c] = y
        response_out[i, 2, c] = z
    rx, ry, rz = resist_unsteady_spin(abruptness, added, v[i, 3], v[i, 4], v[i, 5], tie.mean_spin[i])
    return True, rx, ry, rz


@njit_inlined
def find_free_spin(h, bodies: Bodies, motion: Motion, tie: Tie, i, tx, ty, tz, work, turning_out: Turning):
    """Spin of body i that rows see, under the torque t in the body frame: README eq. (2), (6), (9)."""
    v, response = motion.v, turning_out.response
    wx, wy, wz = v[i, 3], v[i, 4], v[i, 5]
    tied, rx, ry, rz = set_response(h, bodies, tie, v, i, work, response)
    if is_fast(h, bodies.inertia, v, i):
        mx, my, mz, k = find_middle_spin(h, bodies.inertia[i], wx, wy, wz, work[0])
        turning_out.middle[i, 0] = mx
        turning_out.middle[i, 1] = my
        turning_out.middle[i, 2] = mz
        turning_out.middle[i, 3] = find_turning_time(k, mx, my, mz)
        if tied:
            lx, ly, lz = multiply_at(bodies.inertia, i, mx - wx, my - wy, mz - wz)
            ax, ay, az = multiply_at(response, i, lx + h * tx + rx, ly + h * ty + ry, lz + h * tz + rz)
            return wx + ax, wy + ay, wz + az
        ax, ay, az = multiply_at(response, i, tx, ty, tz)
        return mx + h * ax, my + h * ay, mz + h * az
    gx, gy, gz = turn_freely(h, bodies.inertia, bodies.inverse_inertia, i, wx, wy, wz)
    if tied:
        lx, ly, lz = multiply_at(bodies.inertia, i, gx - wx, gy - wy, gz - wz)
        ax, ay, az = multiply_at(response, i, lx + h * tx + rx, ly + h * ty + ry, lz + h * tz + rz)
        return wx + ax, wy + ay, wz + az
    ax, ay, az = multiply_at(response, i, tx, ty, tz)
    return gx + h * ax, gy + h * ay, gz + h * az


@njit
def turn_fast(h, bodies: Bodies, motion: Motion, middle, i, ax, ay, az, work):
    """Rotation and spin of body i whose spin rows made a: README eq. (7), (8). work [3, 3] is scratch."""
    q, v = motion.q, motion.v
    mx, my, mz, time = middle[i, 0], middle[i, 1], middle[i, 2], middle[i, 3]
    dx, dy, dz = ax - mx, ay - my, az - mz
    wx, wy, wz = v[i, 3] + dx, v[i, 4] + dy, v[i, 5] + dz
    if dx != 0.0 or dy != 0.0 or dz != 0.0:  # it turns freely from what forces and impulses made of its spin
        mx, my, mz, k = find_middle_spin(h, bodies.inertia[i], wx, wy, wz, work)
        time = find_turning_time(k, mx, my, mz)
    dw, dx, dy, dz = exponentiate_rotation_vector(time * mx, time * my, time * mz)
    qw, qx, qy, qz = multiply_quaternions(q[i, 0], q[i, 1], q[i, 2], q[i, 3], dw, dx, dy, dz)
    qw, qx, qy, qz = normalise_quaternion(qw, qx, qy, qz)
    lx, ly, lz = multiply_at(bodies.inertia, i, wx, wy, wz)
    lx, ly, lz = rotate_vector(q[i, 0], q[i, 1], q[i, 2], q[i, 3], lx, ly, lz)
    lx, ly, lz = rotate_vector(qw, -qx, -qy, -qz, lx, ly, lz)
    wx, wy, wz = multiply_at(bodies.inverse_inertia, i, lx, ly, lz)
    return qw, qx, qy, qz, wx, wy, wz


@njit
def keep_pulls(h, motion: Motion, jacobian, lever, law, impulse, tie: Tie, v_next, tie_out: Tie):
    """What joints pull at the bodies in this step, in their axes, and their mean spins: README eq. (9)."""
    group, unit, values, q, pull_out = jacobian.group, jacobian.unit, jacobian.values, motion.q, tie_out.pull
    for i in range(pull_out.shape[0]):
        for a in range(3):
            for b in range(3):
                pull_out[i, a, b] = 0.0
    for block in range(jacobian.counts[0]):
        g = group[block]
        if law[g] != BILATERAL:
            continue
        i = unit[block]
        along = impulse[g, 0] / h
        fx, fy, fz = rotate_vector_back_at(
            q, i, along * values[block, 0, 0], along * values[block, 0, 1], along * values[block, 0, 2]
        )
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        rx, ry, rz = rotate_vector_back_at(q, i, lever[block, 0], lever[block, 1], lever[block, 2])
        for b, r in ((0, rx), (1, ry), (2, rz)):
            pull_out[i, 0, b] += fx * r
            pull_out[i, 1, b] += fy * r
            pull_out[i, 2, b] += fz * r
    for i in range(pull_out.shape[0]):
        for a in range(3):
            for b in range(3):
                tie_out.pull_before[i, a, b] = tie.pull[i, a, b]
            mean = tie.mean_spin[i, a]
            tie_out.mean_spin[i, a] = mean + SMOOTHING * (v_next[i, 3 + a] - mean)
