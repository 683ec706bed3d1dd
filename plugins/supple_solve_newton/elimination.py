"""Sparse elimination of the matrix of a Newton step, in an order that is kept while the pattern of W stays."""

from __future__ import annotations

from typing import Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.mechanics.block_matrix import BlockMatrix
from supple_solve_newton import front_kernels, order_kernels
from supple_solve_newton.fronts import Factor, Fronts, Graph, Tree
from supple_solve_newton.linearisation import Linearisation

find_twins, build_graph = TypedKernel(order_kernels.find_twins), TypedKernel(order_kernels.build_graph)
find_parents, find_borders = TypedKernel(order_kernels.find_parents), TypedKernel(order_kernels.find_borders)
list_by_depth, join_fronts = TypedKernel(order_kernels.list_by_depth), TypedKernel(order_kernels.join_fronts)
list_members, fill_fronts = TypedKernel(order_kernels.list_members), TypedKernel(order_kernels.fill_fronts)
measure_fronts, measure_room = (
    TypedKernel(order_kernels.measure_fronts),
    TypedKernel(order_kernels.measure_room),
)
factor_fronts, solve_fronts = (
    TypedKernel(front_kernels.factor_fronts),
    TypedKernel(front_kernels.solve_fronts),
)
find_remainder = TypedKernel(front_kernels.find_remainder)
expand_unknowns = TypedKernel(front_kernels.expand_unknowns)

# The part of the right-hand side that may remain: above the first it is solved for again, above the second given up.
GOOD: Final = 1e-11
BAD: Final = 1e-6
# From this part of all groups on, fronts are made for all of them: they then serve from step to step.
NEARLY_ALL: Final = 0.8
MOST_KNOWN: Final = 4


def _integers(*shape: int) -> IntArray:
    return np.zeros(shape, np.int64)


