"""Phases that are the mirror of others: left and right exchange in every name."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from supple.core.curves import Curve, as_numbers
from supple_phases.conditions import JOINED, SUBJECTS, Test

if TYPE_CHECKING:
    from supple_phases.components import Phase, Phases, Value


def resolve_phases(machine: Phases) -> dict[str, Phase]:
    """All phases in the order of their names, with mirrored ones written out."""
    found = {}
    for name, phase in sorted(machine.phase.items()):
        found[name] = _mirror(machine, machine.phase[phase.mirrors]) if phase.mirrors else phase
    return found


def swap_words(name: str, swap: tuple[str, str]) -> str:
    """`walker/left_foot` -> `walker/right_foot`: the two words exchange wherever they stand between other letters."""
    one, other = swap
    pattern = rf"(?<![A-Za-z0-9])({re.escape(one)}|{re.escape(other)})(?![A-Za-z0-9])"
    return re.sub(pattern, lambda match: other if match[0] == one else one, name)


def _mirror(machine: Phases, phase: Phase) -> Phase:
    swap = machine.swap
    values = {
        swap_words(name, swap): _negate(value) if name in machine.negated else value
        for name, value in phase.values.items()
    }
    return dataclasses.replace(
        phase,
        until=phase.until and _mirror_condition(phase.until, swap),
        next=swap_words(phase.next, swap),
        exits=tuple(
            dataclasses.replace(
                each, when=_mirror_condition(each.when, swap), next=swap_words(each.next, swap)
            )
            for each in phase.exits
        ),
        active=tuple(swap_words(name, swap) for name in phase.active),
        values=values,
    )


def _mirror_condition(condition: Any, swap: tuple[str, str]) -> Any:
    changed: dict[str, Any] = {}
    for key in SUBJECTS:
        said = getattr(condition, key)
        if isinstance(said, str):
            changed[key] = swap_words(said, swap)
    for key in JOINED:
        parts: tuple[Test, ...] | None = getattr(condition, key, None)
        if parts is not None:
            changed[key] = tuple(_mirror_condition(part, swap) for part in parts)
    return dataclasses.replace(condition, **changed)


def _negate(value: Value) -> Value:
    if not isinstance(value, Curve):
        return tuple(-number for number in as_numbers(value))
    start, end = (
        None if rate is None else tuple(-number for number in as_numbers(rate))
        for rate in (value.start_rate, value.end_rate)
    )
    keys = tuple((at, *(-number for number in numbers)) for at, *numbers in value.keys)
    return dataclasses.replace(value, keys=keys, start_rate=start, end_rate=end)
