"""How far a run is and how fast it goes."""

from __future__ import annotations

import math
import time

from supple.core.world import World
from supple.run.figures import FigureReader


class Gauge:
    """Measures a run from the moment it is made."""

    def __init__(self, world: World, last: int) -> None:
        self._world, self._last = world, last
        self.take_arrays()
        self._h = world.blueprint.run.step
        self._first, self._began = world.steps, time.perf_counter()

    def restart(self) -> None:
        """Measure the speed from here: what came before was compiling."""
        self._first, self._began = self._world.steps, time.perf_counter()

    def take_arrays(self) -> None:
        """The world has replaced its arrays by larger ones."""
        self._figures, arrays = FigureReader(self._world), self._world.arrays
        self._halved, self._deep = arrays["run.halved"], arrays["run.deep"]

    @property
    def fraction(self) -> float:
        """The part of the run that is done."""
        return min(1.0, self._world.steps / self._last)

    def describe(self) -> str:
        """Time, real-time factor, time to go and the figures of the last step, in one line."""
        done, spent = self._world.steps - self._first, time.perf_counter() - self._began
        figures = self._figures.read()
        parts = [f"t = {self._world.time:.2f} of {self._last * self._h:g} s"]
        if done > 0 and spent > 0:
            left = (self._last - self._world.steps) * spent / done
            parts += [f"{done * self._h / spent:.3g}x real time", f"{_say_duration(left)} to go"]
        if figures.contacts is not None:
            parts.append(f"{figures.contacts} contacts")
        if figures.residual is not None:
            parts.append(f"residual {figures.residual:.1e} m/s")
        if figures.energy is not None:
            parts.append(f"energy {figures.energy:.5g} J")
        return ", ".join(parts)

    def alarm(self) -> str:
        """What has gone wrong so far; nothing is best."""
        unsolved, halved = self._figures.read().unsolved, int(self._halved.item(0))
        deep = int(self._deep.item(0))
        parts = [f"{unsolved} UNSOLVED"] if unsolved else []
        parts += [f"{deep} DEEP"] if deep else []
        return ", ".join([*parts, f"{halved} halved"] if halved else parts)


def _say_duration(seconds: float) -> str:
    whole = math.ceil(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
