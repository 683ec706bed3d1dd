"""Finders of contacts: each appends its own to the one list of the step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.errors import SimulationError
from supple.mechanics.compile import CONTACT_ARRAYS
from supple.mechanics.mechanism import contact_capacity
from supple_collide.mesh_columns import BENDS, FIRST, OBJECT
from supple_collide.mesh_compile import list_deforming
from supple_collide.mesh_contact_kernels import (
    find_and_write,
    find_mesh_contacts,
    find_primitive_contacts,
)
from supple_collide.pose_kernels import fill_rotations
from supple_collide.primitive_kernels import find_primitive_pairs
from supple_collide.raw_contact_kernels import write_raw
from supple_collide.scratch import (
    make_candidates,
    make_choice,
    make_manifold,
    make_room,
    make_search,
    make_stack,
)
from supple_collide.shape_kinds import BOX

PAIRS_PER_CONTACT = 4
CONTACT_OUTPUTS = (*CONTACT_ARRAYS, "contacts.weights")
"""What finders write; the count is not theirs."""


class Finder(Protocol):
    """Finds contacts of some kinds of objects."""

    reads: Sequence[str]

    def bind(self, arrays: Bound) -> Callable[[int], int]:
        """A function that appends contacts behind the first n, and returns how many there are now.

        If that is more than there is room for, the rest was not written.
        """
        ...


def refuse_overflow(noun: str, needed: int, room: int, capacity: int) -> None:
    """Raise if there is not room enough: contacts are never dropped silently."""
    if needed > room:
        what = f"{needed} {noun}, room for {room}: raise run.capacity.contacts above {capacity}"
        raise SimulationError(what)


def find_surface(arrays: Bound, name: str) -> int:
    """The number of a surface in `contacts.surface`."""
    return [member.name for member in arrays.build.members("surfaces")].index(name)


class PrimitiveFinder:
    """Primitives with primitives."""

    reads = (
        "collide.kind", "collide.size", "collide.x", "collide.q", "collide.reach", "collide.carrier",
        "collide.group", "collide.friction", "collide.restitution", "collide.ignored_pairs",
    )  # fmt: skip

    def __init__(self, objects: int) -> None:
        self.objects = objects

    def bind(self, arrays: Bound) -> Callable[[int], int]:
        """Bind shapes and contacts; the pair list is scratch. This finder comes first."""
        kind, size, x, q, reach, carrier, group, friction, restitution, ignored = (
            arrays[name] for name in self.reads
        )
        capacity, shapes = contact_capacity(arrays.build), len(kind)
        movable = (carrier >= 0).astype(np.int64)
        pairs = np.zeros((PAIRS_PER_CONTACT * capacity, 2), np.int64)
        model = (
            kind, size, friction, restitution, movable, group, ignored, find_surface(arrays, "primitives"),
            self.objects, x, q, reach,
        )  # fmt: skip
        scratch = (
            np.zeros((shapes, 3, 3)), np.zeros(shapes, np.int64), np.zeros((shapes, 6)), pairs,
            *make_manifold(), np.zeros((capacity, 2), np.int64), np.zeros(capacity, np.int64),
        )  # fmt: skip
        outputs = [arrays[name] for name in CONTACT_OUTPUTS[1:]]
        find_pairs = bind_kernel(find_primitive_pairs, *model, *scratch, *outputs)

        def find(first: int) -> int:
            assert first == 0, "primitives are looked at first"
            pair_count, found = find_pairs()
            refuse_overflow("pairs of neighbouring shapes", pair_count, len(pairs), capacity)
            return int(found)

        return find


class MeshFinder:
    """Everything that involves a mesh: with spheres, capsules, planes, boxes, meshes, and itself."""

    geometry = (
        "mesh.x", "mesh.triangles", "mesh.neighbour", "mesh.facet", "mesh.owns", "mesh.vertex_first",
        "mesh.vertex_triangle",
        "mesh.nodes", "mesh.order", "mesh.table", "mesh.sizes", "mesh.grids", "mesh.bounds", "mesh.triangle_bounds",
        "mesh.reach",
    )  # fmt: skip
    shapes = ("collide.kind", "collide.size", "collide.x", "collide.q", "collide.reach")
    short = ("mesh.node_short", "mesh.triangle_short", "mesh.vertex_short")
    of_regions = ("region", "regions_meet", "node_regions", "node_meets")
    of_objects = ("carrier", "group", "friction", "restitution")
    reads = (
        *geometry, *short, *shapes, *(f"collide.{name}" for name in of_objects),
        *(f"mesh.{name}" for name in of_objects), "mesh.position", "mesh.q", "mesh.meets_itself",
        *(f"mesh.{name}" for name in of_regions), "collide.ignored_pairs",
    )  # fmt: skip

    def __init__(self, objects: int) -> None:
        self.objects = objects

    def bind(self, arrays: Bound) -> Callable[[int], int]:
        """Bind meshes, shapes and contacts, and make the scratch."""
        geometry = [arrays[name] for name in self.geometry]
        short = [arrays[name] for name in self.short]
        kind, size, shape_x, q, shape_reach = (arrays[name] for name in self.shapes)
        table, triangles = arrays["mesh.table"], arrays["mesh.triangles"]
        real = self.objects - len(kind)
        movable, group, *material = self._join_objects(arrays, real)
        ignored, itself = arrays["collide.ignored_pairs"], arrays["mesh.meets_itself"]
        regions = [arrays[f"mesh.{name}"] for name in self.of_regions]
        collide = arrays.build.settings("collide")
        margin, most = collide.margin, collide.most_contacts_per_pair
        capacity = contact_capacity(arrays.build)
        rotation = np.zeros((len(kind), 3, 3))
        stack, candidates = make_stack(), make_candidates()
        box, segment_box = np.zeros((1, 6)), np.zeros((1, 6))
        # A list of triangles can never be longer than all there are.
        near, deep = (np.zeros(2 * len(triangles), np.int64) for _ in range(2))
        choice = make_choice(8 * capacity)
        chosen, ids, values = make_room(8 * capacity)
        search = make_search(capacity, len(table), len(arrays["mesh.x"]), len(triangles))
        describe = self._describe_objects(arrays, real)
        tally, behind = np.zeros(2, np.int64), np.zeros(1, np.int64)
        kept = (*choice, tally, chosen, ids, values)
        poses = arrays["mesh.position"], arrays["mesh.q"]
        outputs = [arrays[name] for name in CONTACT_OUTPUTS[1:]]
        round_shapes, many = bool((kind != BOX).any()), len(table) > 1 or bool(itself.any())
        # What no scene has, no kernel is compiled or called for.
        if round_shapes and many:
            run = bind_kernel(
                find_and_write, *geometry, *short, kind, size, shape_x, q, shape_reach, *poses, group, movable, itself,
                *regions, ignored, real, margin, most, *describe, *material, behind, rotation, stack, near, deep, box,
                segment_box, *candidates, *search, *kept, *outputs,
            )  # fmt: skip
        else:
            searches = []
            if round_shapes:
                searches.append(bind_kernel(fill_rotations, q, rotation))
                searches.append(
                    bind_kernel(
                        find_primitive_contacts, *geometry, short[0], short[2], kind, size, shape_x, rotation,
                        shape_reach, group, movable, ignored, real, margin, most, stack, near, deep, box, segment_box,
                        *candidates, *kept,
                    )
                )  # fmt: skip
            if many:
                searches.append(
                    bind_kernel(
                        find_mesh_contacts, *geometry, *short, *poses, group, movable, itself, *regions, ignored, real,
                        margin, most, stack, near, box, *candidates, *search, *kept,
                    )
                )  # fmt: skip
            write = bind_kernel(write_raw, *describe, *material, ids, values, chosen, tally, behind, *outputs)

            def run() -> tuple[float, int]:
                tally[:] = 0
                used = max((look() or 0.0 for look in searches), default=0.0)
                return used, write()

        def find(first: int) -> int:
            behind[0] = first
            used, found = run()
            if used > 1.0 or tally.item(0) > len(ids):
                refuse_overflow("candidates of mesh contacts", math.ceil(used * capacity), capacity, capacity)
                refuse_overflow("candidates of mesh contacts", tally.item(0), len(ids), capacity)
            return int(found)

        return find

    def _join_objects(self, arrays: Bound, real: int) -> list[np.ndarray]:
        """Of all primitives, then of all meshes: whether they move, groups, friction and restitution."""
        carrier, *others = (
            np.concatenate([arrays[f"collide.{name}"], arrays[f"mesh.{name}"][:real]])
            for name in self.of_objects
        )
        movable = (carrier >= 0).astype(np.int64)
        movable[self.objects - real :] |= arrays["mesh.table"][:real, BENDS]
        return [movable, *others]

    def _describe_objects(self, arrays: Bound, real: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
        return surface, element, triangle
