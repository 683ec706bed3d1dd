"""Which triangles of a surface that touches itself do not touch: those of one part, and of parts that are jointed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import IntArray
from supple.mechanics.deforming import DeformingSurface, PartedSurface

# All triangles of surfaces without parts: they touch whatever there is.
ANYWHERE = 0
# So many regions have a bit each in an integer.
MOST_BITS = 62


def find_regions(meshes: Sequence[tuple[IntArray, DeformingSurface | None]]) -> tuple[IntArray, IntArray]:
    """The region of every triangle of all meshes, and which regions may touch, [nr, nr].

    A region is a set of parts, those of a triangle's corners. Two of them touch if all parts of the one may
    touch all parts of the other; regions of different surfaces always do.
    """
    regions: list[IntArray] = []
    meet = np.ones((1, 1), np.int64)
    for triangles, surface in meshes:
        if not isinstance(surface, PartedSurface):
            regions.append(np.full(len(triangles), ANYWHERE, np.int64))
            continue
        corners = np.sort(surface.parts[triangles], axis=1)
        sets, place = np.unique(corners, axis=0, return_inverse=True)
        inside = surface.parts_meet[sets[:, None, :, None], sets[None, :, None, :]].all(axis=(2, 3))
        first, count = len(meet), len(sets)
        grown = np.ones((first + count, first + count), np.int64)
        grown[:first, :first], grown[first:, first:] = meet, inside
        regions.append(first + place.reshape(-1))
        meet = grown
    return np.concatenate(regions), meet


def find_node_regions(
    nodes: IntArray, order: IntArray, region: IntArray, regions_meet: IntArray
) -> tuple[IntArray, IntArray]:
    """Which regions the triangles below every node of the trees have, and which these meet, as bits [nodes].

    If there are too many for bits, every node says that it has, and meets, all.
    """
    has, meets = (np.full(len(nodes), -1, np.int64) for _ in range(2))
    if len(regions_meet) > MOST_BITS:
        return has, meets
    bit = np.int64(1) << np.arange(len(regions_meet), dtype=np.int64)
    met = (regions_meet != 0).astype(np.int64) @ bit
    for node in reversed(range(len(nodes))):
        right, first, count = nodes[node]
        inside = region[order[first : first + count]]
        below = (bit[inside], met[inside]) if count else (has[[node + 1, right]], meets[[node + 1, right]])
        has[node], meets[node] = (np.bitwise_or.reduce(bits) for bits in below)
    return has, meets


def may_pair_neighbours(triangles: IntArray, surface: DeformingSurface | None) -> bool:
    """Whether triangles that may touch may have a vertex in common, or two that an edge joins."""
    if not isinstance(surface, PartedSurface):
        return True
    ends = surface.parts[np.concatenate([triangles[:, pair] for pair in ([0, 0], [0, 1], [1, 2], [2, 0])])]
    return bool(surface.parts_meet[ends[:, 0], ends[:, 1]].any())
