"""Linear complementarity problems: find z >= 0 with w = M z + q >= 0 and z . w = 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.mechanics import lemke_kernels as kernels
from supple.mechanics.solution import Status

TOLERANCE: Final = 1e-10
PIVOT_FLOOR: Final = 1e-11
# Pivots of one run, per row and in addition: beyond, the path is one of the exponential ones, and another covering
# vector leads to a short one.
PIVOTS_PER_ROW: Final = 10
PIVOTS_MORE: Final = 100
# Tried one after the other when a ray ended the search: the share of the scale of M that is added to its diagonal.
REGULARISATIONS: Final = (1e-9, 1e-7, 1e-6)
# What regularisation leaves is taken back by proximal points as long as each takes back so much of it.
REFINEMENTS: Final = 12
REFINED_BY: Final = 0.7
SINGULAR: Final = 1e-11  # singular values below this share of the largest count as zero
COVERS: Final = 4  # covering vectors that are tried
ENUMERABLE: Final = 10  # rows up to which all bases are looked at before giving up


@dataclass(frozen=True)
class LcpSolution:
    """z [n], how far it got, the number of pivots, and the residual in terms of the measure."""

    z: FloatArray
    status: Status
    pivots: int
    residual: float


def measure_lcp(M: FloatArray, q: FloatArray, z: FloatArray) -> float:
    """Worst |min(z_i / max z, w_i / s_i)|, s_i = |q_i| + sum |M_ij| |z_j|, at least a thousandth of max |q|."""
    if not len(q):
        return 0.0
    scale = np.maximum(np.abs(q) + np.abs(M) @ np.abs(z), 1e-3 * np.abs(q).max())
    scale[scale == 0.0] = 1.0
    largest = float(np.abs(z).max()) or 1.0
    return float(np.abs(np.minimum(z / largest, (M @ z + q) / scale)).max())


def solve_lcp(
    M: FloatArray,
    q: FloatArray,
    tolerance: float = TOLERANCE,
    max_pivots: int | None = None,
    measure: Callable[[FloatArray], float] | None = None,
) -> LcpSolution:
    """Lemke's method with the lexicographic rule, other covering vectors and a little regularisation after a ray.

    `measure` judges a z; it is `measure_lcp`, without unit, unless another one is given. `tolerance` is in its terms.
    `max_pivots` counts all attempts together. "stalled": the best z that was found is short of the tolerance;
    "failed": none was found, z is zero. Small problems are searched through before that.
    """
    M, q = np.ascontiguousarray(M, np.float64), np.ascontiguousarray(q, np.float64)
    n = len(q)
    zero = np.zeros(n)
    if not (np.isfinite(M).all() and np.isfinite(q).all()):
        return LcpSolution(zero, "failed", 0, np.inf)
    attempt = _Attempt(M, q, measure or (lambda z: measure_lcp(M, q, z)))
    of_one_run = PIVOTS_PER_ROW * n + PIVOTS_MORE
    budget = max_pivots or of_one_run * COVERS * (1 + len(REGULARISATIONS))
    for regularisation in (0.0, *REGULARISATIONS):
        for cover in range(COVERS):
            attempt.run(regularisation, cover, min(of_one_run, budget - attempt.pivots))
            if tolerance < attempt.residual < np.inf:
                attempt.correct()
                if regularisation:
                    attempt.refine(regularisation, tolerance, of_one_run, budget)
            if attempt.residual <= tolerance:
                return LcpSolution(attempt.z, "converged", attempt.pivots, attempt.residual)
    if n <= ENUMERABLE:
        for basis in chain.from_iterable(combinations(range(n), size) for size in range(n + 1)):
            attempt.take(_solve_basis(M, q, np.array(basis, np.int64)))
            if attempt.residual <= tolerance:
                return LcpSolution(attempt.z, "converged", attempt.pivots, attempt.residual)
    if attempt.residual < np.inf:
        return LcpSolution(attempt.z, "stalled", attempt.pivots, attempt.residual)
    return LcpSolution(zero, "failed", attempt.pivots, np.inf)


class _Attempt:
    """The scaled problem, the work arrays, and the best z so far."""

    def __init__(self, M: FloatArray, q: FloatArray, measure: Callable[[FloatArray], float]) -> None:
        n = len(q)
        self._M, self._q, self._measure = M, q, measure
        # Rows and columns of very different size (impulses, velocities) are brought near to one.
        size = np.abs(M).max(axis=1, initial=0.0)
        diagonal = np.abs(np.diagonal(M))
        size = np.where(diagonal > 0.0, diagonal, np.where(size > 0.0, size, 1.0))
        self._scale = 1.0 / np.sqrt(size)
        self._scaled_M = self._scale[:, None] * M * self._scale
        self._scaled_q = self._scale * q
        self._pivot_row: FloatArray = np.zeros(n + 2)
        self._table: FloatArray = np.zeros((n, n + 2))
        self._basic: IntArray = np.zeros(n, np.int64)
        self._place: IntArray = np.zeros(2 * n + 1, np.int64)
        self.z: FloatArray = np.zeros(n)
        self.residual = np.inf
        self.pivots = 0

    def run(self, regularisation: float, cover: int, max_pivots: int) -> None:
        """One run of Lemke's method, and the exact solution on the basis it ends with.

        A regularisation draws towards the best z so far.
        """
        n, z = len(self._q), np.zeros(len(self._q))
        M, q = self._scaled_M, self._scaled_q
        if regularisation:
            drawn = regularisation * max(1.0, float(np.abs(M).max(initial=0.0)))
            M, q = M + drawn * np.eye(n), q - drawn * self.z / self._scale
        # Ones at first; then positive vectors without pattern, the same every time.
        vector = np.ones(n) if cover == 0 else 0.5 + np.modf(cover * 0.6180339887 * np.arange(1, n + 1))[0]
        code, pivots = kernels.run_lemke(
            M, q, vector, max_pivots, PIVOT_FLOOR,
            self._pivot_row, self._table, self._basic, self._place, z,
        )  # fmt: skip
        self.pivots += int(pivots)
        if code != kernels.SOLVED:
            return
        self.take(self._scale * z)
        basis = np.sort(self._basic[self._basic >= n] - n)
        self.take(_solve_basis(self._M, self._q, basis[basis < n]))

    def refine(self, regularisation: float, tolerance: float, of_one_run: int, budget: int) -> None:
        """Proximal points: each solution of the regularised problem is what the next one is drawn towards.

        Where the solutions of M itself are many, these come to one of them, with the digits that it has.
        """
        for _ in range(REFINEMENTS):
            if self.residual <= tolerance or self.pivots >= budget:
                return
            before = self.residual
            self.run(regularisation, 0, min(of_one_run, budget - self.pivots))
            if self.residual > tolerance:
                self.correct()
            if self.residual > REFINED_BY * before:
                return

    def correct(self) -> None:
        """The smallest change of z that makes w zero where z is the larger of the two, in the scaled problem."""
        z = self.z / self._scale
        w = self._scaled_M @ z + self._scaled_q
        basis = np.flatnonzero(z > w)
        if len(basis):
            change = np.linalg.lstsq(self._scaled_M[np.ix_(basis, basis)], -w[basis], rcond=SINGULAR)[0]
            corrected = np.zeros_like(z)
            corrected[basis] = np.maximum(z[basis] + change, 0.0)
            self.take(self._scale * corrected)

    def take(self, z: FloatArray) -> None:
        """Keep z if it is the best so far."""
        residual = self._measure(z)
        if residual < self.residual:
            self.z, self.residual = z, residual


def _solve_basis(M: FloatArray, q: FloatArray, basis: IntArray) -> FloatArray:
    """The z that has w = 0 on the basis and is zero elsewhere; what is negative by round-off is cut."""
    z = np.zeros(len(q))
    if len(basis):
        part = M[np.ix_(basis, basis)]
        try:
            z[basis] = np.linalg.solve(part, -q[basis])
        except np.linalg.LinAlgError:
            z[basis] = np.linalg.lstsq(part, -q[basis], rcond=None)[0]
    return np.maximum(z, 0.0)
