"""Newton's method straight from a start that is near the solution already."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.problem_kernel import ProblemKernel
from supple.mechanics.sweeps import PROBLEM
from supple_solve_newton import watchdog_kernels as watchdog
from supple_solve_newton.linear_step import LinearStep

MAX_STEPS: Final = 8


class NearStart:
    """Work arrays of searches that begin with the impulses of the last step, and what the last search found.

    The steps are those of `NewtonMethod`, with two differences. The effect of the floor is taken back, README eq. (5),
    and contacts that start at the edge of their cones are taken to slip on in the first step: velocities that are
    still wrong by more than the slip would often say that they stick.
    """

    def __init__(self, linear: LinearStep) -> None:
        self.steps = 0  # Newton steps
        self.residual = (
            math.inf
        )  # worst natural-map residual of the best point [m/s]; infinite if there was none
        self._rho: FloatArray = np.zeros(linear.capacity)
        self._points = tuple(np.zeros((4, linear.capacity, 3)))
        self._figures: FloatArray = np.zeros(watchdog.FIGURES)
        self._counters = np.zeros(watchdog.COUNTERS, np.int64)
        self._improve = ProblemKernel(
            watchdog.improve_near, PROBLEM,
            self._rho, *linear.small, *self._points, self._figures, self._counters,
        )  # fmt: skip

    def improve(self, problem: ConstraintProblem, warm: FloatArray, tolerance: float, few: int) -> bool:
        """Search from `warm`, [n, 3] N s or longer; False if it is not near, or more than `few` groups are at work."""
        near = self._improve(problem, warm, problem.count, tolerance, few, MAX_STEPS)
        self.steps = self._counters.item(watchdog.STEPS)
        self.residual = self._figures.item(watchdog.BEST_RESIDUAL)
        return bool(near)

    def copy_impulse(self, count: int) -> FloatArray:
        """The impulses of the best point, [count, 3] N s."""
        return self._points[2][:count].copy()
