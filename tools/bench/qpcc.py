"""Quadratic programs with complementarity constraints: bodies of 58 muscles and 4 contacts, and a walking X of 112.

Random bodies, the same every time. CPU time of a search from nothing to its default gap, how far its answer and that of
the static program lie above the proven optimum, and a frame of a controller: a search over modes with few programs,
from the modes of a nearly equal problem.
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from measuring import Result

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/qpcc"))

from qpcc_oracles import make_body

from supple_qpcc.contacts import find_contacts
from supple_qpcc.records import Budget
from supple_qpcc.search import solve
from supple_qpcc.static import solve_static

BODIES = 12
PROOF = Budget(nodes=20_000, gap=1e-8)
FRAME = Budget(nodes=17, branch=False)
#: Name, muscles, contacts, rank of the objective.
CASES = (("soft body", 58, 4, 6), ("walking X", 112, 4, 26))


def time_solve(repeat: int, *arguments, **more) -> float:
    spent = []
    for _ in range(repeat):
        started = time.thread_time()
        solve(*arguments, **more)
        spent.append(time.thread_time() - started)
    return 1e3 * min(spent)


def measure_case(name: str, muscles: int, contacts: int, rank: int, repeat: int) -> list[Result]:
    search, frame, nodes, above, static = [], [], [], [], []
    for seed in range(BODIES):
        problem = make_body(seed, muscles, contacts, rank=rank, rates=3 * contacts + 24)
        best = solve(problem, budget=PROOF)
        if best.status != "proven":
            continue
        search.append(time_solve(repeat, problem))
        found, other = solve(problem), solve_static(problem)
        nodes.append(found.nodes)
        scale = max(abs(best.objective), 1e-9)
        above.append(100.0 * (found.objective - best.objective) / scale)
        if other.feasible:
            static.append(100.0 * (other.objective - best.objective) / scale)
        touching = find_contacts(problem)
        moved = replace(problem, c=problem.c * (1.0 + 1e-3 * np.sin(np.arange(problem.size))))
        frame.append(time_solve(repeat, moved, found.start, budget=FRAME, contacts=touching))
    figures = {
        "search": (search, "ms"), "frame of 17 programs": (frame, "ms"), "programs of a search": (nodes, "1"),
        "search above the optimum": (above, "%"), "static above the optimum": (static or [np.nan], "%"),
    }  # fmt: skip
    results = [
        Result(f"{name}: {what}", min(values), statistics.median(values), unit)
        for what, (values, unit) in figures.items()
    ]
    results.append(Result(f"{name}: worst above the optimum", max(above), max(above), "%"))
    return [*results, Result(f"{name}: proven of {BODIES}", len(search), len(search), "1")]


def measure(repeat: int) -> list[Result]:
    return [result for case in CASES for result in measure_case(*case, min(repeat, 3))]
