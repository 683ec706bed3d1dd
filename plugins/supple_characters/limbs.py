"""Limbs: what a skin is drawn around."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.core.arrays import FloatArray
from supple_characters import limb_columns as at

Vector = tuple[float, float, float]

# Edges on a limb grow with its radius to this power: thin limbs get finer triangles, though not as many around.
SIZE_POWER = 0.65


@dataclass(frozen=True)
class Limb:
    """Two balls and the cone that touches both, flattened across `wide`; lengths in m.

    `bone` is what its skin hangs on. The limbs of a `group` are blended one after the other, each over the width
    `blend`; group 0 is the trunk, and all other groups branch off it. At an end that is `joined` another bone
    begins. `fine` > 1 asks for shorter edges of the mesh at the start and at the end.
    """

    bone: str
    start: Vector
    end: Vector
    radii: tuple[float, float]
    wide: Vector = (1.0, 0.0, 0.0)
    flatness: float = 1.0
    blend: float = 0.0
    group: int = 0
    joined: tuple[bool, bool] = (False, False)
    fine: tuple[float, float] = (1.0, 1.0)


def _frame(along: FloatArray, wide: Vector) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Unit vectors along the limb, across it nearest to `wide`, and across both."""
    wanted = np.array(wide, np.float64)
    across = wanted - along * (wanted @ along)
    if np.linalg.norm(across) < 1e-6:
        across = np.roll(along, 1) - along * (np.roll(along, 1) @ along)
    across /= np.linalg.norm(across)
    return along, across, np.cross(along, across)


def _row(limb: Limb) -> FloatArray:
    start, end = np.array(limb.start), np.array(limb.end)
    length = float(np.linalg.norm(end - start))
    first, last = limb.radii
    if length <= abs(first - last):
        # One ball lies within the other, so only that one is to be seen.
        start, length = (start, 0.0) if first >= last else (end, 0.0)
        first = last = max(first, last)
    direction = (end - start) / length if length > 0 else np.array([0.0, 1.0, 0.0])
    along, wide, thin = _frame(direction, limb.wide)
    row = np.zeros(at.LIMB_COLUMNS)
    row[at.START : at.START + 3], row[at.ALONG : at.ALONG + 3] = start, along
    row[at.WIDE : at.WIDE + 3], row[at.THIN : at.THIN + 3] = wide, thin
    row[at.LENGTH], row[at.START_RADIUS], row[at.END_RADIUS] = length, first, last
    row[at.CENTRE : at.CENTRE + 3] = start + 0.5 * length * along
    row[at.REACH] = 0.5 * length + max(first, last)
    row[at.FLATNESS], row[at.BLEND] = limb.flatness, limb.blend
    row[at.GROUP] = limb.group
    row[at.START_JOINED], row[at.END_JOINED] = limb.joined
    for column, radius, fine in zip((at.START_SIZE, at.END_SIZE), (first, last), limb.fine, strict=True):
        row[column] = (radius * math.sqrt(limb.flatness)) ** SIZE_POWER / fine
    return row


def tabulate(limbs: Sequence[Limb]) -> tuple[FloatArray, list[Limb]]:
    """The table that kernels read [n, LIMB_COLUMNS] and the limbs in its order, by group."""
    ordered = sorted(limbs, key=lambda limb: limb.group)
    return np.array([_row(limb) for limb in ordered]), ordered


def mirror(limb: Limb) -> Limb:
    """The limb on the other side of the plane x = 0."""
    start, end, wide = ((-v[0], v[1], v[2]) for v in (limb.start, limb.end, limb.wide))
    return replace(limb, start=start, end=end, wide=wide)
