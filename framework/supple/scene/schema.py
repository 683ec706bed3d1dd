"""The JSON Schema of scenes (draft-07, as editors read it), from the installed components.

It knows single tables, not how they fit together: names that clash, metrics that do not exist and the like are
left to `supple check`. A key that a scene gives only by an override counts as missing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pydantic

from supple.core.entity import PATH
from supple.core.registry import Registered, Registry
from supple.core.settings import Run
from supple.scene.claims_tables import ClaimTable, ExpectTable
from supple.scene.document import WORD
from supple.scene.fields import say_unit
from supple.scene.include import FORMAT
from supple.scene.read_entities import Timing
from supple.scene.repeat import KEY as REPEAT
from supple.scene.repeat import Repeat
from supple.scene.sweep import MAX_SEED

Schema = dict[str, Any]

# Editors take \w for letters of any alphabet.
_PATH = PATH.pattern.replace(r"\w", "[A-Za-z0-9_]")
_WORD = WORD.pattern.replace(r"\w", "[A-Za-z0-9_]")
_OVERRIDE = {"pattern": rf"^{_PATH}(\.[^.]+)+$"}


def make_schema(registry: Registry) -> Schema:
    """The schema of scenes that use what this registry offers."""
    run = _run_schema(registry)
    needed = run.pop("required")
    properties = {
        "format": _described({"const": FORMAT}, "Version of the format of scenes."),
        "about": _described({"type": "string"}, "What the scene shows, in a sentence or two."),
        "include": _described(
            _list_of({"type": "string", "minLength": 1}), "Files to read as part of this one."
        ),
        "run": run,
        "entity": _described(
            _list_of(_entity_schema(registry)), "What is in the scene; order has no meaning."
        ),
        "event": _described(_list_of(_event_schema(registry)), "What happens at a certain time."),
        "set": _described(_override_table({}), "Other values for what this scene or an included file says."),
        "variants": _described(
            _closed({}, others=_override_table({}), names={"pattern": f"^{_WORD}$"}),
            "Versions of the scene: for each name, the values that differ.",
        ),
        "sweep": _sweep_schema(),
        "claim": _described(_list_of(_table_schema(ClaimTable)), "What the runs of the scene shall show."),
        "expect": _described(_list_of(_expect_schema()), "Bounds that every run of the scene keeps."),
    }
    scene = _closed(properties, required=["format"])
    # Step and duration may come from an included file.
    complete = {"required": ["run"], "properties": {"run": {"required": needed}}}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "supple scene",
        **scene,
        "if": {"not": {"required": ["include"]}},
        "then": complete,
    }


def _closed(
    properties: Schema,
    *,
    required: Iterable[str] = (),
    others: Schema | bool = False,
    names: Schema | None = None,
) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": others}
    if required:
        schema["required"] = list(required)
    if names is not None:
        schema["propertyNames"] = names
    return schema


def _described(schema: Schema, description: str) -> Schema:
    return {"description": description, **schema}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _override_table(value: Schema) -> Schema:
    return _closed({}, others=value, names=_OVERRIDE)


def _name_schema(what: str) -> Schema:
    return _described({"type": "string", "pattern": f"^{_PATH}$"}, what)


def _kind_schemas(kinds: Mapping[str, Registered]) -> Schema:
    return {kind: _table_schema(registered.load()) for kind, registered in sorted(kinds.items())}


def _entity_schema(registry: Registry) -> Schema:
    own = {
        "name": _name_schema("Name of the entity; parent/child for a child."),
        "parent": _name_schema("Path of the parent, put before the name."),
        REPEAT: _table_schema(Repeat),
    }
    return _closed({**own, **_kind_schemas(registry.components)}, required=["name"])


def _event_schema(registry: Registry) -> Schema:
    timing = _table_schema(Timing)["properties"]
    name = _described({"type": "string", "pattern": f"^{_WORD}$"}, "Name of the event.")
    kinds = _kind_schemas(registry.events)
    schema = _closed({"name": name, **timing, **kinds}, required=["name", "at"])
    return {**schema, "oneOf": [{"required": [kind]} for kind in kinds]} if kinds else schema


def _run_schema(registry: Registry) -> Schema:
    run = _table_schema(Run)
    run["properties"]["solver"]["enum"] = sorted(registry.solvers)
    run["properties"].update(_kind_schemas(registry.settings))
    return run


def _sweep_schema() -> Schema:
    seed = {"type": "integer", "minimum": 0, "maximum": MAX_SEED}
    seeds = {**_list_of(seed), "minItems": 1, "uniqueItems": True}
    axis = {"type": "array", "minItems": 1, "uniqueItems": True}
    names = {"anyOf": [{"const": "seeds"}, _OVERRIDE]}
    schema = _closed({"seeds": _described(seeds, "Seeds of the noise.")}, others=axis, names=names)
    return _described(schema, "Values to run through; every combination is a run.")


def _expect_schema() -> Schema:
    bounds = [{"required": ["above"]}, {"required": ["below"]}, {"required": ["equals", "tolerance"]}]
    return {**_table_schema(ExpectTable), "anyOf": bounds}


def _table_schema(cls: type) -> Schema:
    """The schema of a component class, without references."""
    made = pydantic.TypeAdapter(cls).json_schema()
    documented = {"description": " ".join((cls.__doc__ or "").split()), **made}
    schema: Schema = _rewrite(documented, made.get("$defs", {}), ())
    return schema


def _rewrite(schema: Any, definitions: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    """From what pydantic writes (2020-12) to draft-07: references inlined, no null, units in the description."""
    if isinstance(schema, list):
        return [_rewrite(each, definitions, within) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = _without_null({key: value for key, value in schema.items() if key != "$defs"})
    reference = schema.pop("$ref", None)
    if reference is not None:
        name = reference.rsplit("/", 1)[-1]
        if name in within:  # a table that holds tables of its own type: its inside is left to `supple check`
            return {"type": "object"}
        schema = {**definitions[name], **schema}
        within = (*within, name)
    unit = schema.pop("unit", "")
    if isinstance(unit, str) and unit:
        schema["description"] = f"{say_unit(unit)} {schema.get('description', '')}".strip()
    if "default" in schema and schema["default"] is None:
        del schema["default"]
    rewritten = {}
    for key, value in _with_items(schema).items():
        if key == "properties":
            # The names of properties are no keywords, even if a field is called `unit` or `default`.
            rewritten[key] = {name: _rewrite(each, definitions, within) for name, each in value.items()}
        else:
            values = key in ("default", "const", "enum")
            rewritten[key] = value if values else _rewrite(value, definitions, within)
    return rewritten


def _without_null(schema: Schema) -> Schema:
    alternatives = schema.get("anyOf")
    if alternatives is None:
        return schema
    left = [each for each in alternatives if each != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**left[0], **rest} if len(left) == 1 else {**rest, "anyOf": left}


def _with_items(schema: Schema) -> Schema:
    """Draft-07 writes the elements of a tuple as a list under `items`."""
    elements = schema.get("prefixItems")
    if elements is None:
        return schema
    rest = {key: value for key, value in schema.items() if key != "prefixItems"}
    if all(element == elements[0] for element in elements):
        return {**rest, "items": elements[0]}
    return {**rest, "items": elements, "additionalItems": False}
