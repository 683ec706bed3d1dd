"""Accelerated block Gauss-Seidel sweeps over a problem, with the work arrays they need.

What several solvers share: one sweeps until all is solved, others start or rescue themselves with sweeps.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics import sweep_kernels as kernels
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.problem_kernel import ProblemKernel

#: What `sweep_kernels.solve_groups` takes of a problem.
PROBLEM: Final = (
    "law", "size", "friction", "scale", "lower", "upper", "compliance", "free",
    "W.indptr", "W.indices", "W.diagonal", "W.values",
)  # fmt: skip
HISTORY: Final = 15  # iterates that the acceleration combines


class Sweeper:
    """Sweeps over the groups of a problem in their order, so results repeat bit for bit."""

    def __init__(self) -> None:
        self._gram, self._gram_factor = np.zeros((2, HISTORY, HISTORY))
        self._coefficients = np.zeros(HISTORY)
        self._reserve(0)

    def _reserve(self, groups: int) -> None:
        self._capacity = groups
        self._factor, self._weight = np.zeros((groups, 7)), np.zeros(groups)
        self._start, self._last_step, self._last_result, self._velocity = np.zeros((4, groups, 3))
        self._df, self._dg = np.zeros((2, HISTORY, groups, 3))
        self._solve = ProblemKernel(
            kernels.solve_groups, PROBLEM,
            self._factor, self._weight, self._start, self._last_step, self._last_result,
            self._df, self._dg, self._gram, self._gram_factor, self._coefficients, self._velocity,
        )  # fmt: skip

    def sweep(
        self,
        problem: ConstraintProblem,
        impulse: FloatArray,
        tolerance: float,
        max_sweeps: int,
        few: int = 0,
    ) -> tuple[int, float]:
        """Improve `impulse`, [n, 3] N s, in place until its residual is at most the tolerance [m/s].

        From a start near the solution with at most `few` groups at work, it ends early when it foresees that
        `max_sweeps` will not be enough. Returns the number of sweeps and the worst natural-map residual [m/s], nan
        where something is not finite.
        """
        if problem.count > self._capacity:
            self._reserve(max(problem.capacity, problem.count))
        sweeps, residual = self._solve(problem, impulse, problem.count, tolerance, max_sweeps, few)
        return sweeps, residual
