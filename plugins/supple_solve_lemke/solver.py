"""Lemke's method on the polyhedral friction cone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics.lcp import solve_lcp
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.pyramid import build_pyramid
from supple.mechanics.solution import Solution

if TYPE_CHECKING:
    from supple_solve_lemke.components import LemkeSettings


class Lemke:
    """Pivots from basis to basis until one is complementary; the start of the search is always the same.

    All five laws are solved, with a pyramid instead of Coulomb's cone. Not iterative: the warm start is not used. The
    tableau is dense, so a pivot costs the square of the number of rows. A ray ends the search without solution; other
    covering vectors and a little regularisation are tried then.
    """

    approximate = True  # a pyramid stands for the cone of friction
    rescue = "newton"  # who may succeed where this one does not

    def __init__(self, settings: LemkeSettings) -> None:
        self.settings = settings

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses that meet the laws with the pyramid for the cone; `warm` is not looked at."""
        n = problem.count
        if n == 0:
            return Solution(np.zeros((0, 3)), "converged", 0, 0.0)
        if not (
            np.isfinite(problem.free[:n]).all()
            and np.isfinite(problem.W.values[: problem.W.block_count]).all()
        ):
            return Solution(np.zeros((n, 3)), "failed", 0, math.inf)
        pyramid = build_pyramid(problem, self.settings.directions)
        found = solve_lcp(pyramid.M, pyramid.q, self.settings.tolerance, measure=pyramid.residual)
        if found.status == "failed":
            return Solution(np.zeros((n, 3)), "failed", found.pivots, math.inf)
        return Solution(pyramid.impulses(found.z), found.status, found.pivots, found.residual)
