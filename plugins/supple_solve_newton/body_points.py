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

# Shares of 1 / rho that R has: at first this part of the relative residual, within these bounds; less after a point
# that took few steps, more where a point was not found.
FIRST_PART: Final = 0.1
GREATEST_SHARE: Final = 0.1
FIRST_SHARE: Final = 1e-4
LEAST_SHARE: Final = 1e-6
MOST: Final = 1.0
LOWER: Final = 0.1
HIGHER: Final = 10.0
EASY_STEPS: Final = 5
# A point is found when |g| is this part of what it was, and changes no velocity by more than this part of the residual.
FOUND: Final = 1e-2
HARMLESS: Final = 0.2
# Of the velocities without impulses: starts further away than that are left to others.
NEAR: Final = 1e-2


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
        self.residual = math.inf

    def approach(
        self, start: FloatArray, tolerance: float, max_steps: int, first_share: float = FIRST_SHARE
    ) -> FloatArray:
        """The best impulses found from `start`, [n, 3] N s; `residual` is theirs. R begins with at least this share."""
        cones, motion, rows = self._cones, self._motion, self._problem.rows
        begin_cones(rows, start, cones)
        residual = measure_cones(*self._given, motion, cones)
        free = cones.free
        size = math.sqrt(float((free * free).sum()) / len(free)) or 1.0
        share = min(GREATEST_SHARE, max(first_share, FIRST_PART * residual / size))
        stiffest = math.sqrt(float(self._rho[self._rho > 0.0].min()))
        best, self.residual = cones.impulse.copy(), residual
        if residual > NEAR * size:
            return start
        while self.residual > tolerance and self.steps < max_steps and share <= MOST:
            begin_point(rows, self._rho, share, cones)
            before = self.steps
            self._find_point(max(HARMLESS * self.residual, 0.5 * tolerance) * stiffest, max_steps)
            residual = measure_cones(*self._given, motion, cones)
            if residual < self.residual:
                best[:], self.residual = cones.impulse, residual
                if self.steps - before <= EASY_STEPS:
                    share = max(LOWER * share, LEAST_SHARE)
            else:
                cones.impulse[:] = best
                measure_cones(*self._given, motion, cones)
                share *= HIGHER
        cones.impulse[:] = best
        end_cones(rows, cones, best)
        return best

    def _find_point(self, harmless: float, max_steps: int) -> None:
        """Newton's method on g = 0."""
        cones, motion, space = self._cones, self._motion, self._space
        first = size = find_gradient(*self._given, 0.0, motion, cones)
        while size > min(FOUND * first, harmless) and self.steps < max_steps:
            differentiate_groups(self._problem.rows, self._rho, cones, space.middle)
            self.steps += 1
            if not space.factor_middle(cones.mode):
                return
            np.negative(motion.gradient, out=motion.step)
            space.solve_bodies(motion.step)
            size, part = take_body_step(*self._given, size, motion, cones)
            if part < kernels.SHORTEST:
                return
