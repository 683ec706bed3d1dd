"""Bodies in the shape of letters, standing on the plane y = 0 of their frame."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_tets.lattice import PER_CELL, Box, Cell, choose_edge, divide_boxes, fill_boxes, fill_cells

STROKES: dict[str, tuple[float, tuple[Box, ...]]] = {
    "I": (0.975, (((-0.15, 0.0, -0.15), (0.15, 0.975, 0.15)),)),
    "H": (
        0.98,
        (
            ((-0.455, 0.0, -0.105), (-0.175, 0.98, 0.105)),
            ((0.175, 0.0, -0.105), (0.455, 0.98, 0.105)),
            ((-0.175, 0.42, -0.105), (0.175, 0.63, 0.105)),
        ),
    ),
    "F": (
        1.0,
        (
            ((-0.3, 0.0, -0.125), (0.0, 1.0, 0.125)),
            ((0.0, 0.8, -0.125), (0.35, 1.0, 0.125)),
            ((0.0, 0.45, -0.125), (0.2, 0.65, 0.125)),
        ),
    ),
    "T": (
        1.0,
        (((-0.15, 0.0, -0.15), (0.15, 0.8, 0.15)), ((-0.45, 0.8, -0.15), (0.45, 1.0, 0.15))),
    ),
}
"""Height [m] and strokes of the letters that are made of boxes."""

RING_OUTER, RING_INNER, RING_WIDTH = 0.5, 0.3, 0.3
"""The O [m]; its axis is z."""
RING_HEIGHT = 2 * RING_OUTER

# The X is a hub with four legs along +x, -x, +z, -z that bend down in arcs. It walks along a diagonal.
HUB, LEG, SLOPE = 0.16, 0.5, math.radians(97.0)
ROOT_THICKNESS, FOOT_THICKNESS = 0.16, 0.12
X_LOWEST = LEG / SLOPE * (math.cos(SLOPE) - 1.0) + math.cos(SLOPE) * FOOT_THICKNESS / 2
"""The outer edge of a foot, from the middle of the hub [m]."""
X_HEIGHT = ROOT_THICKNESS / 2 - X_LOWEST


def make_letter(letter: str, wanted: int, height: float | None) -> tuple[FloatArray, IntArray]:
    """Vertices and tetrahedra of a letter with about `wanted` tetrahedra, `height` [m] high or as high as it is."""
    if letter == "O":
        natural, (vertices, tets) = RING_HEIGHT, make_ring(wanted)
    elif letter == "X":
        natural, (vertices, tets) = X_HEIGHT, make_x(wanted)
    else:
        natural, boxes = STROKES[letter]
        vertices, tets = make_boxes(boxes, wanted)
    return vertices * ((height or natural) / natural), tets


@lru_cache(maxsize=64)
def make_boxes(boxes: tuple[Box, ...], wanted: int) -> tuple[FloatArray, IntArray]:
    """A union of boxes that do not overlap."""
    volume = sum(math.prod(b - a for a, b in zip(*box, strict=True)) for box in boxes)
    edge = choose_edge(volume, wanted, lambda edge: PER_CELL * len(divide_boxes(boxes, edge)[1]))
    return fill_boxes(boxes, edge)


def make_ring(wanted: int) -> tuple[FloatArray, IntArray]:
    """The O: cells along angle, radius and axis; an even number of them around, so that faces fit."""
    mean = math.pi * (RING_INNER + RING_OUTER)
    volume = mean * (RING_OUTER - RING_INNER) * RING_WIDTH

    def count(edge: float) -> tuple[int, int, int]:
        around = 2 * max(3, round(mean / edge / 2))
        return around, max(1, round((RING_OUTER - RING_INNER) / edge)), max(1, round(RING_WIDTH / edge))

    edge = choose_edge(volume, wanted, lambda edge: PER_CELL * math.prod(count(edge)))
    around, through, along = count(edge)
    cells = [(t, r, z) for t in range(around) for r in range(through) for z in range(along)]
    points, tets = fill_cells(cells, wrap=around)
    angle = 2 * math.pi * points[:, 0] / around - math.pi / 2
    radius = RING_INNER + (RING_OUTER - RING_INNER) * points[:, 1] / through
    z = RING_WIDTH * (points[:, 2] / along - 0.5)
    return np.stack([radius * np.cos(angle), RING_OUTER + radius * np.sin(angle), z], axis=1), tets


def make_x(wanted: int) -> tuple[FloatArray, IntArray]:
    """The X: a plus-shaped lattice, its arms bent down."""
    best = min(
        ((n, s) for n in (2, 4, 6) for s in range(4, 60)),
        key=lambda pair: (
            abs(PER_CELL * (pair[0] ** 3 + 4 * pair[0] ** 2 * pair[1]) - wanted)
            + 20.0 * abs(pair[1] - 6.5 * pair[0])
        ),
    )
    width, steps = best
    cells: list[Cell] = [(i, j, k) for i in range(width) for j in range(width) for k in range(width)]
    for step in range(steps):
        for j in range(width):
            for a in range(width):
                cells += [(width + step, j, a), (-1 - step, j, a), (a, j, width + step), (a, j, -1 - step)]
    points, tets = fill_cells(cells)
    local = 2.0 * points / width - 1.0
    vertices = np.array([_place_on_x(x, y, z, steps * 2.0 / width) for x, y, z in local.tolist()])
    vertices[:, 1] -= X_LOWEST
    return vertices, tets


def _place_on_x(x: float, y: float, z: float, reach: float) -> tuple[float, float, float]:
    """A lattice point; the hub is from -1 to 1, legs go on for `reach`."""
    if max(abs(x), abs(z)) <= 1.0:
        return x * HUB / 2, y * ROOT_THICKNESS / 2, z * HUB / 2
    if abs(x) > 1.0:
        out, up, side = place_on_leg((abs(x) - 1.0) / reach, z, y)
        return math.copysign(out, x), up, side
    out, up, side = place_on_leg((abs(z) - 1.0) / reach, x, y)
    return side, up, math.copysign(out, z)


def place_on_leg(share: float, side: float, up: float) -> tuple[float, float, float]:
    """A point at this share of a leg's length; side and up from -1 to 1 across it: outward, upward, sideways [m].

    The middle of the leg is an arc that starts level at the side of the hub. Shares below 0 are within the hub.
    """
    thick = (ROOT_THICKNESS + (FOOT_THICKNESS - ROOT_THICKNESS) * max(share, 0.0)) / 2
    if share <= 0.0:
        return HUB / 2 + share * LEG, up * thick, side * thick * HUB / ROOT_THICKNESS
    radius, angle = LEG / SLOPE, SLOPE * share
    out = HUB / 2 + radius * math.sin(angle) + math.sin(angle) * up * thick
    high = radius * (math.cos(angle) - 1.0) + math.cos(angle) * up * thick
    return out, high, side * thick * HUB / ROOT_THICKNESS
