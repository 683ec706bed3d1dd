"""Sides of links that are points of surfaces which bend: where they are, and which triangle carries them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import NEXT, FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound, Call
from supple.mechanics.deforming import DeformingSurface, find_rows
from supple_joints.codes import STANDS_STILL
from supple_joints.held_kernels import (
    close_on_surface,
    follow_held_points,
    meet_hands,
    place_held_points,
    share_held_points,
)
from supple_joints.tables import Anchors, Frames, Grasps, Held, Links, Mesh

SURFACE, ELEMENT, WEIGHTS = "joints.held_surface", "joints.held_element", "joints.held_weights"
HELD_NEXT = (ELEMENT + NEXT, WEIGHTS + NEXT)


class HeldPoints:
    """Who holds what; member of the collection `point_holders`."""

    name = "joints"
    held_surface, held_element = SURFACE, ELEMENT + NEXT
    reads = ()

    def bind(self, arrays: Bound) -> None:
        """Nothing to look up: others read the arrays that it names."""


def list_held(build: Build) -> list[tuple[int, DeformingSurface]]:
    """Numbers and surfaces of which links hold points."""
    if SURFACE not in build.arrays.specs:
        return []
    numbers = sorted(set(build.arrays[SURFACE].reshape(-1).tolist()) - {-1})
    surfaces = build.members("surfaces")
    return [(number, surfaces[number]) for number in numbers]


class HeldSides:
    """What the systems of links do for the sides on surfaces. Without any it declares and does nothing."""

    def __init__(self, build: Build) -> None:
        self.surfaces = list_held(build)
        self.positions = tuple(surface.positions for _, surface in self.surfaces)
        self.reads = (SURFACE, ELEMENT, WEIGHTS, *self.positions) if self.surfaces else ()
        self.writes = HELD_NEXT if self.surfaces else ()

    def bind_measuring(
        self,
        arrays: Bound,
        links: Links,
        grasps: Grasps,
        frames: Sequence[Frames],
        placed: Anchors,
        kept: Anchors,
    ) -> tuple[list[Call], list[Call]]:
        """What runs once the other anchors are placed, and what runs once the links are measured.

        `placed` are the anchors in the world, `kept` those in their frames after the step.
        """
        if not self.surfaces:
            return [], []
        before, held = self._take_held(arrays, (ELEMENT, WEIGHTS)), self._take_held(arrays, self.writes)
        hold = [Call(follow_held_points, arrays["joints.active"], before, held)]
        for number, mesh in self._take_meshes(arrays, self.positions):
            hold.append(Call(close_on_surface, number, mesh, grasps, placed.x, held))
            hold.append(Call(place_held_points, number, mesh, held, placed.x))
        still = Frames(position=np.zeros((1, 3)), rotation=np.array([[1.0, 0.0, 0.0, 0.0]]))
        hold += [
            Call(meet_hands, number, each, grasps, links, held.surface, placed.x, kept.x)
            for number, each in ((STANDS_STILL, still), *enumerate(frames))
        ]
        return hold, [Call(share_held_points, links.kind, held.surface, placed.x, arrays["joints.point"])]

    def bind_placing(self, arrays: Bound, positions: Sequence[str], x: FloatArray) -> list[Call]:
        """What places the held points in x, with the vertices in these arrays."""
        if not self.surfaces:
            return []
        held = self._take_held(arrays, self.writes)
        return [
            Call(place_held_points, number, mesh, held, x)
            for number, mesh in self._take_meshes(arrays, positions)
        ]

    def _take_held(self, arrays: Bound, names: Sequence[str]) -> Held:
        """The points that are held; `names` are those of their triangles and weights."""
        element, weights = names
        return Held(surface=arrays[SURFACE], element=arrays[element], weights=arrays[weights])

    def _take_meshes(self, arrays: Bound, positions: Sequence[str]) -> list[tuple[int, Mesh]]:
        return [
            (
                number,
                Mesh(
                    triangles=np.ascontiguousarray(surface.triangles, np.int64),
                    vertices=arrays[name][find_rows(surface)],
                ),
            )
            for (number, surface), name in zip(self.surfaces, positions, strict=True)
        ]
