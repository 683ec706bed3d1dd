"""Contacts of a step, gathered into patches: one normal, one gap, one force each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.mechanics.contacts import Contacts
from supple_locomotion.body import SoftBody

TOUCHING = 5e-4
"""A patch that is nearer than this touches [m]."""
NEAR, SLACK = 1.5e-3, 5e-4
"""Of its contacts those count that are nearer than NEAR, or than SLACK farther than the nearest [m]."""
DEEPEST, RECOVERY = 2e-3, 0.3
"""Overlap is counted up to here [m], and this part of it taken back in a step."""


class Touching(NamedTuple):
    """Patches with contacts in this step: rows (n, t, s) of each over all velocities, gaps, friction, middles."""

    patch: IntArray  # [c]
    rows: FloatArray  # [3 c, 3 n]
    gap: FloatArray  # [c] [m]
    friction: FloatArray  # [c]
    centre: FloatArray  # [c, 3] [m]
    tangents: FloatArray  # [c, 2, 3] t and s

    @property
    def closed(self) -> BoolArray:
        """Which patches touch."""
        near: BoolArray = self.gap < TOUCHING
        return near

    def find_gap_speed(self, h: float) -> FloatArray:
        """Gap over step, at which a patch may still close; overlap is taken back slowly [m/s]."""
        return np.where(self.gap < 0.0, RECOVERY, 1.0) * np.maximum(self.gap, -DEEPEST) / h

    def leave_out(self, patches: list[int]) -> Touching:
        """Without some patches."""
        kept = ~np.isin(self.patch, patches)
        rows = self.rows.reshape(len(kept), 3, -1)[kept].reshape(-1, self.rows.shape[1])
        return Touching(
            self.patch[kept],
            rows,
            self.gap[kept],
            self.friction[kept],
            self.centre[kept],
            self.tangents[kept],
        )


class PatchFinder:
    """Gathers the contacts of one body's boundary."""

    def __init__(
        self, body: SoftBody, contacts: Contacts, surface: int, triangles: IntArray, owner: IntArray
    ) -> None:
        self.body, self.contacts, self.surface = body, contacts, surface
        self.triangles, self.owner = triangles, owner

    def find(self) -> Touching:
        """The patches that touch or are near to touching, in the order of their numbers."""
        given, count = self.contacts, int(self.contacts.count[0])
        which, side = np.nonzero(given.surface[:count] == self.surface)
        vertices = self.triangles[given.element[which, side]]
        weights = given.weights[which, side]
        patch = self.owner[vertices[np.arange(len(which)), np.argmax(weights, axis=1)]]
        gap, friction = given.gap[which], given.friction[which]
        normal = np.where(side == 0, 1.0, -1.0)[:, None] * given.normal[which]
        point = given.point[which, side]
        numbers = np.unique(patch[patch >= 0])
        rows = self.body.make_rows(3 * len(numbers))
        gaps, frictions, centres = np.zeros(len(numbers)), np.zeros(len(numbers)), np.zeros((len(numbers), 3))
        tangents = np.zeros((len(numbers), 2, 3))
        for c, number in enumerate(numbers):
            own = np.flatnonzero(patch == number)
            own = own[gap[own] < max(NEAR, gap[own].min() + SLACK)]
            frame = make_frame(normal[own].mean(axis=0))
            tangents[c] = frame[1:]
            share = np.zeros(len(self.body.x))
            np.add.at(share, vertices[own].reshape(-1), weights[own].reshape(-1) / len(own))
            held = np.flatnonzero(share)
            view = self.body.spread(rows[3 * c : 3 * c + 3])
            view[:, held] = share[held][None, :, None] * frame[:, None, :]
            gaps[c], frictions[c], centres[c] = (
                gap[own].mean(), friction[own].mean(), point[own].mean(axis=0),
            )  # fmt: skip
        return Touching(numbers, rows, gaps, frictions, centres, tangents)


def make_frame(normal: FloatArray) -> FloatArray:
    """Rows n, t, s: unit vectors across each other; t in the plane of n and x, or of n and z where x is near to n."""
    n = normal / np.linalg.norm(normal)
    axis = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    t = axis - (axis @ n) * n
    t /= np.linalg.norm(t)
    return np.stack([n, t, np.cross(n, t)])
