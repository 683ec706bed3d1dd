"""A table of a scene whose every value knows where it was written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from supple.errors import Problem, Where
from supple.scene.toml_scanner import KeyPath, one_line
from supple.scene.wording import Complaint

_BARE = re.compile(r"[\w/-]+")


@dataclass(frozen=True)
class Part:
    """An entity, an event, `[run]` or another table. `path` is what messages and overrides call it.

    `table` holds plain TOML values; `places` says where those below it were written, by their keys.
    """

    path: str
    table: Mapping[str, Any]
    where: Where
    places: Mapping[KeyPath, Where]

    def place(self, keys: KeyPath = ()) -> Where:
        """Where the value under these keys was written, or the nearest table around it."""
        for length in range(len(keys), 0, -1):
            if keys[:length] in self.places:
                return self.places[keys[:length]]
        return self.where

    def places_below(self, key: str) -> dict[KeyPath, Where]:
        """The places of what is within the value of one key."""
        below = (known for known in self.places if known[0] == key and len(known) > 1)
        return {known[1:]: self.places[known] for known in below}

    def with_value(
        self, keys: tuple[str, ...], value: Any, where: Where, inner: Mapping[KeyPath, Where] | None = None
    ) -> Part:
        """The same part with another value under these keys; tables on the way are made when needed.

        `inner` are the places of what is within the value, where they are known.
        """
        places = {known: place for known, place in self.places.items() if known[: len(keys)] != keys}
        table: Any = self.table
        for length in range(1, len(keys)):
            table = table.get(keys[length - 1]) if isinstance(table, Mapping) else None
            if not isinstance(table, Mapping):
                places[keys[:length]] = where
        places[keys] = where
        places.update({(*keys, *below): place for below, place in (inner or {}).items()})
        return replace(self, table=_with_value(self.table, keys, value), places=places)

    def without(self, *keys: str) -> Part:
        """The same part without some of its own keys."""
        return replace(self, table={key: value for key, value in self.table.items() if key not in keys})

    def problem(self, keys: KeyPath, what: str, remedy: str = "") -> Problem:
        """A problem with the value under these keys."""
        return Problem(self.place(keys), say_path(self.path, keys), what, remedy)

    def problems(self, complaints: Iterable[Complaint], below: KeyPath = ()) -> list[Problem]:
        """Complaints about the table under the keys `below`, as problems."""
        return [self.problem((*below, *each.keys), each.what, each.remedy) for each in complaints]


def _with_value(table: Any, keys: tuple[str, ...], value: Any) -> Any:
    if not keys:
        return value
    inner = dict(table) if isinstance(table, Mapping) else {}
    inner[keys[0]] = _with_value(inner.get(keys[0]), keys[1:], value)
    return inner


def say_path(path: str, keys: KeyPath) -> str:
    """`walker`, ("biped", "toes", 2) -> `walker.biped.toes[2]`."""
    said = path
    for key in keys:
        if isinstance(key, int):
            said += f"[{key}]"
        else:
            said += f".{key}" if _BARE.fullmatch(key) else f'."{one_line(key)}"'
    return said.removeprefix(".")
