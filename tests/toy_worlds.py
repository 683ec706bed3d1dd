"""Small worlds made by hand, for tests of the engine that need no physics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from supple.core.blueprint import Blueprint
from supple.core.build import Build
from supple.core.entity import Entity, SceneGraph
from supple.core.registry import Registry
from supple.core.schedule import Bound, Phase, System
from supple.core.settings import Run
from supple.core.world import World


def make_system(
    phase: Phase = Phase.FREE,
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    adds: Iterable[str] = (),
    after: Iterable[str] = (),
    rate: int = 1,
    act: Callable[[dict[str, np.ndarray]], None] | None = None,
) -> type[System]:
    """A system that hands its declared arrays to `act` in every step."""
    names = (*reads, *writes, *adds)

    def bind(self: System, arrays: Bound) -> Callable[[], None]:
        bound = {name: arrays[name] for name in names}
        return (lambda: act(bound)) if act else (lambda: None)

    body = {
        "phase": phase, "reads": tuple(reads), "writes": tuple(writes), "adds": tuple(adds),
        "after": tuple(after), "rate": rate, "bind": bind,
    }  # fmt: skip
    return type("ToySystem", (System,), body)


def make_world(
    systems: dict[str, type[System]],
    declare: Callable[[Build], None] = lambda build: None,
    entities: Iterable[str] = ("thing",),
    **run: float,
) -> World:
    """A world of these systems and arrays, with nothing of the mechanics."""
    registry = Registry()
    registry.add_system("run.advance_clock", "supple.core.clock:AdvanceClock")
    registry.add_compiler("toy.arrays", declare, components=())
    for name, system in systems.items():
        registry.add_system(name, system)
    graph = SceneGraph({path: Entity(path) for path in entities})
    settings = Run(**{"step": 0.1, "duration": 1.0, **run})
    return World(Blueprint(graph, settings, seed=0), registry)
