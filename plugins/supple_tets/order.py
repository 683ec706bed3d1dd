"""Which vertex is eliminated when, and where the numbers of the factor are: computed once for a mesh.

Columns of the factor that have nearly the same rows are kept together in a panel: a dense matrix, of which each row
belongs to one column of the factor. A panel has the columns of vertices that follow each other in the order of
elimination, and, behind their own rows, those of the vertices below it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csc_matrix, diags_array
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import splu

from supple.core.arrays import BoolArray, FloatArray, IntArray

PANEL_WORK, NUMBER_WORK = 5e4, 100.0
"""What a panel costs besides its operations, and what keeping and reading a number of it does [operations]."""


class Pattern(NamedTuple):
    """The pattern of A and of its factor; see `tables.Factor`. Blocks of A below its diagonal are sorted by column."""

    place: IntArray  # [n]
    block_column: IntArray  # [blocks of A] vertices in the order of elimination
    block_row: IntArray
    first: IntArray  # [panels + 1]
    below: IntArray  # [panels + 1]
    row: IntArray


class Meetings(NamedTuple):
    """Where panels take from panels; see `tables.Factor`."""

    meet_start: IntArray
    meet: IntArray
    run: IntArray


def find_pattern(count: int, tets: IntArray, fixed: BoolArray | None = None) -> Pattern:
    """The order of elimination and the panels: of three orders the one with the least work.

    Vertices that stand still are joined to nothing.
    """
    joined = _join(count, tets, np.zeros(count, bool) if fixed is None else fixed)
    patterns = [_find_panels_of(joined, place) for place in (find_places(joined), *_find_fronts(joined))]
    return min(patterns, key=count_work)


def count_work(pattern: Pattern) -> float:
    """What a factor costs [operations]."""
    return float(np.sum(_count_work(np.diff(pattern.first), np.diff(pattern.below))))


def _count_work(width: Any, under: Any) -> Any:
    """Of a panel of so many vertices, with so many below."""
    w, u = 3.0 * width, 3.0 * under
    return w * (w * w / 3.0 + w * u + u * u) + NUMBER_WORK * w * (w + u) + PANEL_WORK


def _find_fronts(joined: csc_array) -> tuple[IntArray, IntArray]:
    """Two orders in which fronts move inwards: from both ends of what is long, and from all ends to the middle.

    Along a front the rows of neighbouring columns are the same, so panels are large; minimum degree has fewer
    operations in bodies that are thick in two directions.
    """

    def walk(start: int) -> FloatArray:
        steps = dijkstra(joined, unweighted=True, indices=start)
        return np.asarray(np.where(np.isfinite(steps), steps, 0.0))

    one = int(np.argmax(walk(0)))
    from_one = walk(one)
    other = int(np.argmax(from_one))
    from_other = walk(other)
    along, apart = from_one - from_other, np.maximum(from_one, from_other)
    outwards = walk(int(np.argmin(apart + 0.01 * np.abs(along))))
    orders = np.lexsort((along, -np.abs(along))), np.lexsort((along, -outwards))
    return np.argsort(orders[0]), np.argsort(orders[1])


def _find_panels_of(joined: csc_array, place: IntArray) -> Pattern:
    count = len(place)
    order, rows = _eliminate(joined, place)
    # Every subtree of what is eliminated lies together, which does not change the fill.
    sorted_places = np.empty(count, np.int64)
    sorted_places[order] = np.arange(count)
    place = sorted_places[place]
    columns = [np.sort(sorted_places[np.fromiter(rows[j], np.int64, len(rows[j]))]) for j in order]
    first, kept = _gather_panels(columns)
    pairs = joined.tocoo()
    column, row = place[pairs.col], place[pairs.row]
    lower = row > column
    keys = np.unique(column[lower] * count + row[lower])
    below = np.zeros(len(kept) + 1, np.int64)
    np.cumsum([len(each) for each in kept], out=below[1:])
    rows_of_all = np.concatenate([*kept, np.zeros(0, np.int64)]).astype(np.int64)
    return Pattern(place, keys // count, keys % count, first, below, rows_of_all)


def _join(count: int, tets: IntArray, fixed: BoolArray) -> csc_array:
    rows, columns = np.repeat(tets, 4, axis=1).ravel(), np.tile(tets, (1, 4)).ravel()
    moves = ~(fixed[rows] | fixed[columns]) | (rows == columns)
    joined = csc_array((np.ones(moves.sum()), (rows[moves], columns[moves])), shape=(count, count))
    joined.sum_duplicates()
    joined.sort_indices()
    return joined


def find_places(joined: csc_array) -> IntArray:
    """Where every vertex stands in an order of elimination with little fill: minimum degree, as SuperLU finds it."""
    # What is factorised is of no interest; its diagonal is so heavy that no pivot is needed.
    heavy = csc_matrix(joined + diags_array(np.full(joined.shape[0], 1e6)))
    order = splu(
        heavy, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    ).perm_c
    return np.ascontiguousarray(order, np.int64)


def _eliminate(joined: csc_array, place: IntArray) -> tuple[IntArray, list[set[int]]]:
    """An order in which children stand just before their parents, and the rows below every column."""
    count = len(place)
    by_place = np.argsort(place)
    rows: list[set[int]] = []
    children: list[list[int]] = [[] for _ in range(count)]
    roots = []
    for j in range(count):
        v = by_place[j]
        near = place[joined.indices[joined.indptr[v] : joined.indptr[v + 1]]]
        mine = set(near[near > j].tolist())
        for child in children[j]:
            mine |= rows[child]
        mine.discard(j)
        rows.append(mine)
        if mine:
            children[min(mine)].append(j)
        else:
            roots.append(j)
    order: list[int] = []
    wanted = roots[::-1]
    while wanted:  # from the roots down, then turned round
        j = wanted.pop()
        order.append(j)
        # Visited last, so in the end just before its parent: the child with the most rows, which fits into its panel.
        wanted.extend(sorted(children[j], key=lambda child: (len(rows[child]), child)))
    return np.array(order[::-1], np.int64), rows


def _gather_panels(columns: list[IntArray]) -> tuple[IntArray, list[IntArray]]:
    """First vertices of the panels, and the rows below each. Panels are joined where that is less work."""
    first: list[int] = []
    kept: list[IntArray] = []
    for j, rows in enumerate(columns):
        first.append(j)
        kept.append(rows)
        while len(first) > 1:
            child, parent = len(first) - 2, len(first) - 1
            width, own = first[parent] - first[child], j + 1 - first[parent]
            if len(kept[child]) == 0 or kept[child][0] < first[parent] or kept[child][0] > j:
                break
            # The child's columns get the rows of the parent, of which they may lack some.
            under = len(kept[parent])
            apart = _count_work(width, len(kept[child])) + _count_work(own, under)
            if _count_work(width + own, under) > apart:
                break
            first.pop()
            kept[child] = kept.pop()
    first.append(len(columns))
    return np.array(first, np.int64), kept


def find_meetings(pattern: Pattern) -> Meetings:
    """For every panel: which panels its rows belong to, and where its rows are in those, in runs."""
    starts = [0]
    meets: list[Any] = []
    runs: list[Any] = []
    panel_of = np.repeat(np.arange(len(pattern.first) - 1), np.diff(pattern.first))
    for s in range(len(pattern.first) - 1):
        rows = pattern.row[pattern.below[s] : pattern.below[s + 1]]
        begin = 0
        while begin < len(rows):
            t = int(panel_of[rows[begin]])
            end = int(np.searchsorted(rows, pattern.first[t + 1]))
            width = pattern.first[t + 1] - pattern.first[t]
            theirs = pattern.row[pattern.below[t] : pattern.below[t + 1]]
            rest = rows[begin:]
            own = rest < pattern.first[t + 1]
            at = np.where(own, rest - pattern.first[t], width + np.searchsorted(theirs, rest))
            meets.append((t, begin, end, len(runs)))
            breaks = np.flatnonzero(np.diff(at) != 1) + 1
            for a, b in zip([0, *breaks], [*breaks, len(at)], strict=True):
                runs.append((begin + int(a), int(at[a]), int(b - a)))
            begin = end
        starts.append(len(meets))
    meets.append((0, 0, 0, len(runs)))
    return Meetings(
        np.array(starts, np.int64), np.array(meets, np.int64), np.array(runs, np.int64).reshape(-1, 3)
    )


def join_patterns(patterns: list[Pattern]) -> Pattern:
    """One pattern for several bodies that do not touch each other's blocks."""
    zero: IntArray = np.zeros(1, np.int64)
    parts: dict[str, list[IntArray]] = {name: [] for name in Pattern._fields}
    parts["first"], parts["below"] = [zero], [zero]
    vertices = rows = 0
    for each in patterns:
        for name in ("place", "block_column", "block_row", "row"):
            parts[name].append(getattr(each, name) + vertices)
        parts["first"].append(each.first[1:] + vertices)
        parts["below"].append(each.below[1:] + rows)
        vertices, rows = vertices + len(each.place), rows + len(each.row)
    return Pattern(*(np.concatenate(parts[name]) for name in Pattern._fields))


