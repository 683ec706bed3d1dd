"""The engine's own cost: a step of fifteen systems that do nothing, and the same systems called bare."""

from __future__ import annotations

from measuring import Result, time_repeatedly

from supple.core.blueprint import Blueprint
from supple.core.build import Build
from supple.core.entity import Entity, SceneGraph
from supple.core.registry import Registry
from supple.core.schedule import Phase, System
from supple.core.settings import Run
from supple.core.world import World

SYSTEMS, STEPS = 15, 2000


class Idle(System):
    """Reads one array and does nothing."""

    phase = Phase.FREE
    reads = ("toy.x",)

    def bind(self, arrays):
        """Nothing to look up."""
        return lambda: None


def declare(build: Build) -> None:
    build.add_state("toy.x", [0.0] * 100, unit="1", doc="A state.")


def measure(repeat: int) -> list[Result]:
    registry = Registry()
    registry.add_compiler("toy", declare, components=())
    for index in range(SYSTEMS):
        registry.add_system(f"toy.idle{index:02}", Idle)
    graph = SceneGraph({"thing": Entity("thing")})
    world = World(Blueprint(graph, Run(step=0.01, duration=1.0), 0), registry)
    calls = [call for _, call in world.calls()]

    def bare() -> None:
        for _ in range(STEPS):
            for call in calls:
                call()

    return [
        time_repeatedly("step of 15 idle systems", lambda: world.step(STEPS), repeat=repeat, per=STEPS),
        time_repeatedly("the same 15 calls, bare", bare, repeat=repeat, per=STEPS),
    ]
