"""What the fields of a component say about themselves: type, unit, range, default and a sentence.

Messages, the schema and the reference all speak from here, so that they never disagree.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

#: What pydantic and annotated_types call a limit -> how a reader reads it.
_LIMITS = {
    "gt": "> {}",
    "ge": ">= {}",
    "lt": "< {}",
    "le": "<= {}",
    "multiple_of": "a multiple of {}",
    "min_length": "at least {} long",
    "max_length": "at most {} long",
    "pattern": "like {}",
}


@dataclass(frozen=True)
class FieldFacts:
    """One field of a component. `default` has no meaning when the field is required."""

    name: str
    annotation: Any
    unit: str
    doc: str
    required: bool
    default: Any
    limits: tuple[str, ...]


def is_table(annotation: Any) -> bool:
    """Whether the annotation is a component class, whose value in TOML is a table."""
    return isinstance(annotation, type) and hasattr(annotation, "__pydantic_fields__")


def fields_of(cls: type) -> dict[str, FieldFacts]:
    """The fields of a component class, in the order they were declared."""
    found: dict[str, Any] = vars(cls)["__pydantic_fields__"]
    facts = {}
    for name, info in found.items():
        extra = info.json_schema_extra
        unit = str(extra.get("unit", "")) if isinstance(extra, Mapping) else ""
        default = None if info.is_required() else info.get_default(call_default_factory=True)
        facts[name] = FieldFacts(
            name,
            info.annotation,
            unit,
            info.description or "",
            info.is_required(),
            default,
            tuple(_limits_of(info.metadata)) + _limits_within(info.annotation),
        )
    return facts


def _limits_of(metadata: list[Any]) -> Iterator[str]:
    for each in metadata:
        for limit, wording in _LIMITS.items():
            value = getattr(each, limit, None)
            if value is not None:
                yield wording.format(value)


def _limits_within(annotation: Any) -> tuple[str, ...]:
    """The limits of the numbers in a list or in alternatives, each once."""
    if get_origin(annotation) is Annotated:
        metadata = [inner for each in annotation.__metadata__ for inner in getattr(each, "metadata", (each,))]
        return tuple(_limits_of(metadata))
    found = dict.fromkeys(limit for part in get_args(annotation) for limit in _limits_within(part))
    if members_of(annotation) is not None:
        return tuple(
            limit for limit in found if limit.removeprefix("each ") == limit or limit[5:] not in found
        )
    return tuple(f"each {limit.removeprefix('each ')}" for limit in found)


def spell(annotation: Any) -> str:
    """How pydantic spells an alternative of a union, but for limits and spaces."""
    stripped = strip(annotation)
    arguments, origin = get_args(stripped), get_origin(stripped)
    if origin not in (tuple, list, dict):
        return str(getattr(stripped, "__name__", stripped)).replace(" ", "")
    return f"{origin.__name__}[{','.join('...' if each is ... else spell(each) for each in arguments)}]"


def strip(annotation: Any) -> Any:
    """The type without `Annotated` and without a lone `| None`, which TOML cannot write."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
            continue
        members = members_of(annotation)
        if members is None or len(members) != 1:
            return annotation
        annotation = members[0]


def members_of(annotation: Any) -> tuple[Any, ...] | None:
    """The alternatives of a union except None; None when the annotation is no union."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return None
    return tuple(member for member in get_args(annotation) if member is not type(None))


def choices_of(annotation: Any) -> tuple[str, ...]:
    """The values of a Literal, as text; () for any other type."""
    stripped = strip(annotation)
    return tuple(map(str, get_args(stripped))) if get_origin(stripped) is Literal else ()


def table_of(annotation: Any, key: str | int) -> dict[str, FieldFacts]:
    """The fields of the table that the type is; of a union, of the first table that knows the key."""
    stripped = strip(annotation)
    tables = [fields_of(each) for each in members_of(stripped) or (stripped,) if is_table(each)]
    return next((table for table in tables if key in table), tables[0] if tables else {})


def element_of(annotation: Any, key: str | int) -> Any:
    """The type of what a value of this type holds under a key or index; None when that is unknown."""
    stripped = strip(annotation)
    members = members_of(stripped)
    if is_table(stripped) or members:
        facts = table_of(stripped, key).get(str(key))
        if facts is not None:
            return facts.annotation
        elements = (element_of(each, key) for each in members or () if not is_table(each))
        return next((each for each in elements if each is not None), None)
    arguments = get_args(stripped)
    origin = get_origin(stripped)
    if origin is dict:
        return arguments[1] if len(arguments) == 2 else None
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:
        return arguments[0]
    if origin is tuple and isinstance(key, int):
        return arguments[key] if key < len(arguments) else None
    return arguments[0] if origin in (list, set, frozenset) and arguments else None


def has_fixed_length(annotation: Any) -> bool:
    """Whether the type is a tuple of so many elements, such as a vector."""
    stripped = strip(annotation)
    return get_origin(stripped) is tuple and ... not in get_args(stripped)


def say_type(annotation: Any) -> str:
    """The type in words that fit after "must be": "a number", "a list of 3 numbers"."""
    stripped = strip(annotation)
    members = members_of(stripped)
    if members:
        return " or ".join(dict.fromkeys(say_type(member) for member in members))
    choices = choices_of(stripped)
    if choices:
        return "one of " + ", ".join(f"'{choice}'" for choice in choices)
    origin = get_origin(stripped)
    if origin is tuple:
        return _say_tuple(get_args(stripped))
    if origin in (list, set, frozenset):
        arguments = get_args(stripped)
        return f"a list of {_say_many(arguments[0])}" if arguments else "a list"
    simple = {float: "a number", int: "a whole number", str: "a string", bool: "true or false"}
    if stripped in simple:
        return simple[stripped]
    if is_table(stripped) or origin is dict or stripped is dict:
        return "a table"
    return "a value of another type"


def _say_tuple(arguments: tuple[Any, ...]) -> str:
    if len(arguments) == 2 and arguments[1] is ...:
        return f"a list of {_say_many(arguments[0])}"
    kinds = {_say_many(argument) for argument in arguments}
    return f"a list of {len(arguments)} {kinds.pop() if len(kinds) == 1 else 'values'}"


def _say_many(annotation: Any) -> str:
    singular = say_type(annotation)
    plurals = {
        "a number": "numbers",
        "a whole number": "whole numbers",
        "a string": "strings",
        "a table": "tables",
        "true or false": "truth values",
    }
    if singular in plurals:
        return plurals[singular]
    return singular.replace("a list of", "lists of", 1) if singular.startswith("a list") else "values"


def say_value(value: Any) -> str:
    """A value in words that fit after "not": "the string '3'", "a table"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the string {quote(value)}"
    if isinstance(value, int | float):
        return f"the number {_shorten(value)}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return "a table"
    return "nothing" if value is None else f"a {type(value).__name__}"


def quote(text: str) -> str:
    """What an author wrote, in quotes and on one line, shortened when long."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _shorten(value: float) -> str:
    shown = repr(value)
    return shown if len(shown) <= 25 else f"{shown[:22]}..."


def say_unit(unit: str) -> str:
    """The unit in brackets; nothing for words, switches and tables."""
    return f"[{unit}]" if unit else ""
