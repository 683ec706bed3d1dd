"""The systems of collision: place shapes, find contacts, measure penetration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.schedule import Bound, Each, Phase, System
from supple.errors import SimulationError
from supple.mechanics.compile import CONTACT_ARRAYS
from supple.mechanics.mechanism import contact_capacity
from supple_collide.broad_kernels import find_pairs
from supple_collide.contact_kernels import (
    describe_contacts,
    find_penetrations,
    place_shapes,
    place_still_shapes,
)
from supple_collide.narrow_kernels import find_contacts

PAIRS_PER_CONTACT = 4


class PlaceShapes(System):
    """Shapes follow the frames that carry them."""

    phase = Phase.DETECT
    reads = (
        "collide.carrier", "collide.frame", "collide.local_position", "collide.local_rotation", "collide.extent",
        Each("carriers", "position"), Each("carriers", "rotation"), Each("carriers", "twist"),
    )  # fmt: skip
    writes = ("collide.x", "collide.q", "collide.reach")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the shapes and the frames of all carriers."""
        model = [arrays[name] for name in self.reads[:5]]
        carrier, _, local_position, local_rotation, _ = model
        placed = [arrays[name] for name in self.writes]
        margin, h = arrays.build.settings("collide").margin, arrays.build.run.step
        carriers = [
            (number, arrays[carrier.position], arrays[carrier.rotation], arrays[carrier.twist])
            for number, carrier in enumerate(arrays.build.members("carriers"))
        ]

        def place() -> None:
            place_still_shapes(carrier, local_position, local_rotation, margin, *placed)
            for number, position, rotation, twist in carriers:
                place_shapes(*model, number, margin, h, position, rotation, twist, *placed)

        return place


class FindContacts(System):
    """Broad phase, narrow phase, and what rows need to know of every contact."""

    phase = Phase.DETECT
    reads = (
        "collide.kind", "collide.size", "collide.x", "collide.q", "collide.reach", "collide.carrier",
        "collide.group", "collide.friction", "collide.restitution",
    )  # fmt: skip
    writes = CONTACT_ARRAYS

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind shapes and contacts; the pair list is scratch."""
        kind, size, x, q, reach, carrier, group, friction, restitution = (arrays[name] for name in self.reads)
        count, surface, element, key, point, normal, gap, mu, bounce = (arrays[name] for name in self.writes)
        capacity, shapes = contact_capacity(arrays.build), len(kind)
        number = next(
            i for i, member in enumerate(arrays.build.members("surfaces")) if member.name == "primitives"
        )
        movable = (carrier >= 0).astype(np.int64)
        pairs = np.zeros((PAIRS_PER_CONTACT * capacity, 2), np.int64)
        order, path_order = np.arange(shapes, dtype=np.int64), np.arange(shapes, dtype=np.int64)
        shape, feature = np.zeros((capacity, 2), np.int64), np.zeros(capacity, np.int64)

        def find() -> None:
            order[:] = path_order  # a sort that starts anew: the result must not depend on steps before
            pair_count = find_pairs(kind, size, x, q, reach, movable, group, order, pairs)
            _refuse_overflow("pairs of neighbouring shapes", pair_count, len(pairs), capacity)
            found = find_contacts(
                kind, size, x, q, reach, pairs, pair_count, shape, feature, point, normal, gap
            )
            _refuse_overflow("contacts", found, capacity, capacity)
            describe_contacts(
                friction,
                restitution,
                number,
                shapes,
                found,
                shape,
                feature,
                surface,
                element,
                key,
                mu,
                bounce,
            )
            count[0] = found

        return find


def _refuse_overflow(noun: str, needed: int, room: int, capacity: int) -> None:
    if needed > room:
        what = f"{needed} {noun}, room for {room}: raise run.capacity.contacts above {capacity}"
        raise SimulationError(what)


class ObservePenetration(System):
    """The deepest contact of every shape, for its metric."""

    phase = Phase.OBSERVE
    reads = ("contacts.count", "contacts.element", "contacts.gap")
    writes = ("collide.penetration",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the contacts."""
        contacts = [arrays[name] for name in self.reads]
        penetration = arrays["collide.penetration"]
        return lambda: find_penetrations(*contacts, penetration)
