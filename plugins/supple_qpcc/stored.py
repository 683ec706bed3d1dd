"""Problems in .npz files: `supple solve` on a QPCC."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.errors import Problem, UserError
from supple.run.solve_stored import SolveOptions, measure_time
from supple_qpcc.contacts import find_contacts
from supple_qpcc.convexity import make_convex
from supple_qpcc.problem import Qpcc, find_faults
from supple_qpcc.records import Budget, Result
from supple_qpcc.search import solve
from supple_qpcc.static import solve_static

MATRICES: Final = ("P", "G", "A", "C", "E")
VECTORS: Final = ("c", "h", "b", "lb", "ub", "d", "f")
NEEDED: Final = ("P", "c", "C", "d", "E", "f")
SOLVERS: Final = ("qpcc", "static")
#: Programs of a search, and of a proof.
SEARCHED: Final = 2_000
PROVEN: Final = 200_000
GAP: Final = 1e-8


@dataclass(frozen=True)
class StoredQpccAnswer:
    """What `supple solve` found."""

    problem: Qpcc
    contacts: int
    solver: str
    result: Result
    static: float
    prove: bool
    tolerance: float
    seconds: float

    @property
    def values(self) -> FloatArray:
        """x."""
        return self.result.x

    @property
    def shortfall(self) -> str:
        """One line if the answer is not what was asked for."""
        result = self.result
        if not result.feasible:
            if result.status == "infeasible" and result.fallback == "soft":
                return "contacts cannot all be static; x is that of contacts that yield"
            sure = "there is no feasible point" if result.bound == np.inf else "no feasible point was found"
            return {"infeasible": sure, "unbounded": "the objective has no lower bound"}.get(
                result.status, "quadratic programs could not be solved; scale the problem"
            )
        residual = self.problem.measure(result.x)
        if residual > self.tolerance:
            return f"stalled at a residual of {residual:.3g}, above --tolerance {self.tolerance:g}; scale the problem"
        if self.prove and result.status != "proven":
            return (
                f"not proven within {result.nodes} programs: the bound is {result.bound:.9g}; raise --nodes"
            )
        return ""

    def summary(self) -> dict[str, Any]:
        """The same without x, for people and for JSON."""
        result = self.result
        objective, bound = result.objective, result.bound
        gap = (
            (objective - bound) / max(abs(objective), 1e-300)
            if np.isfinite([objective, bound]).all()
            else None
        )
        numbers = {"objective": objective, "bound": bound, "static_objective": self.static}
        return {
            "kind": "qpcc", "variables": self.problem.size, "pairs": self.problem.pairs, "contacts": self.contacts,
            "status": result.status, "solver": self.solver, "proven": result.status == "proven",
            **{name: value if np.isfinite(value) else None for name, value in numbers.items()}, "gap": gap,
            "nodes": result.nodes, "infeasible_nodes": result.infeasible, "failed_nodes": result.failed,
            "origin": result.origin, "fallback": result.fallback,
            "residual": self.problem.measure(result.x), "seconds": self.seconds,
        }  # fmt: skip


def solve_stored_qpcc(path: Path, arrays: dict[str, Any], options: SolveOptions) -> StoredQpccAnswer:
    """Solve the problem in these arrays."""
    problem = read_qpcc(path, arrays)
    solver = options.solver or SOLVERS[0]
    if solver not in SOLVERS:
        what = f"solver {solver} does not solve quadratic programs with complementarity constraints"
        raise UserError(Problem(None, "--solver", what, f"choose {' or '.join(SOLVERS)}"))
    if solver == "static" and options.prove:
        raise UserError(Problem(None, "--prove", "the static program proves nothing", "leave --solver out"))
    contacts = find_contacts(problem)
    static = solve_static(problem, contacts=contacts) if contacts else None
    if solver == "static":
        if not contacts:
            raise UserError(Problem(None, "--solver", "no contacts were found in the problem", "choose qpcc"))
        result, seconds = measure_time(lambda: solve_static(problem, contacts=contacts))
    else:
        budget = _make_budget(options)
        result, seconds = measure_time(lambda: solve(problem, budget=budget))
    found = np.inf if static is None else static.objective
    return StoredQpccAnswer(
        problem, len(contacts), solver, result, found, options.prove, options.tolerance, seconds
    )


def _make_budget(options: SolveOptions) -> Budget:
    if options.prove:
        return Budget(nodes=options.nodes or PROVEN, gap=GAP, confirm=True)
    return Budget(nodes=options.nodes or SEARCHED)


def read_qpcc(path: Path, arrays: dict[str, Any]) -> Qpcc:
    """The problem in these arrays; whatever is wrong is an error of one line each."""
    missing = [name for name in NEEDED if name not in arrays]
    if missing:
        raise UserError(
            Problem(None, str(path), f"lacks {', '.join(missing)}", f"a QPCC has {', '.join(NEEDED)}")
        )
    for name in (*MATRICES, *VECTORS, "c0"):
        if name in arrays and arrays[name].dtype.kind not in "fiub":
            raise UserError(
                Problem(None, f"{path}: {name}", f"has type {arrays[name].dtype}", "numbers are needed")
            )
    n = arrays["c"].size
    whole: dict[str, Any] = {name: _read(arrays, name, np.zeros((0, n))) for name in MATRICES}
    nothing = {"h": np.zeros(0), "b": np.zeros(0), "lb": np.full(n, -np.inf), "ub": np.full(n, np.inf)}
    whole |= {name: _read(arrays, name, nothing.get(name, np.zeros(0))).reshape(-1) for name in VECTORS}
    constant = _read(arrays, "c0", np.zeros(()))
    if constant.size != 1:
        raise UserError(Problem(None, f"{path}: c0", f"has shape {constant.shape}", "one number is needed"))
    problem = Qpcc(**whole, c0=float(constant.reshape(-1)[0]))
    faults = [
        Problem(None, f"{path}: {fault.path}", fault.what, fault.remedy) for fault in find_faults(problem)
    ]
    if faults:
        raise UserError(faults[0])
    try:
        return make_convex(problem)
    except UserError as error:
        fault = error.problems[0]
        raise UserError(Problem(None, f"{path}: {fault.path}", fault.what, fault.remedy)) from error


def _read(arrays: dict[str, Any], name: str, instead: FloatArray) -> FloatArray:
    values = np.asarray(arrays.get(name, instead), np.float64)
    # A matrix without rows is stored as anything that is empty.
    if name in ("G", "A", "C", "E") and values.size == 0:
        return instead
    return np.ascontiguousarray(values)
