"""Reading a component from a table, with complaints in words that an author of scenes understands."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pydantic

from supple.core.component import read_component
from supple.errors import suggest
from supple.scene.fields import (
    choices_of,
    element_of,
    fields_of,
    has_fixed_length,
    is_table,
    members_of,
    quote,
    say_type,
    say_unit,
    say_value,
    spell,
    strip,
    table_of,
)
from supple.scene.toml_scanner import KeyPath

#: The compiled arrays hold whole numbers of 64 bits.
_INT64 = range(-(2**63), 2**63)
#: No quantity is greater in SI units; third powers of it, times another, are still numbers.
_GREATEST = 1e30

_RELATIONS = {
    "greater_than": ("greater than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
    "multiple_of": ("a multiple of", "multiple_of"),
}


@dataclass(frozen=True)
class Complaint:
    """What is wrong with the value under `keys` of a table, and the remedy."""

    keys: KeyPath
    what: str
    remedy: str = ""


def read_checked(cls: type, table: Any) -> tuple[Any, list[Complaint]]:
    """The component, or None and everything that is wrong with the table."""
    foreign = list(find_foreign(table))
    if foreign:
        return None, foreign
    # Components build their schemas late, for the sake of a quick start. One that stays unbuilt is built at every look.
    pydantic.dataclasses.rebuild_dataclass(cls, raise_errors=False)
    try:
        return read_component(cls, table), []
    except pydantic.ValidationError as error:
        return None, _explain(cls, error)


def _is_plain(value: Any) -> bool:
    """Whether a value can be told at a glance to be no foreign one."""
    kind = type(value)
    if kind is int:
        return value in _INT64
    return kind is str or kind is bool or (kind is float and -_GREATEST <= value <= _GREATEST)


def find_foreign(value: Any, keys: KeyPath = ()) -> Iterator[Complaint]:
    """The values that TOML or Python can hold but no component can."""
    # Scenes have words and numbers by the ten thousand, and nearly all of them are fine.
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not _is_plain(inner):
                yield from find_foreign(inner, (*keys, str(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if not _is_plain(inner):
                yield from find_foreign(inner, (*keys, index))
    elif isinstance(value, datetime.date | datetime.time):
        what = f"the date or time {value} is not a value of a scene"
        yield Complaint(keys, what, "write seconds as a number, or words in quotes")
    elif isinstance(value, int) and value not in _INT64:
        yield Complaint(keys, f"{say_value(value)} is wider than 64 bits", "give a smaller number")
    elif isinstance(value, float) and abs(value) > _GREATEST and math.isfinite(value):
        yield Complaint(
            keys, f"{value:g} is greater than any quantity ({_GREATEST:g})", "give a smaller number"
        )
    elif value is not None and not isinstance(value, str | int | float | bool):
        what = f"a {type(value).__name__} is not a value of a scene"
        yield Complaint(keys, what, "give numbers, strings, truth values, lists or tables of them")


@dataclass(frozen=True)
class _Finding:
    """One of pydantic's errors, with its place in our terms. `branch` is the alternative of a union."""

    keys: KeyPath
    annotation: Any
    type: str
    message: str
    value: Any
    context: Mapping[str, Any]
    union: KeyPath | None
    branch: str


def _explain(cls: type, error: pydantic.ValidationError) -> list[Complaint]:
    errors = [details for details in error.errors(include_url=False) if not _counts_wrong(details)]
    findings = [_locate(cls, details) for details in errors]
    complaints: dict[KeyPath, Complaint] = {}
    for finding in _choose_branches(cls, findings):
        complaint = _word(cls, finding)
        complaints.setdefault(complaint.keys, complaint)
    return list(complaints.values())


def _counts_wrong(details: Any) -> bool:
    """Whether a list is called too short only because pydantic counts what is right in it."""
    if details["type"] != "too_short" or not isinstance(details["input"], list):
        return False
    needed: int = details["ctx"]["min_length"]
    return len(details["input"]) >= needed


def _locate(cls: type, details: Any) -> _Finding:
    """Follow pydantic's location through the types; a union puts the name of its alternative into it."""
    annotation: Any = cls
    keys: list[str | int] = []
    union: KeyPath | None = None
    branch = ""
    for step in details["loc"]:
        members = members_of(strip(annotation)) if annotation is not None else None
        if members is not None:
            if union is None:
                union, branch = tuple(keys), str(step)
            tag = str(step).replace("constrained-", "").replace(" ", "")
            annotation = next((member for member in members if spell(member) == tag), None)
            continue
        annotation = element_of(annotation, step) if annotation is not None else None
        keys.append(step)
    return _Finding(
        tuple(keys),
        annotation,
        details["type"],
        details["msg"],
        details["input"],
        details.get("ctx", {}),
        union,
        branch,
    )


