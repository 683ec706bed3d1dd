"""The solver: a search over modes, then branching, with one budget of quadratic programs for both.

A node of the search over modes is one mode for each group. Its program is solved when it is found, and it waits in a
queue in the order of objectives. When its turn comes, it is pivoted: every mode of a group that holds the minimiser
as well makes a new node. Branching starts from the relaxation, in which no pair is decided, and decides one pair
after the other; what it finds is bounded from below.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple_qpcc.branching import Branching
from supple_qpcc.contacts import find_contacts, hold, hold_and_touch
from supple_qpcc.pieces import BREAK, STATIC, Contact, Pieces, make_pieces, pick
from supple_qpcc.problem import Qpcc
from supple_qpcc.program import UNBOUNDED, Answer, Program
from supple_qpcc.records import Budget, Origin, Result, Start, Status
from supple_qpcc.scaling import scale_problem

#: a or e below this share of its terms is zero.
NEAR: Final = 1e-7
#: Below this share of its terms, each variable taken as one more than it is, an objective is zero.
PRECISION: Final = 1e-11


def solve(
    problem: Qpcc,
    start: Start | None = None,
    seeds: Sequence[IntArray] = (),
    budget: Budget | None = None,
    contacts: Sequence[Contact] | None = None,
    touching: BoolArray | None = None,
) -> Result:
    """The best point found within the budget.

    `start` is that of the last result, `seeds` are modes to try as well, `contacts` are found in the problem if they
    are not given. Contacts that are not `touching` [contacts] start broken, not static. The same
    arguments give the same bits, whatever was solved before.
    """
    budget = budget or Budget()
    pieces = make_pieces(problem.pairs, find_contacts(problem) if contacts is None else contacts)
    if problem.factor is not None:
        return Search(problem, pieces, budget, touching).run(start, seeds)
    scaled, unit = scale_problem(problem)
    if start is not None and len(start.last) == problem.size:
        start = replace(start, last=start.last / unit)
    found = Search(scaled, pieces, budget, touching).run(start, seeds)
    again = replace(found.start, last=unit * found.start.last) if len(found.start.last) else found.start
    return replace(found, x=unit * found.x, start=again)


class Search:
    """One solve: its program, the nodes seen so far, and the best of them."""

    def __init__(
        self, problem: Qpcc, pieces: Pieces, budget: Budget, touching: BoolArray | None = None
    ) -> None:
        self.problem, self.pieces, self.budget = problem, pieces, budget
        self._static: IntArray = np.where(pieces.contact, STATIC, 0)
        if touching is not None:
            self._static[: len(touching)] = np.where(touching, STATIC, BREAK)
        self.program = Program(problem, budget.confirm, budget.precise)
        self.best: Answer | None = None
        self.best_modes: IntArray = np.zeros(pieces.groups, np.int64)
        self.origin: Origin = "none"
        self.unbounded = False
        self._terms = 0.0
        self._relaxed_terms = np.inf
        self._seen: set[bytes] = set()
        self._queue: list[tuple[float, int, IntArray, Answer]] = []

    def run(self, start: Start | None, seeds: Sequence[IntArray] = ()) -> Result:
        """All stages, one after the other, as far as they are needed."""
        start = start or Start(np.full(self.pieces.groups, -1))
        for modes, origin in self._list_starts(start, seeds):
            self.visit(modes, origin, start.active)
        if self.best is None:
            self.start_from_lcp(start.last)
        branching = Branching(self) if self.budget.branch else None
        if branching is None:
            self.pivot()
            if self.budget.jump:
                self.jump()
        else:
            branching.relax(start.active)
            branching.run()
        return self._report(start, branching.bound() if branching else -np.inf)

    @property
    def value(self) -> float:
        """Objective of the best node without c0, infinite if there is none."""
        return np.inf if self.best is None else self.best.value

    def afford(self) -> bool:
        """May another program be solved."""
        return self.program.solved < self.budget.nodes and not self.unbounded

    def allow(self) -> float:
        """By how much the best node may lie above a bound: a share of the objective, or the precision of its terms."""
        if self.best is None:
            return 0.0
        return max(
            self.budget.gap * abs(self.best.value + self.problem.c0),
            PRECISION * min(self._terms, self._relaxed_terms),
        )

    def visit(self, modes: IntArray, origin: Origin, active: IntArray | None) -> Answer | None:
        """Solve the program of these modes; None if that was done before, cannot be afforded, or has no solution."""
        key = modes.tobytes()
        if key in self._seen or not self.afford():
            return None
        self._seen.add(key)
        answer = self.program.solve(self.pieces.choose(modes), active)
        if answer.code == UNBOUNDED:
            self.unbounded = True
        if not np.isfinite(answer.value):
            return None
        heapq.heappush(self._queue, (answer.value, len(self._seen), modes, answer))
        if answer.value < self.value:
            self.best, self.best_modes, self.origin = answer, modes, origin
            self._terms = self._measure_terms(answer.x)
        return answer

    def note_relaxation(self, x: FloatArray) -> None:
        """The relaxation says how large terms need to be; a bad point with huge ones must not pass for the optimum."""
        self._relaxed_terms = self._measure_terms(x)

    def _measure_terms(self, x: FloatArray) -> float:
        problem, size = self.problem, 1.0 + np.abs(x)
        return float(0.5 * size @ (np.abs(problem.P) @ size) + np.abs(problem.c) @ size + abs(problem.c0))

    def find_tolerance(self, x: FloatArray) -> FloatArray:
        """Below which a, and e, of a point count as zero."""
        problem, size = self.problem, np.abs(x)
        terms = [
            np.abs(matrix) @ size + np.abs(constant)
            for matrix, constant in ((problem.C, problem.d), (problem.E, problem.f))
        ]
        return NEAR * (1.0 + np.concatenate(terms))

    def locate(self, x: FloatArray) -> IntArray | None:
        """Modes whose piece holds x; None if a group has none."""
        held = self.pieces.hold(*self.problem.find_pairs(x), self.find_tolerance(x))
        modes = pick(self.pieces.first, held)
        return modes if held[self.pieces.first[:-1] + modes].all() else None

    def pivot(self) -> None:
        """Expand nodes in the order of their objectives until nothing is left."""
        while self._queue and self.afford():
            _, _, modes, answer = heapq.heappop(self._queue)
            for neighbour in self._list_pivots(modes, answer):
                self.visit(neighbour, "pivot", answer.active)

    def descend(self, modes: IntArray, answer: Answer | None) -> None:
        """Pivot from node to better node while a released side promises one: down to a local minimum.

        Contacts need it not: the modes that the LCP gives them are near the optimum. Pairs that are alone are many,
        and each of them is left where the first guess put it.
        """
        while answer is not None and not self.pieces.contact.all():
            here, answer = answer, None
            for neighbour in self._list_pivots(modes, here, promising=True):
                there = self.visit(neighbour, "pivot", here.active)
                if there is not None and there.value < here.value:
                    modes, answer = neighbour, there
                    break

    def jump(self) -> None:
        """Break each contact of the best node, or hold it, though its force is not zero; and go on from what is better.

        Pivots cannot get there: a contact whose force may be zero, but is not at the minimum, is not a candidate.
        """
        improved = True
        while improved and self.best is not None:
            before, modes, answer = self.value, self.best_modes, self.best
            for contact in np.flatnonzero(self.pieces.contact):
                for mode in (BREAK, STATIC):
                    neighbour = modes.copy()
                    neighbour[contact] = mode
                    self.visit(neighbour, "pivot", answer.active)
            improved = self.value < before
            if improved:
                self.pivot()

    def _list_pivots(self, modes: IntArray, answer: Answer, promising: bool = False) -> list[IntArray]:
        """Neighbours that hold the minimiser too, those first whose released sides pull most."""
        pieces, first = self.pieces, self.pieces.first
        held = pieces.hold(*self.problem.find_pairs(answer.x), self.find_tolerance(answer.x))
        pull = np.maximum(answer.force[self.program.place], 0.0)
        now = first[:-1] + modes
        found: list[tuple[float, int, IntArray]] = []
        for group in range(pieces.groups):
            for piece in first[group] + np.flatnonzero(held[first[group] : first[group + 1]]):
                if piece == now[group]:
                    continue
                gain = float(pull[pieces.zero[now[group]] & ~pieces.zero[piece]].sum())
                if promising and gain <= 0.0:
                    continue
                neighbour = modes.copy()
                neighbour[group] = piece - first[group]
                found.append((-gain, len(found), neighbour))
        return [neighbour for _, _, neighbour in sorted(found, key=lambda one: one[:2])]

    def _list_starts(self, start: Start, seeds: Iterable[IntArray]) -> list[tuple[IntArray, Origin]]:
        static = self._static
        starts: list[tuple[IntArray, Origin]] = []
        if len(start.modes) == len(static) and (start.modes >= 0).any():
            starts.append((np.where(start.modes < 0, static, start.modes), "start"))
        starts.extend((np.where(np.asarray(seed) < 0, static, seed), "seed") for seed in seeds)
        if self.pieces.contact.any():
            starts.append((static, "static"))
        return starts

    def start_from_lcp(self, last: FloatArray) -> None:
        """Visit the modes that contacts take when everything but their forces is as in `last`."""
        x = hold_and_touch(self.problem, last)
        modes = None if x is None else self.locate(x)
        if modes is not None:
            self.descend(modes, self.visit(modes, "lcp", None))

    def _report(self, start: Start, bound: float) -> Result:
        program, c0 = self.program, self.problem.c0
        counts = (program.solved, program.infeasible, program.failed)
        if self.best is None:
            sure = bound == np.inf or not program.failed
            status: Status = "unbounded" if self.unbounded else "infeasible" if sure else "failed"
            again = Start(np.full(self.pieces.groups, -1), last=start.last)
            x = hold(self.problem, start.last)
            return Result(x, np.inf, bound + c0, status, "none", again.modes, *counts, again, "hold")
        x, objective = self.best.x, self.problem.evaluate(self.best.x)
        # Values of programs are held against each other: one that is evaluated anew is rounded otherwise.
        proven = self.best.value - bound <= self.allow()
        bound = min(bound + c0, objective)
        status = "unbounded" if self.unbounded else "proven" if proven else "found"
        again = Start(self.best_modes, self.best.active, x)
        return Result(x, objective, bound, status, self.origin, self.best_modes, *counts, again)
