"""Semismooth Newton on one problem, under a watchdog (`watchdog_kernels`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics import norm_kernels
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import damped_kernels as damped
from supple_solve_newton import merit_kernels as kernels
from supple_solve_newton import watchdog_kernels as watchdog
from supple_solve_newton.linear_step import LinearStep
from supple_solve_newton.search_state import Search, Trial, make_search, make_trial

compute_rho = TypedKernel(norm_kernels.compute_rho)
try_step = TypedKernel(kernels.try_step)
improve_small = TypedKernel(watchdog.improve_small)
go_full_step, search_along = TypedKernel(watchdog.go_full_step), TypedKernel(watchdog.search_along)
begin_damped, step_damped = TypedKernel(damped.begin_damped), TypedKernel(damped.step_damped)
take_damped_step = TypedKernel(damped.take_damped_step)


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
        self.rho: FloatArray = np.zeros(problem.count)
        compute_rho(problem.rows, problem.W.blocks, self.rho)
        self._given = (problem.rows, problem.W.blocks, self.rho)

    def look_at(self, impulse: FloatArray) -> Point:
        """Velocity, residual and merit that belong to these impulses."""
        there, velocity = np.empty_like(impulse), np.empty_like(impulse)
        residual, merit = try_step(*self._given, impulse, impulse, 0.0, there, velocity)
        return Point(there, velocity, residual, merit)

    def improve(
        self, impulse: FloatArray, tolerance: float, max_steps: int, floor: float
    ) -> tuple[Point, int]:
        """The best point found from `impulse`, and the number of linear systems that were solved.

        `floor` is the share of each diagonal block that is added to it at first; it falls with every step that helps.
        """
        search = self._begin(impulse, tolerance, max_steps, floor, self._max_effort)
        if not improve_small(*self._given, self._linear.linear, self._linear.scratch, search):
            self._improve_large(search)
        return self._end(search)

    def improve_damped(
        self, impulse: FloatArray, tolerance: float, max_steps: int, max_effort: float
    ) -> tuple[Point, int]:
        """The same by damped steps (`damped_kernels`), which get further where contacts flip for ever."""
        search = self._begin(impulse, tolerance, max_steps, 0.0, max_effort)
        trial = make_trial(len(impulse))
        begin_damped(*self._given, search, trial)
        linear = self._linear
        while not step_damped(*self._given, linear.linear, linear.scratch, search, trial):
            self._take_large_damped_step(search, trial)
        return self._end(search)

    def _begin(
        self, impulse: FloatArray, tolerance: float, max_steps: int, floor: float, max_effort: float
    ) -> Search:
        figures = np.array([tolerance, floor, 0.0, 0.0, 0.0, 0.0, self.effort, max_effort, math.inf])
        search = make_search(len(impulse), figures, np.array([0, max_steps, 0, 0]))
        search.now_impulse[:] = impulse
        return search

    def _end(self, search: Search) -> tuple[Point, int]:
        """The best point, and the number of linear systems."""
        figures = search.figures
        self.effort = float(figures[watchdog.EFFORT])
        residual, merit = figures[watchdog.BEST_RESIDUAL], figures[watchdog.BEST_MERIT]
        best = Point(search.best_impulse, search.best_velocity, float(residual), float(merit))
        return best, int(search.counters[watchdog.STEPS])

    def _take_large_damped_step(self, search: Search, trial: Trial) -> None:
        figures, linear = search.figures, self._linear
        search.counters[watchdog.STEPS] += 1
        floor = float(figures[watchdog.FLOOR])
        if linear.find(self._problem, self.rho, search.now_impulse, search.now_velocity, floor):
            take_damped_step(*self._given, linear.step, search, trial)
        else:
            figures[watchdog.FLOOR] *= damped.HIGHER
        figures[watchdog.EFFORT] += linear.effort

    def _improve_large(self, search: Search) -> None:
        """The same method as `improve_small`, from where that left off, for linear systems of any size."""
        figures, counters, linear = search.figures, search.counters, self._linear
        while not watchdog.is_over(figures, counters):
            searches = watchdog.wants_search(figures, counters)
            impulse = search.best_impulse if searches else search.now_impulse
            velocity = search.best_velocity if searches else search.now_velocity
            if not linear.find(self._problem, self.rho, impulse, velocity, float(figures[watchdog.FLOOR])):
                return
            figures[watchdog.EFFORT] += linear.effort
            counters[watchdog.STEPS] += 1
            go = search_along if searches else go_full_step
            if go(*self._given, linear.step, search) is False:
                return
