"""Finders of contacts: each appends its own to the one list of the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from supple.core.schedule import Bound, Call, Work
from supple.errors import CapacityError
from supple.mechanics.compile import CONTACT_ARRAYS
from supple.mechanics.mechanism import contact_capacity
from supple_collide.kernel_arrays import (
    Contacts,
    Objects,
    Shapes,
)
from supple_collide.primitives.search_kernels import find_and_count_pairs
from supple_collide.scratch import make_manifold
from supple_collide.shape_kinds import FIRST_SOLID

PAIRS_PER_CONTACT = 4
CONTACT_OUTPUTS = (*CONTACT_ARRAYS, "contacts.weights")
"""What finders write; the count is not theirs."""


class Finder(Protocol):
    """Finds contacts of some kinds of objects."""

    @property
    def reads(self) -> Sequence[str]:
        """The arrays that it looks at."""
        ...

    def bind(self, arrays: Bound) -> Work:
        """What appends contacts behind the first contacts.count, and counts them in.

        If they are more than there is room for, the rest was not written.
        """
        ...


def refuse_overflow(noun: str, needed: int, room: int, capacity: int) -> None:
    """Raise if there is not room enough: contacts are never dropped silently."""
    if needed > room:
        what = f"{needed} {noun}, room for {room}: raise run.capacity.contacts above {capacity}"
        raise CapacityError(what)


def take_shapes(arrays: Bound) -> Shapes:
    """The primitives of the scene; their rotation matrices are scratch."""
    return Shapes(
        kind=arrays["collide.kind"],
        size=arrays["collide.size"],
        x=arrays["collide.x"],
        q=arrays["collide.q"],
        reach=arrays["collide.reach"],
        rotation=np.zeros((len(arrays["collide.kind"]), 3, 3)),
    )


def find_surface(arrays: Bound, name: str) -> int:
    """The number of a surface in `contacts.surface`."""
    return [member.name for member in arrays.build.members("surfaces")].index(name)


SHAPES = ("collide.kind", "collide.size", "collide.x", "collide.q", "collide.reach")


class PrimitiveFinder:
    """Primitives with primitives."""

    reads = (
        *SHAPES, "collide.carrier", "collide.group", "collide.friction", "collide.restitution",
        "collide.bounces",
        "collide.ignored_pairs",
    )  # fmt: skip

    def __init__(self, objects: int) -> None:
        self.objects = objects

    def bind(self, arrays: Bound) -> Work:
        """Bind shapes and contacts; the pair list is scratch. This finder comes first."""
        shapes, capacity = take_shapes(arrays), contact_capacity(arrays.build)
        objects = Objects(
            group=arrays["collide.group"],
            movable=(arrays["collide.carrier"] >= 0).astype(np.int64),
            ignored=arrays["collide.ignored_pairs"],
            friction=arrays["collide.friction"],
            restitution=arrays["collide.restitution"],
        )
        pairs = np.zeros((PAIRS_PER_CONTACT * capacity, 2), np.int64)
        count = len(shapes.kind)
        order, bounds = np.zeros(count, np.int64), np.zeros((count, 6))
        shape, feature = np.zeros((capacity, 2), np.int64), np.zeros(capacity, np.int64)
        found, counted = arrays["contacts.count"], np.zeros(1, np.int64)

        def refuse() -> None:
            refuse_overflow("pairs of neighbouring shapes", counted.item(0), len(pairs), capacity)
            refuse_overflow("contacts", found.item(0), capacity, capacity)

        manifold = make_manifold()
        find: Callable[..., Any] = find_and_count_pairs
        scratch: tuple[Any, ...] = (manifold,)
        if (shapes.kind >= FIRST_SOLID).any():
            # What no scene has, no kernel is compiled, called or imported for.
            from supple_collide.solids.scratch import make_solids
            from supple_collide.solids.search_kernels import find_and_count_all_pairs

            find, scratch = find_and_count_all_pairs, (manifold, make_solids(manifold))
        return Call(
            find, shapes, objects, find_surface(arrays, "primitives"), self.objects, order, bounds, pairs, *scratch,
            shape, feature, arrays.take(Contacts, "contacts"), counted, found, otherwise=refuse,
        )  # fmt: skip
