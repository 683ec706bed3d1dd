"""A part of a constraint problem, solved by itself: some of its groups, as if the others were not there."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics.problem import ConstraintProblem
from supple_pliant.kernels import cut_groups, cut_matrix


class PartialProblem(ConstraintProblem):
    """The groups g of a whole problem with local[g] >= 0, and impulses to start from."""

    def __init__(self, capacity: int, step: float) -> None:
        super().__init__(capacity, step)
        self.local = np.zeros(capacity, np.int64)
        self.warm = np.zeros((capacity, 3))

    def take(self, whole: ConstraintProblem, chosen: int, free: FloatArray, warm: FloatArray) -> None:
        """Copy the `chosen` groups that `local` numbers, with their rows and columns of W."""
        self.clear()
        self.reserve(chosen)
        W, source = self.W, whole.W
        if len(W.indices) < source.block_count:
            W.indices = np.zeros(len(source.indices), np.int64)
            W.values = np.zeros((len(source.indices), 3, 3))
        W.block_count = cut_matrix(
            whole.count, self.local, source.indptr, source.indices, source.values,
            W.indptr, W.indices, W.values, W.diagonal,
        )  # fmt: skip
        W.group_count = chosen
        cut_groups(
            whole.count, self.local, whole.law, whole.size, whole.friction, whole.scale, whole.lower,
            whole.upper, whole.compliance, free, warm,
            self.law, self.size, self.friction, self.scale, self.lower, self.upper, self.compliance,
            self.free, self.warm,
        )  # fmt: skip
