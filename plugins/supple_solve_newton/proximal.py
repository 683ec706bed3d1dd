"""The proximal point method: a sequence of problems that are regular, whatever W is.

With a diagonal D > 0 and the last impulses r_k, the problem

    u = (W + a D) r + (free - a D r_k)                                      README eq. (7)

is the given one with more compliance and another free velocity. Its solution is r_k exactly when r_k solves the given
problem; a falls as long as the Newton steps for it stay few.
"""

from __future__ import annotations

import copy
import math
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.sweeps import Sweeper
from supple_solve_newton.linear_step import SWEEP_EFFORT, LinearStep
from supple_solve_newton.newton_method import NewtonMethod, Point

FIRST_WEIGHT: Final = 0.001
LEAST_WEIGHT: Final = 1e-9
GREATEST_WEIGHT: Final = 1e4
FASTER: Final = 0.1  # factor of the weight after an easy problem, at first
SLOWER: Final = 10.0  # and after one that was not solved
EASY_STEPS: Final = 8
INNER_ACCURACY: Final = 0.1  # of the residual so far, for the problem with weight one
SWEEPS: Final = 4
STEPS_OF_ONE: Final = 20
MAX_STEPS: Final = 80
FLOOR: Final = 1e-12


def solve_by_proximal_points(
    problem: ConstraintProblem,
    start: FloatArray,
    tolerance: float,
    max_effort: float,
    sweeper: Sweeper,
    linear: LinearStep,
) -> tuple[Point, int, float]:
    """The best point found from `start`, [n, 3] N s; the number of sweeps and Newton steps taken, and their effort."""
    given = NewtonMethod(linear, problem)
    best = given.look_at(start)
    diagonal = np.where(given.rho > 0.0, 1.0 / np.where(given.rho > 0.0, given.rho, 1.0), 0.0)[:, None]
    n, weight, faster, steps, work, effort = problem.count, FIRST_WEIGHT, FASTER, 0, 0, 0.0
    near = copy.copy(problem)
    while (
        best.residual > tolerance and steps < MAX_STEPS and weight <= GREATEST_WEIGHT and effort < max_effort
    ):
        near.compliance = problem.compliance[:n] + weight * diagonal
        near.free = problem.free[:n] - weight * diagonal * best.impulse
        accuracy = max(INNER_ACCURACY * min(1.0, weight) * best.residual, 0.3 * tolerance)
        impulse = best.impulse.copy()
        sweeps, _ = sweeper.sweep(near, impulse, accuracy, SWEEPS)
        method = NewtonMethod(linear, near, max_effort - effort)
        found, used = method.improve(impulse, accuracy, STEPS_OF_ONE, FLOOR)
        effort += method.effort + SWEEP_EFFORT * sweeps * problem.W.block_count
        steps += used + 1
        work += used + sweeps
        there = given.look_at(found.impulse)
        if not np.isfinite(there.merit):
            break
        if found.residual <= accuracy or there.merit < 0.8 * best.merit:
            best = there
            weight = max(faster * weight, LEAST_WEIGHT) if used <= EASY_STEPS else weight
        else:
            weight *= SLOWER
            faster = math.sqrt(faster)  # the same weight would fail again
    return best, work, effort
