"""Fronts of a sparse elimination: found once for a pattern, whatever the numbers; see `order_kernels`."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import IntArray
from supple.core.jit import TypedKernel
from supple.math.strip_kernels import LANES
from supple.mechanics.block_matrix import BlockMatrix
from supple_solve_newton import order_kernels
from supple_solve_newton.fronts import Factor, Fronts, Graph, Tree

find_twins, build_graph = TypedKernel(order_kernels.find_twins), TypedKernel(order_kernels.build_graph)
find_parents, find_borders = TypedKernel(order_kernels.find_parents), TypedKernel(order_kernels.find_borders)
list_by_depth, join_fronts = TypedKernel(order_kernels.list_by_depth), TypedKernel(order_kernels.join_fronts)
list_members, fill_fronts = TypedKernel(order_kernels.list_members), TypedKernel(order_kernels.fill_fronts)
measure_fronts, measure_room = (
    TypedKernel(order_kernels.measure_fronts),
    TypedKernel(order_kernels.measure_room),
)


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


def reserve_factor(known: Factor | None, groups: int, fronts: Fronts, width: int = 3) -> Factor:
    """Room for the factors of these fronts: what is known, if that is large enough."""
    kept, greatest, waiting = measure_room(fronts, width)
    count = int(fronts.counts[0])
    if (
        known is not None
        and len(known.values) >= kept
        and len(known.local) >= greatest
        and len(known.rest) >= waiting
        and len(known.begin) >= count
        and len(known.place) >= groups
    ):
        return known
    room = int(greatest)
    return Factor(
        begin=_integers(2 * count), values=np.zeros(kept + kept // 2), front=np.zeros(room * (room + LANES)),
        rest=np.zeros(waiting + waiting // 2), place=_integers(groups + groups // 2), row=_integers(room),
        local=np.zeros(room), waiting=_integers(2 * count), sizes=_integers(2 * count),
    )  # fmt: skip


def find_fronts(W: BlockMatrix, inside: IntArray, width: int = 3) -> Fronts:
    """The fronts of the groups that are inside (not zero), `width` rows each, whatever numbers the matrix has."""
    n, blocks = W.group_count, W.blocks
    length, twin, vertex, following = _integers(4, n)
    find_twins(n, blocks, inside, length, twin)
    graph = Graph(start=_integers(n + 1), neighbour=_integers(W.block_count), rows=_integers(n))
    count, _ = build_graph(n, blocks, twin, width, vertex, graph)
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
