"""Entities: names with components. Names are paths; parents form the scene graph."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from supple.errors import Problem, UserError, suggest

PATH = re.compile(r"[A-Za-z_]\w*(/[A-Za-z_]\w*)*", re.ASCII)


def parent_path(path: str) -> str | None:
    """`walker/torso` -> `walker`; None for an entity at the top."""
    head, slash, _ = path.rpartition("/")
    return head if slash else None


@dataclass(frozen=True)
class Entity:
    """A name with components. `at` [s] is the time of an event, None for what exists all along."""

    path: str
    components: Mapping[str, Any] = field(default_factory=dict)
    at: float | None = None

    @property
    def parent(self) -> str | None:
        """The path of the parent in the scene graph."""
        return parent_path(self.path)


class SceneGraph:
    """All entities of a scene in the order of their paths, whatever the order in the file."""

    def __init__(self, entities: Mapping[str, Entity]) -> None:
        self._entities = dict(sorted(entities.items()))
        self._paths = list(self._entities)
        #: Poses in the world that were asked for; see `supple.core.pose`.
        self.known_poses: dict[str, Any] = {}

    def __getitem__(self, path: str) -> Entity:
        if path not in self._entities:
            remedy = suggest(path, self._entities, "the scene has")
            raise UserError(Problem(None, path, "no entity of this name", remedy))
        return self._entities[path]

    def __contains__(self, path: str) -> bool:
        return path in self._entities

    def __iter__(self) -> Iterator[Entity]:
        return iter(self._entities.values())

    def __len__(self) -> int:
        return len(self._entities)

    def having(self, *kinds: str) -> list[Entity]:
        """The entities with at least one of these components, sorted by path."""
        return [entity for entity in self if any(kind in entity.components for kind in kinds)]

    def ancestors(self, path: str) -> Iterator[Entity]:
        """The entity itself, its parent, and so on to the top."""
        current: str | None = path
        while current is not None:
            yield self[current]
            current = parent_path(current)

    def below(self, path: str) -> list[Entity]:
        """The entities at and below `path`, sorted by path."""
        # In sorted paths a tree is one stretch, because no letter of a name comes before the slash.
        first = bisect.bisect_left(self._paths, path)
        last = bisect.bisect_left(self._paths, path + "0", lo=first)
        return [self._entities[other] for other in self._paths[first:last]]
