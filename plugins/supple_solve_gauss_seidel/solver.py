"""Block Gauss-Seidel with the exact friction cone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.solution import Solution, Status
from supple.mechanics.sweeps import Sweeper

if TYPE_CHECKING:
    from supple_solve_gauss_seidel.components import GaussSeidelSettings


class GaussSeidel:
    """Solves one group after the other exactly, again and again, with acceleration between the sweeps.

    Groups are taken in their order in the problem, so results repeat bit for bit. All five laws are solved.
    Limits: convergence is slow where a light body is clamped between stiff ones. With large friction and
    strong coupling of normal and tangential motion a solution need not exist, nor does one for contradictory
    bilateral rows: then the solver stalls.
    """

    rescue = "newton"  # who may succeed where this one does not

    def __init__(self, settings: GaussSeidelSettings) -> None:
        self.settings = settings
        self._sweeper = Sweeper()

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses that meet the laws, starting from `warm`, [n, 3] N s or longer."""
        impulse = warm[: problem.count].copy()
        settings = self.settings
        sweeps, residual = self._sweeper.sweep(problem, impulse, settings.tolerance, settings.max_sweeps)
        if math.isnan(residual):
            return Solution(np.zeros_like(impulse), "failed", sweeps, math.inf)
        status: Status = "converged" if residual <= settings.tolerance else "stalled"
        return Solution(impulse, status, sweeps, residual)
