"""What strayed into each other while it moved is not thrown apart.

Two things let contacts gain energy. Pushing apart what overlaps gives it a speed; and rows see where the spin of a
fast body takes it within the step, while their impulses work on the spin that it has. With the impulses lambda, and u
the row velocities that they work on, the contacts of a step add

    dE = lambda . u + lambda . W lambda / 2.

Of rows that ask for u >= 0 instead (nothing is pushed apart, and bodies are where they are) this is never positive.
Where it is, the rows lie on the way from these (s = 0) to those of the step (s = 1), at the greatest s found that gains
nothing. What overlaps is then pushed apart in later steps, as far as their contacts lose energy: what gravity presses
down, with the speed that it gives in a step. Looked at are steps in which something moves that overlaps, or is held
back while it parts, or is seen by rows to move otherwise than it does. Things that hardly move against the speed at
which they are pushed apart are let be: else what starts in each other would stay there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Call
from supple.mechanics.gain_kernels import add_turned, find_strayed, is_gaining, work_of_contacts
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rescue import solve_with_rescue
from supple.mechanics.rows import COULOMB
from supple.mechanics.solution import SHORT, Outcome, Solution, Solver

#: Solves that look for the greatest share.
TRIES = 5


def bind_gains(
    problem: ConstraintProblem,
    turned: Sequence[Mechanism],
    velocities: Sequence[tuple[FloatArray, FloatArray, FloatArray]],
    solvers: Sequence[tuple[str, Solver]],
    lagging: IntArray,
    outcome: Outcome,
    note: Callable[[Solution], None],
) -> list[Call]:
    """What looks at the contacts of a solved step, and solves it again where they gain energy.

    `turned` are mechanisms that turn freely, `velocities` their arrays turned, v and v_free, flat; `note` takes another
    solution.
    """
    strayed: IntArray = np.zeros(1, np.int64)
    worked, change = np.zeros((2, problem.capacity, 3))

    def spare() -> None:
        if outcome.counters[SHORT]:
            return  # who could not solve the step once will not do so six times
        if problem.coupled is None or not problem.coupled.counts[0]:
            note(_Sparing(problem, solvers, worked, change).solve(outcome.impulse[: problem.count].copy()))

    return [
        Call(find_strayed, problem.rows, problem.origin, lagging, outcome, strayed, worked),
        *(
            Call(add_turned, strayed, each.jacobian.arrays, *arrays, np.zeros_like(arrays[0]), worked)
            for each, arrays in zip(turned, velocities, strict=True)
        ),
        Call(
            is_gaining,
            strayed,
            problem.rows,
            problem.origin,
            problem.W.blocks,
            outcome.impulse,
            worked,
            change,
            otherwise=spare,
        ),
    ]


class _Sparing:
    """The search for the share of one step."""

    def __init__(
        self,
        problem: ConstraintProblem,
        solvers: Sequence[tuple[str, Solver]],
        worked: FloatArray,
        change: FloatArray,
    ) -> None:
        n = problem.count
        self._problem, self._solvers, self._worked, self._change = problem, solvers, worked, change
        self._contacts = np.flatnonzero(problem.law[:n] == COULOMB)
        asked = problem.bias[self._contacts].copy()
        self._bias = np.maximum(asked, 0.0), asked
        self._free = worked[self._contacts] + self._bias[0], problem.free[self._contacts].copy()

    def solve(self, impulse: FloatArray) -> Solution:
        """The solution at the greatest share found that gains nothing; `impulse` is that of share 1."""
        low, high, gained = 0.0, 1.0, self._measure(impulse)
        best = self._solve(0.0, impulse)
        lost = self._measure(best.impulse)
        for tries in range(TRIES):
            if lost >= 0.0:
                break
            if tries == 0:
                share = math.sqrt(lost / (lost - gained))
            else:
                share = low + (high - low) * min(max(lost / (lost - gained), 0.1), 0.9)
            found = self._solve(share, best.impulse)
            work = self._measure(found.impulse)
            if work <= 0.0:
                low, lost, best = share, work, found
            else:
                high, gained = share, work
        self._set(low)
        return best

    def _solve(self, share: float, warm: FloatArray) -> Solution:
        self._set(share)
        found, _ = solve_with_rescue(self._solvers, self._problem, warm.copy())
        return Solution(
            found.impulse[: self._problem.count].copy(), found.status, found.iterations, found.residual
        )

    def _set(self, share: float) -> None:
        for array, (least, most) in ((self._problem.bias, self._bias), (self._problem.free, self._free)):
            array[self._contacts] = least + share * (most - least)

    def _measure(self, impulse: FloatArray) -> float:
        problem = self._problem
        work, _ = work_of_contacts(problem.rows, problem.W.blocks, impulse, self._worked, self._change)
        return float(work)
