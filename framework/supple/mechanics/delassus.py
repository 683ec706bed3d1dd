"""The Delassus operator of a mechanism from what A^-1 does to many vectors at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.mechanics import delassus_kernels as kernels
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.jacobian import JacobianBlocks

Response = Callable[[FloatArray, FloatArray], None]
"""`Mechanism.response`: out[k] = A^-1 columns[k], both [columns, rates]."""


class ColumnDelassus:
    """W += J (A^-1 J^T), for any mechanism that has a `response`.

    The rows of J that the mechanism takes part in are laid out over all rates, so the cost is rows times rates: one
    that knows the structure of its A and J is quicker by itself. Buffers grow geometrically and are kept.
    """

    def __init__(self, jacobian: JacobianBlocks, rates: int, response: Response) -> None:
        self._jacobian, self._rates, self._response = jacobian, rates, response
        self._column: IntArray = np.zeros((0, 3), np.int64)
        self._rows, self._moved = np.zeros((2, 0, rates))

    def add(self, W: BlockMatrix) -> None:
        """W += J A^-1 J^T over the blocks now in the Jacobian."""
        J = self._jacobian.arrays
        if len(self._column) < W.group_count:
            self._column = np.zeros((2 * W.group_count, 3), np.int64)
        count = int(kernels.number_columns(J, W.group_count, self._column))
        if count == 0:
            return
        if len(self._rows) < count:
            self._rows, self._moved = np.zeros((2, 2 * count, self._rates))
        kernels.spread_columns(J, self._column, count, self._rows)
        self._response(self._rows[:count], self._moved[:count])
        kernels.add_products(J, self._column, self._moved, W.blocks)
