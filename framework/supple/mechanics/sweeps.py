"""Accelerated block Gauss-Seidel sweeps over a problem, with the work arrays they need.

What several solvers share: one sweeps until all is solved, others start or rescue themselves with sweeps.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics import sweep_kernels as kernels
from supple.mechanics.problem import ConstraintProblem

solve_groups = TypedKernel(kernels.solve_groups)

HISTORY: Final = 15  # iterates that the acceleration combines


class SweepScratch(NamedTuple):
    """Work arrays of `sweep_kernels.solve_groups`: factors and weights of groups, and impulses of three moments."""

    factor: FloatArray  # [groups, 7]
    weight: FloatArray  # [groups]
    start: FloatArray  # [groups, 3], and the others alike
    last_step: FloatArray
    last_result: FloatArray
    velocity: FloatArray


class History(NamedTuple):
    """What the acceleration knows of the last iterates; see `anderson_kernels`."""

    df: FloatArray
    dg: FloatArray
    gram: FloatArray
    gram_factor: FloatArray
    c: FloatArray


class Sweeper:
    """Sweeps over the groups of a problem in their order, so results repeat bit for bit."""

    def __init__(self, groups: int = 0) -> None:
        """`groups` is how many there is room for at first."""
        self._reserve(groups)

    @property
    def work(self) -> tuple[SweepScratch, History]:
        """The work arrays, for kernels."""
        return self._scratch, self._history

    def _reserve(self, groups: int) -> None:
        self._capacity = groups
        start, last_step, last_result, velocity = np.zeros((4, groups, 3))
        self._scratch = SweepScratch(
            factor=np.zeros((groups, 7)), weight=np.zeros(groups), start=start, last_step=last_step,
            last_result=last_result, velocity=velocity,
        )  # fmt: skip
        (df, dg), (gram, gram_factor) = np.zeros((2, HISTORY, groups, 3)), np.zeros((2, HISTORY, HISTORY))
        self._history = History(df=df, dg=dg, gram=gram, gram_factor=gram_factor, c=np.zeros(HISTORY))

    def sweep(
        self,
        problem: ConstraintProblem,
        impulse: FloatArray,
        tolerance: float,
        max_sweeps: int,
        few_active: int = 0,
    ) -> tuple[int, float]:
        """Improve `impulse`, [n, 3] N s, in place until its residual is at most the tolerance [m/s].

        From a start near the solution with at most `few_active` groups at work, it ends early when it foresees that
        `max_sweeps` will not be enough. Returns the number of sweeps and the worst natural-map residual [m/s], nan
        where something is not finite.
        """
        if problem.count > self._capacity:
            self._reserve(max(problem.capacity, problem.count))
        sweeps, residual = solve_groups(
            problem.rows, problem.W.blocks, self._scratch, self._history, impulse, tolerance, max_sweeps, few_active
        )  # fmt: skip
        return sweeps, residual
