"""Finders of contacts: each appends its own to the one list of the step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Call, Work
from supple.errors import CapacityError
from supple.mechanics.compile import CONTACT_ARRAYS
from supple.mechanics.mechanism import contact_capacity
from supple_collide.kernel_arrays import (
    Contacts,
    Elements,
    Faces,
    MeshPool,
    MeshPoses,
    Objects,
    Reaches,
    Regions,
    Shapes,
    Trees,
    name_arrays,
)
from supple_collide.meshes.columns import BENDS, FIRST, OBJECT
from supple_collide.meshes.compile import list_deforming
from supple_collide.pairs.raw_kernels import write_raw
from supple_collide.pairs.search_kernels import (
    find_and_write,
    find_mesh_contacts,
    find_primitive_contacts,
)
from supple_collide.primitives.pose_kernels import fill_rotations
from supple_collide.primitives.search_kernels import find_and_count_all_pairs, find_and_count_pairs
from supple_collide.scratch import make_manifold, make_scratch, make_solids
from supple_collide.shape_kinds import BOX, FIRST_SOLID

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
        # What no scene has, no kernel is compiled or called for.
        solid = bool((shapes.kind >= FIRST_SOLID).any())
        find = find_and_count_all_pairs if solid else find_and_count_pairs
        scratch = (manifold, make_solids(manifold)) if solid else (manifold,)
        return Call(
            find, shapes, objects, find_surface(arrays, "primitives"), self.objects, order, bounds, pairs, *scratch,
            shape, feature, arrays.take(Contacts, "contacts"), counted, found, otherwise=refuse,
        )  # fmt: skip


class MeshFinder:
    """Everything that involves a mesh: with spheres, capsules, planes, boxes, meshes, and itself."""

    of_objects = ("carrier", "group", "friction", "restitution")
    reads = (
        *name_arrays("mesh", Faces, Trees, Reaches, Regions, MeshPoses), "mesh.table", "mesh.sizes", *SHAPES,
        *(f"collide.{name}" for name in of_objects), *(f"mesh.{name}" for name in of_objects),
        "collide.ignored_pairs",
    )  # fmt: skip

    def __init__(self, objects: int) -> None:
        self.objects = objects

    def bind(self, arrays: Bound) -> Work:
        """Bind meshes, shapes and contacts, and make the scratch."""
        table, triangles = arrays["mesh.table"], arrays["mesh.triangles"]
        pool = MeshPool(
            faces=arrays.take(Faces, "mesh"),
            trees=arrays.take(Trees, "mesh"),
            table=table,
            sizes=arrays["mesh.sizes"],
        )
        reaches, regions = arrays.take(Reaches, "mesh"), arrays.take(Regions, "mesh")
        poses, shapes = arrays.take(MeshPoses, "mesh"), take_shapes(arrays)
        contacts = arrays.take(Contacts, "contacts")
        real = self.objects - len(shapes.kind)
        objects, elements = self._join_objects(arrays, real), self._name_elements(arrays, real)
        collide, capacity = arrays.build.settings("collide"), contact_capacity(arrays.build)
        limits = real, collide.margin, collide.most_contacts_per_pair
        scratch = make_scratch(capacity, len(table), len(pool.faces.x), len(triangles))
        tally, room, behind = scratch.tally, len(scratch.chosen), np.zeros(1, np.int64)
        round_shapes = bool(((shapes.kind != BOX) & (shapes.kind < FIRST_SOLID)).any())
        many = len(table) > 1 or bool(regions.meets_itself.any())
        # What no scene has, no kernel is compiled or called for.
        if round_shapes and many:
            run = bind_kernel(
                find_and_write, pool, reaches, regions, poses, shapes, objects, elements, *limits, behind, scratch,
                contacts,
            )  # fmt: skip
        else:
            searches = []
            if round_shapes:
                searches.append(bind_kernel(fill_rotations, shapes.q, shapes.rotation))
                searches.append(
                    bind_kernel(find_primitive_contacts, pool, reaches, shapes, objects, *limits, scratch)
                )
            if many:
                searches.append(
                    bind_kernel(find_mesh_contacts, pool, reaches, regions, poses, objects, *limits, scratch)
                )
            write = bind_kernel(
                write_raw, elements, objects, scratch.raw, scratch.chosen, tally, behind, contacts
            )  # fmt: skip

            def run() -> tuple[float, int]:
                tally[:] = 0
                used = max((look() or 0.0 for look in searches), default=0.0)
                return used, write()

        count = arrays["contacts.count"]

        def find() -> None:
            behind[0] = count[0]
            used, found = run()
            if used > 1.0 or tally.item(0) > room:
                refuse_overflow("candidates of mesh contacts", math.ceil(used * capacity), capacity, capacity)
                refuse_overflow("candidates of mesh contacts", tally.item(0), room, capacity)
            refuse_overflow("contacts", int(found), capacity, capacity)
            count[0] = found

        return find

    def _join_objects(self, arrays: Bound, real: int) -> Objects:
        """All primitives, then all meshes."""
        joined = {
            name: np.concatenate([arrays[f"collide.{name}"], arrays[f"mesh.{name}"][:real]])
            for name in self.of_objects
        }
        movable = (joined["carrier"] >= 0).astype(np.int64)
        movable[self.objects - real :] |= arrays["mesh.table"][:real, BENDS]
        return Objects(
            group=joined["group"],
            movable=movable,
            ignored=arrays["collide.ignored_pairs"],
            friction=joined["friction"],
            restitution=joined["restitution"],
        )

    def _name_elements(self, arrays: Bound, real: int) -> Elements:
        """Surface, first element and first triangle of every object; a primitive has no triangle."""
        table, shapes = arrays["mesh.table"], self.objects - real
        surface = np.full(self.objects, find_surface(arrays, "primitives"), np.int64)
        element, triangle = np.arange(self.objects, dtype=np.int64), np.full(self.objects, -1, np.int64)
        bending = iter(list_deforming(arrays.build))
        for mesh in range(real):
            number, first = table[mesh, OBJECT], table[mesh, FIRST]
            triangle[number] = first
            bends = table[mesh, BENDS] != 0
            surface[number] = find_surface(arrays, next(bending).name if bends else "meshes")
            element[number] = 0 if bends else first
        assert shapes == len(arrays["collide.kind"])
        return Elements(surface=surface, element=element, first_triangle=triangle)