def _choose_branches(cls: type, findings: list[_Finding]) -> Iterator[_Finding]:
    """Of a union that fits in no alternative, the errors of the one that was meant, if that can be told."""
    told: set[KeyPath] = set()
    for finding in findings:
        if finding.union is None:
            yield finding
            continue
        if finding.union in told:
            continue
        told.add(finding.union)
        rivals = [other for other in findings if other.union == finding.union]
        branches = dict.fromkeys(rival.branch for rival in rivals)
        meant = [branch for branch in branches if not _is_of_other_type(rivals, branch)]
        if len(meant) == 1:
            yield from (rival for rival in rivals if rival.branch == meant[0])
        else:
            whole = _annotation_at(cls, finding.union)
            value = next((r.value for r in rivals if r.keys == finding.union), finding.value)
            yield _Finding(finding.union, whole, "union", "", value, {}, None, "")


def _is_of_other_type(rivals: list[_Finding], branch: str) -> bool:
    """Whether the value as a whole has another type than this alternative of the union."""
    return any(
        rival.keys == rival.union and (rival.type.endswith("_type") or rival.type == "literal_error")
        for rival in rivals
        if rival.branch == branch
    )


def _annotation_at(cls: type, keys: KeyPath) -> Any:
    annotation: Any = cls
    for key in keys:
        annotation = element_of(annotation, key) if annotation is not None else None
    return annotation


def _word(cls: type, finding: _Finding) -> Complaint:
    keys, value, context = finding.keys, finding.value, finding.context
    if finding.type == "missing":
        return _word_missing(cls, finding)
    if finding.type in ("unexpected_keyword_argument", "extra_forbidden"):
        return _word_unknown_key(cls, keys)
    if finding.type in ("value_error", "assertion_error"):
        text = " ".join(str(context.get("error", finding.message)).split())
        return Complaint(keys, text or finding.message)
    if finding.type in _RELATIONS:
        relation, limit = _RELATIONS[finding.type]
        return Complaint(keys, f"must be {relation} {context[limit]:g}, is {value!r}", _about(cls, keys))
    if finding.type == "finite_number":
        return Complaint(keys, f"must be a finite number, is {value}", _about(cls, keys))
    if finding.type in ("too_long", "too_short"):
        return _word_length(cls, finding)
    if finding.type == "string_pattern_mismatch":
        return Complaint(keys, f"must look like {context['pattern']}, is {quote(value)}", _about(cls, keys))
    if finding.type in ("string_too_short", "string_too_long"):
        return Complaint(keys, f"must have {_bound(context)} characters, has {len(value)}", _about(cls, keys))
    return _word_type(cls, finding)


def _word_missing(cls: type, finding: _Finding) -> Complaint:
    keys = finding.keys
    if keys and isinstance(keys[-1], int):
        return _must_be(cls, keys[:-1], finding.value)
    return Complaint(keys, "is missing", f"give {_about(cls, keys) or keys[-1]}")


def _word_length(cls: type, finding: _Finding) -> Complaint:
    context = finding.context
    if has_fixed_length(finding.annotation):
        return _must_be(cls, finding.keys, finding.value)
    what = f"must have {_bound(context)} elements, has {context['actual_length']}"
    return Complaint(finding.keys, what, _about(cls, finding.keys))


def _bound(context: Mapping[str, Any]) -> str:
    if "min_length" in context:
        return f"at least {context['min_length']}"
    return f"at most {context['max_length']}"


def _word_unknown_key(cls: type, keys: KeyPath) -> Complaint:
    names = list(table_of(_annotation_at(cls, keys[:-1]), keys[-1]))
    remedy = suggest(str(keys[-1]), names, "its keys are") if names else "it has no keys"
    return Complaint(keys, "unknown key", remedy)


def _word_type(cls: type, finding: _Finding) -> Complaint:
    choices = choices_of(finding.annotation)
    if choices and isinstance(finding.value, str):
        return Complaint(
            finding.keys, f"unknown value {quote(finding.value)}", suggest(finding.value, choices)
        )
    if finding.annotation is None:
        what = finding.message[:1].lower() + finding.message[1:]
        return Complaint(finding.keys, what, _about(cls, finding.keys))
    return _must_be(cls, finding.keys, finding.value)


def _must_be(cls: type, keys: KeyPath, value: Any) -> Complaint:
    annotation = _annotation_at(cls, keys)
    stripped = strip(annotation)
    remedy = _about(cls, keys)
    if is_table(stripped):
        names = ", ".join(fields_of(stripped))
        remedy = f"its keys are: {names}" if names else "write {}"
    return Complaint(keys, f"must be {say_type(annotation)}, not {say_value(value)}", remedy)


def _about(cls: type, keys: KeyPath) -> str:
    """The unit and the sentence of the field; nothing for elements of lists."""
    if not keys or isinstance(keys[-1], int):
        return ""
    facts = table_of(_annotation_at(cls, keys[:-1]), keys[-1]).get(str(keys[-1]))
    if facts is None:
        return ""
    named = " ".join(part for part in (facts.name, say_unit(facts.unit)) if part)
    return f"{named}: {facts.doc.rstrip('.')}" if facts.doc else named
