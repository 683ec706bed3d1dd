"""From a gait to the state machine that goes through its phases."""

from __future__ import annotations

from collections.abc import Iterator

from supple_phases.components import Phase, PhaseCurve, Phases
from supple_phases.conditions import Condition, Tests
from supple_simbicon.gait import AXES, Aim, Gait, Stride, Target

LEFT_STANCE = "left_stance"
"""Active while the left foot carries."""
DISTANCE, SPEED, LOWER, UPPER = "distance", "speed", "lower", "upper"
BOUND = 1e3
"""An angle [rad] that nothing comes to."""

Values = dict[str, float | PhaseCurve]


def make_machine(gait: Gait, walker: str) -> Phases:
    """The phases of a step on the left foot, and their mirror images; turns about y and z change sign in these."""
    phases = {}
    for place, stride in enumerate(gait.phases):
        last = place + 1 == len(gait.phases)
        following = f"right_{gait.phases[0].name}" if last else f"left_{gait.phases[place + 1].name}"
        phases[f"left_{stride.name}"] = Phase(
            duration=stride.duration,
            until=_landing(stride, walker),
            next=following,
            active=(LEFT_STANCE,),
            values=dict(_list_values(stride.targets)),
        )
        phases[f"right_{stride.name}"] = Phase(mirrors=f"left_{stride.name}")
    said = {name for phase in phases.values() for name in phase.values}
    return Phases(
        start=f"left_{gait.phases[0].name}",
        phase=phases,
        values={name: find_default(name) for name in sorted(said)},
        negated=tuple(sorted(name for name in said if name.endswith(("_y", "_z")))),
    )


def find_default(name: str) -> float:
    """A value in phases that do not speak of it."""
    ends = {"strength": 1.0, LOWER: -BOUND, UPPER: BOUND}
    return ends.get(name.rpartition("_")[2], 0.0)


def _landing(stride: Stride, walker: str) -> Condition | None:
    """The swing foot of a step on the left foot is the right one."""
    if stride.until is None:
        return None
    tests = [Tests(metric=f"{walker}.right_load", above=stride.until.load)]
    if stride.until.share > 0:
        tests.append(Tests(share=stride.until.share))
    return Condition(all=tuple(tests))


def _list_values(targets: dict[str, Target]) -> Iterator[tuple[str, float | PhaseCurve]]:
    for joint, target in targets.items():
        for axis in AXES:
            aim = getattr(target, axis)
            if aim != 0.0:
                yield f"{joint}_{axis}", _curve(aim)
            if isinstance(aim, Aim):
                yield from _list_feedback(f"{joint}_{axis}", aim)
        if target.strength != 1.0:
            yield f"{joint}_strength", _curve(target.strength)


def _list_feedback(name: str, aim: Aim) -> Iterator[tuple[str, float]]:
    for field in (DISTANCE, SPEED):
        if getattr(aim, field):
            yield f"{name}_{field}", getattr(aim, field)
    for field in (LOWER, UPPER):
        if getattr(aim, field) is not None:
            yield f"{name}_{field}", getattr(aim, field)


def _curve(aim: float | Aim) -> float | PhaseCurve:
    if not isinstance(aim, Aim):
        return aim
    if not aim.keys:
        return aim.angle
    return PhaseCurve(keys=aim.keys, interpolation=aim.interpolation)
