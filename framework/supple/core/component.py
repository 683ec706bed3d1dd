"""Components: what an author writes about an entity.

A component is a class with typed fields, made frozen and checked by `@component`. Its fields are the TOML
keys; its kind (the TOML key of the component itself) is the class name in snake_case. Every field says its
unit and, in a sentence, what it is:

    @component
    class Sphere:
        '''A ball.'''
        radius: float = field(unit="m", doc="Distance from the centre to the surface.", gt=0)
        metrics = (Metric("height", unit="m", doc="Height of the centre.", over_time="last"),)
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import sys
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Protocol,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    runtime_checkable,
)

import pydantic
import pydantic.dataclasses
from pydantic.fields import FieldInfo

from supple.core.entity import Entity, SceneGraph
from supple.core.scene_files import SceneFiles

Class = TypeVar("Class", bound=type)
Vector = tuple[float, float, float]

#: How the values of a metric at every step become one figure of the run.
OverTime = Literal["last", "max", "min", "mean"]


@dataclass(frozen=True)
class Metric:
    """A figure that a component offers: one number at every step, and one for the run.

    `settled` restricts the run's figure to the last fifth of the run, `last_half` to its second half. `headline` is
    a title under which the closing table shows the greatest of all metrics that have it, with its owner and time.
    """

    name: str
    unit: str
    doc: str
    over_time: OverTime = "last"
    settled: bool = False
    last_half: bool = False
    headline: str = ""


class ComponentClass(Protocol):
    """What `@component` adds to a class."""

    kind: ClassVar[str]
    metrics: ClassVar[tuple[Metric, ...]]
    __doc__: str | None


@runtime_checkable
class Prefab(Protocol):
    """A component that expands into child entities (a biped, a hand, a letter)."""

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The children of `entity`; their paths begin with the entity's. An importer finds its file by `files`."""
        ...


@runtime_checkable
class Checked(Protocol):
    """A component that has a say in whether it makes sense where it stands."""

    def check(self, entity: Entity, graph: SceneGraph) -> Iterable[str]:
        """What is wrong, each with its remedy after a semicolon."""
        ...


@runtime_checkable
class NamesFiles(Protocol):
    """A component that reads files when a world is built. Their content counts for the scene's fingerprint."""

    def reads_files(self) -> Iterable[str]:
        """The names of the files, as the author wrote them."""
        ...


@runtime_checkable
class ChecksFiles(Protocol):
    """A component whose files `supple check` is to open."""

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Raises UserError when a file is missing or wrong; a problem's path is that of the field."""
        ...


def field(*, default: Any = ..., unit: str, doc: str, **limits: Any) -> Any:
    """Declare a field of a component.

    `unit` is an SI unit in brackets-free form ("kg/m^3"), "1" for a pure number, "" for a word, a switch or
    a nested table. `limits` are pydantic's: gt, ge, lt, le, multiple_of, min_length, max_length, pattern. Those of
    numbers hold for every number of a list or a table of numbers.
    """
    return pydantic.Field(default, description=doc, json_schema_extra={"unit": unit}, **limits)


def kind_of(class_name: str) -> str:
    """`SoftFoot` -> `soft_foot`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def component(cls: Class) -> Class:
    """Make a class a component: frozen, checked, unknown keys refused, only finite numbers."""
    metrics = cls.__dict__.get("metrics", ())
    if "metrics" in cls.__dict__:
        delattr(cls, "metrics")  # pydantic would take it for a field
    _limit_elements(cls, sys._getframe(1).f_locals)
    # Of all the components that plugins offer, a scene uses a few: checks are made when they are first needed.
    config = pydantic.ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)
    made = cast(Any, pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=config)(cls))
    made.kind = kind_of(cls.__name__)
    made.metrics = tuple(metrics)
    made.__doc__ = cls.__dict__.get("__doc__")
    return cast(Class, made)


def metrics_of(component: Any) -> list[Metric]:
    """The metrics of a component: those of its class, and its own (`list_metrics`)."""
    named = getattr(type(component), "list_metrics", None)
    return [*component.metrics, *(named(component) if named is not None else ())]


_NUMERIC = ("gt", "ge", "lt", "le", "multiple_of")
_OTHERS = ("min_length", "max_length", "pattern")


def _limit_elements(cls: type, scope: Mapping[str, Any]) -> None:
    """Move limits of numbers from fields that hold several to the numbers; pydantic would compare the whole list."""
    annotations = dict(inspect.get_annotations(cls))
    for name, annotation in annotations.items():
        info = cls.__dict__.get(name)
        limits = _find_limits(info, _NUMERIC) if isinstance(info, FieldInfo) else {}
        if not isinstance(info, FieldInfo) or not limits:
            continue
        if isinstance(annotation, str):
            annotation = eval(annotation, vars(sys.modules[cls.__module__]), {**vars(cls), **scope})
        if _is_number(annotation):
            continue
        annotations[name], changed = _limit_numbers(annotation, limits)
        if not changed:
            raise TypeError(f"{cls.__name__}.{name} has no number that {', '.join(limits)} could limit")
        default, extra = ... if info.is_required() else info.default, info.json_schema_extra
        unit = str(extra.get("unit", "")) if isinstance(extra, Mapping) else ""
        others = _find_limits(info, _OTHERS)
        setattr(cls, name, field(default=default, unit=unit, doc=info.description or "", **others))
    cls.__annotations__ = annotations


def _find_limits(info: FieldInfo, names: Iterable[str]) -> dict[str, Any]:
    found = {
        name: getattr(each, name, None) for each in info.metadata for name in names if hasattr(each, name)
    }
    return {name: value for name, value in found.items() if value is not None}


def _is_number(annotation: Any) -> bool:
    """Whether the type is that of one number, which may be left out."""
    is_union = get_origin(annotation) in (Union, types.UnionType)
    members = set(get_args(annotation)) - {types.NoneType} if is_union else {annotation}
    return members <= {float, int}


def _limit_numbers(annotation: Any, limits: Mapping[str, Any]) -> tuple[Any, bool]:
    """The type with limits on every number in it, and whether there is one."""
    if annotation in (float, int):
        return Annotated[annotation, pydantic.Field(**limits)], True
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType, tuple, list, dict):
        limited = [_limit_numbers(each, limits) for each in arguments]
        parts = tuple(part for part, _ in limited)
        made = Union[parts] if origin in (Union, types.UnionType) else origin[parts]  # noqa: UP007
        return made, any(changed for _, changed in limited)
    return annotation, False


def read_component(cls: type, table: Any) -> Any:
    """Make a component from the value of its TOML key. Raises `pydantic.ValidationError`.

    The check goes through JSON because only there pydantic is strict about words and numbers ("3" is no
    number) and yet takes a list for a tuple and a table for a nested component.
    """
    return checks_of(cls).validate_json(json.dumps(table), strict=True)


@functools.cache
def checks_of(cls: type) -> pydantic.TypeAdapter[Any]:
    """What reads and writes components of a class. An adapter makes its checks when it is first used: keep it."""
    return pydantic.TypeAdapter(cls)
