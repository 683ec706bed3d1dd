"""Projected Gauss-Seidel with a friction box."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rows import COULOMB
from supple.mechanics.solution import Solution, Status
from supple_solve_projected import projected_kernels as kernels

if TYPE_CHECKING:
    from supple_solve_projected.components import ProjectedSettings

solve_rows = TypedKernel(kernels.solve_rows)


class ProjectedGaussSeidel:
    """Solves one row after the other and cuts its impulse to its bounds, again and again.

    All five laws are solved, with a box |r_t| <= mu r_n, |r_s| <= mu r_n instead of Coulomb's disk: along the diagonals
    of t and s friction is stronger by the factor sqrt(2), and it need not point against the slip. Each sweep is quick,
    and there may be many.
    """

    approximate = True  # a box stands for the disk of friction

    def __init__(self, settings: ProjectedSettings) -> None:
        self.settings = settings

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses that meet the laws with the box for the cone, starting from `warm`, [n, 3] N s or longer."""
        n, settings = problem.count, self.settings
        impulse, velocity = warm[:n].copy(), np.zeros((n, 3))
        impulse[problem.law[:n] != COULOMB, 1:] = 0.0
        sweeps, residual = solve_rows(
            problem.rows, problem.W.blocks, settings.tolerance, settings.relaxation, settings.iterations,
            impulse, velocity,
        )  # fmt: skip
        if math.isnan(residual):
            return Solution(np.zeros_like(impulse), "failed", sweeps, math.inf)
        status: Status = "converged" if residual <= settings.tolerance else "stalled"
        return Solution(impulse, status, sweeps, residual)
