"""Prefabs: components that expand into child entities, which may be prefabs again."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from supple.core.component import Prefab, checks_of
from supple.core.entity import PATH, Entity
from supple.errors import Problem, UserError, Where
from supple.scene.fields import fields_of
from supple.scene.overrides import Override
from supple.scene.parts import Part
from supple.scene.read_entities import Assembly, add_entity, naming_component, offers, read_components

MAX_DEPTH = 8


def expand_prefabs(assembly: Assembly, later: dict[str, list[Override]]) -> None:
    """Add the children of all prefabs; what is in `later` for one of them is applied and taken out."""
    waiting = deque((path, 0) for path in sorted(assembly.entities) if assembly.entities[path].at is None)
    while waiting:
        path, depth = waiting.popleft()
        entity, part = assembly.entities[path], assembly.parts[path]
        for kind, component in sorted(entity.components.items()):
            if not offers(component, "expand"):
                continue
            if depth >= MAX_DEPTH:
                what = f"prefabs within prefabs are nested deeper than {MAX_DEPTH}"
                assembly.problems.append(part.problem((kind,), what, "a prefab must not make itself"))
                assembly.broken.add(path)
                continue
            children = assembly.expansions.find(entity, kind) if depth == 0 else None
            if children is None:
                with naming_component(assembly, path, kind):
                    children = _expand(assembly, entity, part, kind, component)
                if depth == 0 and path not in assembly.broken:
                    assembly.expansions.keep(entity, kind, children)
            made = [child.path for child in children if _add_child(assembly, part, kind, child, later)]
            waiting.extend((child, depth + 1) for child in made)
            _check_parents(assembly, part, kind, made)


def _expand(assembly: Assembly, entity: Entity, part: Part, kind: str, prefab: Prefab) -> list[Entity]:
    """What the prefab makes; nothing, and a problem more, when it refuses."""
    try:
        children = list(prefab.expand(entity, assembly.files))
    except UserError as error:
        for problem in error.problems:
            key = problem.path.removeprefix(f"{entity.path}.{kind}.")
            keys = (kind, key) if key in fields_of(type(prefab)) else (kind,)
            where = problem.where or part.place(keys)
            assembly.problems.append(Problem(where, problem.path, problem.what, problem.remedy))
    except (ValueError, OSError) as error:
        assembly.problems.append(part.problem((kind,), " ".join(str(error).split())))
    else:
        for child in children:
            if not isinstance(child, Entity):
                raise TypeError(f"expand gives {child!r}, which is no Entity")
        return children
    assembly.broken.add(entity.path)
    return []


def _add_child(
    assembly: Assembly, maker: Part, kind: str, child: Entity, later: dict[str, list[Override]]
) -> bool:
    """Add one child with its overrides; False, and a problem more, when it cannot be added."""
    if not PATH.fullmatch(child.path) or not child.path.startswith(f"{maker.path}/"):
        what = f"the prefab makes '{child.path}', which is not below {maker.path}"
        assembly.problems.append(maker.problem((kind,), what, "this is a defect of its plugin"))
        return False
    if child.path in assembly.entities:
        other = assembly.parts[child.path].place(("name",))
        what = f"the prefab makes an entity '{child.path}', but {other} has one already"
        remedy = f'rename that one, or change the child by [set] "{child.path}.KIND.KEY" = VALUE'
        assembly.problems.append(maker.problem((kind,), what, remedy))
        return False
    where, overrides = maker.place((kind,)), later.pop(child.path, [])
    part = assembly.expansions.begin(child, where, overrides, _begin_part)
    untouched = {each: made for each, made in child.components.items() if each not in part.table}
    unknown = set(untouched) - set(assembly.registry.components)
    for each in sorted(unknown):
        what = f"the prefab wants a component '{each}', which no plugin offers"
        assembly.problems.append(maker.problem((kind,), what, "install or enable the plugin"))
    add_entity(assembly, Entity(child.path, {**untouched, **read_components(assembly, part)}), part)
    return True


def _begin_part(child: Entity, where: Where, overrides: Sequence[Override]) -> Part:
    """The components of a child that overrides change, as if they had been written where its prefab is."""
    part = Part(child.path, {}, where, {})
    for each in {override.keys[0] for override in overrides} & set(child.components):
        part = part.with_value((each,), _as_plain(child.components[each]), where)
    for override in overrides:
        part = override.apply(part)
    return part


def _check_parents(assembly: Assembly, maker: Part, kind: str, made: list[str]) -> None:
    for path in made:
        if not assembly.has_parent(path):
            assembly.broken.add(path)
            what = f"the prefab makes '{path}' without its parent"
            assembly.problems.append(maker.problem((kind,), what, "this is a defect of its plugin"))


def _as_plain(component: Any) -> Any:
    kind: type = type(component)
    return checks_of(kind).dump_python(component, mode="json")
