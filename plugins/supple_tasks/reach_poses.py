"""Poses that bring a point to given places by the least change of joints, those that move readily first.

Damped steps of inverse kinematics: with the derivative J of the point by the rates, and E how readily each rate moves,

    v = E J^T (J E J^T + d 1)^-1 (place - point) + r E (1 - J^+ J) (rest - pose)
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.kept_arrays import keep_arrays
from supple.core.pose import rotate
from supple_bones.coordinate_kernels import integrate_coordinates, subtract_coordinates
from supple_bones.kinematics_kernels import place_bones

ROUNDS = 15  # from the pose of a place next to it
DAMPING = 1e-4
RETURN = 0.2  # part of the way to the pose at the start that a round takes, where the point allows it
NUDGE = 1e-6  # for derivatives [rad, m]


@dataclass(frozen=True)
class Placer:
    """Where bones are in a pose: tables of all bones."""

    bone: IntArray
    frame: FloatArray
    axes: int

    def place(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Origins [bones, 3] m and rotations [bones, 4]."""
        x, rotation = np.zeros((len(self.bone), 3)), np.zeros((len(self.bone), 4))
        place_bones(self.bone, self.frame, q, x, rotation, np.zeros((self.axes, 6)))
        return x, rotation

    def find_point(self, q: FloatArray, row: int, point: FloatArray) -> FloatArray:
        """A point of a bone in the world [m]."""
        x, rotation = self.place(q)
        found: FloatArray = x[row] + rotate(rotation[row], point)
        return found

    def move(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The pose after one second at these rates."""
        moved = q.copy()
        integrate_coordinates(1.0, self.bone, q, v, moved)
        return moved

    def subtract(self, q: FloatArray, other: FloatArray, rates: int) -> FloatArray:
        """The rates that lead from the other pose to q within a second."""
        difference = np.zeros(rates)
        subtract_coordinates(self.bone, q, other, difference)
        return difference


def reach_places(
    placer: Placer, start: FloatArray, ease: FloatArray, row: int, point: FloatArray, places: FloatArray
) -> FloatArray:
    """Poses [places, coordinates], each from the one before it; places out of reach are approached.

    It takes a third of a second, and variants of a scene and every run ask for the same: it is kept.
    """
    asked = sha256(f"{placer.axes} {row} {ROUNDS} {DAMPING!r} {RETURN!r}".encode())
    for each in (placer.bone, placer.frame, start, ease, point, places):
        asked.update(f"{each.dtype.str} {each.shape};".encode())
        asked.update(np.ascontiguousarray(each).data)

    def make() -> dict[str, FloatArray]:
        return {"poses": _reach_places(placer, start, ease, row, point, places)}

    poses: FloatArray = keep_arrays(__name__, asked.hexdigest(), make)["poses"]
    return poses


def _reach_places(
    placer: Placer, start: FloatArray, ease: FloatArray, row: int, point: FloatArray, places: FloatArray
) -> FloatArray:
    poses, q = np.zeros((len(places), len(start))), start.copy()
    for pose, place in zip(poses, places, strict=True):
        for _ in range(ROUNDS):
            q = _step(placer, start, ease, row, point, place, q)
        pose[:] = q
    return poses


def _step(
    placer: Placer, start: FloatArray, ease: FloatArray, row: int, point: FloatArray, place: FloatArray, q: FloatArray
) -> FloatArray:  # fmt: skip
    moved = np.flatnonzero(ease)
    here, J = placer.find_point(q, row, point), np.zeros((3, len(moved)))
    for column, rate in enumerate(moved):
        v = np.zeros(len(ease))
        v[rate] = NUDGE
        J[:, column] = (placer.find_point(placer.move(q, v), row, point) - here) / NUDGE
    E = ease[moved]
    inverse = (E[:, None] * J.T) @ np.linalg.inv((J * E) @ J.T + DAMPING * np.eye(3))
    way = place - here
    way *= min(1.0, 0.1 / max(float(np.linalg.norm(way)), 1e-12))  # a decimetre a round
    back = RETURN * placer.subtract(start, q, len(ease))[moved]
    v = np.zeros(len(ease))
    v[moved] = inverse @ way + back - inverse @ (J @ back)
    return placer.move(q, v)
