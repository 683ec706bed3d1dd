"""Whole steps of the first scenes, and the time of each of their systems."""

from __future__ import annotations

from pathlib import Path

from measuring import Result, time_repeatedly

import supple

SCENES = Path(__file__).resolve().parents[2] / "scenes/first"
STEPS = 200


def measure(repeat: int) -> list[Result]:
    results = []
    for name in ("drop", "stack", "incline"):
        world = supple.load(SCENES / f"{name}.toml")
        world.step(2 * STEPS)
        start = world.snapshot()

        def run(world=world, start=start) -> None:
            world.restore(start)
            world.timing.reset()
            world.step(STEPS)

        results.append(time_repeatedly(f"{name}: whole step", run, repeat=repeat, per=STEPS))
        for system in world.timing.table():
            spent = system.microseconds_per_step
            results.append(Result(f"{name}: {system.name}", spent, spent, "us"))
    return results
