"""Which objects ignore each other: by groups and names in the scene, and by what plugins say of frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from supple.core.build import Build
from supple.mechanics.filters import FrameName
from supple_collide.compile import find_owner, list_shapes
from supple_collide.meshes.compile import list_deforming, list_meshes
from supple_collide.shape_kinds import STANDS_STILL


@dataclass(frozen=True)
class Collidable:
    """An object of collision: its entity, the frame that moves it, its group and what it ignores."""

    path: str
    frame: FrameName | None
    group: str
    ignores: frozenset[str]

    def matches(self, names: Iterable[str]) -> bool:
        """Whether a name is the object's group, its entity, or an entity above."""
        return any(name == self.group or f"{self.path}/".startswith(f"{name}/") for name in names if name)


def list_collidables(build: Build) -> list[Collidable]:
    """All objects in the order of their numbers: primitives, rigid meshes, deforming meshes."""
    carriers = [carrier.name for carrier in build.members("carriers")]
    found = []
    for entity, _ in [*list_shapes(build), *list_meshes(build)]:
        owner = find_owner(build, entity.path)
        moved = owner["carrier"] != STANDS_STILL
        frame = (carriers[owner["carrier"]], owner["frame"]) if moved else None
        found.append(_describe(build, entity.path, frame))
    return found + [_describe(build, each.path, (each.name, 0)) for each in list_deforming(build)]


def _describe(build: Build, path: str, frame: FrameName | None) -> Collidable:
    said = [
        each.components["collides"] for each in build.graph.ancestors(path) if "collides" in each.components
    ]
    group = next((each.group for each in said if each.group), "")
    return Collidable(path, frame, group, frozenset(name for each in said for name in each.ignores))


def compile_filters(build: Build) -> None:
    """Declare the pairs of objects that are never looked at, as lower * objects + higher, sorted."""
    objects = list_collidables(build)
    count = len(objects)
    ignoring = [i for i, each in enumerate(objects) if each.ignores]
    pairs = {
        (min(i, j), max(i, j))
        for i in ignoring
        for j in range(count)
        if objects[j].matches(objects[i].ignores)
    }
    of_frame: dict[FrameName, list[int]] = {}
    for i, each in enumerate(objects):
        if each.frame is not None:
            of_frame.setdefault(each.frame, []).append(i)
    for one, other in build.ignored_pairs:
        pairs |= {(min(i, j), max(i, j)) for i in of_frame.get(one, ()) for j in of_frame.get(other, ())}
    keys = sorted(i * count + j for i, j in pairs if i != j)
    build.add_model(
        "collide.ignored_pairs", np.array(keys, np.int64), unit="1", dtype=np.int64,
        doc="Pairs of objects that pass through each other.",
    )  # fmt: skip
