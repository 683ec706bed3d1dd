"""Stepping a world while small observers look on.

    runner = Runner(world, [recorder, checkpointer])
    runner.advance(world.blueprint.run.steps)

The loop itself costs a fraction of a microsecond a step: an observer says when it wants to be called next,
and is left alone until then.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from supple.core.world import World
from supple.run.stop import Stop

#: What an observer answers that wants no further call.
NEVER = sys.maxsize


class Observer(Protocol):
    """Looks at a world between steps, and must not change it."""

    def observe(self, world: World) -> int:
        """Look now; returns the number of the step after which to be called again."""
        ...


@runtime_checkable
class KeepsArrays(Protocol):
    """An observer that keeps arrays of the world from one look to the next."""

    def take_arrays(self, world: World) -> None:
        """Take them anew: the world has replaced its arrays by larger ones."""
        ...


class Runner:
    """Advances a world; its observers are called in their order, first of all before the first step."""

    def __init__(self, world: World, observers: Sequence[Observer] = (), stop: Stop | None = None) -> None:
        self.world = world
        self.observers = list(observers)
        self.stop = stop or Stop()
        self.over = False
        self._due = [-1] * len(self.observers)
        self._next = -1

    def advance(self, last: int) -> None:
        """Step until `last` steps were taken since the start of the scene, a stop is requested, or an observer says
        by `over` that there is nothing more to see.

        A step that cannot be computed raises SimulationError; the world then stands before that step.
        """
        step, stop = self.world.step, self.stop
        number, generation = self.world.steps, self.world.generation
        self._call_due(number)
        while number < last and not stop.requested and not self.over:
            step()
            number += 1
            if self.world.generation != generation:
                generation = self.world.generation
                self._take_arrays_anew()
            if number >= self._next:
                self._call_due(number)

    def add(self, observer: Observer) -> None:
        """Call one more observer, behind the others."""
        self.observers.append(observer)
        self._due.append(-1)
        self._next = -1

    def call_soon(self, observer: Observer) -> None:
        """Call an observer after the step that is under way, whatever it asked for."""
        self._due[self.observers.index(observer)] = self._next = -1

    def _take_arrays_anew(self) -> None:
        """Tell observers that keep arrays that these were replaced by larger ones."""
        for observer in self.observers:
            if isinstance(observer, KeepsArrays):
                observer.take_arrays(self.world)

    def _call_due(self, number: int) -> None:
        for index, observer in enumerate(self.observers):
            if number >= self._due[index]:
                self._due[index] = observer.observe(self.world)
        self._next = min(self._due, default=NEVER)
