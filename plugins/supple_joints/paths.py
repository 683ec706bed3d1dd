"""Checks of the paths that authors write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from supple.core.entity import SceneGraph
from supple.errors import suggest


def check_path(key: str, path: str, graph: SceneGraph) -> Iterator[str]:
    """What is wrong with the path of something that exists all along."""
    if path not in graph or graph[path].at is not None:
        known = [entity.path for entity in graph if entity.at is None]
        yield f"{key} names no entity: '{path}'; {suggest(path, known, 'the scene has')}"


def check_pair(key: str, paths: tuple[str, ...], graph: SceneGraph) -> Iterator[str]:
    """What is wrong with one or two paths that are to be tied together."""
    for path in dict.fromkeys(paths):
        yield from check_path(key, path, graph)
    if len(paths) == 2 and paths[0] == paths[1]:
        yield f"{key} names '{paths[0]}' twice; name two things, or one to tie it to the world"


def find_joint(path: str, graph: SceneGraph) -> Any:
    """The joint component of an entity, None if it has none."""
    return graph[path].components.get("joint")
