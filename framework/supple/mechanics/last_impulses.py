"""The warm start of all rows: impulses of the last step, and how they changed."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound
from supple.mechanics import warm_kernels as kernels
from supple.mechanics.mechanism import FloatArray
from supple.mechanics.problem import ConstraintProblem

LAST = ("rows.last_count", "rows.last_key", "rows.last_impulse", "rows.steady")


def declare_last_impulses(build: Build, capacity: int) -> None:
    """Declare what is kept of the impulses of a step for the next one."""
    build.add_state("rows.last_count", [0], unit="1", doc="Groups of the last step.", dtype=np.int64)
    for name, width, unit, doc, dtype in (
        ("key", 2, "1", "Their identities, sorted.", np.int64),
        ("impulse", 6, "N s", "Their impulses, to start from, and how these changed.", np.float64),
    ):
        build.add_state(
            f"rows.last_{name}", np.zeros((capacity, width)), unit=unit, doc=doc, dtype=dtype, count="rows.last_count"
        )  # fmt: skip
    doc = "Whether the changes were to be foreseen from those of the step before."
    build.add_state("rows.steady", [0], unit="1", doc=doc, dtype=np.int64)


class LastImpulses:
    """Begins solves with the impulses of the last step, led on by their last change while that foretells the next."""

    reads = LAST
    writes = tuple(f"{name}.next" for name in LAST)

    def __init__(self, arrays: Bound) -> None:
        self._count, self._key, self._impulse, self._steady = (arrays[name] for name in LAST)
        self._next_count, self._next_key, self._next_impulse, self._next_steady = (
            arrays[name] for name in self.writes
        )
        self._known = np.zeros(len(self._key), np.int64)
        self._before, self._changes, self._velocity = np.zeros((3, len(self._key), 3))

    def begin(self, problem: ConstraintProblem, impulse: FloatArray) -> None:
        """Set `impulse` [groups, 3] N s to begin with, and problem.free to the bias."""
        kernels.start_rows(
            problem.count, problem.bias, problem.key, self._count, self._key, self._impulse, self._steady,
            problem.free, self._known, self._before, self._changes, impulse,
        )  # fmt: skip

    def finish(
        self, problem: ConstraintProblem, solution: FloatArray, impulse: FloatArray, residual: FloatArray
    ) -> None:
        """Hand the solution over as `impulse`, measure its residual [m/s], and keep it for the next step."""
        W = problem.W
        kernels.finish_rows(
            problem.law, problem.size, problem.friction, problem.scale, problem.lower, problem.upper,
            problem.compliance, problem.free, problem.key, W.indptr, W.indices, W.diagonal, W.values, problem.count,
            solution, self._velocity, self._known, self._before, self._changes,
            impulse, residual, self._next_steady, self._next_count, self._next_key, self._next_impulse,
        )  # fmt: skip

    def forget(self) -> None:
        """The step had no rows."""
        self._next_count[0] = self._next_steady[0] = 0
