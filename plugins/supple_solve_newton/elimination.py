"""Sparse elimination of the matrix of a Newton step, in an order that is kept while the pattern of W stays."""

from __future__ import annotations

from typing import Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import front_kernels
from supple_solve_newton.body_space import BodySpace
from supple_solve_newton.front_order import find_fronts, reserve_factor
from supple_solve_newton.fronts import Factor, Fronts
from supple_solve_newton.linearisation import Linearisation

factor_fronts, solve_fronts = (
    TypedKernel(front_kernels.factor_fronts),
    TypedKernel(front_kernels.solve_fronts),
)
find_remainder = TypedKernel(front_kernels.find_remainder)
expand_unknowns = TypedKernel(front_kernels.expand_unknowns)

# The part of the right-hand side that may remain: above the first it is solved for again, above the second given up.
GOOD: Final = 1e-11
BAD: Final = 1e-6
# From this part of all groups on, fronts are made for all of them: they then serve from step to step.
NEARLY_ALL: Final = 0.8
MOST_KNOWN: Final = 4
# Up to this share of unknowns, those of the bodies are worth the digits that they cost.
FEW_BODIES: Final = 0.5


def _integers(*shape: int) -> IntArray:
    return np.zeros(shape, np.int64)


class Elimination:
    """Factors of one matrix after the other.

    Which groups fronts are made for depends on the matrices since `begin` alone, so that results repeat whatever was
    solved before. Fronts of earlier problems with the same pattern are kept, for those who need the very same.
    """

    def __init__(self) -> None:
        self._indptr, self._indices, self._inside = _integers(0), _integers(0), _integers(0)
        self._known: list[tuple[IntArray, Fronts]] = []  # for the pattern of `_indptr` and `_indices`
        self._fronts: Fronts | None = None
        self._factor: Factor | None = None
        self.bodies = BodySpace()
        self.has_bodies = False  # whether bodies are known, and fewer than contacts
        self.in_bodies = False  # whether the problem is eliminated in the space of its bodies
        self.work = 0.0  # multiplications of the last factorisation

    def begin(self, problem: ConstraintProblem) -> None:
        """A new problem."""
        self._fronts = None
        self.has_bodies = self.bodies.begin(problem)
        self.in_bodies = self.has_bodies and self.bodies.unknowns <= FEW_BODIES * int(
            problem.size[: problem.count].sum()
        )

    def factor(self, W: BlockMatrix, linear: Linearisation, added: FloatArray) -> bool:
        """Factor L^T W C + added, where `added` [groups, 3, 3] stands on the diagonal; False if a pivot is zero."""
        if self.in_bodies:
            done = self.bodies.factor(linear, added)
            self.work = self.bodies.work
            return done
        fronts = self._choose_fronts(W, linear.mode[: W.group_count])
        assert self._factor is not None
        self.work = float(factor_fronts(W.blocks, linear, added, fronts, self._factor))
        return self.work >= 0.0

    def solve(self, linear: Linearisation, right_side: FloatArray) -> None:
        """The right-hand side becomes the solution with the factors of the last matrix."""
        if self.in_bodies:
            self.bodies.solve(linear, right_side)
            return
        assert self._fronts is not None
        assert self._factor is not None
        solve_fronts(linear, self._fronts, self._factor, right_side)

    def solve_accurately(
        self, W: BlockMatrix, linear: Linearisation, added: FloatArray, right_side: FloatArray
    ) -> FloatArray | None:
        """The solution of the whole system; None where no accurate one was found without changing pivots."""
        if not self.factor(W, linear, added):
            return None
        unknown = right_side.copy()
        self.solve(linear, unknown)
        n = W.group_count
        remainder, step = np.empty_like(unknown), np.empty((n, 3))
        worst = greatest = 0.0
        for last in (False, True):
            expand_unknowns(n, linear, unknown, step)
            worst, greatest = find_remainder(n, W.blocks, linear, added, right_side, unknown, step, remainder)
            if last or worst <= GOOD * greatest:
                break
            self.solve(linear, remainder)
            unknown += remainder
        return unknown if worst <= BAD * greatest else None

    def _choose_fronts(self, W: BlockMatrix, mode: IntArray) -> Fronts:
        """The fronts of the last matrix if they still serve; else those of more groups."""
        self._look_at_pattern(W)
        if self._fronts is not None:
            if not (mode > self._inside).any():
                return self._fronts
            inside = np.maximum(mode, self._inside)
        else:
            inside = mode
        everybody = np.count_nonzero(inside) >= NEARLY_ALL * len(mode)
        self._inside = np.full(len(mode), 3) if everybody else np.where(inside > 0, 3, 0)
        self._fronts = self._find(W)
        self._factor = reserve_factor(self._factor, len(mode), self._fronts)
        return self._fronts

    def _look_at_pattern(self, W: BlockMatrix) -> None:
        indptr, indices = W.indptr[: W.group_count + 1], W.indices[: W.block_count]
        if not (np.array_equal(indptr, self._indptr) and np.array_equal(indices, self._indices)):
            self._indptr, self._indices = indptr.copy(), indices.copy()
            self._known.clear()
            self._fronts = None

    def _find(self, W: BlockMatrix) -> Fronts:
        for inside, fronts in self._known:
            if np.array_equal(inside, self._inside):
                return fronts
        fronts = find_fronts(W, self._inside)
        self._known = [(self._inside, fronts), *self._known][:MOST_KNOWN]
        return fronts
