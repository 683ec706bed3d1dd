"""A ball whose surface is uneven: an icosphere with random radii."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray

GOLDEN = (1.0 + 5.0**0.5) / 2.0


def make_icosphere(rounds: int) -> tuple[FloatArray, IntArray]:
    """Points on the unit sphere [n, 3] and triangles [20 * 4^rounds, 3], anticlockwise from outside."""
    corners = [
        np.roll((0.0, a, b * GOLDEN), turn) for turn in range(3) for a in (-1.0, 1.0) for b in (-1.0, 1.0)
    ]
    points = [corner / np.linalg.norm(corner) for corner in corners]
    apart = np.linalg.norm(np.array(points)[:, None] - np.array(points)[None], axis=2)
    near = np.isclose(apart, apart[apart > 0].min())
    triangles = [
        _face_outwards(points, (a, b, c))
        for a in range(12)
        for b in range(a + 1, 12)
        for c in range(b + 1, 12)
        if near[a, b] and near[b, c] and near[a, c]
    ]
    for _ in range(rounds):
        triangles = _split(points, triangles)
    return np.array(points), np.array(triangles, np.int64)


def _face_outwards(points: list[FloatArray], corners: tuple[int, int, int]) -> tuple[int, int, int]:
    a, b, c = corners
    return corners if points[a] @ np.cross(points[b], points[c]) > 0 else (a, c, b)


def _split(points: list[FloatArray], triangles: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Four triangles for each one; the middles of the edges are added to `points`."""
    middles: dict[tuple[int, int], int] = {}

    def middle(a: int, b: int) -> int:
        edge = (min(a, b), max(a, b))
        if edge not in middles:
            between = points[a] + points[b]
            middles[edge] = len(points)
            points.append(between / np.linalg.norm(between))
        return middles[edge]

    made = []
    for a, b, c in triangles:
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        made += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return made


def make_marble(radius: float, roughness: float, rounds: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Corners [m] and triangles; the distance of every corner is even within `roughness` of the radius."""
    points, triangles = make_icosphere(rounds)
    offsets = np.random.Generator(np.random.Philox(seed)).uniform(-roughness, roughness, len(points))
    return (radius + offsets)[:, None] * points, triangles
