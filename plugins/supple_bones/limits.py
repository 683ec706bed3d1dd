"""Limits of joints, as a source of rows."""

from __future__ import annotations

from typing import NamedTuple, Protocol
from zlib import crc32

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.program import make_callable
from supple.core.schedule import Bound, Call
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.problem import ConstraintProblem
from supple_bones.limit_kernels import append_limits, list_near_limits, set_limit_bias
from supple_bones.tables import name_arrays


def key_of(name: str) -> int:
    """A number below -1 that tells the rows of this source from those of others."""
    return -2 - crc32(name.encode())


class Trees(Protocol):
    """A mechanism of trees of bones, whose arrays begin with its name."""

    name: str
    jacobian: JacobianBlocks

    def refuse_overflow(self, extra: int) -> None:
        """Raise when there is no room for so many more blocks."""
        ...


class LimitSettings(Protocol):
    """How limits are kept; README eq. (20)."""

    margin: float
    recovery: float
    recovery_speed: float


class LimitedTree(NamedTuple):
    """What rows of limits are made of."""

    bone: IntArray
    frame: FloatArray
    limit: IntArray
    bound: FloatArray
    q: FloatArray
    v: FloatArray
    v_free: FloatArray


class JointLimits:
    """One unilateral row for every limit that may be reached within the step."""

    def __init__(self, skeletons: Trees, count: int, settings: LimitSettings) -> None:
        self.name = f"{skeletons.name}.limits"
        self.reads = name_arrays(LimitedTree, skeletons.name)
        self.skeletons = skeletons
        self.gap = np.zeros(count)
        self.near = np.zeros(count, np.int64)
        self.span = np.zeros(2, np.int64)  # first group of the step, and how many
        self.key = key_of(self.name)
        self.margin, self.recovery = settings.margin, (settings.recovery, settings.recovery_speed)

    def bind(self, arrays: Bound) -> None:
        """Bind limits and state."""
        self.h, self.tree = arrays.h, arrays.take(LimitedTree, self.skeletons.name)

    def bind_append(self, problem: ConstraintProblem) -> list[Call]:
        """Rows and Jacobian of the limits that are near, for every step."""
        first, count = self.span[:1], self.span[1:]
        return [
            Call(list_near_limits, self.h, self.margin, self.tree, self.gap, self.near, self.span),
            problem.bind_reserve(count, first),
            Call(
                append_limits, self.span, self.tree, self.near, self.key, self.skeletons.jacobian.arrays,
                problem.law, problem.key, otherwise=lambda: self.skeletons.refuse_overflow(count.item(0)),
            ),
        ]  # fmt: skip

    def bind_bias(self, problem: ConstraintProblem) -> Call:
        """Approach until the limit, recover from beyond it, in every step."""
        return Call(set_limit_bias, *self.recovery, self.h, self.gap, self.near, self.span, problem.bias)

    def append(self, problem: ConstraintProblem) -> None:
        """The rows of one step."""
        make_callable(self.bind_append(problem))()

    def set_bias(self, problem: ConstraintProblem) -> None:
        """The bias of one step."""
        make_callable(self.bind_bias(problem))()
