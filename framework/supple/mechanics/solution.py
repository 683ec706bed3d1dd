"""What a solver gives back, and what a solver is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Call
from supple.mechanics.problem import ConstraintProblem

Status = Literal["converged", "stalled", "failed"]


@dataclass(frozen=True)
class Solution:
    """Impulses and how far the solver got.

    impulse     [n, 3] N s (N m s for angular rows); groups of one row use column 0
    status      "converged": the solver's own law is met to its tolerance. "stalled": usable impulses,
                short of the tolerance. "failed": no usable impulses, they are all zero
    iterations  sweeps, pivots or Newton steps
    residual    m/s, as the solver itself judges; `residual.natural_map_residual` is the neutral judge
    """

    impulse: FloatArray
    status: Status
    iterations: int
    residual: float


#: Counters of an `Outcome`: sweeps or steps so far; and as 0 or 1 whether it fell short, another solver had to help,
#: something bounced before, and a quick start has begun.
ITERATIONS, SHORT, RESCUED, BOUNCED, BEGUN = range(5)
COUNTERS: Final = 5

#: States of a step that is held (`holding`): it is solved; or a solver is to say what slides does.
HELD, BEGUN_HOLD = 1, 2


class Outcome(NamedTuple):
    """What was found in a step, where kernels can see it."""

    impulse: FloatArray  # [capacity, 3] N s
    blow: FloatArray  # [capacity, 3] N s, of impacts before
    counters: IntArray  # [COUNTERS]
    figures: FloatArray  # [2] residual and tolerance [m/s] of a quick start


class SolveBooks(NamedTuple):
    """The figures of a solve: of this step, and counted over the run."""

    residual: FloatArray
    iterations: FloatArray
    failures: FloatArray
    unsolved: FloatArray
    rescues: FloatArray
    failures_next: FloatArray
    unsolved_next: FloatArray
    rescues_next: FloatArray


class Solver(Protocol):
    """Anything that solves a problem. It sees numbers only, and must not change the problem."""

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses that meet the laws of the problem, starting from `warm`, [n, 3] N s or longer."""
        ...


@runtime_checkable
class QuickSolver(Solver, Protocol):
    """A solver that has a kernel for what is solved quickly: it is called without Python, and mostly that is all."""

    def bind_quick(
        self, problem: ConstraintProblem, warm: FloatArray, held: IntArray, outcome: Outcome
    ) -> Call:
        """The call, for every step: impulses from `warm`, iterations and figures go to `outcome`.

        The kernel returns False where that was all, as without rows. It begins nothing where one of `held`, or
        problem.struck, is not 0. Where it has begun and it was not enough, it sets outcome.counters[BEGUN].
        """
        ...

    def go_on(self, problem: ConstraintProblem, outcome: Outcome) -> Solution:
        """The solution, from where the kernel came to: the same as that of `solve`."""
        ...
