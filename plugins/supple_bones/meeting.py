"""Triangles between two seams of one parent: what each of the two joints leaves upright, both may turn over together.

A hip and the spine bring some corners of a triangle and others apart from opposite sides, and neither's shares are
found with the other's turns in view.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple_bones.evening import find_normals

LONGER, ROUNDS = 1.1, 6
"""So much longer count levers of such triangles, round by round: gently, for what they give up others have to take."""


class Turning(Protocol):
    """What is asked of a seam; see `Seam`."""

    @property
    def parent(self) -> int:
        """Place of the bone that it begins at."""
        ...

    @property
    def origin(self) -> FloatArray:
        """Where its joint is [m]."""
        ...

    @property
    def twists(self) -> FloatArray:
        """Farthest turns [n, 3], as rotation vectors [rad]."""
        ...


def list_pairs(seams: Sequence[Turning]) -> list[tuple[int, int]]:
    """Seams that begin at one parent and whose farthest twists are known."""
    able = [index for index, seam in enumerate(seams) if len(seam.twists)]
    return [pair for pair in combinations(able, 2) if seams[pair[0]].parent == seams[pair[1]].parent]


def find_overturned_between(
    seams: Sequence[Turning],
    points: FloatArray,
    triangles: IntArray,
    hangs_on: IntArray,
    owner: IntArray,
    level: FloatArray,
) -> IntArray:
    """Triangles [n, 3] with corners of two seams of one parent that both together turn over.

    owner [nv] is the seam of every vertex, or -1, level [nv] the share by which it turns with it.
    """
    found = [np.zeros((0, 3), dtype=triangles.dtype)]
    for first, second in list_pairs(seams):
        pair = seams[first], seams[second]
        moved = [(owner == each) & (level > 0.0) for each in (first, second)]
        still = (hangs_on == pair[0].parent) & ((owner < 0) | (level == 0.0))
        of_both = (moved[0] | moved[1] | still)[triangles].all(axis=1)
        for each in moved:
            of_both &= each[triangles].any(axis=1)
        near = triangles[of_both]
        if len(near):
            shares = [np.where(each, level, 0.0)[near] for each in moved]
            found.append(near[_turn_over(points[near], pair, shares)])
    return np.concatenate(found)


def _turn_over(corners: FloatArray, pair: Sequence[Turning], shares: list[FloatArray]) -> BoolArray:
    """Which triangles [nt] any two turns of the pair turn over; a corner turns with one of them at most."""
    normal = np.repeat(find_normals(corners), 3, axis=0)
    placed, wanted = [], []
    for seam, share in zip(pair, shares, strict=True):
        frames = [Rotation.from_rotvec(share.reshape(-1, 1) * turn) for turn in seam.twists]
        offset = corners.reshape(-1, 3) - seam.origin
        moves = [(each.apply(offset) - offset).reshape(corners.shape) for each in frames]
        turns = [(each.apply(normal) - normal).reshape(corners.shape).sum(axis=1) for each in frames]
        placed.append(np.array(moves))
        wanted.append(np.array(turns))
    over = np.zeros(len(corners), bool)
    at_rest = normal.reshape(corners.shape).sum(axis=1)
    for move, turn in zip(placed[0], wanted[0], strict=True):
        both = corners + move + placed[1]
        way = at_rest + turn + wanted[1]
        now = find_normals(both.reshape(-1, 3, 3)).reshape(way.shape)
        upright = np.einsum("kti,kti->kt", now, way)
        over |= (upright < 0.0).any(axis=0)
    return over
