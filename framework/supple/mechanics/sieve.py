"""Steps in which few of many contacts bear: W is made for these alone.

A thousand contacts on two skeletons are all coupled, and W has nine numbers for each pair of them, though it has no
more ranks than the skeletons have rates, so that few contacts bear. Where there are many groups, and most are coupled,
W is left open while rows are assembled. The groups that bore in the last step, and all that are no contact or limit,
are solved by themselves. The velocities of all others follow by J A^-1 J^T lambda, from right to left; those that
violate their laws most are admitted, until nobody does. So the solution is that of the whole problem.

Where too many bear, where a solver falls short, and where plans, blows or the gains of contacts need all of W, it is
made as always: `release`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.program import make_callable
from supple.core.schedule import ROWS, Bound, Call, Phase, Work
from supple.mechanics import sieve_kernels as kernels
from supple.mechanics.block_matrix_kernels import mark_movable
from supple.mechanics.gain_kernels import QUIET, find_strayed
from supple.mechanics.jacobian import Jacobian, JacobianBlocks
from supple.mechanics.mechanism import Mechanism, RowSource
from supple.mechanics.problem import ConstraintProblem, PartialProblem, cut_groups
from supple.mechanics.rescue import is_approximate, make_solvers, solve_with_rescue
from supple.mechanics.rows import COULOMB, UNILATERAL
from supple.mechanics.solution import Outcome, Solution, Solver
from supple.mechanics.springs import list_tables

ADMITTED: Final = 16
"""Groups that a round admits."""
MAX_ROUNDS: Final = 40
DROPPING_ROUNDS: Final = 20
"""Afterwards nobody leaves, so that rounds cannot go in circles."""
GREATEST_SHARE: Final = 0.25
"""Of all groups; with more at work all of W is worth its trouble."""
TOLERANCE: Final = 1e-10
"""[m/s] What groups outside may violate their laws by."""


class Sieve:
    """The solve of a scene that leaves W open where there are many groups; `closing` is what was left out."""

    def __init__(self, problem: ConstraintProblem, mechanisms: Sequence[Mechanism], arrays: Bound) -> None:
        self._problem, self._mechanisms = problem, mechanisms
        self.open: IntArray = np.zeros(1, np.int64)
        self._pairs: FloatArray = np.zeros(1)
        self._rates = [np.zeros((2, *arrays[each.v].shape)) for each in mechanisms]
        self._velocity, self._found, self._work = np.zeros((3, problem.capacity, 3))
        self._own: FloatArray = np.zeros((problem.capacity, 3, 3))
        self._place: IntArray = np.zeros(problem.capacity, np.int64)
        self._kept: list[Jacobian] = []
        self._part = PartialProblem(1, problem.capacity)
        self._strayed: IntArray = np.zeros(1, np.int64)

    def bind_closing(self, making: Sequence[Work], free: Sequence[Work]) -> list[Work]:
        """What makes W, and what closes the velocities without impulses, where W may be left open."""
        problem = self._problem
        counted = [problem.counts, *(each.jacobian.count for each in self._mechanisms)]
        self._release = make_callable([*making, *free])
        kept = np.zeros((len(counted), 1), np.int64)
        measuring = [
            Call(
                kernels.add_pairs, problem.counts, each.jacobian.arrays,
                *np.zeros((2, each.unit_count), np.int64), self._pairs,
            )
            for each in self._mechanisms
        ]  # fmt: skip
        return [
            *measuring,
            Call(kernels.choose_open, problem.counts, self._pairs, self.open),
            *(Call(kernels.hide, self.open, mine, count) for mine, count in zip(kept, counted, strict=True)),
            *making,
            *(Call(kernels.show, self.open, mine, count) for mine, count in zip(kept, counted, strict=True)),
            *free,
        ]

    def bind_note(self, planned: IntArray) -> Call:
        """What says to quick starts that there is nothing for them; `planned` has an entry for it at its end."""
        return Call(kernels.note_open, self.open, planned)

    def bind_end(self) -> Call:
        """What leaves the problem of an open step such that its velocities and its residual can be read."""
        W = self._problem.W
        return Call(
            kernels.stand_alone, self.open, self._found, self._velocity, self._own, W.blocks, W.sizes,
            self._problem.rows,
        )  # fmt: skip

    def release(self) -> None:
        """Make all of W, if it was left open."""
        if self.open[0]:
            self.open[0] = 0
            self._release()

    def solve(self, solvers: Sequence[tuple[str, Solver]], warm: FloatArray) -> tuple[Solution, int] | None:
        """The solution of the whole problem, and how many solvers were tried at most; None if it needs all of W."""
        problem, n = self._problem, self._problem.count
        law = problem.law[:n]
        one_sided = (law == COULOMB) | (law == UNILATERAL)
        impulse, tries, work = warm[:n].copy(), 1, 0
        chosen, idle, size = ~one_sided | (impulse[:, 0] != 0.0), np.zeros(n, np.bool_), np.zeros(n)
        if np.count_nonzero(chosen) > GREATEST_SHARE * n:
            return None
        self._keep_blocks()
        for number in range(MAX_ROUNDS):
            groups = np.flatnonzero(chosen)
            if len(groups) > GREATEST_SHARE * n:
                return None
            found, tried = self._solve_part(solvers, groups, impulse[groups])
            tries, work = max(tries, tried), work + found.iterations
            if found.status != "converged":
                return None
            impulse[:] = 0.0
            impulse[groups] = found.impulse[: len(groups)]
            idle[groups] = np.trace(self._own[groups], axis1=1, axis2=2) == 0.0
            self._find_velocities(impulse)
            if number < DROPPING_ROUNDS:
                chosen &= ~(one_sided & (impulse[:, 0] == 0.0))
            kernels.measure_outside(problem.rows, self._velocity, chosen, idle, size)
            worst = np.argsort(-size, kind="stable")[:ADMITTED]
            worst = worst[size[worst] > TOLERANCE]
            if not len(worst):
                residual = max(found.residual, float(size.max()))
                self._found[:n] = impulse
                self._own[:n][~chosen & ~idle] = np.eye(3)
                return Solution(impulse, "converged", work, residual), tries
            chosen[worst] = True
        return None

    def strays(self, outcome: Outcome, lagging: IntArray) -> bool:
        """Whether contacts of the solution may gain energy (`gains`): who looks at that needs all of W."""
        rows, origin = self._problem.rows, self._problem.origin
        find_strayed(rows, origin, lagging, outcome, self._strayed, self._work)
        return bool(self._strayed[0] != QUIET)

    def _keep_blocks(self) -> None:
        if not self._kept:
            self._kept = [
                JacobianBlocks(m.jacobian.capacity, m.jacobian.width).arrays for m in self._mechanisms
            ]
        for each, kept in zip(self._mechanisms, self._kept, strict=True):
            kernels.keep_blocks(each.jacobian.arrays, kept)

    def _solve_part(
        self, solvers: Sequence[tuple[str, Solver]], groups: IntArray, warm: FloatArray
    ) -> tuple[Solution, int]:
        """The solution of some groups alone; `_own` gets their diagonal blocks."""
        if not len(groups):
            return Solution(np.zeros((0, 3)), "converged", 0, 0.0), 1
        part = self._part
        if part.capacity < len(groups):
            part = self._part = PartialProblem(2 * len(groups), self._problem.capacity)
        part.step, part.counts[0] = self._problem.step, len(groups)
        part.groups[: len(groups)] = groups
        cut_groups(part.groups, self._problem.rows, self._problem.origin, self._place, part.rows, part.origin)
        self._couple(part)
        self._own[groups] = part.W.values[part.W.diagonal[: len(groups)]]
        return solve_with_rescue(solvers, part, warm)

    def _couple(self, part: PartialProblem) -> None:
        """W of the part, by mechanisms that see its blocks alone."""
        group, unit, first = [], [], 0
        movable = np.zeros(part.capacity, np.int64)
        try:
            for each, kept in zip(self._mechanisms, self._kept, strict=True):
                jacobian = each.jacobian
                kernels.take_blocks(kept, self._place, jacobian.arrays)
                count = jacobian.count.item(0)
                group.append(jacobian.group[:count].copy())
                unit.append(jacobian.unit[:count] + first)
                first += each.unit_count
            part.W.set_pattern(np.concatenate(group), np.concatenate(unit), part.count, first)
            for each in self._mechanisms:
                each.add_delassus(part.W)
                if getattr(each, "sums_only", False):
                    jacobian = each.jacobian
                    mark_movable(jacobian.count, jacobian.group, jacobian.unit, movable)
        finally:
            for each, kept in zip(self._mechanisms, self._kept, strict=True):
                kernels.copy_blocks(kept, kept.counts[0], each.jacobian.arrays)
                each.jacobian.count[0] = kept.counts[0]
        part.W.clear_immovable_groups(movable)

    def _find_velocities(self, impulse: FloatArray) -> None:
        """The row velocities of all groups, by what the impulses do to the mechanisms."""
        problem, n = self._problem, self._problem.count
        velocity = self._velocity
        velocity[:n] = problem.free[:n] + problem.compliance[:n] * impulse
        for each, (push, change) in zip(self._mechanisms, self._rates, strict=True):
            push.fill(0.0)
            each.jacobian.add_transposed_impulses(impulse, push.reshape(-1))
            each.apply_inverse(push, change)
            each.jacobian.add_row_velocities(change.reshape(-1), velocity)


def find_sieve(
    arrays: Bound, problem: ConstraintProblem, mechanisms: Sequence[Mechanism], sources: Sequence[RowSource]
) -> Sieve | None:
    """What leaves W open; None where somebody reads it before it is solved, or where it is known as a product."""
    build = arrays.build
    special = any(hasattr(source, name) for source in sources for name in ("coupled", "find_haste"))
    if special or list_tables(list(sources)) or problem.roots is not None or build.run.warm_start != "pairs":
        return None
    if problem.capacity < kernels.MANY_GROUPS or is_approximate(make_solvers(build)[0][1]):
        return None
    for entry in build.schedule:
        mine = entry.name in (f"{ROWS}.assemble", f"{ROWS}.solve")
        if entry.phase <= Phase.SOLVE and not mine and "rows.problem" in entry.reads:
            return None
    return Sieve(problem, mechanisms, arrays)
