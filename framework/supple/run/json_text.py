"""Values as JSON that every reader accepts."""

from __future__ import annotations

import json
import math
from typing import Any


def make_plain(value: Any) -> Any:
    """The value with null for numbers that JSON does not know (nan, infinity)."""
    if isinstance(value, dict):
        return {str(key): make_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [make_plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


def write_json(value: Any, *, indent: int | None = 2) -> str:
    """The value as JSON text, the same on every run."""
    return json.dumps(make_plain(value), indent=indent, allow_nan=False)
