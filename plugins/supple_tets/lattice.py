"""Tetrahedra from cells of a lattice: unions of boxes, and lattices that are bent into shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from supple.core.arrays import FloatArray, IntArray

Cell = tuple[int, int, int]
Box = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Low and high corner [m]."""

CORNERS = tuple((i, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1))
EVEN = ((0, 1, 3, 5), (0, 3, 2, 6), (0, 5, 6, 4), (3, 6, 5, 7), (0, 3, 6, 5))
ODD = ((1, 0, 4, 2), (1, 2, 7, 3), (1, 7, 4, 5), (2, 4, 7, 6), (1, 2, 4, 7))
"""Five tetrahedra of a cell; those of neighbours are mirrored, so that faces fit."""
PER_CELL = 5


def fill_cells(cells: Iterable[Cell], wrap: int = 0) -> tuple[IntArray, IntArray]:
    """Lattice points [n, 3] and tetrahedra [m, 4] of cells; with `wrap` the first axis closes after so many cells."""
    number: dict[Cell, int] = {}
    tets = []
    for cell in sorted(cells):
        corners = []
        for corner in CORNERS:
            i, j, k = (cell[axis] + corner[axis] for axis in range(3))
            corners.append(number.setdefault((i % wrap if wrap else i, j, k), len(number)))
        tets += [[corners[c] for c in tet] for tet in (ODD if sum(cell) % 2 else EVEN)]
    return np.array(list(number), np.int64), np.array(tets, np.int64)


def divide_boxes(boxes: Sequence[Box], edge: float) -> tuple[list[FloatArray], list[Cell]]:
    """Planes of a lattice along the three axes that contains all sides of the boxes, and the cells within them."""
    planes = []
    for axis in range(3):
        ends = sorted({round(end[axis], 12) for box in boxes for end in box})
        steps = [np.linspace(a, b, max(1, round((b - a) / edge)) + 1)[:-1] for a, b in pairwise(ends)]
        planes.append(np.array([*np.concatenate(steps), ends[-1]]))
    middles = [(each[1:] + each[:-1]) / 2 for each in planes]
    cells = [
        (i, j, k)
        for i, x in enumerate(middles[0])
        for j, y in enumerate(middles[1])
        for k, z in enumerate(middles[2])
        if any(all(lo < p < hi for lo, p, hi in zip(*_spread(box, (x, y, z)), strict=True)) for box in boxes)
    ]
    return planes, cells


def _spread(box: Box, point: tuple[float, float, float]) -> tuple[Sequence[float], ...]:
    return box[0], point, box[1]


def fill_boxes(boxes: Sequence[Box], edge: float) -> tuple[FloatArray, IntArray]:
    """Vertices [n, 3] and tetrahedra of a union of boxes whose cells are about `edge` [m] long."""
    planes, cells = divide_boxes(boxes, edge)
    points, tets = fill_cells(cells)
    return np.stack([planes[axis][points[:, axis]] for axis in range(3)], axis=1), tets


def choose_edge(volume: float, wanted: int, count: Callable[[float], int], per_cell: int = PER_CELL) -> float:
    """The length of an edge [m] that gives a number of tetrahedra near to the wanted one; of equals the longest.

    `count` says how many there are at a length; it jumps, and so lengths around the guess are tried.
    """
    guess = (volume * per_cell / wanted) ** (1 / 3)
    tried = [guess * 1.5 * 0.98**k for k in range(46)]
    return float(min(tried, key=lambda edge: abs(count(edge) - wanted)))
