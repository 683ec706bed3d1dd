"""A scene after checking, overriding and expanding: what a world is built from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from supple.core.component import checks_of
from supple.core.entity import SceneGraph
from supple.core.scene_files import SceneFiles
from supple.core.settings import Run


@dataclass(frozen=True)
class Blueprint:
    """All entities with their components, and how to run them.

    `settings` holds the tables below `[run]` that belong to plugins (`[run.gauss_seidel]`), by name;
    `source` names the file for messages; `text` is its content for recordings. `imported` are the files that
    prefabs were made from.
    """

    graph: SceneGraph
    run: Run
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    text: str = ""
    variant: str = ""
    allow_outside: bool = False
    imported: frozenset[str] = frozenset()

    @property
    def files(self) -> SceneFiles:
        """Where files that components name are looked for."""
        return SceneFiles(self.source, self.allow_outside)

    def as_plain(self) -> dict[str, Any]:
        """The whole scene as JSON-ready values; equal scenes give equal values."""
        entities = {
            entity.path: {"at": entity.at, **{k: _plain(c) for k, c in sorted(entity.components.items())}}
            for entity in self.graph
        }
        settings = {name: _plain(value) for name, value in sorted(self.settings.items())}
        return {"entities": entities, "run": _plain(self.run), "settings": settings, "seed": self.seed}

    def fingerprint(self) -> str:
        """A hash of everything that determines the motion, files among it; how far it may go does not."""
        plain = self.as_plain()
        for name in ("duration", "ends", "smoke", "allowed_failures", "fastest", "farthest"):
            del plain["run"][name]
        named = {
            name
            for entity in self.graph
            for each in entity.components.values()
            for name in _named_files(each)
        } | self.imported
        if named:
            plain["files"] = {name: self.files.digest(name) for name in sorted(named)}
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _named_files(component: Any) -> Iterable[str]:
    """The files that a component says it reads, if it is one of `NamesFiles`."""
    names = getattr(component, "reads_files", None)
    return names() if callable(names) else ()


def _plain(value: Any) -> Any:
    kind: type = type(value)
    return checks_of(kind).dump_python(value, mode="json")
