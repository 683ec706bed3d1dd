"""Where the numbers are that conditions look at."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from supple.core.arrays import NEXT, IntArray
from supple.core.build import Build
from supple.errors import suggest
from supple.mechanics.owners import list_element_paths
from supple_phases.program import CONTACT, Source

Place = tuple[str, int]
"""Name of an array, as it is read at the end of the step, and the element of its flat numbers."""


def find_place(build: Build, source: Source) -> Place:
    """The number after the step: the normal force on an entity, or a metric."""
    if source.kind == CONTACT:
        return find_contact_place(build, source.name)
    bound = next((each for each in build.metrics if each.key == source.name), None)
    if bound is None:  # what entities offer was checked with the scene
        known = [each.key for each in build.metrics if each.path == "run"]
        what = f"asks for the metric '{source.name}', which does not exist"
        raise build.refuse(f"{source.asked_by}.phases", what, suggest(source.name, known, "the run has"))
    shape = build.arrays.spec(bound.array).shape
    return bound.array, int(np.ravel_multi_index(bound.index, shape))


def find_contact_place(build: Build, path: str) -> Place:
    """Where the normal force on an entity, and on all below it, is found [N]."""
    labels = build.arrays.specs["phases.normal_force"].labels
    return "phases.normal_force", labels.index(path)


def number_elements(build: Build, paths: tuple[str, ...]) -> tuple[IntArray, IntArray]:
    """First element of every surface, and for all elements [elements, paths] 1 where one is at or below a path."""
    parts = [list_element_paths(surface) for surface in build.members("surfaces")]
    first = np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)
    owned = [
        [int(owner == path or owner.startswith(f"{path}/")) for path in paths]
        for part in parts
        for owner in part
    ]
    return first, np.array(owned, np.int64).reshape(len(owned), len(paths))


def refuse_untouchable(build: Build, sources: Iterable[Source], owned: IntArray) -> None:
    """Something without a surface is never pressed, and whoever waits for it would wait for ever."""
    asked = [source for source in sources if source.kind == CONTACT]
    for source, elements in zip(asked, owned.T, strict=True):
        if not elements.any():
            what = f"waits for contact of '{source.name}', which has no surface"
            raise build.refuse(
                f"{source.asked_by}.phases", what, "name an entity with a shape, or one above it"
            )


def read_at_end(build: Build, name: str) -> str:
    """The name under which a system in OBSERVE reads an array as it is after the step."""
    is_state = not name.endswith(NEXT) and build.arrays.spec(name).kind == "state"
    return name + NEXT if is_state else name
