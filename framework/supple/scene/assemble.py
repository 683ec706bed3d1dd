"""From the tables of a scene and a list of overrides to entities, settings and everything wrong with them.

Overrides of what the author wrote apply before prefabs expand, those of what a prefab made afterwards.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from supple.core.entity import Entity, parent_path
from supple.core.fault import naming_fault
from supple.core.registry import Registry
from supple.core.scene_files import SceneFiles
from supple.core.settings import Run
from supple.errors import Problem, suggest
from supple.scene.document import Document
from supple.scene.fields import say_value
from supple.scene.overrides import Override
from supple.scene.prefabs import expand_prefabs
from supple.scene.read_entities import Assembly, Expansions, add_entity, read_components, read_event
from supple.scene.settings_tables import SettingsTables
from supple.scene.wording import read_checked

#: The table of settings that nobody wrote. One object, so that it is read once.
NOTHING: Mapping[str, Any] = {}


def assemble(
    document: Document,
    overrides: Iterable[Override],
    registry: Registry,
    files: SceneFiles,
    expansions: Expansions | None = None,
) -> Assembly:
    """Apply the overrides in their order, read every component and expand the prefabs, which may ask for `files`.

    Whoever reads a scene many times at once hands in what its prefabs made so far.
    """
    authored = {"run": document.run, **document.entities, **document.events}
    later: dict[str, list[Override]] = {}
    expansions = expansions or Expansions()
    for override in overrides:
        if override.target in authored:
            authored[override.target] = expansions.apply(override, authored[override.target])
        else:
            later.setdefault(override.target, []).append(override)
    assembly = Assembly(registry, authored["run"], files, expansions)
    _read_run(assembly)
    for path in sorted(document.events):
        read_event(assembly, authored[path])
    for path in sorted(document.entities):
        components = read_components(assembly, authored[path])
        add_entity(assembly, Entity(path, components), authored[path])
    expand_prefabs(assembly, later)
    for path in document.entities:
        if not assembly.has_parent(path):
            _miss_parent(assembly, path)
    for target, unapplied in later.items():
        for override in unapplied:
            _miss_target(assembly, target, override)
    return assembly


def _read_run(assembly: Assembly) -> None:
    """The run table itself, and the tables of plugins below it."""
    part, registry = assembly.run_part, assembly.registry
    own = Run.__dataclass_fields__
    for key, value in part.table.items():
        if key not in own and key not in registry.settings:
            what, remedy = "unknown key", suggest(key, [*own, *registry.settings], "[run] has")
            if isinstance(value, Mapping):
                what = "no installed plugin has settings of this name"
                remedy = suggest(key, registry.settings, "there are")
            assembly.problems.append(part.problem((key,), what, remedy))
    run, complaints = read_checked(Run, {key: value for key, value in part.table.items() if key in own})
    assembly.problems.extend(part.problems(complaints))
    assembly.run = run
    written = {}
    for name, registered in sorted(registry.settings.items()):
        # Defaults are read at once where the class is there already, and else when somebody asks for them.
        if name in part.table or not isinstance(registered.target, str):
            with naming_fault(registry, registered.plugin, f"settings run.{name}"):
                made, complaints = assembly.expansions.read(registered.load(), part.table.get(name, NOTHING))
            written[name] = made
            assembly.problems.extend(part.problems(complaints, (name,)))
    others = registry.settings.keys() - written.keys()
    defaults = {name: functools.partial(_find_defaults, registry, name) for name in others}
    assembly.settings = SettingsTables(written, defaults)


def _find_defaults(registry: Registry, name: str) -> Any:
    """The settings of a table that the scene does not have."""
    registered = registry.settings[name]
    with naming_fault(registry, registered.plugin, f"settings run.{name}"):
        return _read_nothing(registered.load())


@functools.cache
def _read_nothing(cls: type) -> Any:
    return read_checked(cls, NOTHING)[0]


def _miss_parent(assembly: Assembly, path: str) -> None:
    parent = parent_path(path) or ""
    if assembly.may_exist(parent):
        return
    assembly.broken.add(path)
    part = assembly.parts[path]
    keys = ("parent",) if ("parent",) in part.places else ("name",)
    what = f"there is no entity '{parent}' to be its parent"
    remedy = suggest(parent, _others(assembly, path), "the scene has")
    assembly.problems.append(part.problem(keys, what, remedy))


def _others(assembly: Assembly, path: str) -> list[str]:
    return [other for other, entity in assembly.entities.items() if other != path and entity.at is None]


def _miss_target(assembly: Assembly, target: str, override: Override) -> None:
    """An override names an entity that nobody wrote and no prefab made."""
    if assembly.may_exist(target):
        return
    parent = parent_path(target)
    while parent is not None and parent not in assembly.entities:
        parent = parent_path(parent)
    if parent is None:
        remedy = suggest(target, [*assembly.entities, "run"], "the scene has")
    else:
        below = [path for path in assembly.entities if path.startswith(f"{parent}/")]
        remedy = suggest(target, below, f"below {parent} there are") if below else f"{parent} has no children"
    what = f"there is no entity {say_value(target).removeprefix('the string ')}"
    assembly.problems.append(Problem(override.where, override.path, what, remedy))
