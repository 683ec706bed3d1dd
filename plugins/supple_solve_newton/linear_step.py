"""The direction of a Newton step: assembled by kernels, and solved by whom it suits.

A kernel solves small systems, LAPACK larger ones, and SuperLU those that are large and thin.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.math.strip_kernels import LANES
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import front_kernels
from supple_solve_newton import newton_kernels as kernels
from supple_solve_newton.elimination import Elimination
from supple_solve_newton.linearisation import Linearisation
from supple_solve_newton.watchdog_kernels import DENSE_EFFORT, ROW_EFFORT

linearise_groups = TypedKernel(kernels.linearise_groups)
finish_right_side = TypedKernel(kernels.finish_right_side)
count_columns, list_floors = TypedKernel(kernels.count_columns), TypedKernel(kernels.list_floors)
assemble_dense, assemble_sparse = TypedKernel(kernels.assemble_dense), TypedKernel(kernels.assemble_sparse)
expand_step, list_added = TypedKernel(kernels.expand_step), TypedKernel(front_kernels.list_added)

# Up to this number of unknowns, calling LAPACK takes longer than a plain elimination.
SMALL_UNKNOWNS: Final = 90
# Above this number of unknowns, and below this share of entries, the sparse factorisation is the quicker one.
SPARSE_UNKNOWNS: Final = 150
SPARSE_SHARE: Final = 0.25
# A pivot off the diagonal is taken only where the diagonal is this much smaller: it keeps the fill low.
PIVOT_THRESHOLD: Final = 0.01
# In the unit of `watchdog_kernels.DENSE_EFFORT`.
SWEEP_EFFORT: Final = 30.0  # per block of W
FRONT_EFFORT: Final = 0.2  # per multiplication
FRONT_ROW_EFFORT: Final = 600.0  # per unknown
SPARSE_EFFORT: Final = 2.0  # per unknown and square of the entries in its column
SPARSE_ROW_EFFORT: Final = 4000.0  # per unknown


class Scratch(NamedTuple):
    """Work arrays of systems of at most SMALL_UNKNOWNS unknowns, and the step [groups, 3] N s that comes of them."""

    matrix: FloatArray
    order: IntArray
    vector: FloatArray
    unknown: FloatArray
    floors: FloatArray
    correction: FloatArray
    step: FloatArray


class LinearStep:
    """Work arrays for the steps of problems with at most `groups` groups, and the step itself, [groups, 3] N s."""

    def __init__(self, groups: int) -> None:
        self.capacity = groups
        self.step: FloatArray = np.zeros((groups, 3))
        self.effort = 0.0  # of the last step, in the unit of `SWEEP_EFFORT`
        mode, first = np.zeros((2, groups), np.int64)
        (left, right), (shift, extra, right_side) = np.zeros((2, groups, 3, 3)), np.zeros((3, groups, 3))
        self.linear = Linearisation(
            mode=mode, first=first, left=left, right=right, shift=shift, extra=extra, right_side=right_side
        )
        self._column_start: IntArray = np.zeros(3 * groups + 1, np.int64)
        self._part = np.zeros((3, 3))
        self.elimination = Elimination()
        self.added: FloatArray = np.zeros((groups, 3, 3))
        room = SMALL_UNKNOWNS
        vector, unknown, floors, correction = np.zeros((4, room))
        self.scratch = Scratch(
            matrix=np.zeros((room, room + LANES)), order=np.zeros(room, np.int64), vector=vector, unknown=unknown,
            floors=floors, correction=correction, step=self.step,
        )  # fmt: skip

    def find(
        self,
        problem: ConstraintProblem,
        rho: FloatArray,
        impulse: FloatArray,
        velocity: FloatArray,
        floor: float,
    ) -> bool:
        """Compute the step from `impulse`; `floor` is the share of each diagonal block that is added to it.

        False where the system is singular to working precision.
        """
        rows, blocks, linear = problem.rows, problem.W.blocks, self.linear
        m = int(linearise_groups(rows, rho, np.inf, impulse, velocity, linear))
        right_side = np.empty(m)
        finish_right_side(rows, blocks, linear, right_side)
        entries = 0
        if m > SPARSE_UNKNOWNS and not self.elimination.in_bodies:
            entries = count_columns(rows, blocks, linear, self._column_start)
        floors = np.empty(m)
        list_floors(problem.count, linear, rho, floor, floors)
        if m == 0:
            self.effort = 0.0
            unknown: FloatArray | None = right_side
        elif self.elimination.in_bodies or 0 < entries < SPARSE_SHARE * m * m:
            list_added(rows, linear, floors, self.added)
            unknown = self.elimination.solve_accurately(problem.W, linear, self.added, right_side)
            self.effort = FRONT_EFFORT * self.elimination.work + FRONT_ROW_EFFORT * m
            if unknown is None:
                if not entries:
                    entries = count_columns(rows, blocks, linear, self._column_start)
                self.effort = SPARSE_EFFORT * float(entries) ** 2 / m + SPARSE_ROW_EFFORT * m
                unknown = self._solve_sparse(problem, floors, right_side, int(entries))
        else:
            self.effort = DENSE_EFFORT * float(m) ** 3 + ROW_EFFORT * m
            unknown = self._solve_dense(problem, floors, right_side)
        if unknown is None:
            return False
        expand_step(problem.count, linear, np.ascontiguousarray(unknown), self.step)
        return True

    def _solve_dense(
        self, problem: ConstraintProblem, floors: FloatArray, right_side: FloatArray
    ) -> FloatArray | None:
        from scipy.linalg.lapack import dgesv, dposv  # a long import that few scenes need

        transposed = np.zeros((len(right_side), len(right_side)))
        assemble_dense(problem.rows, problem.W.blocks, self.linear, floors, transposed)
        if not (self.linear.mode[: problem.count] == kernels.SLIPPING).any():  # then the matrix is symmetric
            _, unknown, failed = dposv(transposed.T, right_side)
            if not failed:
                return np.asarray(unknown, np.float64)
        _, _, unknown, failed = dgesv(transposed.T, right_side, overwrite_a=1)
        return None if failed else unknown

    def _solve_sparse(
        self, problem: ConstraintProblem, floors: FloatArray, right_side: FloatArray, entries: int
    ) -> FloatArray | None:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        m = len(right_side)
        row, entry, start = np.empty(entries, np.int64), np.empty(entries), self._column_start[: m + 1]
        assemble_sparse(problem.rows, problem.W.blocks, self.linear, floors, start, self._part, row, entry)
        try:
            factor = splu(
                csc_matrix((entry, row, start), shape=(m, m)),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=PIVOT_THRESHOLD,
                options={"SymmetricMode": True},
            )
        except RuntimeError:  # exactly singular
            return None
        return np.asarray(factor.solve(right_side), np.float64)
