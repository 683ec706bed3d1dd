"""Stretch, bend and twist of a body between its two ends."""

from __future__ import annotations

import math

import numpy as np

from supple.core.arrays import FloatArray
from supple_tets.compile import TetBody

END_SHARE = 0.1
"""The part of the length that belongs to an end."""


class BodyEnds:
    """The vertices at both ends of a body along its longest extent at rest."""

    def __init__(self, body: TetBody) -> None:
        extents = np.ptp(body.start, axis=0)
        self.along = int(np.argmax(extents))
        height = (body.start[:, self.along] - body.start[:, self.along].min()) / extents[self.along]
        first = body.vertices.start
        self.near = first + np.flatnonzero(height <= END_SHARE)
        self.far = first + np.flatnonzero(height >= 1 - END_SHARE)

    def measure(self, rest: FloatArray, x: FloatArray) -> tuple[float, float, float, float, float]:
        """Relative stretch, bend [deg], where the far end's axis leans (x and z), and twist [deg]."""
        before = rest[self.far].mean(axis=0) - rest[self.near].mean(axis=0)
        after = x[self.far].mean(axis=0) - x[self.near].mean(axis=0)
        stretch = float(np.linalg.norm(after) / np.linalg.norm(before) - 1.0)
        turn = find_rotation(rest[self.near], x[self.near]).T @ find_rotation(rest[self.far], x[self.far])
        axis = turn[:, self.along]
        bend = math.degrees(math.acos(min(max(axis[self.along], -1.0), 1.0)))
        # The turn about the axis that is left when the shortest one that bends it is taken away.
        trace = float(np.trace(turn))
        w = math.sqrt(max(1.0 + trace, 1e-12)) / 2
        i, j = (self.along + 1) % 3, (self.along + 2) % 3
        twist = 2.0 * math.atan2((turn[j, i] - turn[i, j]) / (4 * w), w)
        return stretch, bend, float(axis[0]), float(axis[2]), math.degrees(twist)


def find_rotation(rest: FloatArray, x: FloatArray) -> FloatArray:
    """The rotation that brings points nearest to others, both about their means."""
    U, _, V = np.linalg.svd((x - x.mean(axis=0)).T @ (rest - rest.mean(axis=0)))
    U[:, 2] *= np.sign(np.linalg.det(U @ V))
    turned: FloatArray = U @ V
    return turned
