"""What can be wrong with tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from supple.core.curves import Curve
from supple.core.entity import Entity, SceneGraph
from supple.errors import suggest

if TYPE_CHECKING:
    from supple_tasks.components import Task, Tasks

NEEDS_OF = ("point", "orientation", "relative", "gaze")
TAKES_PLACE = ("point", "centre", "relative")
"""Kinds whose target is a place."""


def find_skeletons(entity: Entity, graph: SceneGraph) -> list[Entity]:
    """The skeletons that an entity with tasks controls: its own, else those below."""
    if "skeleton" in entity.components:
        return [entity]
    return [each for each in graph.below(entity.path) if "skeleton" in each.components]


def check_tasks(tasks: Tasks, entity: Entity, graph: SceneGraph) -> Iterator[str]:
    """Complaints, each with its remedy."""
    skeletons = find_skeletons(entity, graph)
    if len(skeletons) != 1:
        yield f"tasks control one skeleton, and there are {len(skeletons)} here or below; put tasks on one"
        return
    bones = [each.path for each in graph.below(skeletons[0].path) if "bone" in each.components]
    for path in tasks.passive:
        if path not in bones:
            yield f"passive names '{path}', which is no bone of {skeletons[0].path}; {suggest(path, bones)}"
    for path in tasks.stands:
        if path not in bones:
            yield f"stands names '{path}', which is no bone of {skeletons[0].path}; {suggest(path, bones)}"
    if tasks.stands and tasks.contacts != "honest":
        yield 'stands says on what it stands, and contacts are clamped; add contacts = "honest"'
    names = sorted({path.rpartition("/")[2] for path in bones})
    for name in tasks.strength:
        if not any(fnmatchcase(bone, name) for bone in names):
            yield f"strength.{name} fits no bone of {skeletons[0].path}; {suggest(name, names)}"
    known = [each.path for each in graph]
    for path in tasks.carries:
        if path not in graph:
            yield f"carries names '{path}', which does not exist; {suggest(path, known)}"
    for number, level in tasks.levels.items():
        for name, task in level.tasks.items():
            for complaint in _check_task(task, entity, graph, bones):
                yield f"levels.{number}.tasks.{name}.{complaint}"
            for complaint in _check_control(task, (skeletons[0].path, *tasks.carries), graph):
                yield f"levels.{number}.tasks.{name}.{complaint}"
            for complaint in _check_library(task, tasks):
                yield f"levels.{number}.tasks.{name}.{complaint}"


def _check_control(task: Task, controlled: Collection[str], graph: SceneGraph) -> Iterator[str]:
    """What a task is about must be part of the dynamics that the control knows."""
    caught = task.intercept.of if task.intercept is not None else ""
    for key, path in (("of", task.of), ("other", task.other), ("intercept.of", caught)):
        if path in graph and not any(path == each or path.startswith(f"{each}/") for each in controlled):
            yield f"{key} names '{path}', which it does not control; name a bone, or list it under carries"


def _check_library(task: Task, tasks: Tasks) -> Iterator[str]:
    if task.library and task.kind != "posture":
        yield f"library goes with a posture, and this is a task of the kind {task.kind}; leave it out"
    elif task.library and task.library not in tasks.postures:
        known = list(tasks.postures)
        yield f"library names '{task.library}', which postures does not have; {suggest(task.library, known)}"


def _check_task(task: Task, entity: Entity, graph: SceneGraph, bones: list[str]) -> Iterator[str]:
    if task.kind in NEEDS_OF and not task.of:
        yield f"of is missing; a task of the kind {task.kind} needs the path of a bone or body"
    if task.kind == "relative" and not task.other:
        yield "other is missing; a relative position needs what it refers to"
    for key, path in (("of", task.of), ("other", task.other)):
        if path and path not in graph:
            yield f"{key} names '{path}', which does not exist; {suggest(path, bones)}"
    if task.intercept is not None and task.intercept.of not in graph:
        yield f"intercept.of names '{task.intercept.of}', which does not exist; {suggest(task.intercept.of, bones)}"
    goals = [name for name in ("target", "reach", "intercept") if getattr(task, name) is not None]
    if len(goals) > 1:
        yield f"{goals[1]} and {goals[0]} both say where to go; give one of them"
    for name in ("reach", "intercept"):
        if getattr(task, name) is not None and task.kind not in TAKES_PLACE:
            yield f"{name} leads to a place, and a task of the kind {task.kind} has none; use target"
    if task.kind in ("posture", "limits") and task.target is not None:
        yield f"target does not go with {task.kind}; a posture follows the motion of its skeleton"
    if task.load and (task.kind != "point" or task.force is None or "body" not in _find(graph, task.of)):
        yield "load limits the force on a body; give kind = 'point', of = the path of a body, and force"
    if not task.axes:
        yield "axes is empty; name some of x, y, z"
    if task.kind == "gaze" and not any(task.axis):
        yield "axis is zero; give axis = [0, 0, 1] or another direction"
    yield from _check_curves(task)
    yield from _check_phases(task, entity)


def _find(graph: SceneGraph, path: str) -> Collection[str]:
    return graph[path].components if path in graph else ()


def _check_curves(task: Task) -> Iterator[str]:
    if isinstance(task.gain, Curve) and task.gain.width != 1:
        yield f"gain has keys of {task.gain.width} values; give one"
    if isinstance(task.gain, int | float) and task.gain < 0:
        yield "gain is negative; give 0 or more"
    wanted = 6 if task.kind == "momentum" else 3
    if isinstance(task.target, Curve) and task.target.width != wanted:
        yield f"target has keys of {task.target.width} values; give {wanted}"


def _check_phases(task: Task, entity: Entity) -> Iterator[str]:
    phases = entity.components.get("phases")
    named = [each for each in (task.target, task.gain) if isinstance(each, str)]
    if phases is None:
        if task.during or named:
            yield "during and values by name need phases, and the entity has none; add phases"
        return
    for name in task.during:
        if name not in phases.phase:
            yield f"during names '{name}', which is no phase; {suggest(name, list(phases.phase))}"
    values = sorted({*phases.values, *(each for phase in phases.phase.values() for each in phase.values)})
    for name in named:
        if name not in values:
            yield f"target or gain is '{name}', which is no value of the phases; {suggest(name, values)}"
