"""The quick start of `Newton`: what most steps need, without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Call
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.solution import Outcome
from supple.mechanics.sweeps import History, Sweeper, SweepScratch
from supple_solve_newton.linear_step import LinearStep, Scratch
from supple_solve_newton.linearisation import Linearisation
from supple_solve_newton.near_start import MAX_STEPS, NearStart
from supple_solve_newton.quick_kernels import solve_quickly
from supple_solve_newton.search_state import Search, Trial, make_trial

if TYPE_CHECKING:
    from supple_solve_newton.components import NewtonSettings

QUICK_GROUPS: Final = 30
"""From here on, where bodies are free, Python goes on if the start is not near: there is more to think about."""
MOST_GROUPS: Final = 40
"""From here on a working set may be worth its trouble."""


class Limits(NamedTuple):
    """Numbers that decide what is tried."""

    tolerance: float
    relative: float
    groups: int
    direct: int
    few_active: int
    looped_active: int
    some_active: int
    sweeps: int
    max_steps: int


class Near(NamedTuple):
    """Work arrays of `watchdog_kernels.improve_near`, and of damped steps."""

    rho: FloatArray
    linear: Linearisation
    scratch: Scratch
    search: Search
    trial: Trial


class Sweeping(NamedTuple):
    """Work arrays of `sweep_kernels.solve_groups`."""

    scratch: SweepScratch
    history: History


def bind_quick_start(
    settings: NewtonSettings,
    problem: ConstraintProblem,
    warm: FloatArray,
    held: IntArray,
    outcome: Outcome,
    active: tuple[int, int, int],
    sweeps: int,
) -> Call:
    """The call of the quick start, with work arrays of its own. `active` are the few, looped and some of `Limits`."""
    room = MOST_GROUPS
    few, looped, some = active
    linear, sweeper = LinearStep(room), Sweeper(room)
    near: Any = (*NearStart(linear).work, make_trial(room))
    limits = Limits(
        tolerance=settings.tolerance,
        relative=settings.relative_tolerance,
        groups=room,
        direct=QUICK_GROUPS if problem.roots is not None else room,
        few_active=few,
        looped_active=looped,
        some_active=some,
        sweeps=sweeps,
        max_steps=MAX_STEPS,
    )
    return Call(
        solve_quickly, problem.rows, problem.W.blocks, problem.struck, held, warm, limits, Near(*near),
        Sweeping(*sweeper.work), outcome,
    )  # fmt: skip
