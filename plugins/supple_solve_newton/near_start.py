"""Newton's method straight from a start that is near the solution already."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import watchdog_kernels as watchdog
from supple_solve_newton.linear_step import LinearStep
from supple_solve_newton.search_state import make_search

improve_near = TypedKernel(watchdog.improve_near)

MAX_STEPS: Final = 8


class NearStart:
    """Work arrays of searches that begin with the impulses of the last step, and what the last search found.

    The steps are those of `NewtonMethod`, with two differences. The effect of the floor is taken back, README eq. (5),
    and contacts that start at the edge of their cones are taken to slip on in the first step: velocities that are
    still wrong by more than the slip would often say that they stick.
    """

    def __init__(self, linear: LinearStep) -> None:
        self.steps = 0  # Newton steps
        self.residual = math.inf  # worst natural-map residual of the best point [m/s]; infinite if none
        figures, counters = np.zeros(watchdog.FIGURES), np.zeros(watchdog.COUNTERS, np.int64)
        self._search = make_search(linear.capacity, figures, counters)
        #: Scale of the groups, linearisation, its scratch and the search, for kernels.
        self.work = (np.zeros(linear.capacity), linear.linear, linear.scratch, self._search)

    def improve(
        self, problem: ConstraintProblem, warm: FloatArray, tolerance: float, few_active: int
    ) -> bool:
        """Search from `warm`, [n, 3] N s or longer; False if it is not near, or more than `few_active` groups work."""
        near = improve_near(
            problem.rows, problem.W.blocks, *self.work, warm, tolerance, few_active, MAX_STEPS
        )
        self.steps = self._search.counters.item(watchdog.STEPS)
        self.residual = self._search.figures.item(watchdog.BEST_RESIDUAL)
        return bool(near)

    def copy_impulse(self, count: int) -> FloatArray:
        """The impulses of the best point, [count, 3] N s."""
        return self._search.best_impulse[:count].copy()
