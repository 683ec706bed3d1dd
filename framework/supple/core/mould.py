"""One built world for many runs that differ in numbers only.

mould = Mould(lambda blueprint: build_world(scene, blueprint, plugins))
for blueprint in blueprints:
    world = mould.cast(blueprint)       # as if it were built: the same bits, at a fraction of the time

A component says which of its fields are such numbers: `numbers` names those that reach nothing but arrays, and
`placed_by_arrays` that the same is true of where its entity stands. One that says either also looks at gravity and seed
for nothing but arrays. One that says neither may look at the numbers of others and keep what it finds: in a scene with
such a component all is built anew, and so is whatever else differs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from supple.core.blueprint import Blueprint
from supple.core.build import Build, run_compilers
from supple.core.clock import declare_clock
from supple.core.freed_memory import give_back
from supple.core.metrics import compile_metrics
from supple.core.world import World


class Mould:
    """Hands out a world for every blueprint; each time the same one if it can be, so only one is in use at a time."""

    def __init__(self, build: Callable[[Blueprint], World]) -> None:
        self._build = build
        self._world: World | None = None
        self.built = 0

    def cast(self, blueprint: Blueprint) -> World:
        """A world of this blueprint, at its start."""
        world = self._world
        # One that has made room is no longer what building gives.
        if world is not None and world.generation == 0 and differ_in_numbers(world.blueprint, blueprint):
            build = Build(blueprint, world.registry, checks_members=False)
            declare_clock(build)
            run_compilers(build)
            compile_metrics(build)
            if build.arrays.specs == world.arrays.specs:
                world.refill(build)
                return world
        self.built += 1
        self._world = world = None  # so that two worlds never lie side by side
        give_back()
        self._world = self._build(blueprint)
        return self._world


def differ_in_numbers(a: Blueprint, b: Blueprint) -> bool:
    """Whether two blueprints differ in nothing but what reaches arrays alone."""
    alike = replace(a.run, gravity=b.run.gravity, seed=b.run.seed)
    if (alike, a.settings, a.source, a.variant) != (b.run, b.settings, b.source, b.variant):
        return False
    if a.run.gravity != b.run.gravity and any(map(_asks_by_weight, b.settings.values())):
        return False
    if [entity.path for entity in a.graph] != [entity.path for entity in b.graph]:
        return False
    differing, moved, keeping = (a.run.gravity, a.seed) != (b.run.gravity, b.seed), False, False
    for one, other in zip(a.graph, b.graph, strict=True):
        if one.components.keys() != other.components.keys():
            return False
        for kind, component in one.components.items():
            changed = list_changed(component, other.components[kind])
            if not changed <= set(getattr(component, "numbers", ())):
                return False
            moved |= kind == "pose" and bool(changed)
            differing |= bool(changed)
            keeping |= not (hasattr(component, "numbers") or hasattr(component, "placed_by_arrays"))
        if one.at != other.at:
            differing = True
            if not all("at" in getattr(component, "numbers", ()) for component in one.components.values()):
                return False
    if differing and keeping:
        return False
    return not moved or all(
        getattr(component, "placed_by_arrays", False)
        for entity in b.graph
        for component in entity.components.values()
    )


def _asks_by_weight(settings: Any) -> bool:
    """Whether a solver was made for a tolerance that follows from gravity."""
    return getattr(settings, "weight_tolerance", None) is not None


def list_changed(one: Any, other: Any) -> set[str]:
    """The fields in which two components of a kind differ."""
    if one is other or one == other:
        return set()
    return {
        name for name in type(one).__dataclass_fields__ if not _same(getattr(one, name), getattr(other, name))
    }


def _same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)
