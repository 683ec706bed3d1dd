"""Members of collections: what they have to offer is looked at when they are added, not when they are first needed."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from supple.core.schedule import ROWS, Bound

_MISSING: Final = object()
_NOT_LOOKED_AT: Final = object()


class Member(Protocol):
    """What stands in a collection: it has a name, declares what it reads, and is bound like a system."""

    name: str

    @property
    def reads(self) -> Sequence[str]:
        """The arrays that the member looks at when a system calls it."""
        ...

    def bind(self, arrays: Bound) -> None:
        """Look up the declared arrays once. It may be called again, with another `arrays.h`."""
        ...


@dataclass
class Solve:
    """A constraint problem of its own: mechanisms, rows and warm start. Collection `solves`.

    It is assembled and solved in every `rate`-th step of the run, and what belongs to it advances by as many steps.
    """

    name: str = ROWS
    rate: int = 1
    reads: tuple[str, ...] = ()

    def array(self, quantity: str) -> str:
        """The name of one of its arrays."""
        return f"{self.name}.{quantity}"

    def bind(self, arrays: Bound) -> None:
        """It looks at nothing."""


def find_faults(member: object, protocol: type) -> list[str]:
    """What a member lacks of a protocol, or has of another type; attributes with a default may be left out."""
    faults = []
    for name, hint, required in list_attributes(protocol):
        value = _look_at(member, name)
        if value is _MISSING:
            if required:
                faults.append(f"lacks {name}")
        elif hint is callable:
            if value is not _NOT_LOOKED_AT and not callable(value):
                faults.append(f"has a {name} that cannot be called")
        elif value is not _NOT_LOOKED_AT and not _fits(value, hint):
            faults.append(f"has a {name} of type {type(value).__name__}, not {_say_type(hint)}")
    return faults


@functools.cache
def list_attributes(protocol: type) -> tuple[tuple[str, Any, bool], ...]:
    """Name, type (`callable` for methods) and whether it is required, of all attributes of a protocol."""
    return tuple(_walk_attributes(protocol))


def _walk_attributes(protocol: type) -> Iterator[tuple[str, Any, bool]]:
    try:
        hints = typing.get_type_hints(protocol)
    except NameError:  # a type that is imported for checkers only
        hints = {}
    seen: set[str] = set()
    for cls in protocol.__mro__:
        if not getattr(cls, "_is_protocol", False) or cls is Protocol:
            continue
        for name in (*vars(cls).get("__annotations__", {}), *vars(cls)):
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            stated = vars(cls).get(name, _MISSING)
            if inspect.isfunction(stated):
                yield name, callable, True
            else:
                yield name, hints.get(name, Any), stated is _MISSING or isinstance(stated, property)


def _look_at(member: object, name: str) -> Any:
    """The attribute; what is computed on demand is not asked for yet, the scene may be half built."""
    found = inspect.getattr_static(member, name, _MISSING)
    if isinstance(found, property | functools.cached_property):
        return _NOT_LOOKED_AT
    return getattr(member, name, _MISSING)


def _fits(value: object, hint: Any) -> bool:
    numbers: dict[Any, tuple[type, ...]] = {
        bool: (bool, np.bool_), int: (int, np.integer), float: (int, float, np.integer, np.floating),
    }  # fmt: skip
    if hint in numbers:
        return isinstance(value, numbers[hint])
    if typing.get_origin(hint) is np.ndarray:
        wanted = typing.get_args(typing.get_args(hint)[1])
        return isinstance(value, np.ndarray) and (not wanted or wanted[0] is Any or value.dtype == wanted[0])
    if hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        return True
    return isinstance(value, hint)


def _say_type(hint: Any) -> str:
    if typing.get_origin(hint) is np.ndarray:
        return f"an array of {typing.get_args(typing.get_args(hint)[1])[0].__name__}"
    return str(getattr(hint, "__name__", hint))
