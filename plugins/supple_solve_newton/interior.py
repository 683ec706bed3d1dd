"""Interior points for problems in which contacts hold each other: neither sweeps nor Newton's steps find out of them.

Newton's method on the laws themselves ends what interior points have brought near (`solver`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import interior_kernels as kernels
from supple_solve_newton import merit_kernels
from supple_solve_newton.interior_state import make_interior
from supple_solve_newton.linear_step import FRONT_EFFORT, FRONT_ROW_EFFORT, LinearStep

take_impulses = TypedKernel(kernels.take_impulses)
choose_kinds, begin_interior = TypedKernel(kernels.choose_kinds), TypedKernel(kernels.begin_interior)
find_impulses, scale_groups = TypedKernel(kernels.find_impulses), TypedKernel(kernels.scale_groups)
list_right_side, find_steps = TypedKernel(kernels.list_right_side), TypedKernel(kernels.find_steps)
measure_step, take_step = TypedKernel(kernels.measure_step), TypedKernel(kernels.take_step)
centre_groups, try_step = TypedKernel(kernels.centre_groups), TypedKernel(merit_kernels.try_step)

MAX_STEPS: Final = 80
PATIENCE: Final = 25  # steps without half the least residual so far
# A step goes this part of the way to the edge of a cone. Where less than SHORT of a step is possible, all cones are
# centred anew, at this multiple of the mean of X . Y. No step aims at less than LEAST_CENTRE of that mean: contacts
# that run ahead of the others to the edge of their cones would block all further steps.
MARGIN: Final = 0.9
SHORT: Final = 0.05
CENTRING: Final = 10.0
LEAST_CENTRE: Final = 0.01
# Newton's method is tried below this part of the first residual, and again whenever another such part was gained.
FIRST_TRY: Final = 1e-5
NEXT_TRY: Final = 0.03

Finish = Callable[[FloatArray, float], bool]


class InteriorPoints:
    """The method on one problem."""

    def __init__(self, linear: LinearStep, problem: ConstraintProblem, rho: FloatArray) -> None:
        self._linear, self._problem, self._rho = linear, problem, rho
        self._unknowns = int(choose_kinds(problem.rows, rho, linear.linear))
        self.fits = self._unknowns > 0
        self.effort = 0.0  # in the unit of `linear_step.SWEEP_EFFORT`
        self.steps = 0

    def approach(
        self, tolerance: float, max_effort: float, finish: Finish, start: FloatArray | None = None
    ) -> None:
        """Go on until `finish(impulse, residual)`, which is asked whenever a good part was gained, says so.

        From the middle of all cones, or from near `start`, [n, 3] N s.
        """
        problem, linear = self._problem, self._linear
        rows, blocks, added, laws = problem.rows, problem.W.blocks, linear.added, linear.linear
        n = problem.count
        impulse, velocity, right_side = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(self._unknowns)
        state = make_interior(n)
        speed = float(np.linalg.norm(problem.free[:n], axis=1).mean()) or 1.0
        begin_interior(rows, self._rho, laws, speed, state)
        if start is not None:
            residual, _ = try_step(rows, blocks, self._rho, start, start, 0.0, impulse, velocity)
            mean = float(take_impulses(rows, laws, impulse, state))
            if mean > 0.0:
                centre_groups(rows, self._rho, laws, velocity, residual * mean, state)
            else:
                begin_interior(rows, self._rho, laws, speed, state)
        wanted, least, since = FIRST_TRY * speed, math.inf, 0
        while self.steps < MAX_STEPS and self.effort < max_effort:
            find_impulses(rows, laws, state, impulse)
            residual, _ = try_step(rows, blocks, self._rho, impulse, impulse, 0.0, impulse, velocity)
            since = 0 if residual < 0.5 * least else since + 1
            if since == 0:
                least = residual
            if not math.isfinite(residual) or since > PATIENCE:
                return
            if residual <= max(wanted, tolerance):
                if finish(impulse, residual):
                    return
                choose_kinds(rows, self._rho, laws)  # Newton's method uses the same arrays
                wanted = NEXT_TRY * residual
            mean = float(scale_groups(rows, laws, velocity, state, added))
            self.steps += 1
            if not linear.elimination.factor(problem.W, laws, added):
                return
            self.effort += FRONT_EFFORT * linear.elimination.work + FRONT_ROW_EFFORT * self._unknowns
            list_right_side(rows, laws, 0.0, 0, state, right_side)
            linear.elimination.solve(laws, right_side)
            find_steps(rows, laws, right_side, state)
            _, there = measure_step(rows, laws, state)
            # Without cones, or on their edges, there is nothing to stay in the middle of.
            centre = min(1.0, max((there / mean) ** 3, LEAST_CENTRE)) * mean if mean > 0.0 else 0.0
            list_right_side(rows, laws, centre, 1, state, right_side)
            linear.elimination.solve(laws, right_side)
            find_steps(rows, laws, right_side, state)
            fraction, _ = measure_step(rows, laws, state)
            fraction = fraction if fraction == 1.0 else MARGIN * fraction
            take_step(rows, laws, fraction, state)
            if fraction < SHORT:
                find_impulses(rows, laws, state, impulse)
                try_step(rows, blocks, self._rho, impulse, impulse, 0.0, impulse, velocity)
                centre_groups(rows, self._rho, laws, velocity, CENTRING * mean, state)
