"""The warm start of all rows: impulses of the last step, and how they changed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.members import Solve
from supple.core.schedule import Bound, Call
from supple.mechanics import warm_start_kernels as kernels
from supple.mechanics.problem import ConstraintProblem


class Kept(NamedTuple):
    """What is kept of the groups of a step: how many, who, impulses and changes, and whether these were steady."""

    counts: IntArray
    key: IntArray
    impulse: FloatArray
    steady: IntArray


class WarmStart(NamedTuple):
    """What a solve begins with: which groups were known, their impulses and changes of the last step; and scratch."""

    known: IntArray
    before: FloatArray
    change: FloatArray
    velocity: FloatArray


def name_last(solve: Solve) -> tuple[str, ...]:
    """What a solve keeps of a step for the next one."""
    return tuple(solve.array(name) for name in ("last_count", "last_key", "last_impulse", "steady"))


def declare_last_impulses(build: Build, solve: Solve, capacity: int) -> None:
    """Declare what is kept of the impulses of a step for the next one."""
    count = solve.array("last_count")
    build.add_state(count, [0], unit="1", doc="Groups of the last step.", dtype=np.int64)
    for name, width, unit, doc, dtype in (
        ("key", 2, "1", "Their identities, sorted.", np.int64),
        ("impulse", 6, "N s", "Their impulses, to start from, and how these changed.", np.float64),
    ):
        build.add_state(
            solve.array(f"last_{name}"), np.zeros((capacity, width)), unit=unit, doc=doc, dtype=dtype, count=count
        )  # fmt: skip
    doc = "Whether the changes were to be foreseen from those of the step before."
    build.add_state(solve.array("steady"), [0], unit="1", doc=doc, dtype=np.int64)


class LastImpulses:
    """Begins solves with the impulses of the last step, led on by their last change while that foretells the next."""

    def __init__(self, arrays: Bound, solve: Solve, problem: ConstraintProblem) -> None:
        names = name_last(solve)
        self._kept, self.following = (
            Kept(counts=arrays[count], key=arrays[key], impulse=arrays[last], steady=arrays[steady])
            for count, key, last, steady in (names, [f"{name}.next" for name in names])
        )
        before, change, velocity = np.zeros((3, problem.capacity, 3))
        known = np.zeros(problem.capacity, np.int64)
        self.start = WarmStart(known=known, before=before, change=change, velocity=velocity)
        self._problem = problem

    def bind_start(self, impulse: FloatArray) -> Call:
        """What sets the impulses [groups, 3] N s to begin with."""
        return Call(
            kernels.start_rows, self._problem.counts, self._problem.key, self._kept, self.start, impulse
        )
