"""Solves with groups whose limits follow the normal impulses of contacts; see `problem.Coupled`.

The limits are those of the impulses so far, and the problem is solved again until they are. Torques about a contact
hardly change what presses there, so two or three rounds do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple.mechanics.problem import ConstraintProblem, Coupled
from supple.mechanics.rescue import solve_with_rescue
from supple.mechanics.solution import Solution, Solver

#: Solves of one step before the limits are taken as they are; what they lack is in the residual.
MOST_ROUNDS = 50
#: Part of the greatest limit by which limits may differ from what they follow.
EXACT = 1e-13
#: Solves of one step that may stall without a residual of half the best before. Fifty that each cost all that a solve
#: may would take a minute.
MOST_STALLED = 3

#: An impulse that is below its limit by less than this part of it is at its limit.
FULL = 1e-9


def count_rolling(problem: ConstraintProblem) -> int:
    """How many coupled groups have three rows; they are no contacts."""
    coupled = problem.coupled
    return 0 if coupled is None else int((problem.size[coupled.group[: int(coupled.counts[0])]] == 3).sum())


def solve_coupled(
    solvers: Sequence[tuple[str, Solver]],
    problem: ConstraintProblem,
    warm: FloatArray,
    struck: FloatArray | None,
) -> tuple[Solution, int]:
    """As `solve_with_rescue`, with the limits that belong to the solution. `struck` are impulses of impacts before."""
    coupled = problem.coupled
    assert coupled is not None, "nobody couples groups"
    _soften(problem, coupled)
    limit = _find_limits(coupled, warm, struck)
    iterations, tries, stalled, best = 0, 1, 0, math.inf
    for _ in range(MOST_ROUNDS):
        _set_limits(problem, coupled, limit)
        solution, tried = solve_with_rescue(solvers, problem, warm)
        iterations, tries = iterations + solution.iterations, max(tries, tried)
        warm = np.array(solution.impulse)
        asked, limit = limit, _find_limits(coupled, warm, struck)
        _follow_limits(problem, coupled, asked, limit, warm)
        if solution.status != "converged":
            stalled += solution.residual > 0.5 * best
            best = min(best, solution.residual)
        if stalled == MOST_STALLED or np.abs(limit - asked).max() <= EXACT * limit.max():
            break
    _set_limits(problem, coupled, limit)
    return Solution(warm, solution.status, iterations, solution.residual), tries


def _find_limits(coupled: Coupled, impulse: FloatArray, struck: FloatArray | None) -> FloatArray:
    """Length times normal impulse of every coupled group [N m s]."""
    used = slice(0, int(coupled.counts[0]))
    contact = coupled.contact[used]
    normal = impulse[contact, 0] + (0.0 if struck is None else struck[contact, 0])
    limit: FloatArray = coupled.length[used] * np.maximum(normal, 0.0)
    return limit


def _follow_limits(
    problem: ConstraintProblem,
    coupled: Coupled,
    asked: FloatArray,
    limit: FloatArray,
    impulse_inout: FloatArray,
) -> None:
    """Impulses at a limit stay at it when it changes.

    Contacts of a flat patch may share their load in many ways. If it moves from one to another, so do the torques, and
    their sum is what it was.
    """
    group = coupled.group[: len(limit)]
    discs = problem.size[group] == 3
    size = np.where(
        discs, np.hypot(impulse_inout[group, 1], impulse_inout[group, 2]), np.abs(impulse_inout[group, 0])
    )
    full = (asked > 0.0) & (size >= (1.0 - FULL) * asked)
    ratio = np.where(full, limit / np.where(full, asked, 1.0), 1.0)
    impulse_inout[group] *= ratio[:, None]
    impulse_inout[group[discs], 0] = limit[discs]


def _soften(problem: ConstraintProblem, coupled: Coupled) -> None:
    """The row n of a group of three moves nothing: a compliance like that of the others gives it its impulse."""
    group = coupled.group[: int(coupled.counts[0])]
    discs = group[problem.size[group] == 3]
    values = problem.W.values[problem.W.diagonal[discs]]
    problem.compliance[discs, 0] = 0.5 * (values[:, 1, 1] + values[:, 2, 2])


def _set_limits(problem: ConstraintProblem, coupled: Coupled, limit: FloatArray) -> None:
    group = coupled.group[: int(coupled.counts[0])]
    single = problem.size[group] == 1
    rows, discs = group[single], group[~single]
    problem.lower[rows, 0], problem.upper[rows, 0] = -limit[single], limit[single]
    problem.free[discs, 0] = -problem.compliance[discs, 0] * limit[~single]
