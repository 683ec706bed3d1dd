"""Linear systems of Newton steps where many contacts lie between few bodies: eliminated body by body."""

from __future__ import annotations

from typing import Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.roots import WIDTH
from supple_solve_newton import body_front_kernels
from supple_solve_newton import body_kernels as kernels
from supple_solve_newton.body_state import BodyMatrix, Incidence, Middle
from supple_solve_newton.front_order import find_fronts, reserve_factor
from supple_solve_newton.fronts import Factor, Fronts
from supple_solve_newton.linearisation import Linearisation

list_incidences, invert_added = TypedKernel(kernels.list_incidences), TypedKernel(kernels.invert_added)
assemble_bodies = TypedKernel(kernels.assemble_bodies)
spread_right_side = TypedKernel(kernels.spread_right_side)
spread_unknowns = TypedKernel(kernels.spread_unknowns)
find_body_remainder = TypedKernel(kernels.find_body_remainder)
gather_unknowns = TypedKernel(kernels.gather_unknowns)
factor_bodies = TypedKernel(body_front_kernels.factor_bodies)
solve_bodies = TypedKernel(body_front_kernels.solve_bodies)

# The part of the right-hand side that may remain, and how often it is solved for again.
GOOD: Final = 1e-12
MOST_REFINEMENTS: Final = 4


def _integers(*shape: int) -> IntArray:
    return np.zeros(shape, np.int64)


class BodySpace:
    """Factors of one matrix of a problem after the other; `body_kernels` eq. (1).

    Fronts are kept while the pattern of the bodies stays.
    """

    def __init__(self) -> None:
        self._pattern = BlockMatrix()
        self._indptr, self._indices, self._touched = _integers(0), _integers(0), _integers(0)
        self._z: FloatArray = np.zeros(0)
        self._make_room(0, 0)
        self._fronts: Fronts | None = None
        self._factor: Factor | None = None
        self._count = 0
        self.unknowns = 0  # of the bodies that are touched
        self._added: FloatArray = np.zeros((0, 3, 3))
        self.work = 0.0  # multiplications of the last factorisation

    @property
    def size(self) -> int:
        """Freedoms of all bodies."""
        return len(self._z)

    def begin(self, problem: ConstraintProblem) -> bool:
        """Take up a problem; False where its bodies are not known, or too many to be worth it."""
        if problem.roots is None:
            return False
        roots, n = problem.roots.list(), problem.count
        blocks, bodies = int(roots.counts[0]), problem.roots.unit_count
        touched = np.zeros(bodies, np.int64)
        touched[roots.unit[:blocks]] = 1
        self.unknowns = WIDTH * int(touched.sum())
        if self.unknowns > int(problem.size[:n].sum()):
            return False
        self._reserve(n, blocks, bodies)
        self._count = n
        list_incidences(n, roots, self._next, self.incidence)
        self._pattern.set_pattern(roots.unit, roots.group, bodies, n, blocks)
        self._take_pattern(bodies, touched)
        return True

    def factor(self, linear: Linearisation, added: FloatArray) -> bool:
        """Factor the system with `added` [groups, 3, 3] on its diagonal; False if that or a pivot is singular."""
        self._added = added
        if not invert_added(self._count, linear, added, self.middle):
            return False
        return self.factor_middle(linear.mode)

    def factor_middle(self, mode: IntArray) -> bool:
        """Factor 1 + B^T P B, where P is `middle.product` of all groups whose mode is not zero."""
        assert self._fronts is not None
        assert self._factor is not None
        assemble_bodies(self._count, mode, self.incidence, self.middle, self._matrix)
        self.work = float(factor_bodies(self._matrix, self._fronts, self._factor))
        return self.work >= 0.0

    def solve_bodies(self, z: FloatArray) -> None:
        """The right-hand side [6 bodies] becomes the solution with the factors of the last matrix."""
        assert self._fronts is not None
        assert self._factor is not None
        solve_bodies(self._fronts, self._factor, z)

    def solve(self, linear: Linearisation, right_side: FloatArray) -> None:
        """The right-hand side becomes the solution with the factors of the last matrix.

        Where D is small, y is a small difference: what is left of the right-hand side is solved for again.
        """
        unknown, given = right_side.copy(), (self._count, linear, self.incidence)
        self._solve_once(linear, unknown)
        remainder, last = np.empty_like(unknown), np.inf
        for _ in range(MOST_REFINEMENTS):
            spread_unknowns(*given, unknown, self._z)
            worst, greatest = find_body_remainder(
                self._count, linear, self._added, self.incidence, self._z, right_side, unknown, remainder
            )
            if not GOOD * greatest < worst < 0.5 * last:
                break
            last = worst
            self._solve_once(linear, remainder)
            unknown += remainder
        right_side[:] = unknown

    def _solve_once(self, linear: Linearisation, right_side: FloatArray) -> None:
        spread_right_side(self._count, linear, self.incidence, self.middle, right_side, self._z)
        self.solve_bodies(self._z)
        gather_unknowns(self._count, linear, self.incidence, self.middle, self._z, right_side)

    def _reserve(self, groups: int, blocks: int, bodies: int) -> None:
        if len(self._z) != WIDTH * bodies:
            self._z = np.zeros(WIDTH * bodies)
        if len(self.incidence.start) > groups and len(self.incidence.body) >= blocks:
            return
        self._make_room(2 * groups, 2 * blocks)

    def _make_room(self, groups: int, blocks: int) -> None:
        self._next = _integers(groups)
        self.incidence = Incidence(
            start=_integers(groups + 1), body=_integers(blocks), root=np.zeros((blocks, 3, WIDTH))
        )
        self.middle = Middle(*np.zeros((2, groups, 3, 3)))

    def _take_pattern(self, bodies: int, touched: IntArray) -> None:
        """The matrix of the bodies, and its fronts if the pattern is new."""
        pattern = self._pattern
        indptr, indices = pattern.indptr[: bodies + 1], pattern.indices[: pattern.block_count]
        known, here = (self._indptr, self._indices, self._touched), (indptr, indices, touched)
        if all(np.array_equal(one, other) for one, other in zip(known, here, strict=True)):
            return
        self._indptr, self._indices, self._touched = indptr.copy(), indices.copy(), touched
        self._matrix = BodyMatrix(
            indptr=self._indptr, indices=self._indices, diagonal=pattern.diagonal[:bodies].copy(),
            values=np.zeros((pattern.block_count, WIDTH, WIDTH)),
        )  # fmt: skip
        self._fronts = find_fronts(pattern, touched, WIDTH)
        self._factor = reserve_factor(self._factor, bodies, self._fronts, WIDTH)
