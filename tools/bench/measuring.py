"""What benchmarks share: repeated timing, of any call in CPU time and of worlds that take turns."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from supple.core.world import World

STRETCH = 10
"""Steps that are timed together."""


@dataclass(frozen=True)
class Result:
    """Minimum and median of the repetitions of one measurement."""

    name: str
    minimum: float
    median: float
    unit: str


def time_repeatedly(
    name: str, act: Callable[[], object], *, repeat: int, per: int, unit: str = "us"
) -> Result:
    """CPU time of `act`, divided by the `per` things that it does."""
    scale = {"us": 1e-3, "ms": 1e-6}[unit]
    act()  # compiles, fills caches
    spent = []
    for _ in range(repeat):
        started = time.thread_time_ns()
        act()
        spent.append((time.thread_time_ns() - started) * scale / per)
    return Result(name, min(spent), statistics.median(spent), unit)


def time_worlds(worlds: Mapping[str, World], *, steps: int, repeat: int) -> list[Result]:
    """The CPU time of a step and the time of each system of these worlds [us], which take turns.

    A run is timed in short stretches, and of each stretch the quickest repetition counts: what else the machine does
    then hardly shows. The median is that of whole repetitions.
    """
    stretches = steps // STRETCH
    starts = {name: world.snapshot() for name, world in worlds.items()}
    best = {name: [[math.inf] * (len(world.schedule) + 1)] * stretches for name, world in worlds.items()}
    whole: dict[str, list[float]] = {name: [] for name in worlds}
    for _ in range(repeat):
        for name, world in worlds.items():
            world.restore(starts[name])
            began = time.thread_time_ns()
            for stretch in range(stretches):
                world.timing.reset()
                started = time.thread_time_ns()
                world.step(STRETCH)
                spent = [time.thread_time_ns() - started, *world.timing.nanoseconds[:-1].tolist()]
                best[name][stretch] = [min(pair) for pair in zip(best[name][stretch], spent, strict=True)]
            whole[name].append((time.thread_time_ns() - began) * 1e-3 / (stretches * STRETCH))
    results = []
    for name, world in worlds.items():
        per_step = [sum(column) * 1e-3 / (stretches * STRETCH) for column in zip(*best[name], strict=True)]
        results.append(Result(f"{name}: step", per_step[0], statistics.median(whole[name]), "us"))
        for entry, spent_on in zip(world.schedule, per_step[1:], strict=True):
            results.append(Result(f"{name}: {entry.name}", spent_on, spent_on, "us"))
    return results
