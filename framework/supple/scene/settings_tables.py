"""The tables `[run.NAME]` of plugins: those that a scene writes, and defaults of the others when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class SettingsTables(Mapping[str, Any]):
    """Settings by name. Nobody's module is imported for defaults that nobody looks at."""

    def __init__(self, written: Mapping[str, Any], defaults: Mapping[str, Callable[[], Any]]) -> None:
        self._written, self._defaults = dict(written), defaults
        self._known = dict(written)

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = self._defaults[name]()
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._written, *self._defaults}))

    def __len__(self) -> int:
        return len({*self._written, *self._defaults})

    def __eq__(self, other: object) -> bool:
        """Whether all settings are the same; of those that neither scene writes they are."""
        if not isinstance(other, SettingsTables):
            return NotImplemented
        named = {*self._written, *other._written}
        return set(self) == set(other) and all(self[name] == other[name] for name in named)

    __hash__ = None  # type: ignore[assignment]
