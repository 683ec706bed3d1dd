"""The active vertices and the inverses of their matrices: they follow from the mask, and are kept while it stays."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.errors import Problem, SimulationError, UserError
from supple.math.strip_kernels import LANES
from supple_flesh.multiply_kernels import fill_patch_matrix, find_lags, list_active, mirror_upper
from supple_flesh.pool import Pool
from supple_flesh.tables import RIGID, ActiveVertices, Springs


class ActiveSet:
    """Lists and matrices of the active vertices, in arrays that never move; see `multiply_kernels` for the layout.

    lag [n]  A_s^-1 m: the part of its bone's change of velocity that a vertex is late by; 0 if it is not active
    """

    def __init__(self, pool: Pool, h: float) -> None:
        """Springs and dampers look ahead by h [s]; with 0 the matrices are those of the masses alone."""
        self.pool, self.h = pool, h
        patches = len(pool.patch_bone)
        places = np.arange(patches + 1)
        inverse_start, inverse = reserve_inverses(pool)
        self.arrays = ActiveVertices(
            vertex=np.zeros(pool.count, np.int64),
            slot=np.full(pool.count, -1, np.int64),
            start=np.zeros(patches + 1, np.int64),
            inverse_start=inverse_start,
            inverse=inverse,
        )
        self.lag: FloatArray = np.zeros(pool.count)
        self._mask: IntArray = np.zeros(pool.count, np.int64)
        self._changed: IntArray = np.zeros(patches, np.int64)
        member: IntArray = np.argsort(pool.patch_of, kind="stable").astype(np.int64)
        member_start: IntArray = np.searchsorted(pool.patch_of[member], places).astype(np.int64)
        springs = Springs(*(getattr(pool, name) for name in Springs._fields))
        self._list = bind_first_arguments(
            list_active, (member, member_start, self._mask, self._changed, self.arrays), (self._mask,)
        )
        self._fill = bind_first_arguments(
            fill_patch_matrix, (pool.patch_of, pool.mass, springs, self.arrays), (0.0, 0, np.zeros((1, 1)))
        )
        self._find_lags = bind_kernel(find_lags, pool.mass, self.arrays, self.lag)

    def look_ahead(self, h: float) -> None:
        """From now on springs and dampers look ahead by h [s]; inverses for another h are forgotten."""
        if h != self.h:
            self.h = h
            self._mask.fill(-1)

    def update(self, mask: IntArray) -> None:
        """Follow the mask [n]; patches whose part of it has changed get a new inverse."""
        if not self._list(mask):
            return
        for p in np.flatnonzero(self._changed).tolist():
            self._invert(p)
        self._find_lags()

    def _invert(self, p: int) -> None:
        from scipy.linalg.lapack import dpotrf, dpotri  # a long import

        active = self.arrays
        size, first = int(active.start[p + 1] - active.start[p]), int(active.inverse_start[p])
        if size == 0:
            return
        matrix = np.zeros((size, size))
        self._fill(self.h, p, matrix)
        # Seen by LAPACK, which counts columns first, the lower triangle is the upper one here; both work in place.
        factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1)
        inverse, failed_too = dpotri(factor, lower=1, overwrite_c=1)
        if failed or failed_too:
            self._mask.fill(-1)
            raise SimulationError("the matrix of the flesh is not positive", entity=self.pool.patch_bone[p])
        room = active.inverse[first : first + size * size].reshape(size, size)
        room[:] = inverse.T
        mirror_upper(room)


def reserve_inverses(pool: Pool) -> tuple[IntArray, FloatArray]:
    """Where the inverses of the patches begin [patches + 1], and room for them if all moves that may.

    It is address space until it is used: an adaptive flesh fills a small part of it. `strip_kernels` reads behind it.
    """
    movable = np.bincount(pool.patch_of[pool.state != RIGID], minlength=len(pool.patch_bone))
    start: IntArray = np.concatenate([[0], np.cumsum(movable**2)]).astype(np.int64)
    try:
        return start, np.zeros(start[-1] + 2 * LANES)
    except MemoryError:
        most = int(movable.argmax())
        size = 8e-9 * float(movable[most]) ** 2
        what = f"{movable[most]} vertices that may move hang on it, whose matrix takes {size:.3g} GB"
        remedy = 'let them hang on more bones, take a coarser mesh, or set state = "rigid"'
        raise UserError([Problem(None, pool.patch_bone[most], what, remedy)]) from None
