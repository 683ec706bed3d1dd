"""The systems of meshes: move their vertices, measure penetration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Access, Bound, Each, Phase, System
from supple.mechanics.deforming import find_rows
from supple_collide.contact_kernels import place_shapes, place_still_shapes
from supple_collide.finders import find_surface
from supple_collide.mesh_columns import BENDS
from supple_collide.mesh_compile import list_deforming
from supple_collide.mesh_place_kernels import find_mesh_penetrations, follow_bending_mesh, place_meshes


def has_meshes(build: Build) -> bool:
    """Whether the scene has anything made of triangles."""
    return "mesh.x" in build.arrays.specs


class PlaceMeshes(System):
    """Vertices follow the frames that carry them, or their own arrays, and boxes follow the vertices."""

    phase = Phase.DETECT
    owners = ("mesh.carrier", "mesh.frame", "mesh.local_position", "mesh.local_rotation", "mesh.extent")
    pool = ("mesh.triangles", "mesh.rest", "mesh.nodes", "mesh.order", "mesh.table", "mesh.node_last")
    poses = ("mesh.position", "mesh.q", "mesh.reach")
    boxes = ("mesh.x", "mesh.bounds", "mesh.triangle_bounds")
    short = ("mesh.node_short", "mesh.triangle_short", "mesh.vertex_short")

    def __init__(self, build: Build) -> None:
        self.deforming = list_deforming(build)
        if has_meshes(build):
            moving: list[Access] = [
                name for each in self.deforming for name in (each.positions, each.velocities)
            ]
            frames = (Each("carriers", part) for part in ("position", "rotation", "twist"))
            self.reads = (*self.owners, *self.pool, *frames, *moving)
            self.writes = (*self.poses, *self.boxes, *self.short)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the pool and what moves it; what stands still is placed here, once."""
        if not self.writes:
            return lambda: None
        owners, pool = [arrays[name] for name in self.owners], [arrays[name] for name in self.pool]
        poses, boxes = [arrays[name] for name in self.poses], [arrays[name] for name in self.boxes]
        short = [arrays[name] for name in self.short]
        carrier, _, local_position, local_rotation, _ = owners
        table, build = arrays["mesh.table"], arrays.build
        collide, h = build.settings("collide"), arrays.h
        moves = (carrier >= 0).astype(np.int64)
        still = ((carrier < 0) & (table[:, BENDS] == 0)).astype(np.int64)
        place_still_shapes(carrier, local_position, local_rotation, collide.margin, *poses)
        place_meshes(*pool, still, *poses[:2], *boxes)
        calls = [
            bind_kernel(
                place_shapes, *owners, number, collide.margin, collide.sudden_speed, h,
                arrays[each.position], arrays[each.rotation], arrays[each.twist], *poses,
            )
            for number, each in enumerate(build.members("carriers"))
            if (carrier == number).any()
        ]  # fmt: skip
        if moves.any():
            calls.append(bind_kernel(place_meshes, *pool, moves, *poses[:2], *boxes))
        first, tree = int(np.argmax(table[:, BENDS])), [pool[0], *pool[2:]]
        calls += [
            bind_kernel(
                follow_bending_mesh, *tree, first + i, collide.margin, collide.sudden_speed, h,
                arrays[each.positions][find_rows(each)], arrays[each.velocities][find_rows(each)], *boxes, poses[2],
                *short,
            )
            for i, each in enumerate(self.deforming)
        ]  # fmt: skip

        def place() -> None:
            for call in calls:
                call()

        return place


class ObserveMeshes(System):
    """The deepest contact of every rigid mesh, for its metric."""

    phase = Phase.OBSERVE

    def __init__(self, build: Build) -> None:
        if has_meshes(build):
            self.reads = (
                "contacts.count", "contacts.surface", "contacts.element", "contacts.gap", "mesh.of_triangle"
            )  # fmt: skip
            self.writes = ("mesh.penetration",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the contacts."""
        if not self.writes:
            return lambda: None
        contacts, of_triangle = [arrays[name] for name in self.reads[:4]], arrays["mesh.of_triangle"]
        number, penetration = find_surface(arrays, "meshes"), arrays["mesh.penetration"]
        return bind_kernel(find_mesh_penetrations, *contacts, number, of_triangle, penetration)
