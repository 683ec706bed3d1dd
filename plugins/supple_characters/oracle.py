"""The blended distance in plain numpy, without shortcuts: what the kernels are held against."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple_characters import limb_columns as at
from supple_characters.distance_kernels import FAR, SIDE_BY_SIDE


def limb_distance(row: FloatArray, p: FloatArray) -> tuple[float, FloatArray]:
    """README eq. (1) and (2): distance and unit gradient."""
    axes = np.stack([row[c : c + 3] for c in (at.WIDE, at.ALONG, at.THIN)])
    stretch = np.array([1.0, 1.0, 1.0 / row[at.FLATNESS]])
    local = stretch * (axes @ (p - row[at.START : at.START + 3]))
    length, first, last = row[at.LENGTH], row[at.START_RADIUS], row[at.END_RADIUS]
    # The cone is made of balls; the nearest of them has its middle where the slope says.
    across = float(np.hypot(local[0], local[2]))
    slope = (first - last) / length if length > 0 else 0.0
    place = local[1] - slope * across / np.sqrt(1 - slope**2)
    place = min(max(place, 0.0), length)
    away = local - np.array([0.0, place, 0.0])
    radius = first + (last - first) * (place / length if length > 0 else 0.0)
    distance = float(np.linalg.norm(away))
    gradient = (stretch * away / distance) @ axes
    size = float(np.linalg.norm(gradient))
    return (distance - radius) / size, gradient / size


def unite(a: float, ga: FloatArray, b: float, gb: FloatArray, width: float) -> tuple[float, FloatArray]:
    """README eq. (3)."""
    width *= min(1.0, 1.0 - (1.0 - SIDE_BY_SIDE) * float(ga @ gb))
    nearness = max(0.0, 1.0 - abs(a - b) / width) if width > 0 else 0.0
    share = nearness / 2 if a < b else 1 - nearness / 2
    return min(a, b) - width * nearness**2 / 4, (1 - share) * ga + share * gb


def body_distance(table: FloatArray, soft: FloatArray, p: FloatArray) -> tuple[float, FloatArray]:
    """README eq. (4)."""
    none = (FAR, np.zeros(3))
    groups: dict[int, tuple[float, FloatArray]] = {}
    for row in table:
        number = int(row[at.GROUP])
        groups[number] = unite(*groups.get(number, none), *limb_distance(row, p), row[at.BLEND])
    trunk, rest = groups.pop(0, none), none
    for number in sorted(groups):
        rest = unite(*rest, *groups[number], soft[at.APART])
    return unite(*trunk, *rest, soft[at.JOIN])
