"""Contact by springs and dampers; the other rows exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics.problem import ConstraintProblem, PartialProblem
from supple.mechanics.residual import row_velocities
from supple.mechanics.rows import COULOMB
from supple.mechanics.solution import Solution, Status
from supple.mechanics.sweeps import Sweeper
from supple_solve_penalty import penalty_kernels as kernels

if TYPE_CHECKING:
    from supple_solve_penalty.components import PenaltySettings

press_contacts = TypedKernel(kernels.press_contacts)


class Penalty:
    """A spring and a damper at every Coulomb contact, explicit in time; joints, limits and motors are solved exactly.

    Does not meet Coulomb's law: surfaces overlap by weight / stiffness, and creep where they should stick. The step
    must be short against sqrt(mass / stiffness). The residual is that of the rows that are no contacts.
    """

    approximate = True  # springs stand for the law of contact

    def __init__(self, settings: PenaltySettings) -> None:
        self.settings = settings
        self._sweeper, self._rest = Sweeper(), PartialProblem(0, 0)

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses from depth and velocity at the start of the step; `warm` serves the other rows."""
        n, settings = problem.count, self.settings
        impulse = np.zeros((n, 3))
        press_contacts(
            problem.rows, problem.gap, problem.u_now, problem.step,
            settings.stiffness, settings.damping, settings.slope, impulse,
        )  # fmt: skip
        others = np.flatnonzero(problem.law[:n] != COULOMB)
        if not np.isfinite(impulse).all():
            return Solution(np.zeros((n, 3)), "failed", 0, math.inf)
        if not len(others):
            return Solution(impulse, "converged", 0, 0.0)
        rest = problem.cut(others, into=self._make_room(problem))
        rest.free[: rest.count] = row_velocities(problem, impulse)[others]
        held = warm[:n][others].copy()
        sweeps, residual = self._sweeper.sweep(rest, held, settings.tolerance, settings.max_sweeps)
        if math.isnan(residual):
            return Solution(np.zeros((n, 3)), "failed", sweeps, math.inf)
        impulse[others] = held
        status: Status = "converged" if residual <= settings.tolerance else "stalled"
        return Solution(impulse, status, sweeps, residual)

    def _make_room(self, problem: ConstraintProblem) -> PartialProblem:
        """The problem of the rows that are no contacts, made anew where it is too small."""
        if problem.capacity > self._rest.capacity:
            self._rest = PartialProblem(problem.capacity, problem.capacity)
        return self._rest
