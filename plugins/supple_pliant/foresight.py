"""Which contacts a plan foresees: those among the character and the things that it carries."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import Array
from supple.core.build import Build
from supple.core.entity import Entity
from supple.errors import PluginError, Problem
from supple.mechanics.deforming import DeformingSurface

MOST_CHARACTERS = 62
"""A bit of an integer for each."""


def find_flags(build: Build) -> tuple[Array, Array]:
    """For every element of every surface the characters that know it, as bits; and where each surface begins."""
    characters = [entity for entity in build.having("pliant") if entity.components["pliant"].plan]
    if len(characters) > MOST_CHARACTERS:
        raise build.refuse(
            characters[MOST_CHARACTERS].path, f"more than {MOST_CHARACTERS} pliant joints plan", "join some"
        )
    known = [_list_known(build, entity) for entity in characters]
    parts = [
        np.array([_bits(path, known) for path in _list_elements(surface)], np.int64).reshape(-1)
        for surface in build.members("surfaces")
    ]
    first = np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)
    return first, np.concatenate([*parts, np.zeros(1, np.int64)])


def _list_known(build: Build, entity: Entity) -> tuple[str, ...]:
    """The character's own things and those that it carries."""
    pliant = entity.components["pliant"]
    if "joint" in entity.components:
        return (*entity.components["joint"].between, *pliant.carries)
    return (entity.path, *pliant.carries)


def _bits(path: str, known: list[tuple[str, ...]]) -> int:
    return sum(
        1 << number
        for number, roots in enumerate(known)
        if any(path == root or path.startswith(f"{root}/") for root in roots)
    )


def _list_elements(surface: object) -> list[str]:
    """The entity of every element of a surface, as `contacts.element` counts them."""
    if isinstance(surface, DeformingSurface):
        return [surface.path] * len(surface.triangles)
    paths = getattr(surface, "element_paths", None)
    if paths is None:
        what = "does not say to which entities its elements belong"
        name = str(getattr(surface, "name", surface))
        raise PluginError(Problem(None, name, what, "give the surface a list element_paths"))
    return list(paths)
