"""Writing entities as TOML, the way authors would: what has its default is left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from supple.core.component import checks_of
from supple.core.entity import Entity


def write_entities(entities: Iterable[Entity]) -> str:
    """One [[entity]] for each, in the order given."""
    return "\n".join(_write_entity(entity) for entity in entities)


def _write_entity(entity: Entity) -> str:
    lines = ["[[entity]]", f"name = {write_value(entity.path)}"]
    for kind, component in entity.components.items():
        cls: type = type(component)
        plain = checks_of(cls).dump_python(component, mode="json", exclude_defaults=True)
        lines.append(f"{kind} = {write_value(plain)}")
    return "\n".join(lines) + "\n"


def write_value(value: Any) -> str:
    """A value of TOML in one line. Numbers are written such that they are read back to the bit."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inside = ", ".join(
            f"{_key(key)} = {write_value(each)}" for key, each in value.items() if each is not None
        )
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(write_value(each) for each in value)}]"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    # Strings of JSON are strings of TOML, but for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else write_value(key)
