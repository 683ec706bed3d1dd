"""Semismooth Newton with a watchdog: full steps while they soon lead to something better, else shorter ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from supple.mechanics.measure_kernels import compute_rho
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import merit_kernels as kernels
from supple_solve_newton.linear_step import LinearStep

FloatArray = NDArray[np.float64]

# Full steps without a new best point before the search along the step from the best one. Contacts that open or
# begin to slip raise the merit for a step or two even on the way to the solution.
PATIENCE: Final = 3
LEAST_FLOOR: Final = 1e-10
DECREASE: Final = 0.1  # of the merit per full step that counts as progress
SHORTEST: Final = 0.05  # fraction of a step


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

    def look_at(self, impulse: FloatArray, step: FloatArray | None = None, fraction: float = 0.0) -> Point:
        """The point `impulse + fraction * step`."""
        there, velocity = np.empty_like(impulse), np.empty_like(impulse)
        step = impulse if step is None else step
        residual, merit = kernels.try_step(*self._numbers, impulse, step, fraction, there, velocity)
        return Point(there, velocity, residual, merit)

    def improve(
        self, impulse: FloatArray, tolerance: float, max_steps: int, floor: float
    ) -> tuple[Point, int]:
        """The best point found from `impulse`, and the number of linear systems that were solved.

        `floor` is the share of each diagonal block that is added to it at first; it falls with every step that helps.
        """
        now = best = self.look_at(impulse)
        steps = waited = 0
        while steps < max_steps and now.residual > tolerance and self.effort < self._max_effort:
            if not self._find_step(now, floor):
                break
            steps += 1
            now = self.look_at(now.impulse, self._linear.step, 1.0)
            waited += 1
            if now.residual <= tolerance or now.merit < (1.0 - DECREASE) * best.merit:
                best, waited = now, 0
                floor = max(0.1 * floor, LEAST_FLOOR)
            elif waited > PATIENCE or not math.isfinite(now.merit):
                shorter = self._search(best, floor)
                steps += 1
                if shorter is None:
                    break
                now = best = shorter
                waited = 0
        return best, steps

    def _find_step(self, point: Point, floor: float) -> bool:
        found = self._linear.find(self._problem, self.rho, point.impulse, point.velocity, floor)
        self.effort += self._linear.effort
        return found

    def _search(self, best: Point, floor: float) -> Point | None:
        """A shorter step from the best point that lowers the merit."""
        if not self._find_step(best, floor):
            return None
        fraction = 0.5
        while fraction >= SHORTEST:
            there = self.look_at(best.impulse, self._linear.step, fraction)
            if there.merit < (1.0 - DECREASE * fraction) * best.merit:
                return there
            fraction *= 0.5
        return None