def find_homes(pattern: Pattern) -> tuple[IntArray, IntArray, IntArray]:
    """Where the numbers of panels begin [panels + 1], and where the blocks of A go among them (on the diagonal [n, 2],
    below it [blocks, 2]: the first number, and the length of a row).
    """
    width, under = np.diff(pattern.first), np.diff(pattern.below)
    length = 3 * (width + under)
    home = np.zeros(len(width) + 1, np.int64)
    np.cumsum(3 * width * length, out=home[1:])
    panel_of = np.repeat(np.arange(len(width)), width)

    def place(column: IntArray, at: IntArray) -> IntArray:
        s = panel_of[column]
        start = home[s] + 3 * (column - pattern.first[s]) * length[s] + 3 * at
        return np.ascontiguousarray(np.stack([start, length[s]], axis=1))

    every = np.arange(len(pattern.place))
    diagonal = place(every, every - pattern.first[panel_of])
    s = panel_of[pattern.block_column]
    at = pattern.block_row - pattern.first[s]
    for k in np.flatnonzero(at >= width[s]):
        theirs = pattern.row[pattern.below[s[k]] : pattern.below[s[k] + 1]]
        at[k] = width[s[k]] + np.searchsorted(theirs, pattern.block_row[k])
    return home, diagonal, place(pattern.block_column, at)


