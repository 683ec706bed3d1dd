"""Contact through the skin: five fingers grasp a ball of 320 triangles, and let it slip.

The problems of successive steps are kept, and solved again from the impulses of the step before (warm) and from
nothing (cold). Iterations are sweeps, Newton steps and pivots together.
"""

from __future__ import annotations

import copy
import math
import statistics
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from measuring import Result

import supple

STEP, SETTLING, KEPT = 0.005, 160, 100
FINGERS, BALL = 5, 0.03
SOLVERS = ("newton", "gauss_seidel")
# m/s: 5e-12 m within a step. With newton's default of 1e-10 a few of the hundred grasps end at 1.5e-10 and are called
# stalled, after a third of a second each; the means then speak of nothing else.
TOLERANCE = 1e-9


def make_ball(times: int) -> tuple[list[list[float]], list[list[int]]]:
    """An icosahedron whose triangles were split into four, some times over."""
    golden = (1 + math.sqrt(5)) / 2
    points = [
        np.array(p, float)
        for a in (-1, 1)
        for b in (-golden, golden)
        for p in ((0, a, b), (a, b, 0), (b, 0, a))
    ]
    from scipy.spatial import ConvexHull

    for _ in range(times):
        hull = ConvexHull(np.array([p / np.linalg.norm(p) for p in points]))
        edges = {(min(i, j), max(i, j)) for t in hull.simplices for i, j in (t[:2], t[1:], t[::2])}
        units = list(hull.points)
        points = units + [(units[i] + units[j]) / 2 for i, j in sorted(edges)]
    hull = ConvexHull(np.array([p / np.linalg.norm(p) for p in points]))
    triangles = []
    for corners, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = hull.points[corners]
        outward = np.cross(b - a, c - a) @ plane[:3] > 0
        triangles.append([int(i) for i in (corners if outward else corners[::-1])])
    return (BALL * hull.points).tolist(), triangles


@dataclass(frozen=True)
class Case:
    """Fingers around an object: where they stand, their angles over time, and what pulls the object."""

    name: str
    ring: float  # [m] from the axis of the object to the fingers
    base: float  # [m] height of their first joints
    stretch: float  # length of the object over its width
    rings: int
    around: int
    splits: int  # of the triangles of an icosahedron
    keys: tuple[tuple[float, tuple[float, ...]], ...]  # time [s], angles of the four joints [deg]
    guide: str  # more of the scene
    pull: tuple[float, float, float]  # [N], on the object


CASES = (
    Case(
        "grasp", 0.0267, -0.0258, 1.0, 11, 6, 2,
        ((0, (-60, 10, 10, 10)), (0.5, (-26, 34, 34, 34)), (0.9, (-25, 36, 36, 36)), (1.3, (-27, 33, 33, 33))),
        "",
        (0.3, -1.0, 0.2),
    ),
    Case(
        "slip", 0.039, -0.036, 6.0, 9, 6, 2,
        ((0, (-6, 0, 0, 0)), (0.5, (6, 2, 0, -2)), (0.9, (7, 2, 0, -2)), (1.3, (6, 2, 0, -2))),
        "[[entity]]\nname = 'object/rail'\njoint = { kind = 'slider', between = ['object'], axis = [0, 1, 0] }\n"
        "motor = { speed = 0.05, strongest = 50 }\n",
        (0.0, 0.0, 0.0),
    ),
)  # fmt: skip
JOINTS = ("b0", "b0/b1", "b0/b1/b2", "b0/b1/b2/b3")


def write_scene(case: Case) -> str:
    vertices, triangles = make_ball(case.splits)
    vertices = [[x, case.stretch * y, z] for x, y, z in vertices]
    parts = [
        f"format = 1\n[run]\nstep = {STEP}\nduration = 10\ngravity = [0, 0, 0]\n",
        "[run.capacity]\ncontacts = 2048\n[run.collide]\nmost_contacts_per_pair = 400\n",
        f"[[entity]]\nname = 'object'\nbody = {{ mass = 0.2 }}\nmesh = {{ vertices = {vertices}, ",
        f"triangles = {triangles}, friction = 0.6 }}\n{case.guide}",
        f"[[event]]\nname = 'pull'\nat = 0.5\npush = {{ on = 'object', force = {list(case.pull)}, duration = 5 }}\n",
    ]
    sets = []
    keys = []
    for at, angles in case.keys:
        pose = ", ".join(f"'{joint}' = {angle}" for joint, angle in zip(JOINTS, angles, strict=True))
        keys.append(f"{{ at = {at}, pose = {{ {pose} }} }}")
    size = f"bones = 4, length = 0.072, radius = 0.006, rings = {case.rings}, around = {case.around}"
    for number in range(FINGERS):
        angle = 360.0 * number / FINGERS + 5.0 * (number % 2)
        x, z = case.ring * math.sin(math.radians(angle)), case.ring * math.cos(math.radians(angle))
        parts.append(
            f"[[entity]]\nname = 'f{number}'\npose = {{ position = [{x}, {case.base}, {z}], angle = {angle + 180} }}\n"
            f"skinned_finger = {{ {size} }}\n"
        )
        sets.append(f"'f{number}/ghost.motion' = {{ keys = [{', '.join(keys)}] }}\n")
        sets += [
            f"'f{number}/ghost/{joint}.bone.start' = [{start}]\n"
            for joint, start in zip(JOINTS, case.keys[0][1], strict=True)
        ]
    return "".join(parts) + "[set]\n" + "".join(sets)


