"""What came of a scene: the components that could be read, and everything wrong with the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from supple.core.component import Metric, component, metrics_of
from supple.core.component import field as component_field
from supple.core.entity import Entity, parent_path
from supple.core.fault import naming_fault
from supple.core.registry import Registered, Registry
from supple.core.scene_files import SceneFiles
from supple.core.settings import Run
from supple.errors import Problem, Where, list_choices, suggest
from supple.scene.fields import fields_of
from supple.scene.overrides import Override
from supple.scene.parts import Part
from supple.scene.wording import Complaint, read_checked


@component
class Timing:
    """When an event acts."""

    at: float = component_field(unit="s", doc="Time at which the event begins.", ge=0)


class Expansions:
    """What was read of a scene and what its prefabs made: variants and cells mostly change something else.

    Kept only as long as one reading lasts, and the checks after it: the files that prefabs read stay as they are.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], list[tuple[Entity, list[Entity]]]] = {}
        # Overrides copy what they change, so a table that is the same object says the same. It is kept beside what came
        # of it, lest another be made in its place.
        self._read: dict[tuple[type, int], tuple[Any, Any, list[Complaint]]] = {}
        self._changed: dict[tuple[int, int], tuple[Override, Part, Part]] = {}
        self._begun: dict[tuple[Any, ...], tuple[Entity, Sequence[Override], Part]] = {}

    def apply(self, override: Override, part: Part) -> Part:
        """The part with the other value; the same object each time, so that it is read once."""
        key = id(override), id(part)
        if key not in self._changed:
            self._changed[key] = override, part, override.apply(part)
        return self._changed[key][2]

    def begin(
        self,
        child: Entity,
        where: Where,
        overrides: Sequence[Override],
        make: Callable[[Entity, Where, Sequence[Override]], Part],
    ) -> Part:
        """The part that `make` gives for a child of a prefab; the same object each time."""
        key = (id(child), where, *map(id, overrides))
        if key not in self._begun:
            self._begun[key] = child, overrides, make(child, where, overrides)
        return self._begun[key][2]

    def read(self, cls: type, table: Any) -> tuple[Any, list[Complaint]]:
        """The component of a table, or None and everything that is wrong with the table."""
        known = self._read.get((cls, id(table)))
        if known is None:
            known = self._read[cls, id(table)] = (table, *read_checked(cls, table))
        return known[1], known[2]

    def find(self, entity: Entity, kind: str) -> list[Entity] | None:
        """What an entity that equals this one was expanded to."""
        return next((made for one, made in self._made.get((entity.path, kind), ()) if one == entity), None)

    def keep(self, entity: Entity, kind: str, made: list[Entity]) -> None:
        """Remember what the prefab of this kind made of the entity."""
        self._made.setdefault((entity.path, kind), []).append((entity, made))


@dataclass
class Assembly:
    """What came of a scene: as much of it as could be read, and all problems.

    `broken` are the entities with a component that could not be read: their metrics and, if it was a prefab,
    their children are unknown, so nothing that depends on these is a problem of its own.
    """

    registry: Registry
    run_part: Part
    files: SceneFiles = field(default_factory=SceneFiles)
    expansions: Expansions = field(default_factory=Expansions)
    run: Run | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def metrics(self, path: str) -> dict[str, Metric]:
        """The metrics that an entity or event offers, by name."""
        kinds = self.registry.kinds()
        present = [*self.entities[path].components, *self.parts[path].table]
        found = {m.name: m for kind in present if kind in kinds for m in kinds[kind].load().metrics}
        for made in self.entities[path].components.values():
            found |= {metric.name: metric for metric in metrics_of(made)}
        return found

    def may_exist(self, path: str) -> bool:
        """Whether the path lies below something that could not be read, and so may well be right."""
        above: str | None = path
        while above is not None:
            if above in self.broken:
                return True
            above = parent_path(above)
        return False

    def has_parent(self, path: str) -> bool:
        """Whether the parent of a path is an entity (or the path is at the top)."""
        parent = parent_path(path)
        return parent is None or (parent in self.entities and self.entities[parent].at is None)


