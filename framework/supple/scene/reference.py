"""What can be written in a scene, as plain data for `supple components` and for pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pydantic

from supple.core.registry import Registry
from supple.core.settings import Run
from supple.scene.fields import FieldFacts, fields_of, is_table, say_type, strip


def describe_components(registry: Registry) -> list[dict[str, Any]]:
    """All tables that the installed plugins offer, sorted by role and kind.

    Each has `role` ("component", "event" or "settings"), `kind` (as it is written: the settings of a solver
    are `run.NAME`), `doc`, `plugin`, `prefab`, `fields` and `metrics`. The fields of a table within it stand after
    it under dotted names.
    """
    described = [describe_class(Run, "settings", "run", registry.plugin)]
    for role, prefix, table in (
        ("component", "", registry.components),
        ("event", "", registry.events),
        ("settings", "run.", registry.settings),
    ):
        for name, registered in table.items():
            described.append(describe_class(registered.load(), role, f"{prefix}{name}", registered.plugin))
    return sorted(described, key=lambda each: (each["role"], each["kind"]))


def describe_class(cls: Any, role: str, kind: str, plugin: str) -> dict[str, Any]:
    """One class of components, events, settings or tables."""
    metrics = [
        {"name": m.name, "unit": m.unit, "doc": m.doc, "over_time": m.over_time, "settled": m.settled}
        for m in cls.metrics
    ]
    return {
        "role": role,
        "kind": kind,
        "doc": " ".join((cls.__doc__ or "").split()),
        "plugin": plugin,
        "prefab": hasattr(cls, "expand"),
        "fields": list(_describe_fields(cls, "", (cls,))),
        "metrics": metrics,
    }


def _describe_fields(cls: type, prefix: str, within: tuple[type, ...]) -> Iterator[dict[str, Any]]:
    for facts in fields_of(cls).values():
        yield _describe_field(facts, prefix)
        inner = strip(facts.annotation)
        if is_table(inner) and inner not in within:
            yield from _describe_fields(inner, f"{prefix}{facts.name}.", (*within, inner))


def _describe_field(facts: FieldFacts, prefix: str) -> dict[str, Any]:
    plain = pydantic.TypeAdapter(Any).dump_python(facts.default, mode="json")
    return {
        "name": f"{prefix}{facts.name}",
        "type": say_type(facts.annotation),
        "unit": facts.unit,
        "required": facts.required,
        "default": plain,
        "range": ", ".join(facts.limits),
        "doc": facts.doc,
    }
