"""Semismooth Newton on one problem, under a watchdog (`watchdog_kernels`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics.measure_kernels import compute_rho
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import damped_kernels as damped
from supple_solve_newton import merit_kernels as kernels
from supple_solve_newton import watchdog_kernels as watchdog
from supple_solve_newton.linear_step import LinearStep


@dataclass
class Point:
    """Impulses [n, 3], their row velocities, worst natural-map residual [m/s] and merit [(m/s)^2]."""

    impulse: FloatArray
    velocity: FloatArray
    residual: float
    merit: float


class NewtonMethod:
    """Newton's method on one problem. Keeps nothing from one problem to the next but its work arrays."""

    def __init__(self, linear: LinearStep, problem: ConstraintProblem, max_effort: float = math.inf) -> None:
        self._linear, self._problem = linear, problem
        self._max_effort = max_effort
        self.effort = 0.0  # spent so far, in the unit of `linear_step.SWEEP_EFFORT`
        W, n = problem.W, problem.count
        self.rho: FloatArray = np.zeros(n)
        compute_rho(problem.law, problem.size, problem.compliance, W.diagonal, W.values, n, self.rho)
        self._numbers = (
            problem.law, problem.friction, problem.scale, problem.lower, problem.upper, problem.compliance,
            problem.free, W.indptr, W.indices, W.values, n, self.rho,
        )  # fmt: skip

    def look_at(self, impulse: FloatArray) -> Point:
        """Velocity, residual and merit that belong to these impulses."""
        there, velocity = np.empty_like(impulse), np.empty_like(impulse)
        residual, merit = kernels.try_step(*self._numbers, impulse, impulse, 0.0, there, velocity)
        return Point(there, velocity, residual, merit)

    def improve(
        self, impulse: FloatArray, tolerance: float, max_steps: int, floor: float
    ) -> tuple[Point, int]:
        """The best point found from `impulse`, and the number of linear systems that were solved.

        `floor` is the share of each diagonal block that is added to it at first; it falls with every step that helps.
        """
        points = np.empty((4, *impulse.shape))
        points[0] = impulse
        now, best = (points[0], points[1]), (points[2], points[3])
        figures = np.array([tolerance, floor, 0.0, 0.0, 0.0, 0.0, self.effort, self._max_effort, math.inf])
        counters = np.array([0, max_steps, 0, 0])
        search = (*now, *best, figures, counters)
        if not watchdog.improve_small(*self._numbers, *self._linear.small, *search):
            self._improve_large(search)
        self.effort = float(figures[watchdog.EFFORT])
        residual, merit = figures[watchdog.BEST_RESIDUAL], figures[watchdog.BEST_MERIT]
        return Point(*best, float(residual), float(merit)), int(counters[watchdog.STEPS])

    def improve_damped(
        self, impulse: FloatArray, tolerance: float, max_steps: int, max_effort: float
    ) -> tuple[Point, int]:
        """The same by damped steps (`damped_kernels`), which get further where contacts flip for ever."""
        points = np.empty((6, *impulse.shape))
        points[0] = impulse
        merits = np.empty(damped.MEMORY)
        figures = np.array([tolerance, 0.0, 0.0, 0.0, 0.0, 0.0, self.effort, max_effort, math.inf])
        counters = np.array([0, max_steps, 0, 0])
        damped.begin_damped(*self._numbers, *points[:4], merits, figures, counters)
        search = (*points, merits, figures, counters)
        while not damped.step_damped(*self._numbers, *self._linear.small, *search):
            self._take_large_damped_step(search)
        self.effort = float(figures[watchdog.EFFORT])
        residual, merit = figures[watchdog.BEST_RESIDUAL], figures[watchdog.BEST_MERIT]
        return Point(points[2], points[3], float(residual), float(merit)), int(counters[watchdog.STEPS])

    def _take_large_damped_step(self, search: tuple[FloatArray, ...]) -> None:
        figures, counters = search[-2:]
        linear = self._linear
        counters[watchdog.STEPS] += 1
        if linear.find(self._problem, self.rho, *search[:2], float(figures[watchdog.FLOOR])):
            damped.take_damped_step(*self._numbers, linear.step, *search)
        else:
            figures[watchdog.FLOOR] *= damped.HIGHER
        figures[watchdog.EFFORT] += linear.effort

    def _improve_large(self, search: tuple[FloatArray, ...]) -> None:
        """The same method as `improve_small`, from where that left off, for linear systems of any size."""
        now, best, (figures, counters) = search[:2], search[2:4], search[4:]
        linear = self._linear
        while not watchdog.is_over(figures, counters):
            searches = watchdog.wants_search(figures, counters)
            point = best if searches else now
            if not linear.find(self._problem, self.rho, *point, float(figures[watchdog.FLOOR])):
                return
            figures[watchdog.EFFORT] += linear.effort
            counters[watchdog.STEPS] += 1
            go = watchdog.search_along if searches else watchdog.go_full_step
            if go(*self._numbers, linear.step, *search) is False:
                return