def offers(component: Any, method: str) -> bool:
    """Whether the component's class has this method: `expand`, `check` or `check_files`.

    `isinstance` with its protocol (`Prefab`, `Checked`, `ChecksFiles`) says the same, at a cost that is felt with
    thousands of entities.
    """
    return callable(getattr(type(component), method, None))


def add_entity(assembly: Assembly, entity: Entity, part: Part) -> None:
    """Make an entity known by its path, with the part of the file that messages about it point to."""
    assembly.entities[entity.path] = entity
    assembly.parts[entity.path] = part


def read_components(assembly: Assembly, part: Part) -> dict[str, Any]:
    """The components of an entity that can be read."""
    registry, components = assembly.registry, {}
    for kind in part.table:
        if kind in registry.components:
            components[kind] = _read(assembly, part, kind, registry.components[kind])
            continue
        assembly.broken.add(part.path)
        if kind in registry.events:
            what = f"'{kind}' is an event, not a component"
            remedy = "move it into an [[event]] with a name and a time `at`"
        elif kind == "at":
            what, remedy = "an entity has no time", "`at` belongs into an [[event]]"
        else:
            what, remedy = "unknown component", suggest(kind, registry.components)
        assembly.problems.append(part.problem((kind,), what, remedy))
    return {kind: made for kind, made in components.items() if made is not None}


def naming_component(assembly: Assembly, path: str, kind: str) -> AbstractContextManager[None]:
    """Name the component, and the plugin that it comes from, in whatever its methods raise."""
    registry = assembly.registry
    known = registry.components.get(kind) or registry.events.get(kind)
    return naming_fault(registry, known.plugin if known else registry.plugin, f"component {kind} of '{path}'")


def _read(assembly: Assembly, part: Part, kind: str, registered: Registered) -> Any:
    with naming_component(assembly, part.path, kind):
        made, complaints = assembly.expansions.read(registered.load(), part.table[kind])
    if complaints:
        assembly.broken.add(part.path)
        told = [_tell_owners(each, assembly.registry, kind) for each in complaints]
        assembly.problems.extend(part.problems(told, (kind,)))
    return made


#: A key that more components have than this says nothing.
_FEW = 8


def _tell_owners(complaint: Complaint, registry: Registry, kind: str) -> Complaint:
    """Where a key belongs that a component does not have and that resembles none of its own."""
    if complaint.what != "unknown key" or len(complaint.keys) != 1 or "Did you mean" in complaint.remedy:
        return complaint
    key = str(complaint.keys[0])
    owners = [
        name for name, other in registry.components.items() if name != kind and key in fields_of(other.load())
    ]
    if not 0 < len(owners) <= _FEW:
        return complaint
    return replace(complaint, remedy=f"{complaint.remedy}; {key} is a key of {', '.join(sorted(owners))}")


def read_event(assembly: Assembly, part: Part) -> None:
    """Put an event into the scene: its time and its one kind."""
    registry = assembly.registry
    timed = {"at": part.table["at"]} if "at" in part.table else {}
    timing, complaints = read_checked(Timing, timed)
    assembly.problems.extend(part.problems(complaints))
    components = {}
    kinds = [kind for kind in part.table if kind != "at"]
    for kind in kinds:
        if kind in registry.events:
            made = _read(assembly, part, kind, registry.events[kind])
            if made is not None:
                components[kind] = made
            continue
        assembly.broken.add(part.path)
        if kind in registry.components:
            what, remedy = f"'{kind}' is a component, not an event", "move it into an [[entity]]"
        else:
            what, remedy = "unknown event", suggest(kind, registry.events)
        assembly.problems.append(part.problem((kind,), what, remedy))
    if len(kinds) != 1:
        which = f"has {len(kinds)} kinds ({list_choices(kinds)})" if kinds else "does nothing"
        remedy = suggest("", registry.events, "give it exactly one of")
        assembly.problems.append(part.problem((), which, remedy))
    # An event whose time is wrong is still known by its name.
    add_entity(assembly, Entity(part.path, components, at=timing.at if timing else 0.0), part)
