"""The finder of contacts of meshes, in a file that only scenes with meshes import: its kernels are many."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.arrays import IntArray
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Work
from supple.mechanics.mechanism import contact_capacity
from supple_collide.finders import SHAPES, find_surface, refuse_overflow, take_shapes
from supple_collide.kernel_arrays import (
    Contacts,
    Elements,
    Faces,
    MeshPool,
    MeshPoses,
    Objects,
    Reaches,
    Regions,
    Trees,
    name_arrays,
)
from supple_collide.mesh_scratch import make_scratch
from supple_collide.meshes.columns import BENDS, FIRST, OBJECT
from supple_collide.meshes.compile import list_deforming
from supple_collide.pairs.pressed_kernels import mark_pressed, unmark_pressed
from supple_collide.pairs.raw_kernels import write_raw
from supple_collide.pairs.search_kernels import (
    find_and_write,
    find_mesh_contacts,
    find_primitive_contacts,
)
from supple_collide.pressed import COUNT, PRESSED
from supple_collide.primitives.pose_kernels import fill_rotations
from supple_collide.shape_kinds import BOX, FIRST_SOLID


def _do_nothing() -> None:
    """There are no edges to mark."""


class MeshFinder:
    """Everything that involves a mesh: with spheres, capsules, planes, boxes, meshes, and itself."""

    of_objects = ("carrier", "group", "friction", "restitution")
    reads = (
        *name_arrays("mesh", Faces, Trees, Reaches, Regions, MeshPoses), "mesh.table", "mesh.sizes", *SHAPES,
        *(f"collide.{name}" for name in of_objects), *(f"mesh.{name}" for name in of_objects),
        "collide.ignored_pairs",
    )  # fmt: skip

    def __init__(self, objects: int, keeps_pressed: bool) -> None:
        self.objects, self.keeps_pressed = objects, keeps_pressed
        if keeps_pressed:
            self.reads = (*self.reads, COUNT, PRESSED)

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
        mark, unmark = self._bind_marks(arrays, scratch.search.pressed)

        def find() -> None:
            behind[0] = count[0]
            mark()
            used, found = run()
            unmark()
            if used > 1.0 or tally.item(0) > room:
                refuse_overflow("candidates of mesh contacts", math.ceil(used * capacity), capacity, capacity)
                refuse_overflow("candidates of mesh contacts", tally.item(0), room, capacity)
            refuse_overflow("contacts", int(found), capacity, capacity)
            count[0] = found

        return find

    def _bind_marks(self, arrays: Bound, marks: IntArray) -> tuple[Callable[[], Any], Callable[[], Any]]:
        """What marks the edges that bore force in the last step, and what takes the marks away."""
        if not self.keeps_pressed:
            return _do_nothing, _do_nothing
        kept = (arrays[COUNT], arrays[PRESSED], marks)
        return bind_kernel(mark_pressed, *kept), bind_kernel(unmark_pressed, *kept)

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
