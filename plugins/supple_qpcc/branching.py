"""Branch and bound over the sides of pairs: what the search over modes found is proven, or something better is found.

A node is a program with some pairs decided. Undecided pairs keep a >= 0 and e >= 0 only, so that its value is a
bound for all that can be decided below it. The node with the lowest bound is split at the pair with the largest
product a e.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_qpcc.pieces import A_ZERO, E_ZERO, FREE
from supple_qpcc.program import SOLVED, UNBOUNDED, Answer

if TYPE_CHECKING:
    from supple_qpcc.search import Search

#: After so many splits, the nearest modes of the node that is split are tried: where all pairs belong to contacts, and
#: where pairs are alone, whose first guesses are worse.
ROUNDED_CONTACTS: Final = 8
ROUNDED_PAIRS: Final = 2

Node = tuple[float, int, IntArray, Answer]


class Branching:
    """The open nodes of one search. It uses the search's program, its budget and its best point."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._open: list[Node] = []
        self._count = 0
        self._lost = np.inf

    def relax(self, active: IntArray | None) -> None:
        """Solve the program in which nothing is decided, and try the modes nearest to its solution."""
        if self._search.afford():
            self._add(np.full(self._search.problem.pairs, FREE), active)
            if self._open and not self.finished():
                self._round(self._open[0][3])
        else:
            self._lost = -np.inf

    def bound(self) -> float:
        """No feasible point has an objective below, c0 left out."""
        return min(self._lost, self._open[0][0] if self._open else np.inf, self._search.value)

    def finished(self) -> bool:
        """Is there nothing left to be found, given how exact the answer must be."""
        return not self._open or self._open[0][0] >= self._search.value - self._search.allow()

    def run(self) -> None:
        """Split nodes until it is finished or the budget is spent."""
        splits = 0
        every = ROUNDED_CONTACTS if self._search.pieces.contact.all() else ROUNDED_PAIRS
        while not self.finished() and self._search.afford():
            sides, answer = self._take()
            pair = self._choose_pair(sides, answer)
            splits += 1
            if splits % every == 0:
                self._round(answer)
            for side in (A_ZERO, E_ZERO):
                child = sides.copy()
                child[pair] = side
                if self._search.afford():
                    self._add(child, answer.active)
                else:
                    self._lost = min(self._lost, answer.value)

    def _take(self) -> tuple[IntArray, Answer]:
        """The node with the lowest bound; as long as nothing feasible is known, one with most pairs decided."""
        if self._search.best is not None:
            return heapq.heappop(self._open)[2:]
        deepest = min(self._open, key=lambda node: (int((node[2] == FREE).sum()), *node[:2]))
        self._open.remove(deepest)
        heapq.heapify(self._open)
        return deepest[2:]

    def _add(self, sides: IntArray, active: IntArray | None) -> None:
        """Solve a node; it stays open unless it is empty, too high, or its solution is feasible."""
        search = self._search
        answer = search.program.solve(sides, active)
        if answer.value == np.inf:
            return
        if answer.code == SOLVED and not (sides != FREE).any():
            search.note_relaxation(answer.x)
        if answer.code == SOLVED and answer.value < search.value - search.allow():
            modes = search.locate(answer.x)
            if modes is not None:
                # The piece holds the solution of the relaxation, so nothing in this node is better.
                search.visit(modes, "branch" if (sides != FREE).any() else "relaxation", answer.active)
        if (sides != FREE).all():
            search.unbounded = search.unbounded or answer.code == UNBOUNDED
        if (sides != FREE).all() or answer.value >= search.value - search.allow():
            self._lost = min(self._lost, answer.value)
            return
        self._count += 1
        heapq.heappush(self._open, (answer.value, self._count, sides, answer))

    def _round(self, answer: Answer) -> None:
        """Try the modes of contacts for the muscles of this node, and those nearest to it; go on from a better one."""
        if answer.code != SOLVED:
            return
        search = self._search
        search.start_from_lcp(answer.x)
        nearest = search.pieces.round(*search.problem.find_pairs(answer.x))
        search.descend(nearest, search.visit(nearest, "relaxation", answer.active))

    def _choose_pair(self, sides: IntArray, answer: Answer) -> int:
        undecided = sides == FREE
        if answer.code != SOLVED:
            return int(np.argmax(undecided))
        a, e = self._search.problem.find_pairs(answer.x)
        product: FloatArray = np.maximum(a, 0.0) * np.maximum(e, 0.0)
        return int(np.argmax(np.where(undecided, product, -1.0)))
