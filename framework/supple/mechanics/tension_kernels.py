"""Inertia that makes the pull of joints implicit: the geometric stiffness of what hangs on a rigid body.

A force F that keeps its direction while the body turns, at the lever r from the point about which it turns, has the
torque r x F, whose derivative by the turn is -H with H = (F . r) 1 - (F r^T + r F^T) / 2. A light body under great
tension swings about it faster than steps can follow: explicit steps end at h^2 H = 4 I. What h^2 |H| exceeds a quarter
of I by is added to the inertia, K, and half of it damps the part of the spin that is not steady:

    (I + K) (w' - w) = ... - d K (w - (1 - s) mean w),   d = (1 + s) / 2

s from 0 to 1 says how abruptly the pull changes: then nothing is known about H after the step, and all of K damps.

pull [3, 3] is the sum of F r^T, all in the axes of the body.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.matrix_kernels import diagonalise

BORNE = 0.25
"""Part of the inertia up to which h^2 |H| needs no help."""
UNSTABLE = 4.0
"""h^2 |H| in terms of the inertia at which explicit steps end."""
SMOOTHING = 0.2
"""Share of a step in the mean spin."""


@njit
def stiffen(pull, a, b):
    """Entry (a, b) of H."""
    trace = pull[0, 0] + pull[1, 1] + pull[2, 2] if a == b else 0.0
    return trace - 0.5 * (pull[a, b] + pull[b, a])


@njit
def bound_least_inertia(inertia):
    """A number [kg m^2] that no principal inertia is below: 4 det / trace^2."""
    determinant = (
        inertia[0, 0] * (inertia[1, 1] * inertia[2, 2] - inertia[1, 2] * inertia[2, 1])
        - inertia[0, 1] * (inertia[1, 0] * inertia[2, 2] - inertia[1, 2] * inertia[2, 0])
        + inertia[0, 2] * (inertia[1, 0] * inertia[2, 1] - inertia[1, 1] * inertia[2, 0])
    )
    trace = inertia[0, 0] + inertia[1, 1] + inertia[2, 2]
    return max(0.0, 4.0 * determinant / (trace * trace)) if trace > 0.0 else 0.0


@njit
def find_tension_inertia(h, pull, pull_before, inertia, work, added_out):
    """added_out [3, 3] = K. Returns s, or -1 where K is zero; then added_out means nothing.

    work [2, 3, 3] is scratch.
    """
    square, square_before, square_change = 0.0, 0.0, 0.0
    for a in range(3):
        for b in range(3):
            now, before = stiffen(pull, a, b), stiffen(pull_before, a, b)
            square += now * now
            square_before += before * before
            square_change += (now - before) * (now - before)
    # An impact pulls for one step: what was slack before it is left alone as long as explicit steps bear it.
    borne = BORNE if square_before > 0.0 else UNSTABLE
    if square == 0.0 or h * h * math.sqrt(square) <= borne * bound_least_inertia(inertia):
        return -1.0
    matrix, vectors = work[0], work[1]
    for a in range(3):
        for b in range(3):
            matrix[a, b] = stiffen(pull, a, b)
    diagonalise(matrix, vectors)
    e0, e1, e2 = h * h * abs(matrix[0, 0]), h * h * abs(matrix[1, 1]), h * h * abs(matrix[2, 2])
    for a in range(3):
        for b in range(3):
            whole = e0 * vectors[a, 0] * vectors[b, 0] + e1 * vectors[a, 1] * vectors[b, 1]
            added_out[a, b] = whole + e2 * vectors[a, 2] * vectors[b, 2] - BORNE * inertia[a, b]
    for a in range(3):
        for b in range(3):
            matrix[a, b] = 0.5 * (added_out[a, b] + added_out[b, a])
    diagonalise(matrix, vectors)
    e0, e1, e2 = max(0.0, matrix[0, 0]), max(0.0, matrix[1, 1]), max(0.0, matrix[2, 2])
    if e0 == 0.0 and e1 == 0.0 and e2 == 0.0:
        return -1.0
    for a in range(3):
        for b in range(3):
            whole = e0 * vectors[a, 0] * vectors[b, 0] + e1 * vectors[a, 1] * vectors[b, 1]
            added_out[a, b] = whole + e2 * vectors[a, 2] * vectors[b, 2]
    return min(1.0, 2.0 * math.sqrt(square_change) / (math.sqrt(square) + math.sqrt(square_before)))


@njit
def resist_unsteady_spin(abruptness, added, wx, wy, wz, mean):
    """The angular impulse -d K (w - (1 - s) mean), in the axes of the body, as three floats."""
    d, kept = 0.5 + 0.5 * abruptness, 1.0 - abruptness
    x, y, z = wx - kept * mean[0], wy - kept * mean[1], wz - kept * mean[2]
    return (
        -d * (added[0, 0] * x + added[0, 1] * y + added[0, 2] * z),
        -d * (added[1, 0] * x + added[1, 1] * y + added[1, 2] * z),
        -d * (added[2, 0] * x + added[2, 1] * y + added[2, 2] * z),
    )
