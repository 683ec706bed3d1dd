"""Errors of joints are taken back without making energy.

A row that is off by e asks for the speed e / h, and whatever hangs on it is thrown as fast. Up to a walking pace that
is let be. Beyond, the rows of a step together may not add energy: with the impulses lambda and the row velocities u
before,

    dE = lambda . u + lambda . W lambda / 2 <= 0.

Of joints alone dE(share) = dE(0) + share^2 (dE(1) - dE(0)), which gives the share of the speeds at which dE is zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Work
from supple.mechanics.mechanism import HastySource
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rescue import solve_with_rescue
from supple.mechanics.solution import Solution, Solver

HASTY = 0.5
"""Speed [m/s] of taking an error back up to which nobody asks for the energy."""
GENTLE = 0.05
"""Speed [m/s] at which errors are taken back whatever it costs."""


def find_haste(problem: ConstraintProblem, sources: Sequence[HastySource]) -> float:
    """The greatest speed [m/s] at which anything is taken back."""
    return max((source.find_haste(problem) for source in sources), default=0.0)


def bind_calming(
    problem: ConstraintProblem, sources: Sequence[HastySource], calm: Callable[[], None]
) -> list[Work]:
    """What calls `calm` in steps in which anything is taken back so fast that somebody must ask for the energy."""
    if len(sources) == 1 and hasattr(sources[0], "bind_haste"):
        return [sources[0].bind_haste(problem, HASTY, calm)]

    def look() -> None:
        if problem.count and find_haste(problem, sources) > HASTY:
            calm()

    return [look] if sources else []


def calm_recovery(
    problem: ConstraintProblem,
    sources: Sequence[HastySource],
    solvers: Sequence[tuple[str, Solver]],
    solution: Solution,
) -> Solution:
    """The solution itself, or one in which errors are taken back more slowly, so that no energy is made of them."""
    haste = find_haste(problem, sources)
    if haste <= HASTY:
        return solution
    gained = _measure(problem, solution.impulse)
    if gained <= 0.0:
        return solution
    rows = np.concatenate([source.list_recovering() for source in sources])
    wanted = problem.bias[rows, 0].copy()
    _slow_down(problem, rows, wanted, 0.0)
    without, _ = solve_with_rescue(solvers, problem, solution.impulse.copy())
    lost = -_measure(problem, without.impulse)
    share = math.sqrt(max(0.0, lost) / (gained + lost)) if gained + lost > 0.0 else 0.0
    _slow_down(problem, rows, wanted, max(share, GENTLE / haste))
    return solve_with_rescue(solvers, problem, without.impulse.copy())[0]


def _measure(problem: ConstraintProblem, impulse: FloatArray) -> float:
    """What impulses do to the energy [J], beginning with the velocities without them."""
    n = problem.count
    change = np.zeros((n, 3))
    problem.W.multiply(impulse[:n], change)
    return float(np.sum(impulse[:n] * (problem.free[:n] - problem.bias[:n] + 0.5 * change)))


def _slow_down(problem: ConstraintProblem, rows: IntArray, wanted: FloatArray, share: float) -> None:
    """Set the bias of rows to a share of what they wanted, and `free` with it."""
    problem.free[rows, 0] += share * wanted - problem.bias[rows, 0]
    problem.bias[rows, 0] = share * wanted
