"""Which contacts a plan foresees: those among the character and the things that it carries."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.mechanics.owners import list_owners

MOST_CHARACTERS = 62
"""A bit of an integer for each."""


def find_flags(build: Build) -> IntArray:
    """For every entity in the table of owners the characters that know it, as bits."""
    characters = [entity for entity in build.having("pliant") if entity.components["pliant"].plan]
    if len(characters) > MOST_CHARACTERS:
        raise build.refuse(
            characters[MOST_CHARACTERS].path, f"more than {MOST_CHARACTERS} pliant joints plan", "join some"
        )
    known = [_list_known(build, entity) for entity in characters]
    return np.array([_bits(path, known) for path in list_owners(build)], np.int64)


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
