"""Stepping a world while small observers look on.

    runner = Runner(world, [recorder, checkpointer])
    runner.advance(world.blueprint.run.steps)

An observer says when it wants to be called next, and is left alone until then. Steps that nobody looks between are
taken together, as many as take a few milliseconds, so that small scenes do not wait for Python.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from supple.core.world import World
from supple.run.stop import Stop

#: What an observer answers that wants no further call.
NEVER = sys.maxsize
#: Steps are taken together for about so long [s], and at most so many: then is looked whether somebody wants to stop.
TOGETHER, MOST_TOGETHER = 0.002, 256


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


@runtime_checkable
class FollowsSteps(Protocol):
    """An observer that sees every step as part of it: it is called whenever the runner looks, and asks for nothing."""

    def follow(self, world: World) -> None:
        """See all steps of this world from now on."""
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
        self._following = [each for each in self.observers if isinstance(each, FollowsSteps)]
        for each in self._following:
            each.follow(world)

    def advance(self, last: int) -> None:
        """Step until `last` steps were taken since the start of the scene, a stop is requested, or an observer says
        by `over` that there is nothing more to see.

        A step that cannot be computed raises SimulationError; the world then stands before that step.
        """
        step, stop, clock = self.world.step, self.stop, time.perf_counter
        number, generation, together = self.world.steps, self.world.generation, 1
        self._call_due(number)
        while number < last and not stop.requested and not self.over:
            count = max(1, min(together, last - number, self._next - number))
            began = clock()
            step(count)
            number += count
            spent = clock() - began
            if spent > 2 * TOGETHER:
                together = max(1, together // 2)
            elif spent < TOGETHER and count == together:
                together = min(2 * together, MOST_TOGETHER)
            if self.world.generation != generation:
                generation = self.world.generation
                self._take_arrays_anew()
            for each in self._following:
                each.observe(self.world)
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
                due = observer.observe(self.world)
                self._due[index] = NEVER if observer in self._following else due
        self._next = min(self._due, default=NEVER)
