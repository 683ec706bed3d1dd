"""What can be wrong with a controller before there are arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from supple.core.curves import Curve
from supple.core.entity import Entity, SceneGraph
from supple.errors import suggest

if TYPE_CHECKING:
    from supple_locomotion.components import Gait, Goal, Locomotion

COUNTS_FROM = ("world", "start", "phase")
NEEDS_PART = ("place", "offset", "lean", "turn", "area", "balance")
GAIT_VALUES = ("shift", "forward", "lift")


def check_locomotion(told: Locomotion, entity: Entity, graph: SceneGraph) -> Iterator[str]:
    """Sentences about everything that cannot work."""
    for kind in ("tets", "muscles"):
        if kind not in entity.components:
            yield f"there is no {kind} beside it; put locomotion where tets and muscles are"
    if not told.goals and told.gait is None:
        yield "nothing is wanted; give goals, or a gait"
    parts = told.parts
    for number, patch in enumerate(told.patches):
        if patch.part not in parts:
            yield f"patches has no part '{patch.part}' for patch {number}; {suggest(patch.part, parts)}"
    if told.trunk and told.trunk not in parts:
        yield f"trunk '{told.trunk}' is no part; {suggest(told.trunk, parts)}"
    phases = entity.components.get("phases")
    for limb in told.limbs:
        if limb not in parts:
            yield f"limbs names '{limb}', which is no part; {suggest(limb, parts)}"
    if told.limbs and not told.trunk and told.gait is None:
        yield "limbs are measured against the trunk; set trunk to a part"
    flags = sorted({name for each in phases.phase.values() for name in each.active}) if phases else []
    values = _list_values(phases)
    pushes = [
        each.path for each in graph if "push" in each.components and each.components["push"].on == entity.path
    ]
    for name, goal in told.goals.items():
        for event in goal.foresees:
            if event not in pushes:
                known = suggest(event, pushes)
                yield f"goals.{name}.foresees names '{event}', which is no push on '{entity.path}'; {known}"
        if goal.foresees and goal.of != "balance":
            yield f"goals.{name}.foresees is for balance, and this is {goal.of}; leave it out"
        yield from (f"goals.{name}.{each}" for each in check_goal(goal, told, flags, values))
    if told.gait is not None:
        yield from (f"gait.{each}" for each in check_gait(told.gait, told, flags, values))


def _list_values(phases: object) -> list[str]:
    if phases is None:
        return []
    every = {*phases.values}  # type: ignore[attr-defined]
    for phase in phases.phase.values():  # type: ignore[attr-defined]
        every |= set(phase.values)
    return sorted(every)


def check_goal(goal: Goal, told: Locomotion, flags: list[str], values: list[str]) -> Iterator[str]:
    """What is wrong with one goal; sentences begin with the key."""
    parts, width = told.parts, len(goal.axes)
    if goal.of in NEEDS_PART and goal.part not in parts:
        yield f"part '{goal.part}' does not exist; {suggest(goal.part, parts)}"
    if goal.of == "offset" and goal.other not in parts:
        yield f"other '{goal.other}' does not exist; {suggest(goal.other, parts)}"
    if goal.counts_from not in COUNTS_FROM and goal.counts_from not in parts:
        yield f"counts_from '{goal.counts_from}' is no part; {suggest(goal.counts_from, [*COUNTS_FROM, *parts])}"
    if goal.of == "balance" and "y" in goal.axes:
        yield 'axes of balance are those along the ground; set axes = "xz"'
    if goal.of == "area" and width != 1:
        yield 'axes of an area is one; set axes = "y"'
    for key in ("target", "push"):
        given = getattr(goal, key)
        size = given.width if isinstance(given, Curve) else len(given)
        if size not in (0, width) and not (isinstance(given, tuple) and not given):
            yield f"{key} has {size} numbers, and axes has {width}; give one for each axis"
    for flag in goal.when:
        if flag not in flags:
            yield f"when names '{flag}', which no phase makes active; {suggest(flag, flags)}"
    for key in ("value", "progress"):
        name = getattr(goal, key)
        if name and name not in values:
            yield f"{key} names '{name}', which is no value of the phases; {suggest(name, values)}"
    if goal.end <= goal.begin:
        yield f"end is {goal.end:g}, not after begin, {goal.begin:g}; exchange them"


def check_gait(gait: Gait, told: Locomotion, flags: list[str], values: list[str]) -> Iterator[str]:
    """What is wrong with the gait."""
    patched = [patch.part for patch in told.patches]
    if len(gait.ankles) != len(gait.feet):
        yield f"ankles has {len(gait.ankles)} parts, and feet has {len(gait.feet)}; give one for each foot"
    for key in ("feet", "ankles"):
        for name in getattr(gait, key):
            if name not in told.parts:
                yield f"{key} names '{name}', which is no part; {suggest(name, told.parts)}"
    for name in gait.feet:
        if name in told.parts and name not in patched:
            yield f"feet names '{name}', which is no patch; add {{ part = '{name}' }} to patches"
        if name not in flags:
            yield f"feet names '{name}', which no phase makes active; {suggest(name, flags)}"
    if gait.trunk not in told.parts:
        yield f"trunk '{gait.trunk}' is no part; {suggest(gait.trunk, told.parts)}"
    for name in GAIT_VALUES:
        if name not in values:
            yield f"feet need the value '{name}' of phases; add values.{name}"
    if gait.touch_down <= gait.lift_off:
        yield f"touch_down is {gait.touch_down:g}, not after lift_off, {gait.lift_off:g}; raise it"
    if abs(gait.heading[0]) + abs(gait.heading[2]) == 0.0:
        yield "heading has no horizontal part; give x or z"
