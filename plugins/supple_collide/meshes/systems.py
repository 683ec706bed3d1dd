"""The systems of meshes: move their vertices, measure penetration."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Access, Bound, Call, Each, Phase, System, Work
from supple.mechanics.deforming import find_rows
from supple_collide.contact_kernels import place_still_shapes
from supple_collide.finders import find_surface
from supple_collide.kernel_arrays import (
    MeshBoxes,
    MeshPoses,
    Mounts,
    Placed,
    Reaches,
    RestMeshes,
    name_arrays,
)
from supple_collide.meshes.columns import BENDS, FIRST_VERTEX, LAST_VERTEX
from supple_collide.meshes.compile import list_deforming
from supple_collide.meshes.place_kernels import find_mesh_penetrations, follow_bending_mesh, place_meshes
from supple_collide.placing import move_mounted


def has_meshes(build: Build) -> bool:
    """Whether the scene has anything made of triangles."""
    return "mesh.x" in build.arrays.specs


class PlaceMeshes(System):
    """Vertices follow the frames that carry them, or their own arrays, and boxes follow the vertices."""

    phase = Phase.DETECT

    def __init__(self, build: Build) -> None:
        self.deforming = list_deforming(build)
        if has_meshes(build):
            moving: list[Access] = [
                name for each in self.deforming for name in (each.positions, each.velocities)
            ]
            frames = (Each("carriers", part) for part in ("position", "rotation", "twist"))
            self.reads = (
                *name_arrays("mesh", Mounts, RestMeshes), "mesh.ahead", "mesh.vertex_ahead", *frames, *moving,
            )  # fmt: skip
            self.writes = name_arrays("mesh", MeshPoses, MeshBoxes, Reaches)

    def bind(self, arrays: Bound) -> Work:
        """Bind the pool and what moves it; what stands still is placed here, once."""
        if not self.writes:
            return []
        mounts, meshes = arrays.take(Mounts, "mesh"), arrays.take(RestMeshes, "mesh")
        poses, boxes = arrays.take(MeshPoses, "mesh"), arrays.take(MeshBoxes, "mesh")
        placed, reaches = arrays.take(Placed, "mesh", x="mesh.position"), arrays.take(Reaches, "mesh")
        collide, bends = arrays.build.settings("collide"), meshes.table[:, BENDS]
        moves = (mounts.carrier >= 0).astype(np.int64)
        still = ((mounts.carrier < 0) & (bends == 0)).astype(np.int64)

        def place() -> None:
            place_still_shapes(mounts, collide.margin, placed)
            place_meshes(meshes, still, poses, boxes)

        arrays.build.fill_once("collide.place_meshes", place)
        calls = move_mounted(arrays, mounts, arrays["mesh.ahead"], placed)
        if moves.any():
            calls.append(Call(place_meshes, meshes, moves, poses, boxes))
        first, ahead = int(np.argmax(bends)), arrays["mesh.vertex_ahead"]
        begin = meshes.table[first, FIRST_VERTEX]
        calls += [
            Call(
                follow_bending_mesh, meshes, first + i, collide.margin, collide.sudden_speed, arrays.h,
                arrays[each.positions][find_rows(each)], arrays[each.velocities][find_rows(each)],
                ahead[meshes.table[first + i, FIRST_VERTEX] - begin : meshes.table[first + i, LAST_VERTEX] - begin],
                boxes, reaches,
            )
            for i, each in enumerate(self.deforming)
        ]  # fmt: skip
        return calls


class ObserveMeshes(System):
    """The deepest contact of every rigid mesh, for its metric."""

    phase = Phase.OBSERVE

    def __init__(self, build: Build) -> None:
        if has_meshes(build):
            self.reads = (
                "contacts.count", "contacts.surface", "contacts.element", "contacts.gap", "mesh.of_triangle"
            )  # fmt: skip
            self.writes = ("mesh.penetration",)

    def bind(self, arrays: Bound) -> Work:
        """Bind the contacts."""
        if not self.writes:
            return []
        return Call(
            find_mesh_penetrations, arrays["contacts.count"], arrays["contacts.surface"],
            arrays["contacts.element"], arrays["contacts.gap"], find_surface(arrays, "meshes"),
            arrays["mesh.of_triangle"], arrays["mesh.penetration"],
        )  # fmt: skip