def find_places(count: int, graph: Graph) -> IntArray:
    """Where every vertex stands in an order with little fill: minimum degree, as SuperLU finds it."""
    from scipy.sparse import csc_matrix  # here, because most scenes never come here, and the import is long
    from scipy.sparse.linalg import splu

    entries = int(graph.start[count])
    # What is factorised is of no interest; its diagonal is so heavy that no pivot is needed.
    column = np.repeat(np.arange(count), np.diff(graph.start[: count + 1]))
    values = np.where(graph.neighbour[:entries] == column, 1e6, 1.0)
    heavy = csc_matrix((values, graph.neighbour[:entries], graph.start[: count + 1]), shape=(count, count))
    order = splu(heavy, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.ascontiguousarray(order.perm_c, np.int64)


class Elimination:
    """Factors of one matrix after the other.

    Which groups fronts are made for depends on the matrices since `begin` alone, so that results repeat whatever was
    solved before. Fronts of earlier problems with the same pattern are kept, for those who need the very same.
    """

    def __init__(self) -> None:
        self._indptr, self._indices, self._inside = _integers(0), _integers(0), _integers(0)
        self._known: list[tuple[IntArray, Fronts]] = []  # for the pattern of `_indptr` and `_indices`
        self._fronts: Fronts | None = None
        self._factor: Factor | None = None
        self.work = 0.0  # multiplications of the last factorisation

    def begin(self) -> None:
        """A new problem."""
        self._fronts = None

    def factor(self, W: BlockMatrix, linear: Linearisation, added: FloatArray) -> bool:
        """Factor L^T W C + added, where `added` [groups, 3, 3] stands on the diagonal; False if a pivot is zero."""
        fronts = self._choose_fronts(W, linear.mode[: W.group_count])
        assert self._factor is not None
        self.work = float(factor_fronts(W.blocks, linear, added, fronts, self._factor))
        return self.work >= 0.0

    def solve(self, linear: Linearisation, right_side: FloatArray) -> None:
        """The right-hand side becomes the solution with the factors of the last matrix."""
        assert self._fronts is not None
        assert self._factor is not None
        solve_fronts(linear, self._fronts, self._factor, right_side)

    def solve_accurately(
        self, W: BlockMatrix, linear: Linearisation, added: FloatArray, right_side: FloatArray
    ) -> FloatArray | None:
        """The solution of the whole system; None where no accurate one was found without changing pivots."""
        if not self.factor(W, linear, added):
            return None
        unknown = right_side.copy()
        self.solve(linear, unknown)
        n = W.group_count
        remainder, step = np.empty_like(unknown), np.empty((n, 3))
        worst = greatest = 0.0
        for last in (False, True):
            expand_unknowns(n, linear, unknown, step)
            worst, greatest = find_remainder(n, W.blocks, linear, added, right_side, unknown, step, remainder)
            if last or worst <= GOOD * greatest:
                break
            self.solve(linear, remainder)
            unknown += remainder
        return unknown if worst <= BAD * greatest else None

    def _choose_fronts(self, W: BlockMatrix, mode: IntArray) -> Fronts:
        """The fronts of the last matrix if they still serve; else those of more groups."""
        self._look_at_pattern(W)
        if self._fronts is not None:
            if not (mode > self._inside).any():
                return self._fronts
            inside = np.maximum(mode, self._inside)
        else:
            inside = mode
        everybody = np.count_nonzero(inside) >= NEARLY_ALL * len(mode)
        self._inside = np.full(len(mode), 3) if everybody else np.where(inside > 0, 3, 0)
        self._fronts = self._find(W)
        self._reserve(len(mode), self._fronts)
        return self._fronts

    def _look_at_pattern(self, W: BlockMatrix) -> None:
        indptr, indices = W.indptr[: W.group_count + 1], W.indices[: W.block_count]
        if not (np.array_equal(indptr, self._indptr) and np.array_equal(indices, self._indices)):
            self._indptr, self._indices = indptr.copy(), indices.copy()
            self._known.clear()
            self._fronts = None

    def _find(self, W: BlockMatrix) -> Fronts:
        for inside, fronts in self._known:
            if np.array_equal(inside, self._inside):
                return fronts
        fronts = find_fronts(W, self._inside)
        self._known = [(self._inside, fronts), *self._known][:MOST_KNOWN]
        return fronts

    def _reserve(self, groups: int, fronts: Fronts) -> None:
        kept, greatest, waiting = measure_room(fronts)
        count = int(fronts.counts[0])
        known = self._factor
        if (
            known is not None
            and len(known.values) >= kept
            and len(known.local) >= greatest
            and len(known.rest) >= waiting
            and len(known.begin) >= count
            and len(known.place) >= groups
        ):
            return
        room = int(greatest)
        self._factor = Factor(
            begin=_integers(2 * count), values=np.zeros(kept + kept // 2), front=np.zeros(room * room),
            rest=np.zeros(waiting + waiting // 2), place=_integers(groups + groups // 2), row=_integers(room),
            local=np.zeros(room), waiting=_integers(2 * count), sizes=_integers(2 * count),
        )  # fmt: skip


def find_fronts(W: BlockMatrix, inside: IntArray) -> Fronts:
    """The fronts of the groups that are inside (not zero), for whatever numbers the matrix has."""
    n, blocks = W.group_count, W.blocks
    length, twin, vertex, following = _integers(4, n)
    find_twins(n, blocks, inside, length, twin)
    graph = Graph(start=_integers(n + 1), neighbour=_integers(W.block_count), rows=_integers(n))
    count, _ = build_graph(n, blocks, twin, vertex, graph)
    place, order = find_places(count, graph), _integers(count)
    order[place] = np.arange(count)
    parent, child, sibling, scratch = _integers(4, count + 1)
    by_depth = _integers(count)
    find_parents(count, graph, order, place, parent, scratch)
    list_by_depth(count, parent, child, sibling, scratch, by_depth)
    # The same tree and the same fill in another order of its branches.
    order = np.ascontiguousarray(order[by_depth])
    place[order] = np.arange(count)
    find_parents(count, graph, order, place, parent, scratch)
    tree = Tree(
        parent=parent, order=order, place=place, start=_integers(count + 1), child=child, sibling=sibling
    )
    border = _integers(4 * W.block_count + count)
    while int(find_borders(count, graph, tree, scratch, border)) < 0:
        border = _integers(2 * len(border))
    last, front, first_member = _integers(3, count)
    fronts = int(join_fronts(count, graph, tree, border, last, front))
    list_members(n, vertex, count, tree, first_member, following)
    sizes = np.bincount(place[vertex[vertex >= 0]], minlength=count).astype(np.int64)
    start = _integers(fronts + 1)
    total = int(measure_fronts(fronts, tree, border, last, sizes, start))
    found = Fronts(
        counts=np.array([fronts]), start=start, pivots=_integers(fronts), children=_integers(fronts),
        group=_integers(total), eliminated=np.full(n, -1), waiting=_integers(fronts + 1),
    )  # fmt: skip
    fill_fronts(fronts, tree, border, last, front, first_member, following, found)
    return found
