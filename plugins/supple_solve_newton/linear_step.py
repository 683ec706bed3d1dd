"""The direction of a Newton step: assembled by kernels, and solved by whom it suits.

A kernel solves small systems, LAPACK larger ones, and SuperLU those that are large and thin.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.linalg.lapack import dgesv, dposv
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from supple.core.arrays import FloatArray, IntArray
from supple.mechanics.problem import ConstraintProblem
from supple_solve_newton import newton_kernels as kernels
from supple_solve_newton.watchdog_kernels import DENSE_EFFORT, ROW_EFFORT

# Up to this number of unknowns, calling LAPACK takes longer than a plain elimination.
SMALL_UNKNOWNS: Final = 60
# Above this number of unknowns, and below this share of entries, the sparse factorisation is the quicker one.
SPARSE_UNKNOWNS: Final = 150
SPARSE_SHARE: Final = 0.25
# A pivot off the diagonal is taken only where the diagonal is this much smaller: it keeps the fill low.
PIVOT_THRESHOLD: Final = 0.01
# In the unit of `watchdog_kernels.DENSE_EFFORT`.
SWEEP_EFFORT: Final = 30.0  # per block of W
SPARSE_EFFORT: Final = 2.0  # per unknown and square of the entries in its column
SPARSE_ROW_EFFORT: Final = 4000.0  # per unknown


class LinearStep:
    """Work arrays for the steps of problems with at most `groups` groups, and the step itself, [groups, 3] N s."""

    def __init__(self, groups: int) -> None:
        self.capacity = groups
        self.step: FloatArray = np.zeros((groups, 3))
        self.effort = 0.0  # of the last step, in the unit of `SWEEP_EFFORT`
        self._mode: IntArray = np.zeros(groups, np.int64)
        self._first: IntArray = np.zeros(groups, np.int64)
        self._left, self._right = np.zeros((2, groups, 3, 3))
        self._shift, self._extra, self._right_side = np.zeros((3, groups, 3))
        self._column_start: IntArray = np.zeros(3 * groups + 1, np.int64)
        self._part = np.zeros((3, 3))
        self._linearised = (
            self._mode, self._first, self._left, self._right, self._shift, self._extra, self._right_side,
        )  # fmt: skip
        room = SMALL_UNKNOWNS
        #: Work arrays of `small_step_kernels.find_small_step`, from `mode_out` on.
        self.small = (
            *self._linearised,
            np.zeros((room, room)), np.zeros(room, np.int64), *np.zeros((4, room)), self.step,
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
        n, W = problem.count, problem.W
        m = int(kernels.linearise_groups(
            problem.law, problem.friction, problem.scale, problem.lower, problem.upper, rho, n, np.inf,
            impulse, velocity, *self._linearised,
        ))  # fmt: skip
        right_side = np.empty(m)
        kernels.finish_right_side(
            problem.compliance, W.indptr, W.indices, W.values, n,
            self._mode, self._first, self._left, self._shift, self._right_side, right_side,
        )  # fmt: skip
        entries = 0
        if m > SPARSE_UNKNOWNS:
            entries = kernels.count_columns(
                W.indptr, W.indices, n, self._mode, self._first, self._column_start
            )
        floors = np.empty(m)
        kernels.list_floors(n, self._mode, self._first, rho, floor, floors)
        matrix = (problem.compliance, W.indptr, W.indices, W.values, n)
        if m == 0:
            self.effort = 0.0
            unknown: FloatArray | None = right_side
        elif 0 < entries < SPARSE_SHARE * m * m:
            self.effort = SPARSE_EFFORT * float(entries) ** 2 / m + SPARSE_ROW_EFFORT * m
            unknown = self._solve_sparse(matrix, floors, right_side, int(entries))
        else:
            self.effort = DENSE_EFFORT * float(m) ** 3 + ROW_EFFORT * m
            unknown = self._solve_dense(matrix, floors, right_side, n)
        if unknown is None:
            return False
        kernels.expand_step(n, self._mode, self._first, self._right, self._shift, unknown, self.step)
        return True

    def _solve_dense(
        self, matrix: tuple[object, ...], floors: FloatArray, right_side: FloatArray, groups: int
    ) -> FloatArray | None:
        transposed = np.zeros((len(right_side), len(right_side)))
        kernels.assemble_dense(
            *matrix,
            self._mode,
            self._first,
            self._left,
            self._right,
            self._extra,
            floors,
            transposed,
        )
        if not (self._mode[:groups] == kernels.SLIPPING).any():  # then the matrix is symmetric
            _, unknown, failed = dposv(transposed.T, right_side)
            if not failed:
                return np.asarray(unknown, np.float64)
        _, _, unknown, failed = dgesv(transposed.T, right_side, overwrite_a=1)
        return None if failed else unknown

    def _solve_sparse(
        self, matrix: tuple[object, ...], floors: FloatArray, right_side: FloatArray, entries: int
    ) -> FloatArray | None:
        m = len(right_side)
        row, entry, start = np.empty(entries, np.int64), np.empty(entries), self._column_start[: m + 1]
        kernels.assemble_sparse(
            *matrix,
            self._mode,
            self._first,
            self._left,
            self._right,
            self._extra,
            floors,
            start,
            self._part,
            row,
            entry,
        )
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
