"""Contact through the skin: a hand of 1500 triangles lifts a tumbler, and a spindle slips through three fingers.

The problems of a hundred successive steps of two scenes are kept, and solved again from the impulses of the step before
(warm) and from nothing (cold). Iterations are sweeps, Newton steps and pivots together.
"""

from __future__ import annotations

import copy
import math
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Result

from supple.plugin import load_plugins
from supple.scene.load import build_world, read_scene

SCENES = Path(__file__).resolve().parents[2] / "scenes/contact_skinning"
KEPT = 100
#: Solver, tolerance [m/s] and how often each problem is solved; the best counts. None: the solver's own tolerance.
SOLVERS = (("newton", None, 3), ("newton", 1e-9, 3), ("gauss_seidel", 1e-8, 1))


@dataclass(frozen=True)
class Case:
    """A stretch of a scene that begins at `start` [s]."""

    name: str
    scene: str
    start: float
    variant: str = ""
    overrides: dict[str, Any] = field(default_factory=dict)


CASES = (
    Case("grasp", "grasp_rigid.toml", 1.2, "held"),
    # With this margin about as many contacts are looked at as in the published example of slipping, some 60.
    Case(
        "slip", "slide.toml", 0.36, "pairs", {"spindle/rail.motor.speed": 0.1, "run.collide.margin": 0.0005}
    ),
)
SPEEDS = (0.1, 0.2, 0.3, 0.4)


class Recorder:
    """Stands in front of a solver and keeps what it is asked."""

    def __init__(self, solver) -> None:
        self.solver, self.asked = solver, []

    def solve(self, problem, warm):
        """As the solver itself."""
        kept = copy.deepcopy(problem.trimmed())
        self.asked.append((kept, warm[: problem.count].copy()))
        return self.solver.solve(problem, warm)


def load(case: Case, **more):
    """The world of the case at its start."""
    plugins = load_plugins()
    scene = read_scene(SCENES / case.scene, plugins)
    world = build_world(
        scene, scene.blueprint(variant=case.variant, overrides=case.overrides | more), plugins
    )
    world.step(round(case.start / world.blueprint.run.step))
    return world


def record_problems(case: Case):
    """The problems of KEPT successive steps with their warm starts."""
    world = load(case)
    solvers = next(entry.system.solvers for entry, _ in world.calls() if entry.name == "rows.solve")
    name, solver = solvers[0]
    recorder = Recorder(solver)
    solvers[0] = (name, recorder)
    world.step(KEPT)
    return recorder.asked


def time_steps(case: Case) -> list[Result]:
    """CPU time of whole steps, collision included, and what the systems take of it."""
    world = load(case)
    world.timing.reset()
    spent = []
    for _ in range(KEPT):
        started = time.thread_time_ns()
        world.step()
        spent.append((time.thread_time_ns() - started) * 1e-6)
    results = [Result(f"{case.name}: whole step", min(spent), statistics.median(spent), "ms")]
    for system in world.timing.table():
        if system.name.startswith(("collide.find", "rows.", "skin", "ghost")):
            took = system.microseconds_per_step
            results.append(Result(f"{case.name}: {system.name}, wall", took, took, "us"))
    return results


def time_solver(name: str, tolerance: float | None, repeat: int, asked, warm: bool):
    """Milliseconds and iterations of every problem, and how many were not solved."""
    entry = load_plugins().registry.solvers[name]
    solver = entry.load()(entry.load_settings()(**({} if tolerance is None else {"tolerance": tolerance})))
    spent, iterations, short = [], [], 0
    for problem, start in asked:
        begin = start if warm else np.zeros_like(start)
        best = math.inf
        for _ in range(repeat):
            started = time.thread_time_ns()
            solution = solver.solve(problem, begin)
            best = min(best, time.thread_time_ns() - started)
        spent.append(best * 1e-6)
        iterations.append(solution.iterations)
        short += solution.status != "converged"
    return spent, iterations, short


def time_solvers(case: Case) -> list[Result]:
    """Every solver on the problems of a case, warm and cold."""
    asked = record_problems(case)
    counts = [problem.count for problem, _ in asked]
    carrying = [int((np.abs(start).max(axis=1) > 0).sum()) for _, start in asked]
    results = [
        Result(f"{case.name}: groups of rows", min(counts), statistics.median(counts), "1"),
        Result(f"{case.name}: of them carry force", min(carrying), statistics.median(carrying), "1"),
    ]
    for name, tolerance, repeat in SOLVERS:
        means = []
        for warm in (True, False):
            spent, iterations, short = time_solver(name, tolerance, repeat, asked, warm)
            to = "" if tolerance is None else f" to {tolerance:g}"
            what = f"{case.name}, {name}{to}, {'warm' if warm else 'cold'}"
            means.append((statistics.mean(spent), statistics.mean(iterations)))
            results.append(Result(f"{what}: mean", min(spent), means[-1][0], "ms"))
            results.append(Result(f"{what}: iterations", min(iterations), means[-1][1], "1"))
            results.append(Result(f"{what}: not solved", short, short, "1"))
        ratios = [cold / warm for warm, cold in zip(*means, strict=True)]
        results.append(Result(f"{case.name}, {name}{to}: cold/warm, iterations", ratios[1], ratios[1], "1"))
        results.append(Result(f"{case.name}, {name}{to}: cold/warm, time", ratios[0], ratios[0], "1"))
    return results


def slide(solver: str, warm_start: str) -> Result:
    """Iterations of every step while the spindle is drawn through the fingers at 0.1 to 0.4 m/s."""
    iterations = []
    for speed in SPEEDS:
        more = {"run.warm_start": warm_start, "run.solver": solver, "spindle/rail.motor.speed": speed}
        world = load(CASES[1], **more)
        for _ in range(KEPT):
            world.step()
            iterations.append(float(world.array("rows.iterations")[0]))
    name = f"sliding, {solver}, {warm_start}: iterations"
    return Result(name, min(iterations), statistics.mean(iterations), "1")


def measure(repeat: int) -> list[Result]:
    """The scenes say how often; `repeat` is not needed."""
    results = [result for case in CASES for result in (*time_steps(case), *time_solvers(case))]
    return results + [
        slide(solver, warm_start)
        for solver in ("newton", "gauss_seidel")
        for warm_start in ("none", "pairs", "neighbours")
    ]
