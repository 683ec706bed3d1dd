"""What is wrong with a state machine; every sentence begins with the key that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from supple.core.component import metrics_of
from supple.core.curves import Curve
from supple.core.entity import SceneGraph
from supple.errors import suggest
from supple_phases.conditions import TOUCHES, Condition, list_tests
from supple_phases.mirror import resolve_phases

if TYPE_CHECKING:
    from supple_phases.components import Phase, Phases

NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def check_machine(machine: Phases, graph: SceneGraph) -> Iterator[str]:
    """Complaints about names first: the others make sense only when all names are known."""
    problems = [*_check_names(machine), *_check_mirrors(machine)]
    if not problems:
        phases = resolve_phases(machine)
        problems = [
            *(each for name, phase in phases.items() for each in _check_phase(name, phase, phases)),
            *(each for name, phase in phases.items() for each in _check_tests(name, phase, graph)),
        ]
        if not problems:
            problems = [*_check_reach(machine, phases), *_check_circles(phases)]
        problems += _check_values(machine, phases)
    yield from problems


def _check_names(machine: Phases) -> Iterator[str]:
    for name in machine.phase:
        if not NAME.fullmatch(name):
            yield f"phase has '{name}', which is no name; use letters, digits and underscores"
    if machine.start not in machine.phase:
        yield f"start names '{machine.start}', which is no phase; {_phases(machine.start, machine.phase)}"


def _check_mirrors(machine: Phases) -> Iterator[str]:
    for name, phase in machine.phase.items():
        if not phase.mirrors:
            continue
        if phase.mirrors not in machine.phase:
            choice = _phases(phase.mirrors, machine.phase)
            yield f"phase.{name}.mirrors names '{phase.mirrors}', which is no phase; {choice}"
        elif machine.phase[phase.mirrors].mirrors:
            yield f"phase.{name}.mirrors names a phase that is a mirror itself; name the one that is written out"
        if phase != type(phase)(mirrors=phase.mirrors):
            yield f"phase.{name} mirrors another phase and says something itself; leave one of the two out"


def _phases(word: str, phases: dict[str, Phase]) -> str:
    return suggest(word, phases, "the phases are")


def _check_phase(name: str, phase: Phase, phases: dict[str, Phase]) -> Iterator[str]:
    """It ends, or says that it does not, and what follows exists."""
    timed = phase.duration is not None and not phase.waits
    if phase.waits and phase.duration is None:
        yield f"phase.{name}.waits is for phases with a duration, and this has none; leave it out"
    for number, each in enumerate(phase.exits):
        if each.next not in phases:
            choice = _phases(each.next, phases)
            yield f"phase.{name}.exits [{number}] leads to '{each.next}', which is no phase; {choice}"
    if phase.last:
        if timed or phase.until or phase.exits or phase.next:
            yield f"phase.{name}.last says that it never ends, but it does; leave out last, or what ends it"
        return
    if not timed and phase.until is None and not phase.exits:
        yield f"phase.{name} never ends; give it a duration or until, or say last = true"
        return
    if not phase.next and (timed or phase.until is not None):
        yield f"phase.{name} ends, and nothing follows; name the phase in next"
    if phase.next and not timed and phase.until is None:
        yield f"phase.{name}.next is never used; give a duration or until, or leave it out"
    if phase.next and phase.next not in phases:
        yield f"phase.{name}.next names '{phase.next}', which is no phase; {_phases(phase.next, phases)}"


def _conditions(phase: Phase) -> Iterator[Condition]:
    yield from (each.when for each in phase.exits)
    if phase.until is not None:
        yield phase.until


def _check_tests(name: str, phase: Phase, graph: SceneGraph) -> Iterator[str]:
    """Entities and metrics exist; shares are of something."""
    for condition in _conditions(phase):
        for test in list_tests(condition):
            if test.share is not None and not phase.duration:
                yield f"phase.{name} asks for a share of its duration, and has none; give it one, or use time"
            for key in TOUCHES:
                path = getattr(test, key)
                if path is not None and path not in graph:
                    choice = suggest(path, [entity.path for entity in graph], "the scene has")
                    yield f"phase.{name} {key} '{path}', which is no entity; {choice}"
            if test.metric is not None:
                yield from _check_metric(name, test.metric, graph)


def _check_metric(name: str, metric: str, graph: SceneGraph) -> Iterator[str]:
    path, _, figure = metric.rpartition(".")
    if path == "run":
        return  # looked up when the world is built
    if path not in graph:
        choice = suggest(path, [entity.path for entity in graph], "the scene has")
        yield f"phase.{name} asks for the metric '{metric}' of no entity; {choice}"
        return
    known = [each.name for component in graph[path].components.values() for each in metrics_of(component)]
    if figure not in known:
        choice = suggest(figure, known, f"{path} has")
        yield f"phase.{name} asks for the metric '{metric}', which does not exist; {choice}"


def _follow(phase: Phase) -> set[str]:
    return {each.next for each in phase.exits} | ({phase.next} if phase.next else set())


def _check_reach(machine: Phases, phases: dict[str, Phase]) -> Iterator[str]:
    reached, waiting = {machine.start}, [machine.start]
    while waiting:
        fresh = _follow(phases[waiting.pop()]) - reached
        reached |= fresh
        waiting += sorted(fresh)
    for name in phases:
        if name not in reached:
            yield f"phase.{name} is never reached; let another phase lead there, or leave it out"


def _check_circles(phases: dict[str, Phase]) -> Iterator[str]:
    """Phases of no duration that lead back to themselves would never let time pass."""
    at_once = {name: phase.next for name, phase in phases.items() if phase.duration == 0 and not phase.waits}
    found: set[str] = set()
    for name in at_once:
        circle = [name]
        while circle[-1] in at_once and at_once[circle[-1]] not in circle:
            circle.append(at_once[circle[-1]])
        if at_once.get(circle[-1]) == name and not found & set(circle):
            found |= set(circle)
            shown = " -> ".join([*circle, name])
            yield f"phase.{name}.duration is 0, and so are all in the circle {shown}; let one of them last"


def _check_values(machine: Phases, phases: dict[str, Phase]) -> Iterator[str]:
    from supple_phases.components import width_of

    for name in machine.negated:
        if not any(name in phase.values for phase in machine.phase.values()):
            yield f"negated names '{name}', which is no value of any phase; leave it out"
    names = sorted({name for phase in phases.values() for name in phase.values} | set(machine.values))
    for name in names:
        lacking = [other for other, phase in phases.items() if name not in phase.values]
        if lacking and name not in machine.values:
            yield f"phase.{lacking[0]} has no value '{name}', and other phases have; say one for all in phases.values"
        told = [phase.values[name] for phase in phases.values() if name in phase.values]
        told += [machine.values[name]] if name in machine.values else []
        if len({width_of(value) for value in told}) > 1:
            yield f"phase gives '{name}' different numbers of values; give the same number everywhere"
        if 0 in map(width_of, told):
            yield f"'{name}' is a list of no numbers; give it a number, or leave it out"
    for other, phase in phases.items():
        for name, value in phase.values.items():
            if isinstance(value, Curve) and value.over == "share" and not phase.duration:
                yield f"phase.{other}.values has '{name}' over the share of no duration; give one, or over = 'time'"
    for name, value in machine.values.items():
        if (
            isinstance(value, Curve)
            and value.over == "share"
            and not all(p.duration for p in phases.values())
        ):
            yield f"values has '{name}' over the share of phases, and one has no duration; use over = 'time'"
