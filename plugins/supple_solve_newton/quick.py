"""The quick start of `Newton`: what most steps need, without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Call
from supple.mechanics.block_matrix import Blocks
from supple.mechanics.problem import ConstraintProblem, Origin, Rows
from supple.mechanics.solution import COUNTERS, Outcome
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
SET_GROUPS: Final = 64
"""Larger working sets are for Python."""


class Limits(NamedTuple):
    """Numbers that decide what is tried; set_groups is 0 where there are no working sets."""

    tolerance: float
    relative: float
    groups: int
    direct: int
    set_groups: int
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


class Part(NamedTuple):
    """Work arrays of `quick_set_kernels`: as in `WorkingSet`, and the problem of the chosen groups."""

    chosen: IntArray
    group: IntArray
    place: IntArray
    violation: FloatArray
    velocity: FloatArray
    warm: FloatArray
    rows: Rows
    origin: Origin
    blocks: Blocks
    outcome: Outcome


def make_part(groups: int, room: int) -> Part:
    """For problems of so many groups, and sets of as many as there is room for."""
    small = ConstraintProblem(room)
    small.W.reserve_blocks(room * room)
    chosen, group, place = np.zeros((3, groups), np.int64)
    found, blow = np.zeros((2, room, 3))
    return Part(
        chosen=chosen, group=group, place=place, violation=np.zeros(groups), velocity=np.zeros((groups, 3)),
        warm=np.zeros((room, 3)), rows=small.rows, origin=small.origin, blocks=small.W.blocks,
        outcome=Outcome(found, blow, np.zeros(COUNTERS, np.int64), np.zeros(2)),
    )  # fmt: skip


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
    set_room = SET_GROUPS if settings.working_set else 0
    most = max(room, set_room)
    linear, sweeper = LinearStep(most), Sweeper(most)
    near: Any = (*NearStart(linear).work, make_trial(most))
    limits = Limits(
        tolerance=settings.tolerance,
        relative=settings.relative_tolerance,
        groups=room,
        direct=QUICK_GROUPS if problem.roots is not None else room,
        set_groups=set_room,
        few_active=few,
        looped_active=looped,
        some_active=some,
        sweeps=sweeps,
        max_steps=MAX_STEPS,
    )
    return Call(
        solve_quickly, problem.rows, problem.origin, problem.W.blocks, problem.struck, held, warm, limits,
        Near(*near), Sweeping(*sweeper.work), make_part(problem.capacity, set_room), outcome,
    )  # fmt: skip
