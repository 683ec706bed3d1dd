"""A man who walks on rigid and on soft feet, in steps of 4 ms: how much faster than life, and what takes time."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from measuring import Result, time_worlds

import supple

SCENE = Path(__file__).resolve().parents[2] / "scenes" / "walking" / "walk_forward.toml"
SETTLING, STEPS, MINUTE = 250, 1500, 60.0


def measure(repeat: int) -> list[Result]:
    worlds = {feet: supple.load(SCENE, overrides={"walker.biped.feet": feet}) for feet in ("rigid", "soft")}
    for world in worlds.values():
        world.step(SETTLING)
    results = time_worlds(worlds, steps=STEPS, repeat=repeat)
    step = world.blueprint.run.step
    for feet in worlds:
        own = next(result for result in results if result.name == f"{feet}: step")
        times = step * 1e6 / own.minimum, step * 1e6 / own.median
        results.append(Result(f"{feet}: faster than life", *times, "times"))
    for feet, world in worlds.items():
        spent = []
        for _ in range(min(repeat, 3)):
            began = time.thread_time()
            world.step(round(MINUTE / step))
            spent.append(time.thread_time() - began)
        assert world.metrics()["walker.upright"] == 1
        results.append(Result(f"{feet}: a walk of a minute", min(spent), statistics.median(spent), "s"))
    return results
