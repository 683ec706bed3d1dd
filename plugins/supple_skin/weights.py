"""How much of every vertex each bone carries: integrals of a bell curve along the bones, README eq. (4).

Distances are taken in the neutral pose. The segments of a bone lead from its origin to those of its children; the
last bone of a chain goes on in the direction that it came, as far as the skin that is nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from supple.core.arrays import FloatArray

INFLUENCES: Final = 4
"""Bones that carry one vertex, at most."""
CUT: Final = 0.02
"""Shares below this are dropped: far bones should not carry a vertex at all."""


def find_segments(
    origin: FloatArray, parent: Sequence[int], vertices: FloatArray
) -> list[tuple[int, FloatArray]]:
    """(bone, [2, 3] ends in m) of all segments; `parent` is -1 for a root."""
    segments = [
        (above, np.stack([origin[above], origin[bone]]))
        for bone, above in enumerate(parent)
        if above >= 0 and np.linalg.norm(origin[bone] - origin[above]) > 0
    ]
    nearest = np.linalg.norm(vertices[:, None] - origin, axis=2).argmin(axis=1)
    for bone in range(len(parent)):
        if bone not in parent:
            segments.append((bone, _extend_tip(bone, origin, parent, vertices, nearest == bone)))
    return segments


def _extend_tip(
    bone: int, origin: FloatArray, parent: Sequence[int], vertices: FloatArray, mine: NDArray[np.bool_]
) -> FloatArray:
    """From the origin on to where the skin ends. Joints of several axes share an origin, so look farther up."""
    own = vertices[mine] if mine.any() else vertices
    above, way = parent[bone], np.zeros(3)
    while above >= 0 and not way.any():
        way, above = origin[bone] - origin[above], parent[above]
    if not way.any():
        way = own.mean(axis=0) - origin[bone]
    size = float(np.linalg.norm(way))
    ahead = way / size if size > 0 else np.array([0.0, 1.0, 0.0])
    length = max(0.0, float(((own - origin[bone]) @ ahead).max()))
    return np.stack([origin[bone], origin[bone] + length * ahead])


def _measure(vertices: FloatArray, ends: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Square of the distance to the line [nv], place along it [nv], and length of the segment."""
    way = ends[1] - ends[0]
    length = float(np.linalg.norm(way))
    from_start = vertices - ends[0]
    if length == 0.0:
        return np.einsum("ij,ij->i", from_start, from_start), np.zeros(len(vertices)), 0.0
    along = from_start @ way / length
    across = np.einsum("ij,ij->i", from_start, from_start) - along**2
    return np.maximum(across, 0.0), along, length


def find_weights(vertices: FloatArray, segments: Sequence[tuple[int, FloatArray]], bones: int) -> FloatArray:
    """Shares [nv, bones] that sum to one, at most INFLUENCES of them not zero in a row.

    The width of the bell is the vertex' own distance from the nearest segment: the local radius of the limb.
    """
    from scipy.special import erf  # takes a while to import, and few skins need it

    measured = [(bone, *_measure(vertices, ends)) for bone, ends in segments]
    distances = np.stack(
        [
            np.sqrt(across + (along - np.clip(along, 0.0, length)) ** 2)
            for _, across, along, length in measured
        ]
    )
    width = np.maximum(distances.min(axis=0), 1e-9 * np.ptp(vertices, axis=0).max())
    weights = np.zeros((len(vertices), bones))
    for bone, across, along, length in measured:
        if length > 0.0:
            scale = np.sqrt(2.0) * width
            # Relative to the nearest segment, lest far vertices underflow; a common factor does not matter.
            bell = np.exp((width**2 - across) / scale**2)
            weights[:, bone] += bell * (erf((length - along) / scale) + erf(along / scale))
    lost = weights.sum(axis=1) <= 0.0  # far beyond the ends: the nearest segment takes all
    weights[lost, np.array([bone for bone, *_ in measured])[distances.argmin(axis=0)][lost]] = 1.0
    return cut_weights(weights)


def cut_weights(weights: FloatArray) -> FloatArray:
    """Keep the greatest shares of every row, and make them sum to one."""
    kept = weights / weights.sum(axis=1, keepdims=True)
    order = np.argsort(-kept, axis=1, kind="stable")
    np.put_along_axis(kept, order[:, INFLUENCES:], 0.0, axis=1)
    kept[kept < CUT * kept.max(axis=1, keepdims=True)] = 0.0
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
