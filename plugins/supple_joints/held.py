"""Sides of links that are points of surfaces which bend: where they are, and which triangle carries them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import NEXT, Array
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.mechanics.deforming import DeformingSurface, find_rows
from supple_joints.held_kernels import (
    close_on_surface,
    follow_held_points,
    meet_hands,
    place_held_points,
    share_held_points,
)

SURFACE, ELEMENT, WEIGHTS = "joints.held_surface", "joints.held_element", "joints.held_weights"


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
        self.writes = (ELEMENT + NEXT, WEIGHTS + NEXT) if self.surfaces else ()

    def bind_measuring(
        self,
        arrays: Bound,
        grasps: tuple[Array, Array, Array],
        frames: list[tuple[int, Array, Array]],
        placed: list[Array],
        kept: list[Array],
    ) -> tuple[Callable[[], None], Callable[[], None]]:
        """What runs once the other anchors are placed, and what runs once the links are measured.

        `grasps` are their links, their first steps and the number of the step; `placed` poses of anchors in the
        world; `kept` those in their frames after the step.
        """
        if not self.surfaces:
            return _do_nothing, _do_nothing
        surface, element, weights = (arrays[name] for name in (SURFACE, ELEMENT, WEIGHTS))
        held = (surface, *(arrays[name] for name in self.writes))
        active, kind, point = arrays["joints.active"], arrays["joints.kind"], arrays["joints.point"]
        carrier, frame = arrays["joints.carrier"], arrays["joints.frame"]
        meshes = self._take_meshes(arrays, self.positions)
        still = (-1, np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]))
        x = placed[0]

        def hold() -> None:
            follow_held_points(active, element, weights, *held[1:])
            for number, triangles, vertices in meshes:
                close_on_surface(*grasps, number, triangles, vertices, *held, x)
                place_held_points(number, triangles, vertices, *held, x)
            for number, position, rotation in (still, *frames):
                meet_hands(*grasps, surface, carrier, frame, number, position, rotation, x, kept[0])

        def share() -> None:
            share_held_points(kind, surface, x, point)

        return hold, share

    def bind_placing(self, arrays: Bound, positions: tuple[str, ...], x: Array) -> Callable[[], None]:
        """What places the held points in x, with the vertices in these arrays."""
        if not self.surfaces:
            return _do_nothing
        held = [arrays[name] for name in (SURFACE, *self.writes)]
        meshes = self._take_meshes(arrays, positions)

        def place() -> None:
            for number, triangles, vertices in meshes:
                place_held_points(number, triangles, vertices, *held, x)

        return place

    def _take_meshes(self, arrays: Bound, positions: tuple[str, ...]) -> list[tuple[int, Array, Array]]:
        return [
            (number, np.ascontiguousarray(surface.triangles, np.int64), arrays[name][find_rows(surface)])
            for (number, surface), name in zip(self.surfaces, positions, strict=True)
        ]


def _do_nothing() -> None:
    """No link holds a surface."""
