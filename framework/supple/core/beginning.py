"""What looks wrong with how a scene begins, before it is run, and with how a run went.

Plugins add such checks with `registry.add_warning`. A warning is a `Problem`: path, what, remedy. Nothing is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from supple.core.blueprint import Blueprint
from supple.core.entity import SceneGraph
from supple.core.fault import raise_fault
from supple.core.registry import Registered, Registry
from supple.errors import Problem, SimulationError, SuppleError

if TYPE_CHECKING:
    from supple.core.world import World


def find_warnings(world: World) -> list[Problem]:
    """All warnings about a world that has not been stepped."""
    try:
        world.look_at_start()
    except SimulationError:
        # The first step will say so, and checks find no contacts.
        return find_early_warnings(world.blueprint, world.registry)
    known = find_early_warnings(world.blueprint, world.registry)
    return [*known, *_ask(world.registry, "world", world, world.build.graph)]


def find_early_warnings(blueprint: Blueprint, registry: Registry) -> list[Problem]:
    """The warnings that need no world, which takes time to build."""
    return list(_ask(registry, "blueprint", blueprint, blueprint.graph))


def find_late_warnings(world: World) -> list[Problem]:
    """What looks wrong with a run that is over."""
    return list(_ask(world.registry, "end", world, world.build.graph))


def as_plain(problem: Problem) -> dict[str, Any]:
    """A problem or warning for `--json`."""
    return {
        "source": problem.where.source if problem.where else None,
        "line": problem.where.line if problem.where else None,
        "path": problem.path,
        "what": problem.what,
        "remedy": problem.remedy,
    }


def _ask(registry: Registry, kind: str, subject: Any, graph: SceneGraph) -> Iterable[Problem]:
    present = {each for entity in graph for each in entity.components}
    for name, registered in sorted(_of_kind(registry, kind).items()):
        if registered.when and not present & set(registered.when):
            continue
        try:
            yield from list(registered.load()(subject))
        except SuppleError:
            raise
        except Exception as error:
            raise_fault(error, registry, registered.plugin, f"warning {name}")


def _of_kind(registry: Registry, kind: str) -> Mapping[str, Registered]:
    return {name: each for name, each in registry.warnings.items() if each.each == kind}
