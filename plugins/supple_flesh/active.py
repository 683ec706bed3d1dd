"""The active vertices and the inverses of their matrices: they follow from the mask, and are kept while it stays."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from supple.core.arrays import FloatArray, IntArray
from supple.errors import SimulationError
from supple_flesh.multiply_kernels import fill_patch_matrix, find_lags, list_active, mirror_upper
from supple_flesh.pool import Pool


class ActiveSet:
    """Lists and matrices of the active vertices; see `multiply_kernels` for the layout.

    lag [n]  A_s^-1 m: the part of its bone's change of velocity that a vertex is late by; 0 if it is not active
    """

    def __init__(self, pool: Pool, h: float) -> None:
        """Springs and dampers look ahead by h [s]; with 0 the matrices are those of the masses alone."""
        self.pool, self.h = pool, h
        patches = len(pool.patch_bone)
        self.vertex: IntArray = np.zeros(pool.count, np.int64)
        self.slot: IntArray = np.full(pool.count, -1, np.int64)
        self.start: IntArray = np.zeros(patches + 1, np.int64)
        self.inverse_start: IntArray = np.zeros(patches + 1, np.int64)
        self.inverse: FloatArray = np.zeros(1)
        self.lag: FloatArray = np.zeros(pool.count)
        self._member = np.argsort(pool.patch_of, kind="stable").astype(np.int64)
        self._member_start = np.searchsorted(pool.patch_of[self._member], np.arange(patches + 1)).astype(
            np.int64
        )
        self._mask: IntArray = np.zeros(pool.count, np.int64)
        self._changed: IntArray = np.zeros(patches, np.int64)
        self._inverses: list[FloatArray] = [np.zeros((0, 0))] * patches

    def look_ahead(self, h: float) -> None:
        """From now on springs and dampers look ahead by h [s]; inverses for another h are forgotten."""
        if h != self.h:
            self.h = h
            self._mask.fill(-1)

    def update(self, mask: IntArray) -> None:
        """Follow the mask [n]; patches whose part of it has changed get a new inverse."""
        if np.array_equal(mask, self._mask):
            return
        list_active(
            mask, self._mask, self._member, self._member_start,
            self.vertex, self.slot, self.start, self.inverse_start, self._changed, self._mask,
        )  # fmt: skip
        if len(self.inverse) < self.inverse_start[-1]:
            self.inverse = np.zeros(2 * int(self.inverse_start[-1]))
        for p in np.flatnonzero(self._changed):
            self._inverses[p] = self._invert(p)
        for inverse, first in zip(self._inverses, self.inverse_start.tolist(), strict=False):
            self.inverse[first : first + inverse.size] = inverse.reshape(-1)
        find_lags(self.pool.mass, self.vertex, self.start, self.inverse_start, self.inverse, self.lag)

    def _invert(self, p: int) -> FloatArray:
        pool, size = self.pool, int(self.start[p + 1] - self.start[p])
        matrix = np.zeros((size, size))
        if size == 0:
            return matrix
        fill_patch_matrix(
            self.h, pool.mass, pool.vertex_stiffness, pool.damping, pool.first, pool.neighbour,
            pool.edge_stiffness, pool.patch_of, self.vertex, self.slot, self.start[p], self.start[p + 1], matrix,
        )  # fmt: skip
        # Seen by LAPACK, which counts columns first, the lower triangle is the upper one here; both work in place.
        factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1)
        inverse, failed_too = dpotri(factor, lower=1, overwrite_c=1)
        if failed or failed_too:
            self._mask.fill(-1)
            raise SimulationError("the matrix of the flesh is not positive", entity=pool.patch_bone[p])
        found: FloatArray = inverse.T
        mirror_upper(found)
        return found
