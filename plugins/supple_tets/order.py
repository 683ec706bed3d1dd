"""Which vertex is eliminated when, and where the blocks of the factor are: computed once for a mesh."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csc_matrix, diags_array
from scipy.sparse.linalg import splu

from supple.core.arrays import BoolArray, FloatArray, IntArray


class Pattern(NamedTuple):
    """The pattern of the factor; see `tables.Factor`."""

    place: IntArray
    column: IntArray
    row: IntArray


def find_places(count: int, tets: IntArray) -> IntArray:
    """Where every vertex stands in an order of elimination with little fill: minimum degree, as SuperLU finds it."""
    # What is factorised is of no interest; its diagonal is so heavy that no pivot is needed.
    heavy = csc_matrix(_join(count, tets) + diags_array(np.full(count, 1e6)))
    order = splu(
        heavy, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    ).perm_c
    return np.ascontiguousarray(order, np.int64)


def _join(count: int, tets: IntArray) -> csc_array:
    ones = np.ones(16 * len(tets))
    return csc_array(
        (ones, (np.repeat(tets, 4, axis=1).ravel(), np.tile(tets, (1, 4)).ravel())), shape=(count, count)
    )


def find_pattern(count: int, tets: IntArray) -> Pattern:
    """The order of elimination, and which blocks of the factor are not zero."""
    place = find_places(count, tets)
    lower = _join(count, place[tets])
    lower.sum_duplicates()
    lower.sort_indices()
    rows: list[set[int]] = []
    children: list[list[int]] = [[] for _ in range(count)]
    for j in range(count):
        below = lower.indices[lower.indptr[j] : lower.indptr[j + 1]]
        mine = set(below[below > j].tolist())
        for child in children[j]:
            mine |= rows[child]
        mine.discard(j)
        rows.append(mine)
        if mine:
            children[min(mine)].append(j)
    column = np.zeros(count + 1, np.int64)
    np.cumsum([len(each) for each in rows], out=column[1:])
    return Pattern(place, column, np.array([i for each in rows for i in sorted(each)], np.int64))


def join_patterns(patterns: list[Pattern]) -> Pattern:
    """One pattern for several bodies that do not touch each other's blocks."""
    place, row, column = [], [], [np.zeros(1, np.int64)]
    vertices = blocks = 0
    for each in patterns:
        place.append(each.place + vertices)
        row.append(each.row + vertices)
        column.append(each.column[1:] + blocks)
        vertices, blocks = vertices + len(each.place), blocks + len(each.row)
    return Pattern(np.concatenate(place), np.concatenate(column), np.concatenate(row))


def sort_corners(pattern: Pattern, tets: IntArray, gradients: FloatArray) -> tuple[IntArray, FloatArray]:
    """Corners of the tetrahedra in the order of elimination, and their gradients likewise."""
    order = np.argsort(pattern.place[tets], axis=1, kind="stable")
    return (
        np.take_along_axis(tets, order, axis=1),
        np.ascontiguousarray(np.take_along_axis(gradients, order[:, :, None], axis=1)),
    )


def place_blocks(pattern: Pattern, corners: IntArray, fixed: BoolArray) -> IntArray:
    """Where the blocks of a tetrahedron are [m, 10]: four on the diagonal, then those of the pairs (a, b), b < a.

    Corners are in the order of elimination, so a block (a, b) lies in the row of a. Blocks of vertices that stand still
    go where nobody reads them: behind the last.
    """
    places, count = pattern.place[corners], len(pattern.place)
    slot = np.zeros((len(corners), 10), np.int64)
    still = fixed[corners]
    for a in range(4):
        slot[:, a] = np.where(still[:, a], count, places[:, a])
        for b in range(a):
            # Rows rise within a column, so columns and rows together are sorted.
            keys = np.repeat(np.arange(count), np.diff(pattern.column)) * count + pattern.row
            found = np.searchsorted(keys, places[:, b] * count + places[:, a])
            skip = still[:, a] | still[:, b]
            slot[:, 4 + (a * (a - 1)) // 2 + b] = np.where(skip, len(pattern.row), found)
    return slot
