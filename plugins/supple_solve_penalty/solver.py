"""Contact by springs and dampers; the other rows exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import BoolArray, FloatArray
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import row_velocities
from supple.mechanics.rows import COULOMB
from supple.mechanics.solution import Solution, Status
from supple.mechanics.sweeps import Sweeper
from supple_solve_penalty import penalty_kernels as kernels

if TYPE_CHECKING:
    from supple_solve_penalty.components import PenaltySettings


GROUP_ARRAYS = ("law", "size", "friction", "scale", "lower", "upper", "compliance")


class Penalty:
    """A spring and a damper at every Coulomb contact, explicit in time; joints, limits and motors are solved exactly.

    Does not meet Coulomb's law: surfaces overlap by weight / stiffness, and creep where they should stick. The step
    must be short against sqrt(mass / stiffness). The residual is that of the rows that are no contacts.
    """

    def __init__(self, settings: PenaltySettings) -> None:
        self.settings = settings
        self._sweeper = Sweeper()

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses from depth and velocity at the start of the step; `warm` serves the other rows."""
        n, settings = problem.count, self.settings
        impulse = np.zeros((n, 3))
        kernels.press_contacts(
            problem.law, problem.friction, problem.scale, problem.gap, problem.u_now, n, problem.step,
            settings.stiffness, settings.damping, settings.slope, impulse,
        )  # fmt: skip
        others = problem.law[:n] != COULOMB
        if not np.isfinite(impulse).all():
            return Solution(np.zeros((n, 3)), "failed", 0, math.inf)
        if not others.any():
            return Solution(impulse, "converged", 0, 0.0)
        rest = extract_groups(problem, others, row_velocities(problem, impulse))
        held = warm[:n][others].copy()
        sweeps, residual = self._sweeper.sweep(rest, held, settings.tolerance, settings.max_sweeps)
        if math.isnan(residual):
            return Solution(np.zeros((n, 3)), "failed", sweeps, math.inf)
        impulse[others] = held
        status: Status = "converged" if residual <= settings.tolerance else "stalled"
        return Solution(impulse, status, sweeps, residual)


def extract_groups(problem: ConstraintProblem, chosen: BoolArray, free: FloatArray) -> ConstraintProblem:
    """The problem of the chosen groups alone, with the free velocities given for all groups [n, 3] m/s."""
    n, W = problem.count, problem.W
    part = ConstraintProblem(int(chosen.sum()), problem.step)
    part.reserve(part.capacity)
    for name in GROUP_ARRAYS:
        getattr(part, name)[:] = getattr(problem, name)[:n][chosen]
    part.free[:] = free[chosen]
    row = np.repeat(np.arange(n), np.diff(W.indptr[: n + 1]))
    column = W.indices[: W.block_count]
    kept = chosen[row] & chosen[column]
    new_index = np.cumsum(chosen) - 1
    count = np.bincount(new_index[row[kept]], minlength=part.count)
    start = np.concatenate([[0], np.cumsum(count)])
    part.W = BlockMatrix.from_arrays(start, new_index[column[kept]], W.values[: W.block_count][kept])
    return part
