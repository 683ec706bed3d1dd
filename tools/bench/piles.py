"""Piles that settle: the step of supple to 1e-8 of the velocities without contact, and MuJoCo's beside it.

Spheres that fill a bin, a wall of bricks, and spheres, boxes and capsules that fall into a bin. Every step is timed by
itself; the figures are the least, the median and the worst step, the sum of all, what failed, how deep things overlap
at the end, and how fast they still are. Every pile settles once, whatever `--repeat` says: for 5 s, or as many as
SUPPLE_PILES_SECONDS says. SUPPLE_PILES chooses piles by parts of their names: SUPPLE_PILES="64 spheres,wall".
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from measuring import Result
from pile_model import Pile, build_wall, mix_things, pack_spheres, write_mujoco, write_supple

import supple

STEP = 0.004
WARMING = 100
EXACT = "relative_tolerance = 1e-8"


def list_piles() -> Iterator[Callable[[], Pile]]:
    """The piles of the benchmark, the small ones first."""
    yield lambda: pack_spheres(4, 4)
    yield lambda: pack_spheres(5, 5)
    yield lambda: pack_spheres(10, 5)
    yield lambda: pack_spheres(10, 10)
    yield lambda: build_wall(10, 10)
    yield lambda: mix_things(250)
    yield lambda: mix_things(1000)


def measure(repeat: int) -> list[Result]:
    """Settle every pile once."""
    seconds = float(os.environ.get("SUPPLE_PILES_SECONDS", "5"))
    wanted = [part for part in os.environ.get("SUPPLE_PILES", "").split(",") if part]
    piles = [make() for make in list_piles()]
    steps, results = round(seconds / STEP), []
    for small in (pack_spheres(4, 3), build_wall(5, 5)):  # so that all kernels are compiled and loaded
        run_supple(small, WARMING)
    for pile in piles:
        if wanted and not any(part in pile.name for part in wanted):
            continue
        results += run_supple(pile, steps)
        if importlib.util.find_spec("mujoco") is not None:
            results += run_mujoco(pile, steps)
    return results


def summarise(name: str, spent: list[float], figures: dict[str, tuple[float, str]]) -> list[Result]:
    """Least, median, worst and sum of the steps [ms], and other figures."""
    middle = statistics.median(spent)
    results = [
        Result(f"{name}: step", min(spent), middle, "ms"),
        Result(f"{name}: worst", max(spent), max(spent), "ms"),
    ]
    results.append(Result(f"{name}: all steps", sum(spent), sum(spent), "ms"))
    return results + [
        Result(f"{name}: {what}", value, value, unit) for what, (value, unit) in figures.items()
    ]


def time_steps(act: Callable[[], object], steps: int) -> list[float]:
    """CPU time of every step but the first, which compiles [ms]."""
    act()
    spent = []
    for _ in range(steps - 1):
        began = time.thread_time_ns()
        act()
        spent.append((time.thread_time_ns() - began) * 1e-6)
    return spent


def run_supple(pile: Pile, steps: int) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pile.toml"
        file.write_text(write_supple(pile, STEP, EXACT), encoding="utf-8")
        world = supple.load(file)
    most = 0.0

    def act() -> None:
        nonlocal most
        world.step(1)
        most = max(most, float(world.array("rows.residual")[0]))

    spent = time_steps(act, steps)
    velocity = world.array("rigid.v")[:, :3]
    figures = {
        "failures": (float(world.array("rows.failures")[0]), "1"),
        "worst residual": (most * 1e9, "nm/s"),
        "contacts": (float(world.array("contacts.count")[0]), "1"),
        "overlap": (1e3 * float(world.array("rows.penetration")[0]), "mm"),
        "speed at the end": (1e3 * float(np.linalg.norm(velocity, axis=1).max()), "mm/s"),
    }
    return summarise(f"supple, {pile.name}", spent, figures)


def run_mujoco(pile: Pile, steps: int) -> list[Result]:
    import mujoco

    model = mujoco.MjModel.from_xml_string(write_mujoco(pile, STEP))
    data = mujoco.MjData(model)
    spent = time_steps(lambda: mujoco.mj_step(model, data), steps)
    mujoco.mj_forward(model, data)
    deepest = max((-float(data.contact[k].dist) for k in range(data.ncon)), default=0.0)
    velocity = data.qvel.reshape(-1, 6)[:, :3]
    figures = {
        "contacts": (float(data.ncon), "1"),
        "overlap": (1e3 * max(deepest, 0.0), "mm"),
        "speed at the end": (1e3 * float(np.linalg.norm(velocity, axis=1).max()), "mm/s"),
    }
    return summarise(f"MuJoCo, {pile.name}", spent, figures)
