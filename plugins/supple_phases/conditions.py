"""What an author says about when a phase ends."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.component import component, field

TOUCHES = ("touches", "apart", "gains", "loses", "load")
"""Tests of the contact of an entity."""
SUBJECTS = ("time", "share", "run_time", *TOUCHES, "metric")
JOINED = ("all", "any")


def check_subject(condition: Test) -> None:
    """Raise ValueError unless a condition says one thing, with the bounds that it needs."""
    said = [name for name in (*SUBJECTS, *JOINED) if getattr(condition, name, None) is not None]
    if len(said) != 1:
        which = f"says {' and '.join(said)}" if said else "says nothing"
        raise ValueError(f"{which}; give one of {', '.join(SUBJECTS)}, or join several by all or any")
    bounded = said[0] in ("load", "metric")
    if not bounded and (condition.above is not None or condition.below is not None):
        raise ValueError(f"above and below go with load or metric, not with {said[0]}; leave them out")
    if bounded and condition.above is None and condition.below is None:
        raise ValueError(f"{said[0]} has no bound; give above or below")
    if condition.above is not None and condition.below is not None and condition.above >= condition.below:
        raise ValueError(
            f"nothing is above {condition.above:g} and below {condition.below:g}; swap them, or use any"
        )


@component
class Test:
    """One thing that can hold or not at the start of a step."""

    time: float | None = field(default=None, unit="s", ge=0, doc="So much time has passed in the phase.")
    share: float | None = field(
        default=None, unit="1", ge=0, doc="So much of the phase's duration has passed; 1 is all of it."
    )
    run_time: float | None = field(default=None, unit="s", ge=0, doc="The run has come to this time.")
    touches: str | None = field(default=None, unit="", doc="The entity is pressed by something.")
    apart: str | None = field(default=None, unit="", doc="Nothing presses the entity.")
    gains: str | None = field(default=None, unit="", doc="The entity is pressed since the last step.")
    loses: str | None = field(
        default=None, unit="", doc="The entity is not pressed any more since the last step."
    )
    load: str | None = field(default=None, unit="", doc="The entity whose normal force [N] is past a bound.")
    metric: str | None = field(
        default=None, unit="", doc="A metric, entity.name, whose value after the last step is past a bound."
    )
    above: float | None = field(default=None, unit="SI", doc="Bound that load or metric must exceed.")
    below: float | None = field(default=None, unit="SI", doc="Bound that load or metric must stay below.")

    def __post_init__(self) -> None:
        check_subject(self)


@component
class Tests(Test):
    """One test, or several joined."""

    all: tuple[Test, ...] | None = field(
        default=None, unit="SI", min_length=1, doc="Tests that all must hold."
    )
    any: tuple[Test, ...] | None = field(
        default=None, unit="SI", min_length=1, doc="Tests of which one must hold."
    )


@component
class Condition(Test):
    """When a phase ends: one test, or several joined by `all` or `any`, which may hold joined ones themselves."""

    all: tuple[Tests, ...] | None = field(
        default=None, unit="SI", min_length=1, doc="Tests that all must hold."
    )
    any: tuple[Tests, ...] | None = field(
        default=None, unit="SI", min_length=1, doc="Tests of which one must hold."
    )


def list_tests(condition: Test) -> Iterator[Test]:
    """All single tests within a condition."""
    parts = [part for join in JOINED for part in getattr(condition, join, None) or ()]
    if not parts:
        yield condition
    for part in parts:
        yield from list_tests(part)
