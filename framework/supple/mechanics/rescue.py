"""Asking the next better solver when one falls short."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, cast

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.errors import SimulationError
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual
from supple.mechanics.solution import Outcome, QuickSolver, Solution, Solver
from supple.mechanics.weight import scale_tolerance

LIGHT: Final = 3e8
"""Nothing moves faster [m/s]."""


def make_solvers(build: Build) -> list[tuple[str, Solver]]:
    """The solver that the scene names, and those that rescue it, by their names.

    A solver class may have an attribute `rescue` with the name of the solver to ask when it falls short.
    """
    solvers: dict[str, Solver] = {}
    name = build.run.solver
    while name and name not in solvers:
        kind = build.registry.find(build.registry.solvers, "solver", name).load()
        solver = solvers[name] = kind(scale_tolerance(name, build.settings(name), build.run))
        name = getattr(solver, "rescue", "")
    return list(solvers.items())


def is_approximate(solver: Solver | type[Solver]) -> bool:
    """Whether a solver says of itself, by `approximate = True`, that it solves other laws than those of `rows`."""
    return bool(getattr(solver, "approximate", False))


def refuse_speeds(problem: ConstraintProblem) -> None:
    """Raise SimulationError where something would be faster than light: no impulses make sense of that.

    The step is then divided at once, instead of after all that a solver tries.
    """
    speeds = np.abs(problem.free[: problem.count])
    if (speeds > LIGHT).any():
        what = f"what touches or is joined would move at {np.nanmax(speeds):.2g} m/s, faster than light: something has "
        raise SimulationError(what + "run away; shorten run.step, or look at what drives it")


def solve_with_rescue(
    solvers: Sequence[tuple[str, Solver]],
    problem: ConstraintProblem,
    warm: FloatArray,
    begun: Outcome | None = None,
) -> tuple[Solution, int]:
    """The first solution that converged, or else the best of those short of it, and how many were tried.

    Each goes on from the best impulses so far; the first from what it has `begun`, if anything.
    """
    best, best_residual = None, math.inf
    for tries, (_, solver) in enumerate(solvers, start=1):
        if tries == 1 and begun is not None:
            solution = cast(QuickSolver, solver).go_on(problem, begun)
        else:
            solution = solver.solve(problem, warm)
        if solution.status == "converged":
            return solution, tries
        if solution.status != "failed":
            residual, _ = natural_map_residual(problem, solution.impulse)
            if residual < best_residual:
                best, best_residual = solution, residual
                warm = solution.impulse
    if best is None:
        names = ", ".join(name for name, _ in solvers)
        raise SimulationError(f"no solution of the contact problem; tried {names}")
    return best, len(solvers)
