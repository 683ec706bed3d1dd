"""Arrays of a sparse elimination in fronts; see `order_kernels` and `front_kernels`."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Graph(NamedTuple):
    """Vertices and their neighbours, among whom is each itself: neighbour[start[v]:start[v + 1]]."""

    start: IntArray
    neighbour: IntArray
    rows: IntArray  # of the groups of each vertex, at most


class Tree(NamedTuple):
    """The tree of elimination over places, and the vertex at each place."""

    parent: IntArray
    order: IntArray
    place: IntArray
    start: IntArray  # of the border of each place
    child: IntArray
    sibling: IntArray


class Fronts(NamedTuple):
    """Groups of each front, pivots before border, so ordered that a front follows right behind all those below it."""

    counts: IntArray  # [1] fronts in use
    start: IntArray  # [fronts + 1]
    pivots: IntArray  # [fronts] groups that are eliminated in it
    children: IntArray  # [fronts] that hand their rest to it
    group: IntArray
    eliminated: IntArray  # [groups] the front in which it is, -1 if in none
    waiting: IntArray  # [fronts] work array


class Factor(NamedTuple):
    """Triangular factors of all fronts, and work arrays.

    A front with p rows of pivots among f keeps p rows of U, below whose diagonal is L, and then f - p rows of L.
    """

    begin: IntArray  # [fronts] where the numbers of a front begin
    values: FloatArray
    front: FloatArray  # the front at work
    rest: FloatArray  # what fronts below have left to do, one behind the other
    place: IntArray  # [groups] row of a group in the front at work
    row: IntArray  # unknowns of the front at work
    local: FloatArray  # their values
    waiting: IntArray  # [fronts] fronts that wait in `rest`
    sizes: IntArray  # [fronts] their rows there
