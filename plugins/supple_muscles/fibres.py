"""Fibres as chains of straight segments, and how far a segment reaches into the tissue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_muscles.components import Fibre, Helix

LEAST_SHARE = 2e-3
"""Influences below this are left out."""


@dataclass(frozen=True)
class Chain:
    """A fibre cut into segments: the ends of all of them [segments + 1, 3] in the entity's frame [m]."""

    name: str
    group: str
    points: FloatArray

    @property
    def count(self) -> int:
        """Number of segments."""
        return len(self.points) - 1


def cut_fibre(name: str, fibre: Fibre) -> Chain:
    """The chain of a fibre."""
    if fibre.helix is not None:
        return Chain(name, fibre.group, wind_helix(fibre.helix, fibre.segments))
    points = np.array(fibre.points, float)
    return Chain(name, fibre.group, cut_evenly(points, fibre.segments) if fibre.segments else points)


def cut_evenly(points: FloatArray, segments: int) -> FloatArray:
    """Points at even distances along a polyline [segments + 1, 3]."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], segments + 1)
    return np.stack([np.interp(at, along, points[:, axis]) for axis in range(3)], axis=1)


def wind_helix(helix: Helix, segments: int) -> FloatArray:
    """Points at even distances along a helix [segments + 1, 3]."""
    low, high = np.array(helix.low), np.array(helix.high)
    axis = (high - low) / np.linalg.norm(high - low)
    aside = np.eye(3)[np.argmin(np.abs(axis))]
    aside = aside - (aside @ axis) * axis
    aside /= np.linalg.norm(aside)
    other = np.cross(axis, aside)
    share = np.linspace(0.0, 1.0, segments + 1)[:, None]
    angle = np.radians(helix.start) + 2 * np.pi * helix.turns * share
    wound: FloatArray = (
        low + share * (high - low) + helix.radius * (np.cos(angle) * aside + np.sin(angle) * other)
    )
    return wound


def find_influence(
    centres: FloatArray, starts: FloatArray, ends: FloatArray, groups: list[str], spread: float
) -> FloatArray:
    """Shares [elements, segments] of the segments in the stress of tetrahedra with these centres: README eq. (2).

    They sum to 1 over the segments of every group.
    """
    way = ends - starts
    offset = centres[:, None] - starts
    along = np.clip((offset * way).sum(axis=2) / (way**2).sum(axis=1), 0.0, 1.0)
    square = ((offset - along[:, :, None] * way) ** 2).sum(axis=2)
    shares = np.zeros(square.shape)
    for group in sorted(set(groups)):
        mine = np.array([each == group for each in groups])
        power = -square[:, mine] / (2 * spread**2)
        weight = np.exp(power - power.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        weight[weight < LEAST_SHARE] = 0.0
        shares[:, mine] = weight / weight.sum(axis=1, keepdims=True)
    return shares


def find_bundles(
    shares: FloatArray, direction: FloatArray, groups: list[str]
) -> tuple[FloatArray, FloatArray]:
    """The main direction of each group in every tetrahedron [elements, groups, 3], and how much lies along it."""
    names = sorted(set(groups))
    main, size = np.zeros((len(shares), len(names), 3)), np.zeros((len(shares), len(names)))
    for column, group in enumerate(names):
        mine = np.array([each == group for each in groups])
        spread = np.einsum("ek,ki,kj->eij", shares[:, mine], direction[mine], direction[mine])
        values, vectors = np.linalg.eigh(spread)
        main[:, column], size[:, column] = vectors[:, :, 2], values[:, 2]
    return main, size


def list_pairs(shares: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Where each tetrahedron's influences begin [elements + 1], their segments, and the shares."""
    element, segment = np.nonzero(shares)
    first = np.zeros(len(shares) + 1, np.int64)
    np.cumsum(np.bincount(element, minlength=len(shares)), out=first[1:])
    return first, segment.astype(np.int64), shares[element, segment]
