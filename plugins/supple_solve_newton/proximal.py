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
# The path of proximal points: the first weight; steps of Newton's method to a point, and up to which they were few or
# some; factors of the length of the next step along the path after few, some and many, and after none were enough.
PATH_WEIGHT: Final = 1e-3
POINT_STEPS: Final = 12
FEW_STEPS: Final = 4
SOME_STEPS: Final = 8
LONGER, LONG, SHORTER, SHORT = 2.0, 1.2, 0.7, 0.3
POINT_ACCURACY: Final = 0.03  # of the tolerance
MAX_FAILURES: Final = 8
PATH_STEPS: Final = 250


def make_proximal(
    problem: ConstraintProblem, rho: FloatArray, centre: FloatArray, weight: float
) -> ConstraintProblem:
    """The problem (7) with r_k = `centre`, [n, 3] N s, and D = 1 / rho."""
    n, near = problem.count, copy.copy(problem)
    diagonal = np.where(rho > 0.0, 1.0 / np.where(rho > 0.0, rho, 1.0), 0.0)[:, None]
    near.compliance = problem.compliance[:n] + weight * diagonal
    near.free = problem.free[:n] - weight * diagonal * centre
    return near


def follow_proximal_path(
    problem: ConstraintProblem, start: FloatArray, tolerance: float, max_effort: float, linear: LinearStep
) -> tuple[Point, int, float]:
    """The best point on the path of the solutions of (7) with r_k = `start` and falling a; steps and effort likewise.

    Where contacts hold each other, impulses must change much to lower a small residual, along directions that W says
    nothing about. The solution runs along them as 1 / a grows, straight on until a contact opens, sticks or slips; so
    each point is foretold from the last two.
    """
    given = NewtonMethod(linear, problem)
    best = given.look_at(start)
    impulse, rate = start, np.zeros_like(start)
    reached, length, failures, steps, effort = 0.0, 1.0 / PATH_WEIGHT, 0, 0, 0.0  # along 1 / a
    while (
        best.residual > tolerance and failures < MAX_FAILURES and steps < PATH_STEPS and effort < max_effort
    ):
        near = make_proximal(problem, given.rho, start, 1.0 / (reached + length))
        method = NewtonMethod(linear, near, max_effort - effort)
        accuracy = POINT_ACCURACY * tolerance
        found, used = method.improve(impulse + length * rate, accuracy, POINT_STEPS, FLOOR)
        effort += method.effort
        steps += used + 1
        if found.residual > accuracy:
            failures += 1
            length *= SHORT
            continue
        there = given.look_at(found.impulse)
        if there.residual < best.residual:
            best = there
        if reached > 0.0:
            rate = (found.impulse - impulse) / length
        impulse, reached, failures = found.impulse, reached + length, 0
        length *= LONGER if used <= FEW_STEPS else LONG if used <= SOME_STEPS else SHORTER
    return best, steps, effort


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
    weight, faster, steps, work, effort = FIRST_WEIGHT, FASTER, 0, 0, 0.0
    while (
        best.residual > tolerance and steps < MAX_STEPS and weight <= GREATEST_WEIGHT and effort < max_effort
    ):
        near = make_proximal(problem, given.rho, best.impulse, weight)
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
