"""Slow twins of the kernels, written with rotation matrices and dense algebra. For tests and probes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from supple.core.arrays import FloatArray
from supple_joints.codes import BALL, FIXED, HINGE, PULL, SLIDER, STRETCH


@dataclass(frozen=True)
class Measured:
    """What is wrong with a link, as vectors in the world, and where it is on its free axis."""

    distance: FloatArray  # [3] of A's anchor from B's, without what is free [m]
    turn: FloatArray  # [3] rotation vector from B's anchor to A's, without what is free [rad]
    position: float  # [m, rad]; a hinge's angle in (-pi, pi]


def measure_link(kind: int, x: FloatArray, q: FloatArray) -> Measured:
    """README eq. (4) to (8) for one link: x [2, 3] and q [2, 4] are the anchors of A and B in the world."""
    away = x[0] - x[1]
    a, b = (Rotation.from_quat(one, scalar_first=True) for one in q)
    turned = (a * b.inv()).as_rotvec()
    nothing = np.zeros(3)
    axis = a.apply([1.0, 0.0, 0.0]) + b.apply([1.0, 0.0, 0.0])
    axis /= np.linalg.norm(axis)
    if kind == SLIDER:
        along = float(axis @ away)
        return Measured(away - along * axis, turned, along)
    if kind == HINGE:
        swing, angle = split_swing_and_twist(a, b)
        return Measured(away, swing, angle)
    if kind == STRETCH:
        return Measured(nothing, nothing, float(np.linalg.norm(away)))
    if kind in (BALL, PULL):
        return Measured(away, nothing, 0.0)
    assert kind == FIXED
    return Measured(away, turned, 0.0)


def split_swing_and_twist(a: Rotation, b: Rotation) -> tuple[FloatArray, float]:
    """The turn from b to a as the shortest turn of the x axis (a vector in the world) and an angle about it."""
    axis_a, axis_b = a.apply([1.0, 0.0, 0.0]), b.apply([1.0, 0.0, 0.0])
    across = np.cross(axis_b, axis_a)
    sine = float(np.linalg.norm(across))
    swing = across * (np.arctan2(sine, axis_a @ axis_b) / sine) if sine > 0 else np.zeros(3)
    aligned = Rotation.from_rotvec(swing) * b  # b with its x axis on that of a: the rest is a twist
    y, z = aligned.apply([0.0, 1.0, 0.0]), aligned.apply([0.0, 0.0, 1.0])
    turned = a.apply([0.0, 1.0, 0.0])
    return swing, float(np.arctan2(turned @ z, turned @ y))


def step_spring(
    mass: float,
    stiffness: float,
    damping: float,
    h: float,
    x: float,
    v: float,
    force: float,
    strongest: float,
) -> tuple[float, float]:
    """Position and velocity after one implicit step of a mass on a spring of bounded force: README eq. (12).

    `force` acts besides. Solved for v' from m (v' - v) = h (force - k (x + h v') - d v'), then bounded.
    """
    new = (mass * v + h * (force - stiffness * x)) / (mass + h * damping + h * h * stiffness)
    pull = -stiffness * (x + h * new) - damping * new
    if abs(pull) > strongest:
        new = v + h / mass * (force + np.sign(pull) * strongest)
    return x + h * new, new
