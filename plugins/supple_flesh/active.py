"""The active vertices and the inverses of their matrices: they follow from the mask, and are kept while it stays."""

from __future__ import annotations

import numpy as np

from supple.errors import SimulationError
from supple_flesh.multiply_kernels import fill_patch_matrix
from supple_flesh.pool import FloatArray, IntArray, Pool


class ActiveSet:
    """Lists and matrices of the active vertices; see `multiply_kernels` for the layout.

    lag [n]  A_s^-1 m: the part of its bone's change of velocity that a vertex is late by; 0 if it is not active
    """

    def __init__(self, pool: Pool, h: float) -> None:
        self.pool, self.h = pool, h
        patches = len(pool.patch_bone)
        self.members = [np.flatnonzero(pool.patch_of == p) for p in range(patches)]
        self.vertex: IntArray = np.zeros(pool.count, np.int64)
        self.slot: IntArray = np.full(pool.count, -1, np.int64)
        self.start: IntArray = np.zeros(patches + 1, np.int64)
        self.inverse_start: IntArray = np.zeros(patches + 1, np.int64)
        self.inverse: FloatArray = np.zeros(1)
        self.lag: FloatArray = np.zeros(pool.count)
        self._mask: IntArray = np.zeros(pool.count, np.int64)
        self._inverses: list[FloatArray] = [np.zeros((0, 0))] * patches

    def update(self, mask: IntArray) -> None:
        """Follow the mask [n]; patches whose part of it has changed get a new inverse."""
        if np.array_equal(mask, self._mask):
            return
        changed = [bool((mask[mine] != self._mask[mine]).any()) for mine in self.members]
        lists = [mine[mask[mine] != 0] for mine in self.members]
        sizes = np.array([len(each) for each in lists])
        self.start[1:] = np.cumsum(sizes)
        self.inverse_start[1:] = np.cumsum(sizes**2)
        self.vertex[: self.start[-1]] = np.concatenate(lists)
        self.slot.fill(-1)
        self.lag.fill(0.0)
        for mine in lists:
            self.slot[mine] = np.arange(len(mine))
        if len(self.inverse) < self.inverse_start[-1]:
            self.inverse = np.zeros(int(self.inverse_start[-1]))
        for p, mine in enumerate(lists):
            if changed[p]:
                self._inverses[p] = self._invert(p, len(mine))
            self.inverse[self.inverse_start[p] : self.inverse_start[p + 1]] = self._inverses[p].reshape(-1)
            self.lag[mine] = self._inverses[p] @ self.pool.mass[mine]
        self._mask = mask.copy()

    def _invert(self, p: int, size: int) -> FloatArray:
        from scipy.linalg.lapack import dpotrf, dpotri

        pool, matrix = self.pool, np.zeros((size, size))
        if size == 0:
            return matrix
        fill_patch_matrix(
            self.h, pool.mass, pool.vertex_stiffness, pool.damping, pool.first, pool.neighbour,
            pool.edge_stiffness, pool.patch_of, self.vertex, self.slot, self.start[p], self.start[p + 1], matrix,
        )  # fmt: skip
        # LAPACK counts columns first, so the lower triangle of what it sees is the upper one here.
        factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1)
        inverse, failed_too = dpotri(factor, lower=1, overwrite_c=1)
        if failed or failed_too:
            raise SimulationError("the matrix of the flesh is not positive", entity=pool.patch_bone[p])
        half = inverse.T
        whole: FloatArray = np.triu(half) + np.triu(half, 1).T
        return np.ascontiguousarray(whole)
