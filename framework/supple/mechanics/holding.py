"""Steps in which all that touches sticks, or opens: they need neither W nor a solver.

A mechanism that can hold points (`Holder`) is asked first: it sets the velocities that sticking contacts have, solves
for all others once, and reads the impulses as what A v - b is at the points held. If each lies within its cone, and
what is open does not approach, these are the velocities and impulses of the step, exactly. Where a part of the contacts
slides, the solver sees that part alone, with W of the mechanism while the others are held; whether these may be held is
looked at afterwards. Otherwise the step goes the ordinary way.

Who sticks is guessed from the impulses of the last step, so a resumed run guesses alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from supple.core.arrays import FloatArray, IntArray
from supple.core.program import make_callable
from supple.core.schedule import Bound, Call, Phase, Work
from supple.mechanics.mechanism import Mechanism, RowSource
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rescue import is_approximate, make_solvers
from supple.mechanics.solution import BEGUN_HOLD, SHORT, Outcome
from supple.mechanics.solve_kernels import take_held

SEEN_BY = frozenset({"rows.assemble", "rows.solve", "contact.expect_gaps"})
"""Systems that read a problem and know what to do with one that was not closed."""
TRIES = 3
"""So often what left its cone is no longer held, before all is solved together."""


class Held(NamedTuple):
    """What was found by holding."""

    state: IntArray  # [1] HELD, BEGUN_HOLD, or 0 for an ordinary step
    impulse: FloatArray  # [groups, 3] N s


@runtime_checkable
class Holder(Protocol):
    """A mechanism that can hold what touches it."""

    held: Held
    release: Callable[[], None] | None
    """Set by who holds: it makes of a step that was held an ordinary one, for those that ask for more of it."""

    def bind_hold(self, problem: ConstraintProblem, otherwise: Callable[[], None]) -> Call:
        """The call of a kernel that returns whether the step cannot be held.

        If it can, `v_free` becomes the velocities after the step, and the problem one of single groups, with W whatever
        they are by themselves and `free` such that the impulses give the velocities found. If what is held may stick
        but something else slides, the state becomes BEGUN_HOLD: what `begin` and `end` are for.
        """
        ...

    def begin(self, problem: ConstraintProblem, impulse: FloatArray) -> bool:
        """Make a problem of what is not held, with these impulses to begin with; False if it is not worth it."""
        ...

    def end(self, problem: ConstraintProblem, impulse: FloatArray, outcome: Outcome) -> bool:
        """Add what is held to the outcome. `impulse` is again what it was.

        False if some of that cannot be held: `begin` may then be asked again, with these left to the solver.
        """
        ...


class Holding:
    """The solve of a scene that tries to hold first; `ordinary` does what was left out."""

    def __init__(self, problem: ConstraintProblem, holder: Holder, ordinary: Callable[[], None]) -> None:
        self._problem, self._holder = problem, holder
        self.held, self._ordinary = holder.held, ordinary
        self.held.state[0] = 0
        holder.release = self.release

    def release(self) -> None:
        """Close the problem in the ordinary way, if it was not."""
        if self.held.state[0]:
            self._ordinary()

    def close(self) -> None:
        """What follows where holding alone does not do."""
        if not self.held.state[0]:
            self._ordinary()

    def bind_solve(
        self, planned: IntArray, impulse: FloatArray, outcome: Outcome, solving: Sequence[Work]
    ) -> Call:
        """The impulses found, or what solves otherwise; `impulse` is what it begins with."""
        problem, holder, state = self._problem, self._holder, self.held.state
        solve = make_callable(solving)

        def go_on() -> None:
            for _ in range(TRIES if state[0] == BEGUN_HOLD and not planned.any() else 0):
                if not holder.begin(problem, impulse):
                    break
                solve()
                ended, short = holder.end(problem, impulse, outcome), outcome.counters.item(SHORT)
                if ended and not short:
                    return
                outcome.counters[:] = 0
                if ended:
                    break
            self.release()
            solve()

        return Call(take_held, self.held, planned, problem.counts, outcome, otherwise=go_on)


def find_holder(
    arrays: Bound, mechanisms: Sequence[Mechanism], sources: Sequence[RowSource]
) -> Holder | None:
    """The mechanism that may hold: it is alone, nothing but contacts acts on it, and nobody plans with its problem."""
    build = arrays.build
    alone = len(mechanisms) == 1 and len(sources) == 1 and sources[0].name == "contact"
    if not alone or build.run.warm_start != "pairs" or is_approximate(make_solvers(build)[0][1]):
        return None
    for entry in build.schedule:
        knows = entry.name in SEEN_BY or "rows.problem" not in entry.reads
        if entry.phase == Phase.PLAN or not knows:
            return None
    holder = mechanisms[0]
    return holder if isinstance(holder, Holder) else None
