"""Solving a stored problem by name, with rescue, and timing it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.registry import Registry
from supple.errors import Problem, UserError
from supple.mechanics.lcp import solve_lcp
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual
from supple.mechanics.solution import Solution, Status
from supple.mechanics.stored_problems import StoredLcp, read_arrays, read_problem, relative_residual

Result = TypeVar("Result")

CONTACT_SOLVER: Final = "newton"
LCP_SOLVER: Final = "lemke"
REPETITIONS: Final = 3
ENOUGH_SECONDS: Final = 0.3


@dataclass(frozen=True)
class SolveOptions:
    """What was asked on the command line; no solver: the default one, no nodes: as many as it takes by default."""

    solver: str
    tolerance: float
    prove: bool
    nodes: int


class StoredAnswer(Protocol):
    """What the solver of a stored problem gives back."""

    @property
    def values(self) -> FloatArray:
        """The solution, to be written."""
        ...

    @property
    def shortfall(self) -> str:
        """One line if the answer is not what was asked for, else empty."""
        ...

    def summary(self) -> dict[str, Any]:
        """Everything else, for people and for JSON."""
        ...


@dataclass(frozen=True)
class Answer:
    """What `supple solve` found. `residual` is without unit, `speed` the worst group in m/s (None for an LCP)."""

    kind: str
    size: int
    values: FloatArray
    status: Status
    solver: str
    iterations: int
    residual: float
    speed: float | None
    seconds: float
    tolerance: float

    @property
    def shortfall(self) -> str:
        """One line for an answer that is none, or only nearly one."""
        if self.status == "converged":
            return ""
        if self.status == "failed":
            return "no solution was found; try another --solver"
        reached = f"a residual of {self.residual:.3g}, above --tolerance {self.tolerance:g}"
        return f"stalled at {reached}; try another --solver"

    def summary(self) -> dict[str, Any]:
        """The same without the values, for people and for JSON."""
        count = {"contacts": self.size} if self.kind == "contact" else {"rows": self.size}
        speed = {} if self.speed is None else {"residual_speed": self.speed}
        return {
            "kind": self.kind, **count, "status": self.status, "solver": self.solver,
            "iterations": self.iterations, "residual": self.residual, **speed, "seconds": self.seconds,
        }  # fmt: skip


def solve_file(path: Path, registry: Registry, options: SolveOptions) -> StoredAnswer:
    """Solve what is in the file, by whoever knows its arrays."""
    arrays = read_arrays(path)
    for kind in registry.stored_problems.values():
        if all(name in arrays for name in kind.keys):
            found: StoredAnswer = kind.load()(path, arrays, options)
            return found
    forms = ", ".join(
        f"{kind.name} ({', '.join(kind.keys)} ...)" for kind in registry.stored_problems.values()
    )
    problem = read_problem(path, arrays, forms)
    for option, given in (("--prove", options.prove), ("--nodes", options.nodes)):
        if given:
            what = "contact problems and LCPs have no optimum to search for"
            raise UserError(Problem(None, option, what, "leave it out"))
    return solve_stored(problem, registry, options.solver, options.tolerance)


def solve_stored(
    stored: ConstraintProblem | StoredLcp, registry: Registry, solver: str, tolerance: float
) -> Answer:
    """Solve with the named solver ("" for the default one) to a relative tolerance."""
    if isinstance(stored, StoredLcp):
        if solver not in ("", LCP_SOLVER):
            registry.find(registry.solvers, "solver", solver)
            what = f"solver {solver} does not solve complementarity problems"
            raise UserError(Problem(None, "--solver", what, f"choose {LCP_SOLVER}"))
        found, seconds = measure_time(lambda: solve_lcp(stored.M, stored.q, tolerance))
        return Answer(
            "lcp",
            len(stored.q),
            found.z,
            found.status,
            LCP_SOLVER,
            found.pivots,
            found.residual,
            None,
            seconds,
            tolerance,
        )
    return _solve_contacts(stored, registry, solver or CONTACT_SOLVER, tolerance)


def _solve_contacts(problem: ConstraintProblem, registry: Registry, name: str, tolerance: float) -> Answer:
    best, tried, iterations, seconds = None, [], 0, 0.0
    while name and name not in tried:
        tried.append(name)
        one, rescue = _solve_once(problem, registry, name, tolerance)
        iterations += one.iterations
        seconds += one.seconds
        if best is None or one.residual < best.residual or one.status == "converged":
            best = one
        name = "" if one.status == "converged" else rescue
    assert best is not None
    return Answer(**{**best.__dict__, "iterations": iterations, "seconds": seconds})


def _solve_once(
    problem: ConstraintProblem, registry: Registry, name: str, tolerance: float
) -> tuple[Answer, str]:
    """The answer of one solver, and the name of the one that may do better."""
    registered = registry.find(registry.solvers, "solver", name)
    # Every group within this speed makes the norm over all groups small enough.
    size = float(np.linalg.norm(problem.free[: problem.count])) or 1.0
    speed = tolerance * size / math.sqrt(max(1, problem.count))
    solver = registered.load()(registered.load_settings()(tolerance=speed))
    cold = np.zeros((problem.count, 3))
    found: Solution
    found, seconds = measure_time(lambda: solver.solve(problem, cold))
    columns = np.arange(3)[None, :] < problem.size[: problem.count, None]
    residual = relative_residual(problem, found.impulse)
    # A solver that aims at every group may call itself stalled where the norm over all of them is small enough.
    status = "converged" if found.status == "stalled" and residual <= tolerance else found.status
    answer = Answer(
        "contact", problem.count, found.impulse[: problem.count][columns], status, name, found.iterations,
        residual, natural_map_residual(problem, found.impulse)[0], seconds, tolerance,
    )  # fmt: skip
    return answer, getattr(solver, "rescue", "")


def measure_time(run: Callable[[], Result]) -> tuple[Result, float]:
    """The result, and the time of the quickest repetition. The first run, which may compile, does not count."""
    result = run()
    quickest, spent = math.inf, 0.0
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        run()
        seconds = time.perf_counter() - began
        quickest, spent = min(quickest, seconds), spent + seconds
        if spent > ENOUGH_SECONDS:
            break
    return result, quickest
