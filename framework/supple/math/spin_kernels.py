"""Free rotation of a rigid body through an angle that is not small.

The implicit midpoint rule with the step k, m = w - k/2 I^-1 (m x I m), together with the turn of Cayley by k m keeps
the kinetic energy and the angular momentum in the world exactly, whatever k is. It is chosen such that a body turns by
h |w| about an axis of its inertia: k |w| / 2 = tan(h |w| / 2). Where that has no solution within reach, k = h.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.matrix_kernels import solve_small
from supple.math.quaternion_kernels import multiply_quaternions, normalise_quaternion
from supple.math.vector_kernels import cross, length

ITERATIONS = 40
CLOSE = 1e-15
LARGEST_HALF_TURN = 1.0
"""Half of the greatest turn [rad] that is met; who spins faster is turned by less than h |w|."""
PARTS = 16
"""Steps in which k is led up to h where Newton's method does not find the way at once."""


@njit
def stretch_step(h, wx, wy, wz):
    """The step k [s] of the rule for the spin w."""
    spin = length(wx, wy, wz)
    half = min(0.5 * h * spin, LARGEST_HALF_TURN)
    return h if half < 1e-4 else 2.0 * math.tan(half) / spin


@njit
def refine_middle_spin(k, inertia, wx, wy, wz, mx, my, mz, work):
    """Newton's method for m, from a guess; returns m and whether it came to its end. work [3, 3] is scratch."""
    scale = abs(wx) + abs(wy) + abs(wz)
    last = math.inf
    for _ in range(ITERATIONS):
        lx = inertia[0, 0] * mx + inertia[0, 1] * my + inertia[0, 2] * mz
        ly = inertia[1, 0] * mx + inertia[1, 1] * my + inertia[1, 2] * mz
        lz = inertia[2, 0] * mx + inertia[2, 1] * my + inertia[2, 2] * mz
        dx, dy, dz = mx - wx, my - wy, mz - wz
        tx, ty, tz = cross(mx, my, mz, lx, ly, lz)
        fx = inertia[0, 0] * dx + inertia[0, 1] * dy + inertia[0, 2] * dz + 0.5 * k * tx
        fy = inertia[1, 0] * dx + inertia[1, 1] * dy + inertia[1, 2] * dz + 0.5 * k * ty
        fz = inertia[2, 0] * dx + inertia[2, 1] * dy + inertia[2, 2] * dz + 0.5 * k * tz
        # The derivative: I + k/2 ([m]x I - [I m]x).
        for c in range(3):
            a, b, d = cross(mx, my, mz, inertia[0, c], inertia[1, c], inertia[2, c])
            work[0, c] = inertia[0, c] + 0.5 * k * a
            work[1, c] = inertia[1, c] + 0.5 * k * b
            work[2, c] = inertia[2, c] + 0.5 * k * d
        work[0, 1] += 0.5 * k * lz
        work[0, 2] -= 0.5 * k * ly
        work[1, 0] -= 0.5 * k * lz
        work[1, 2] += 0.5 * k * lx
        work[2, 0] += 0.5 * k * ly
        work[2, 1] -= 0.5 * k * lx
        sx, sy, sz = solve_small(work, fx, fy, fz)
        mx, my, mz = mx - sx, my - sy, mz - sz
        change = abs(sx) + abs(sy) + abs(sz)
        if change <= CLOSE * scale or (change < 1e-12 * scale and change >= last):
            return mx, my, mz, True
        last = change
    return mx, my, mz, False


@njit
def find_middle_spin(h, inertia, wx, wy, wz, work):
    """Spin m in the middle of a step from the spin w, in the body frame, and the step k, as four floats."""
    k = stretch_step(h, wx, wy, wz)
    mx, my, mz, found = refine_middle_spin(k, inertia, wx, wy, wz, wx, wy, wz, work)
    if found:
        return mx, my, mz, k
    mx, my, mz = wx, wy, wz
    for part in range(1, PARTS + 1):
        k = h * part / PARTS
        mx, my, mz, found = refine_middle_spin(k, inertia, wx, wy, wz, mx, my, mz, work)
    return mx, my, mz, h


@njit
def find_turning_time(k, mx, my, mz):
    """The time [s] in which the spin m turns by as much as the turn of Cayley by k m."""
    spin = length(mx, my, mz)
    return k if k * spin < 1e-8 else 2.0 * math.atan(0.5 * k * spin) / spin


@njit
def turn_by_cayley(k, qw, qx, qy, qz, mx, my, mz):
    """The rotation q after a step k with the spin m in the body frame, as four floats."""
    w, x, y, z = multiply_quaternions(qw, qx, qy, qz, 1.0, 0.5 * k * mx, 0.5 * k * my, 0.5 * k * mz)
    return normalise_quaternion(w, x, y, z)
