"""The systems of collision: place shapes, find contacts, measure penetration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Each, Phase, System
from supple.mechanics.mechanism import contact_capacity
from supple_collide.contact_kernels import find_penetrations, place_shapes, place_still_shapes
from supple_collide.filters import list_collidables
from supple_collide.finders import (
    CONTACT_OUTPUTS,
    Finder,
    MeshFinder,
    PrimitiveFinder,
    find_surface,
    refuse_overflow,
)
from supple_collide.mesh_systems import has_meshes
from supple_collide.sort_kernels import sort_contacts


class PlaceShapes(System):
    """Shapes follow the frames that carry them."""

    phase = Phase.DETECT
    reads = (
        "collide.carrier", "collide.frame", "collide.local_position", "collide.local_rotation", "collide.extent",
        Each("carriers", "position"), Each("carriers", "rotation"), Each("carriers", "twist"),
    )  # fmt: skip
    writes = ("collide.x", "collide.q", "collide.reach")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the shapes and the frames that carry some; what stands still is placed here, once."""
        model = [arrays[name] for name in self.reads[:5]]
        carrier, _, local_position, local_rotation, _ = model
        placed = [arrays[name] for name in self.writes]
        collide, h = arrays.build.settings("collide"), arrays.h
        place_still_shapes(carrier, local_position, local_rotation, collide.margin, *placed)
        moves = [
            bind_kernel(
                place_shapes, *model, number, collide.margin, collide.sudden_speed, h,
                arrays[each.position], arrays[each.rotation], arrays[each.twist], *placed,
            )
            for number, each in enumerate(arrays.build.members("carriers"))
            if (carrier == number).any()
        ]  # fmt: skip

        def place() -> None:
            for move in moves:
                move()

        return place


class FindContacts(System):
    """Asks every finder in turn; contacts are sorted by pair, so that no order of anything matters."""

    phase = Phase.DETECT
    writes = CONTACT_OUTPUTS

    def __init__(self, build: Build) -> None:
        objects = len(list_collidables(build))
        self.finders: list[Finder] = [PrimitiveFinder(objects)]
        if has_meshes(build):
            self.finders.append(MeshFinder(objects))
        self.reads = tuple(dict.fromkeys(name for finder in self.finders for name in finder.reads))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the finders, and scratch to sort contacts with."""
        finders = [finder.bind(arrays) for finder in self.finders]
        capacity = contact_capacity(arrays.build)
        count, *columns = (arrays[name] for name in self.writes)
        columns = [column.reshape(capacity, -1) for column in columns]
        order = np.zeros(capacity, np.int64)
        integers, floats = np.zeros((capacity, 2), np.int64), np.zeros((capacity, 6))
        sort = bind_kernel(sort_contacts, count, order, integers, floats, *columns)

        def find() -> None:
            found = 0
            for finder in finders:
                found = finder(found)
                refuse_overflow("contacts", found, capacity, capacity)
            count[0] = found
            sort()

        return find


class ObservePenetration(System):
    """The deepest contact of every shape, for its metric."""

    phase = Phase.OBSERVE
    reads = ("contacts.count", "contacts.surface", "contacts.element", "contacts.gap")
    writes = ("collide.penetration",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the contacts."""
        contacts = [arrays[name] for name in self.reads]
        number, penetration = find_surface(arrays, "primitives"), arrays["collide.penetration"]
        return bind_kernel(find_penetrations, *contacts, number, penetration)
