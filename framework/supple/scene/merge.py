"""Tables that several files of a scene give together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.errors import Problem
from supple.scene.include import SourceFile
from supple.scene.parts import Part


def merge_distinct(parts: list[Part], problems: list[Problem]) -> Part:
    """One table of the keys of several; a key may stand in one of them only."""
    merged = parts[0]
    for part in parts[1:]:
        for key in part.table:
            if key in merged.table:
                what = f"is given by {merged.place((key,))} as well"
                problems.append(part.problem((key,), what, "keep one of them"))
            else:
                merged = _adopt(merged, part, key)
    return merged


def merge_nested(file: SourceFile, name: str, problems: list[Problem], *, deep: bool = False) -> Part:
    """The table `name` of a file over those of the files it includes.

    `deep` merges the tables within it key by key too, as `[run.NAME]` wants it. Files that are included side
    by side have no rank: where they differ, the file that includes both must decide.
    """
    own = file.top(name)
    below: Part | None = None
    for included in file.included:
        other = merge_nested(included, name, problems, deep=deep)
        if below is None:
            below = other
        else:
            problems.extend(_find_conflicts(below, other, own, deep))
            below = _overlay(below, other, deep)
    return own if below is None else _overlay(below, own, deep)


def _overlay(base: Part, top: Part, deep: bool) -> Part:
    where = top.where if top.table else base.where
    merged = Part(base.path, _without_narrower(base.table, top.table), where, base.places)
    for key, value in top.table.items():
        if deep and isinstance(value, Mapping) and isinstance(merged.table.get(key), Mapping):
            for inner in value:
                merged = merged.with_value((key, inner), value[inner], top.place((key, inner)))
        else:
            merged = _adopt(merged, top, key)
    return merged


def _without_narrower(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """Without override paths into a table that `top` replaces whole."""
    wider = tuple(f"{key}." for key in top)
    return {key: value for key, value in base.items() if not key.startswith(wider)}


def _adopt(part: Part, other: Part, key: str) -> Part:
    """The part with a key of another one."""
    return part.with_value((key,), other.table[key], other.place((key,)), other.places_below(key))


def _find_conflicts(first: Part, second: Part, decided: Part, deep: bool) -> list[Problem]:
    problems = []
    for key, value in second.table.items():
        nested = deep and isinstance(value, Mapping) and isinstance(first.table.get(key), Mapping)
        for keys in [(key, inner) for inner in value] if nested else [(key,)]:
            one, other, ruling = (_value_at(part, keys) for part in (first, second, decided))
            if one is not None and one != other and ruling is None:
                what = f"{first.place(keys)} gives another value"
                problems.append(second.problem(keys, what, "decide in the file that includes both"))
    return problems


def _value_at(part: Part, keys: tuple[str, ...]) -> Any:
    value: Any = part.table
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
