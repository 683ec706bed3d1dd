"""What an author says about phases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, component, field
from supple.core.curves import Curve, as_numbers
from supple.core.entity import Entity, SceneGraph
from supple_phases.checks import check_machine
from supple_phases.conditions import Condition


@component
class PhaseCurve(Curve):
    """A value that changes while a phase lasts."""

    over: Literal["share", "time"] = field(
        default="share",
        unit="",
        doc="Whether `at` is the share of the phase's duration, or seconds since it began.",
    )


Value = float | tuple[float, ...] | PhaseCurve


def width_of(value: Value) -> int:
    """How many numbers a value has."""
    return value.width if isinstance(value, Curve) else len(as_numbers(value))


@component
class Exit:
    """Another way out of a phase."""

    when: Condition = field(unit="SI", doc="When it is taken.")
    next: str = field(unit="", min_length=1, doc="The phase that follows.")


@component
class Phase:
    """One phase: how long it lasts, how it ends, and what holds meanwhile."""

    duration: float | None = field(
        default=None, unit="s", ge=0, doc="After this time it ends; 0 passes it at once."
    )
    waits: bool = field(
        default=False, unit="", doc="Whether it goes on after its duration, until a condition ends it."
    )
    until: Condition | None = field(
        default=None, unit="SI", doc="Condition that ends it, also before its duration."
    )
    next: str = field(default="", unit="", doc="The phase that follows.")
    exits: tuple[Exit, ...] = field(
        default=(), unit="SI", doc="Ways to other phases, looked at in this order before `until`."
    )
    last: bool = field(default=False, unit="", doc="Whether it never ends, on purpose.")
    active: tuple[str, ...] = field(default=(), unit="", doc="Names that controllers ask for.")
    values: dict[str, Value] = field(
        default={}, unit="SI", doc="Numbers or vectors for controllers, constant or as curves over the phase."
    )
    mirrors: str = field(
        default="",
        unit="",
        doc="Another phase that this one is the mirror of; all is as there, with `swap` done.",
    )


@component
class Phases:
    """A state machine for controllers: phases that follow each other by time, contact, load or metrics."""

    start: str = field(unit="", min_length=1, doc="The phase in which the run starts.")
    phase: dict[str, Phase] = field(unit="SI", min_length=1, doc="The phases by name.")
    values: dict[str, Value] = field(default={}, unit="SI", doc="Values in phases that say nothing else.")
    swap: tuple[str, str] = field(
        default=("left", "right"), unit="", doc="Words that mirrored phases exchange in all names."
    )
    negated: tuple[str, ...] = field(
        default=(),
        unit="",
        doc="Values that change their sign in mirrored phases, by name in the mirrored phase.",
    )
    metrics = (
        Metric("phase", "1", "Number of the phase, counted from 0 in the order of names, at the end."),
        Metric("transitions", "1", "How often one phase followed another."),
        Metric("period", "s", "Mean time from one beginning of the phase that came most often to the next."),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """All names are known, every phase ends or says that it does not, and values fit."""
        yield from check_machine(self, graph)
