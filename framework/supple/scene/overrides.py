"""Overrides: values of a scene that are changed by `[set]`, a variant, a sweep or `--set`.

An override names a value by the path `walker/torso.body.mass`: an entity, an event or `run`, then keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.core.entity import PATH
from supple.errors import Problem, SceneError, Where
from supple.scene.lines import parse_toml
from supple.scene.parts import Part
from supple.scene.toml_scanner import KeyPath, one_line

_EXAMPLE = "such as walker.body.mass or run.step"


@dataclass(frozen=True)
class Override:
    """Another value for `keys` of the entity, the event or the run called `target`."""

    target: str
    keys: tuple[str, ...]
    value: Any
    where: Where
    inner: Mapping[KeyPath, Where] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The path as it was written."""
        return ".".join((self.target, *self.keys))

    def apply(self, part: Part) -> Part:
        """The part with the other value."""
        return part.with_value(self.keys, self.value, self.where, self.inner)


def read_overrides(layer: Part, problems: list[Problem]) -> tuple[Override, ...]:
    """The overrides of a table path -> value, the wider ones first, so that their order has no meaning."""
    found = []
    for text, value in layer.table.items():
        override = make_override(text, value, layer.place((text,)), layer.places_below(text), problems)
        if override is not None:
            found.append(override)
    return tuple(sorted(found, key=lambda override: len(override.keys)))


def read_assignments(
    assignments: Mapping[str, Any] | Sequence[str | Override], problems: list[Problem]
) -> tuple[Override, ...]:
    """The overrides given to a command (`["walker.body.mass=3"]`), from Python or read already, in their order."""
    found: list[Override | None] = []
    if isinstance(assignments, Mapping):
        for text, value in assignments.items():
            where = Where(f"overrides[{one_line(str(text))!r}]")
            found.append(make_override(str(text), as_plain(value), where, {}, problems))
    else:
        for assignment in assignments:
            if isinstance(assignment, Override):
                found.append(assignment)
                continue
            where = Where(f"--set {one_line(assignment)}")
            text, equals, value = assignment.partition("=")
            if not equals or not value.strip():
                remedy = f"write --set KEY=VALUE with a key {_EXAMPLE}"
                problems.append(Problem(where, one_line(text.strip()), "gives no value", remedy))
                continue
            found.append(make_override(text.strip(), parse_value(value), where, {}, problems))
    return tuple(override for override in found if override is not None)


def make_override(
    text: str, value: Any, where: Where, inner: Mapping[KeyPath, Where], problems: list[Problem]
) -> Override | None:
    """The override of the value at the path `text`; None, and a problem more, when that is no path."""
    target, *keys = text.split(".")
    if not keys and isinstance(value, Mapping):
        remedy = f'put the whole path in quotes: "{one_line(text)}.KIND.KEY" = VALUE'
        problems.append(Problem(where, one_line(text), "names no single value", remedy))
    elif not keys or not all(keys) or not PATH.fullmatch(target):
        remedy = f"write a path {_EXAMPLE}"
        problems.append(Problem(where, one_line(text), "is not the path of a value", remedy))
    else:
        return Override(target, tuple(keys), value, where, inner)
    return None


def parse_value(text: str) -> Any:
    """A TOML value; anything that is none counts as a string, so that words need no quotes."""
    try:
        document, _ = parse_toml(f"value = {text.strip()}", "")
    except SceneError:
        return text.strip()
    return document["value"] if list(document) == ["value"] else text.strip()


def as_plain(value: Any) -> Any:
    """Values of Python as TOML would give them: numpy arrays and tuples become lists."""
    if isinstance(value, np.ndarray | np.generic):
        return as_plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): as_plain(inner) for key, inner in value.items()}
    return [as_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
