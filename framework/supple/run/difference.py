"""Where two scenes differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_MISSING = object()
#: What may differ between a run and its continuation.
_FREE = ("run.duration", "run.ends", "run.smoke")


def find_differences(here: Any, there: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The paths at which two nested tables differ, in order, with both values."""
    if isinstance(here, Mapping) and isinstance(there, Mapping):
        for key in sorted({*here, *there}):
            below = f"{path}.{key}" if path else str(key)
            yield from find_differences(here.get(key, _MISSING), there.get(key, _MISSING), below)
    elif here != there and path not in _FREE:
        yield path, here, there


def describe_difference(here: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    """The first difference in words; empty when there is none."""
    for path, ours, theirs in find_differences(here, there):
        path = path.removeprefix("entities.")
        if theirs is _MISSING:
            return f"{path} is not in it"
        if ours is _MISSING:
            return f"{path} is only in it"
        return f"{path} is {_show(theirs)} there and {_show(ours)} here"
    return ""


def _show(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