class Recorder:
    """Stands in front of a solver and keeps what it is asked."""

    def __init__(self, solver) -> None:
        self.solver, self.asked = solver, []

    def solve(self, problem, warm):
        """As the solver itself."""
        kept = copy.deepcopy(problem.trimmed())
        self.asked.append((kept, warm[: problem.count].copy()))
        return self.solver.solve(problem, warm)


def load(case: Case, warm_start: str = "pairs"):
    text = write_scene(case).replace("[run]\n", f"[run]\nwarm_start = '{warm_start}'\n")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "skin.toml"
        file.write_text(text, encoding="utf-8")
        return supple.load(file)


def slide(warm_start: str) -> Result:
    """Iterations of every step while an object of 1280 triangles is drawn through the fingers at 0.15 to 0.38 m/s."""
    keys = ((0, (-6, 0, 0, 0)), (0.15, (6, 2, 0, -2)), (2, (7, 2, 0, -2)))
    iterations = []
    for speed in (0.15, 0.22, 0.3, 0.38):
        guide = CASES[1].guide.replace("speed = 0.05", f"speed = {speed}")
        world = load(replace(CASES[1], splits=3, keys=keys, guide=guide), warm_start)
        world.step(35)
        for _ in range(50):
            world.step()
            iterations.append(float(world.array("rows.iterations")[0]))
    return Result(
        f"sliding, newton, {warm_start}: iterations", min(iterations), statistics.mean(iterations), "1"
    )


def record_problems(case: Case):
    """The problems of KEPT successive steps with their warm starts, and the world after them."""
    world = load(case)
    solvers = next(entry.system.solvers for entry, _ in world.calls() if entry.name == "rows.solve")
    world.step(SETTLING)
    world.timing.reset()
    name, solver = solvers[0]
    recorder = Recorder(solver)
    solvers[0] = (name, recorder)
    world.step(KEPT)
    return recorder.asked, world


def time_solver(name: str, asked, warm: bool) -> tuple[list[float], list[int], int]:
    """Milliseconds and iterations of every problem, and how many were not solved."""
    from supple.plugin import load_plugins

    entry = load_plugins().registry.solvers[name]
    solver = entry.load()(entry.settings(tolerance=TOLERANCE))
    spent, iterations, short = [], [], 0
    for problem, start in asked:
        begin = start if warm else np.zeros_like(start)
        best = math.inf
        for _ in range(2):
            started = time.thread_time_ns()
            solution = solver.solve(problem, begin)
            best = min(best, time.thread_time_ns() - started)
        spent.append(best * 1e-6)
        iterations.append(solution.iterations)
        short += solution.status != "converged"
    return spent, iterations, short


def measure(repeat: int) -> list[Result]:
    results = []
    for each in CASES:
        case = each.name
        asked, world = record_problems(each)
        counts = [problem.count for problem, _ in asked]
        carrying = [int((np.abs(start).max(axis=1) > 0).sum()) for _, start in asked]
        results.append(Result(f"{case}: contacts", min(counts), statistics.median(counts), "1"))
        results.append(
            Result(f"{case}: of them carry force", min(carrying), statistics.median(carrying), "1")
        )
        for name in SOLVERS:
            for warm in (True, False):
                spent, iterations, short = time_solver(name, asked, warm)
                what = f"{case}, {name}, {'warm' if warm else 'cold'}"
                results.append(Result(f"{what}: mean", min(spent), statistics.mean(spent), "ms"))
                results.append(
                    Result(f"{what}: iterations", min(iterations), statistics.mean(iterations), "1")
                )
                results.append(Result(f"{what}: not solved", short, short, "1"))
        for system in world.timing.table():
            if system.name.startswith(("collide.find", "rows.assemble", "skin", "ghost")):
                spent = system.microseconds_per_step
                results.append(Result(f"{case}: {system.name}", spent, spent, "us"))
    return results + [slide(warm_start) for warm_start in ("pairs", "neighbours")]
