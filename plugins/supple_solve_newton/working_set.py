"""Many contacts of which few carry force: solve small problems of those that matter.

A round solves the problem of the chosen groups alone, looks at the velocities of all others, README eq. (6), and
admits the worst of those that would violate their law. At the end nobody outside does, so the solution is that of
the whole problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics.problem import ConstraintProblem, PartialProblem
from supple.mechanics.solution import Solution
from supple_solve_newton import working_set_kernels as kernels
from supple_solve_newton.working_set_kernels import ADMITTED, DROPPING_ROUNDS, GREATEST_SHARE, MAX_ROUNDS

is_set_worth_it = TypedKernel(kernels.is_worth_it)
choose_first_groups = TypedKernel(kernels.choose_first_groups)
drop_open_groups = TypedKernel(kernels.drop_open_groups)
find_velocities, admit_worst = TypedKernel(kernels.find_velocities), TypedKernel(kernels.admit_worst)

SolveFunction = Callable[[ConstraintProblem, FloatArray, float], Solution]


def is_worth_it(problem: ConstraintProblem) -> bool:
    """Whether the problem is large, and most groups are coupled: then W has few ranks and few groups carry force."""
    return bool(is_set_worth_it(problem.rows, problem.W.block_count))


def fills_a_set(problem: ConstraintProblem, impulse: FloatArray) -> bool:
    """Whether so many groups carry force that a set of them has no advantage."""
    return bool(kernels.fills_a_set(problem.count, impulse))


class WorkingSet:
    """Finds the groups that carry force, by a solver for small problems."""

    def __init__(self, solve_small: SolveFunction, may_go_on: Callable[[], bool] = lambda: True) -> None:
        self._solve_small, self._may_go_on = solve_small, may_go_on
        self.overfull = False  # whether the last solve ended because too many groups carry force
        self._reserve(0)

    def _reserve(self, groups: int) -> None:
        self._capacity = groups
        self._chosen, self._group = np.zeros((2, groups), np.int64)
        self._size, self._velocity = np.zeros(groups), np.zeros((groups, 3))
        self._small = PartialProblem(max(groups, 1), max(groups, 1))

    def solve(
        self, problem: ConstraintProblem, warm: FloatArray, tolerance: float, most_admitted: int = ADMITTED
    ) -> Solution:
        """Impulses of the whole problem. `stalled` with the last ones where a set is too large or costs too much."""
        n = problem.count
        if n > self._capacity:
            self._reserve(max(problem.capacity, n))
        impulse, work, residual, self.overfull = warm[:n].copy(), 0, math.inf, False
        choose_first_groups(problem.rows, impulse, self._chosen)
        for number in range(MAX_ROUNDS):
            count = int(kernels.list_chosen(n, self._chosen, self._group))
            if count > GREATEST_SHARE * n:
                self.overfull = True
                break
            inside = self._solve_chosen(problem, impulse, count, tolerance)
            work += inside.iterations
            if inside.status == "failed":
                break
            impulse[:] = 0.0
            impulse[self._group[:count]] = inside.impulse[:count]
            admitted, outside = self._admit(problem, impulse, count, tolerance, number, most_admitted)
            residual = max(inside.residual, outside)
            if admitted == 0:
                return Solution(impulse, inside.status, work, residual)
            if not self._may_go_on():
                break
        return Solution(impulse, "stalled", work, residual)

    def _solve_chosen(
        self, problem: ConstraintProblem, impulse: FloatArray, count: int, tolerance: float
    ) -> Solution:
        """The solution of the chosen groups alone, in their order."""
        if count == 0:
            return Solution(np.zeros((0, 3)), "converged", 0, 0.0)
        chosen = self._group[:count]
        return self._solve_small(problem.cut(chosen, into=self._small), impulse[chosen], tolerance)

    def _admit(
        self,
        problem: ConstraintProblem,
        impulse: FloatArray,
        count: int,
        tolerance: float,
        number: int,
        most: int,
    ) -> tuple[int, float]:
        """Admit the worst groups outside, `most` of them: how many, and the worst |F| of them [m/s]."""
        rows, blocks = problem.rows, problem.W.blocks
        find_velocities(rows, blocks, self._group, count, impulse, self._velocity)
        if number < DROPPING_ROUNDS:
            drop_open_groups(rows, impulse, self._chosen)
        admitted, worst = admit_worst(rows, blocks, self._velocity, tolerance, most, self._size, self._chosen)
        return int(admitted), float(worst)
