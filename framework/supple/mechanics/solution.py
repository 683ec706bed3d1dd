"""What a solver gives back, and what a solver is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from supple.core.arrays import FloatArray
from supple.mechanics.problem import ConstraintProblem

Status = Literal["converged", "stalled", "failed"]


@dataclass(frozen=True)
class Solution:
    """Impulses and how far the solver got.

    impulse     [n, 3] N s (N m s for angular rows); groups of one row use column 0
    status      "converged": the solver's own law is met to its tolerance. "stalled": usable impulses,
                short of the tolerance. "failed": no usable impulses, they are all zero
    iterations  sweeps, pivots or Newton steps
    residual    m/s, as the solver itself judges; `residual.natural_map_residual` is the neutral judge
    """

    impulse: FloatArray
    status: Status
    iterations: int
    residual: float


class Solver(Protocol):
    """Anything that solves a problem. It sees numbers only, and must not change the problem."""

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses that meet the laws of the problem, starting from `warm`, [n, 3] N s or longer."""
        ...
