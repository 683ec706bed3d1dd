"""Runs that end before their duration, by `run.ends`.

[run]
ends = { metric = "walker.upright", below = 0.5 }
"""

from __future__ import annotations

from collections.abc import Sequence

from supple.core.settings import Ending
from supple.core.world import World
from supple.run.runner import Observer, Runner
from supple.run.stop import Stop


class Watch:
    """The observer that ends a run once a metric is beyond its bound."""

    def __init__(self, world: World, ending: Ending, runner: Runner) -> None:
        self.ending, self.runner = ending, runner
        self.slot = [bound.key for bound in world.build.metrics].index(ending.metric)
        self.mean = world.build.metrics[self.slot].metric.over_time == "mean"

    def observe(self, world: World) -> int:
        """Look at the metric after every step."""
        seen = world.array("metrics.samples")[self.slot]
        if seen > 0:
            value = world.array("metrics.total")[self.slot]
            self.runner.over = self.ending.is_met(float(value / seen if self.mean else value))
        return world.steps + 1


def make_runner(world: World, observers: Sequence[Observer] = (), stop: Stop | None = None) -> Runner:
    """A runner that goes no farther than the scene's `run.ends`."""
    runner = Runner(world, observers, stop)
    if world.blueprint.run.ends is not None:
        runner.add(Watch(world, world.blueprint.run.ends, runner))
    return runner
