"""The systems of collision: place shapes, find contacts, measure penetration."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Call, Each, Phase, System, Work
from supple.mechanics.mechanism import contact_capacity
from supple_collide.contact_kernels import find_penetrations, place_still_shapes
from supple_collide.filters import list_collidables
from supple_collide.finders import CONTACT_OUTPUTS, Finder, PrimitiveFinder, find_surface
from supple_collide.kernel_arrays import Contacts, Mounts, Placed, name_arrays
from supple_collide.meeting import bind_meetings
from supple_collide.meshes.systems import has_meshes
from supple_collide.placing import move_mounted
from supple_collide.pressed import has_pressed
from supple_collide.sliding import bind_sliding, name_moving
from supple_collide.sort_kernels import sort_contacts


class PlaceShapes(System):
    """Shapes follow the frames that carry them."""

    phase = Phase.DETECT
    reads = (
        *name_arrays("collide", Mounts), "collide.ahead",
        Each("carriers", "position"), Each("carriers", "rotation"), Each("carriers", "twist"),
    )  # fmt: skip
    writes = name_arrays("collide", Placed)

    def bind(self, arrays: Bound) -> Work:
        """Bind the shapes and the frames that carry some; what stands still is placed here, once."""
        mounts, placed = arrays.take(Mounts, "collide"), arrays.take(Placed, "collide")
        margin = arrays.build.settings("collide").margin
        arrays.build.fill_once("collide.place_shapes", lambda: place_still_shapes(mounts, margin, placed))
        return move_mounted(arrays, mounts, arrays["collide.ahead"], placed)


class FindContacts(System):
    """Asks every finder in turn; contacts are sorted by pair, so that no order of anything matters."""

    phase = Phase.DETECT
    writes = (*CONTACT_OUTPUTS, "contacts.late")

    def __init__(self, build: Build) -> None:
        objects = len(list_collidables(build))
        self.finders: list[Finder] = [PrimitiveFinder(objects)]
        if has_meshes(build):
            from supple_collide.mesh_finder import MeshFinder

            self.finders.append(MeshFinder(objects, has_pressed(build)))
        found = (name for finder in self.finders for name in finder.reads)
        self.reads = (
            *dict.fromkeys((*found, *name_arrays("collide", Mounts), *name_moving(build))),
            *(Each("carriers", part) for part in ("position", "rotation", "twist")),
        )

    def bind(self, arrays: Bound) -> Work:
        """Bind the finders, and scratch to sort contacts with."""
        finders = [finder.bind(arrays) for finder in self.finders]
        capacity = contact_capacity(arrays.build)
        count = arrays["contacts.count"]
        contacts = arrays.take(Contacts, "contacts")._asdict()
        columns = Contacts(**{name: column.reshape(capacity, -1) for name, column in contacts.items()})
        order = np.zeros(capacity, np.int64)
        integers, floats = np.zeros((capacity, 2), np.int64), np.zeros((capacity, 6))
        sort = Call(sort_contacts, count, order, integers, floats, columns)
        return [*finders, sort, *bind_meetings(arrays), *bind_sliding(arrays)]


class ObservePenetration(System):
    """The deepest contact of every shape, for its metric."""

    phase = Phase.OBSERVE
    reads = ("contacts.count", "contacts.surface", "contacts.element", "contacts.gap")
    writes = ("collide.penetration",)

    def bind(self, arrays: Bound) -> Work:
        """Bind the contacts."""
        return Call(
            find_penetrations, arrays["contacts.count"], arrays["contacts.surface"], arrays["contacts.element"],
            arrays["contacts.gap"], find_surface(arrays, "primitives"), arrays["collide.penetration"],
        )  # fmt: skip
