"""What benchmarks share: repeated timing in CPU time of this thread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


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
