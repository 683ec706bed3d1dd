"""What is kept of the edges that bear force between two surfaces that bend: they go on to count when they are flat."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple.mechanics.deforming import DeformingSurface
from supple.mechanics.mechanism import contact_capacity
from supple_collide.pairs.pressed_kernels import list_pressed

COUNT, PRESSED = "mesh.pressed_count", "mesh.pressed"
CONTACTS, MORE = (
    ("contacts.count", "contacts.key", "contacts.normal"), ("contacts.force", "mesh.table", "mesh.of_triangle")
)  # fmt: skip


def declare_pressed(build: Build, surfaces: Iterable[DeformingSurface]) -> None:
    """Declare them where two surfaces that bend may touch, or one touches itself."""
    listed = list(surfaces)
    if len(listed) < 2 and not any(surface.self_contact for surface in listed):
        return
    doc = "Edges that bore force in the last step between surfaces that bend."
    build.add_state(COUNT, [0], unit="1", doc=f"{doc[:-1]}: how many.", dtype=np.int64)
    edges = np.zeros(2 * contact_capacity(build), np.int64)
    build.add_state(PRESSED, edges, unit="1", doc=doc, dtype=np.int64, count=COUNT)


def has_pressed(build: Build) -> bool:
    """Whether edges are kept at all."""
    return PRESSED in build.arrays.specs


class KeepPressed(System):
    """Keeps the edges that bear force, for the next step."""

    phase = Phase.OBSERVE

    def __init__(self, build: Build) -> None:
        if has_pressed(build):
            self.reads = (*CONTACTS, *MORE)
            self.writes = (f"{COUNT}.next", f"{PRESSED}.next")

    def bind(self, arrays: Bound) -> Work:
        """Bind the contacts and their forces."""
        if not self.writes:
            return []
        contacts, more = (tuple(arrays[name] for name in names) for names in (CONTACTS, MORE))
        return Call(list_pressed, contacts, *more, arrays[f"{COUNT}.next"], arrays[f"{PRESSED}.next"])
