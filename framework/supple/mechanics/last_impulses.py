"""The warm start of all rows: impulses of the last step, and how they changed."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.members import Solve
from supple.core.schedule import Bound
from supple.mechanics import warm_kernels as kernels
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.problem_kernel import ProblemKernel


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

    def __init__(self, arrays: Bound, solve: Solve, impulse: FloatArray, residual: FloatArray) -> None:
        """`impulse` [capacity, 3] N s and `residual` [1] m/s are where the solve has them."""
        names = name_last(solve)
        self._count, self._key, self._impulse, self._steady = (arrays[name] for name in names)
        self._next_count, self._next_key, self._next_impulse, self._next_steady = (
            arrays[f"{name}.next"] for name in names
        )
        known = np.zeros(len(self._key), np.int64)
        before, changes, velocity = np.zeros((3, len(self._key), 3))
        self._start = ProblemKernel(
            kernels.start_rows, ("bias", "key", "free"), self._count, self._key, self._impulse, self._steady,
            known, before, changes, impulse,
        )  # fmt: skip
        self._finish = ProblemKernel(
            kernels.finish_rows,
            (
                "law", "size", "friction", "scale", "lower", "upper", "compliance", "free", "key",
                "W.indptr", "W.indices", "W.diagonal", "W.values",
            ),
            velocity, known, before, changes,
            residual, self._next_steady, self._next_count, self._next_key, self._next_impulse, impulse,
        )  # fmt: skip

    def begin(self, problem: ConstraintProblem) -> None:
        """Set the impulses [groups, 3] N s to begin with, and problem.free to the bias."""
        self._start(problem, problem.count)

    def finish(self, problem: ConstraintProblem, solution: FloatArray) -> None:
        """Hand the solution over as impulses, measure its residual [m/s], and keep it for the next step."""
        self._finish(problem, np.ascontiguousarray(solution, np.float64), problem.count)

    def forget(self) -> None:
        """The step had no rows."""
        self._next_count[0] = self._next_steady[0] = 0
