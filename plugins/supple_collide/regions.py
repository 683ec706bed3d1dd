"""Which triangles of a surface that touches itself do not touch: those of one part, and of parts that are jointed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.mechanics.deforming import DeformingSurface, PartedSurface

IntArray = NDArray[np.int64]

# All triangles of surfaces without parts: they touch whatever there is.
ANYWHERE = 0


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