def find_panels(pattern: Pattern) -> dict[str, IntArray]:
    """The arrays of `tables.Factor` that follow from the pattern, by name."""
    home, diagonal, lower = find_homes(pattern)
    panel_of: IntArray = np.repeat(np.arange(len(pattern.first) - 1), np.diff(pattern.first))
    return {
        "place": pattern.place, "panel": pattern.first, "panel_of": panel_of, "home": home, "below": pattern.below,
        "row": pattern.row, "diagonal_home": diagonal, "lower_home": lower, **find_meetings(pattern)._asdict(),
    }  # fmt: skip


def sort_corners(pattern: Pattern, tets: IntArray, gradients: FloatArray) -> tuple[IntArray, FloatArray]:
    """Corners of the tetrahedra in the order of elimination, and their gradients likewise."""
    order = np.argsort(pattern.place[tets], axis=1, kind="stable")
    return (
        np.take_along_axis(tets, order, axis=1),
        np.ascontiguousarray(np.take_along_axis(gradients, order[:, :, None], axis=1)),
    )


def place_blocks(pattern: Pattern, corners: IntArray, fixed: BoolArray) -> IntArray:
    """Where the blocks of a tetrahedron are in A [m, 10]: four on the diagonal, then those of the pairs (a, b), b < a.

    Corners are in the order of elimination, so a block (a, b) lies in the row of a. Blocks of vertices that stand still
    go where nobody reads them: behind the last.
    """
    places, count = pattern.place[corners], len(pattern.place)
    slot = np.zeros((len(corners), 10), np.int64)
    still = fixed[corners]
    keys = pattern.block_column * count + pattern.block_row
    for a in range(4):
        slot[:, a] = np.where(still[:, a], count, places[:, a])
        for b in range(a):
            found = np.searchsorted(keys, places[:, b] * count + places[:, a])
            skip = still[:, a] | still[:, b]
            slot[:, 4 + (a * (a - 1)) // 2 + b] = np.where(skip, len(keys), found)
    return slot
