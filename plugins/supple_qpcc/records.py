"""What is asked of the solver besides the problem, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from supple.core.arrays import FloatArray, IntArray

Status = Literal["proven", "found", "infeasible", "unbounded", "failed"]
Origin = Literal["start", "seed", "static", "lcp", "pivot", "relaxation", "branch", "none"]
Fallback = Literal["", "hold", "soft"]


@dataclass(frozen=True)
class Budget:
    """How long to search: until `nodes` programs were solved, or the objective is within `gap` of a bound.

    nodes       quadratic programs that may be solved
    gap         share of the objective by which the best point may lie above the bound
    branch      bound the optimum and branch; without it the search over modes takes all nodes
    confirm     ask a second solver whether a program without a point really has none
    jump        without branching: break and hold contacts whose forces are not zero, when pivots find nothing more
    precise     solve to 1e-10, and ask again with looser tolerances for programs that have no point; else to 1e-6, once
    """

    nodes: int = 400
    gap: float = 1e-5
    branch: bool = True
    confirm: bool = False
    jump: bool = True
    precise: bool = True


@dataclass(frozen=True)
class Start:
    """All that a solve hands on to the next one, as arrays for State.

    modes   [groups] mode of each group; -1: not known, static for a contact
    active  [variables + rows] constraints that bound the last solution: 1 above, 3 below, 0 not; empty: not known
    last    [variables] the last solution, whose muscles are held when nothing else can be done; empty: not known
    """

    modes: IntArray
    active: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    last: FloatArray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class Result:
    """The best point that was found.

    x            [n]; without a feasible point what the fallback says
    objective    at x, infinite if there is no feasible point
    bound        no feasible point is below; minus infinity if none was computed
    status       "proven": the optimum to the gap asked for. "found": feasible, not proven. "infeasible": proven to have
                 no feasible point, or none was found in the given budget (`bound` is infinite when it is proven).
                 "unbounded". "failed": programs could not be solved
    origin       where the best point came from
    nodes        quadratic programs that were solved
    infeasible, failed   how many of them were
    start        for the next solve
    fallback     "hold": muscles as in the last solution and contact forces that fit; "soft": static contacts that yield
    """

    x: FloatArray
    objective: float
    bound: float
    status: Status
    origin: Origin
    modes: IntArray
    nodes: int
    infeasible: int
    failed: int
    start: Start
    fallback: Fallback = ""

    @property
    def feasible(self) -> bool:
        """Is x a point of the problem."""
        return self.status in ("proven", "found")
