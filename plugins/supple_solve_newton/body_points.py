"""Proximal points in the space of the bodies: what solves a pile from a start that is near."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import body_point_kernels as kernels
from supple_solve_newton.body_space import BodySpace
from supple_solve_newton.body_state import Cones, Motion

begin_cones, end_cones = TypedKernel(kernels.begin_cones), TypedKernel(kernels.end_cones)
measure_cones, begin_point = TypedKernel(kernels.measure_cones), TypedKernel(kernels.begin_point)
find_gradient, take_body_step = TypedKernel(kernels.find_gradient), TypedKernel(kernels.take_body_step)
differentiate_groups = TypedKernel(kernels.differentiate_groups)
accept_point, count_changes = TypedKernel(kernels.accept_point), TypedKernel(kernels.count_changes)

# R as a share of 1 / rho: at first, and its bounds.
FIRST_SHARE: Final = 3e-3
LEAST_SHARE: Final = 1e-10
MOST: Final = 100.0
# After a point that was found R falls by the first of these at which so few groups change their modes; at first that
# is FEW, twice as many after every point, up to MANY, and a quarter after one that was not found, and R grows.
FALLS: Final = (0.03, 0.1, 0.3, 0.6, 1.0)
FEW: Final = 1
MANY: Final = 64
RISE: Final = 3.0
HIGHER: Final = 5.0
# A point is found when velocities are off by this part of |F|; it is given up after POINT_STEPS, or once |F| has
# grown so many times while velocities do not come closer.
FOUND: Final = 1e-2
POINT_STEPS: Final = 8
PATIENT_STEPS: Final = 3
FAR: Final = 1000.0
CLOSER: Final = 0.5
# Starts where |F| is more than this part of the velocities without impulses are left to others. The search ends where
# so many steps have not lowered |F| to GOOD of what it was: fewer where it is above NEAREST of those velocities.
NEAR: Final = 1e-3
NEAREST: Final = 1e-6
PATIENCE: Final = 20
LITTLE_PATIENCE: Final = 10
GOOD: Final = 0.5


class BodyPoints:
    """The method on one problem, in a space that has taken it up."""

    def __init__(self, space: BodySpace, problem: ConstraintProblem, rho: FloatArray) -> None:
        self._space, self._problem, self._rho = space, problem, rho
        n = problem.count
        free, pull, velocity, change, impulse = np.zeros((5, n, 3))
        self._cones = Cones(
            mode=np.zeros(n, np.int64), free=free, softness=np.zeros(n), pull=pull, velocity=velocity, change=change,
            impulse=impulse,
        )  # fmt: skip
        z, gradient, step = np.zeros((3, space.size))
        self._motion = Motion(z=z, gradient=gradient, step=step)
        self._given = (problem.rows, rho, space.incidence)
        self.steps = 0

    def approach(
        self, start: FloatArray, tolerance: float, enough: float, max_steps: int, share: float = FIRST_SHARE
    ) -> FloatArray:
        """The best impulses found from `start`, [n, 3] N s.

        Until every |F| is within the tolerance [m/s], or their norm is enough [m/s].
        """
        cones, motion, rows = self._cones, self._motion, self._problem.rows
        begin_cones(rows, start, cones)
        worst, squares, _ = measure_cones(*self._given, motion, cones)
        best, least = cones.impulse.copy(), math.sqrt(squares)
        size = math.sqrt(float((cones.free**2).sum()))
        if not least <= NEAR * size:
            return start
        few, goal, until = FEW, math.inf, 0
        while worst > tolerance and least > enough and self.steps < max_steps and share <= MOST:
            if least <= goal:
                patience = PATIENCE if least <= NEAREST * size else LITTLE_PATIENCE
                goal, until = GOOD * least, self.steps + patience
            elif self.steps >= until:
                break
            begin_point(rows, self._rho, share, cones)
            centre = cones.impulse.copy()
            found, now_worst, now = self._find_point(least, tolerance, enough, max_steps)
            if now < least:
                best[:], worst, least = cones.impulse, now_worst, now
            if found:
                share, few = self._lower_share(share, few), min(2 * few, MANY)
                accept_point(rows, motion, cones)
            else:
                share, few = HIGHER * share, max(few // 4, 1)
                cones.impulse[:] = centre
                measure_cones(*self._given, motion, cones)
        cones.impulse[:] = best
        end_cones(rows, cones, best)
        return best

    def _lower_share(self, share: float, few: int) -> float:
        for fall in FALLS:
            lower = max(fall * share, LEAST_SHARE)
            if count_changes(self._problem.rows, self._rho, lower, self._cones) <= few:
                return lower
        return RISE * share

    def _find_point(
        self, least: float, tolerance: float, enough: float, max_steps: int
    ) -> tuple[bool, float, float]:
        """Newton's method on g = 0: whether a point was found, and the worst and the norm of |F| there."""
        cones, motion, space = self._cones, self._motion, self._space
        find_gradient(*self._given, motion, cones)
        worst = norm = last = math.inf
        for number in range(POINT_STEPS):
            if self.steps >= max_steps:
                break
            differentiate_groups(self._problem.rows, self._rho, cones, space.middle)
            self.steps += 1
            if not space.factor_middle(cones.mode):
                break
            np.negative(motion.gradient, out=motion.step)
            space.solve_bodies(motion.step)
            worst, squares, off_squares = take_body_step(*self._given, motion, cones)
            norm, off = math.sqrt(squares), math.sqrt(off_squares)
            if worst <= tolerance or norm <= enough or off <= FOUND * norm:
                return True, worst, norm
            if not math.isfinite(worst) or (
                number + 1 >= PATIENT_STEPS and norm > FAR * least and off > CLOSER * last
            ):
                break
            last = off
        return False, worst, norm
