"""Points on surfaces: what contacts, springs, joints, grasps and pushes hold, and ask a surface about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.errors import list_choices
from supple.mechanics.deforming import DeformingSurface, find_rows
from supple.mechanics.point_kernels import find_nearest_point, place_point


class SurfacePoints(NamedTuple):
    """Points on one surface, and the directions along which their velocities make rows.

    Asked for are the entries span[0] <= k < span[1]. The rows of entry k belong to group[k]; they are
    sign[k] * directions[k] @ (velocity of the point). A group of one row leaves directions[k, 1:] zero.
    Whoever asks keeps the arrays, so that a surface may bind its kernels to them.
    """

    span: IntArray  # [2]
    group: IntArray  # [n] group of rows in the problem
    element: IntArray  # [n] shape or triangle, as `contacts.element` counts them
    weights: FloatArray  # [n, 3] barycentric, of the corners of a triangle; unused on other elements
    sign: FloatArray  # [n] +1 for side A, -1 for side B
    point: FloatArray  # [n, 3] in the world [m]; surfaces that bend find it by the weights
    directions: FloatArray  # [n, 3, 3] unit vectors in the world, one a row


def make_points(capacity: int) -> SurfacePoints:
    """Room for so many points, none of them in use."""
    return SurfacePoints(
        span=np.zeros(2, np.int64),
        group=np.zeros(capacity, np.int64),
        element=np.zeros(capacity, np.int64),
        weights=np.zeros((capacity, 3)),
        sign=np.zeros(capacity),
        point=np.zeros((capacity, 3)),
        directions=np.zeros((capacity, 3, 3)),
    )


Made = TypeVar("Made")


class PerAsker(Generic[Made]):
    """Whatever a surface makes once for everybody who asks with points of his own, such as bound kernels."""

    def __init__(self, make: Callable[[SurfacePoints], Made]) -> None:
        self._make = make
        self._known: dict[int, tuple[SurfacePoints, Made]] = {}

    def __call__(self, points: SurfacePoints) -> Made:
        """What belongs to these points; they are told apart by identity, and kept."""
        known = self._known.get(id(points))
        if known is None or known[0] is not points:
            known = self._known[id(points)] = (points, self._make(points))
        return known[1]


@runtime_checkable
class PointHolder(Protocol):
    """Whoever holds points of surfaces that bend, besides contacts. Collection `point_holders`.

    It names two integer arrays of one length, Step values made in DETECT or State: `held_surface`, numbers in the
    collection `surfaces`, and `held_element`, triangles there; -1 where nothing is held in this step. A surface that
    is only simulated where something touches it is so where it is held, too.
    """

    name: str
    held_surface: str
    held_element: str


class HeldPoint(NamedTuple):
    """A point that moves with a triangle of a surface that bends."""

    surface: int  # number in the collection `surfaces`
    element: int
    weights: FloatArray  # [3]
    position: FloatArray  # [3] in the world at the start [m]


def find_places_at_start(build: Build, surface: DeformingSurface) -> FloatArray:
    """Vertices of a surface in the world at the start [nv, 3]."""
    return np.asarray(build.arrays[surface.positions][find_rows(surface)])


def find_surface_of(build: Build, path: str, blame: str) -> DeformingSurface | None:
    """The surface that bends and moves whatever stands at `path`; None if a frame moves it, or nothing does.

    It is that of the entity or of the nearest one above, or the only one below; of several below, `blame` (a
    component) is told to name one. For compile functions that come after carriers and surfaces.
    """
    bending = {each.path: each for each in build.members("surfaces") if isinstance(each, DeformingSurface)}
    for entity in build.graph.ancestors(path):
        if entity.path in build.frames:
            return None
        if entity.path in bending:
            return bending[entity.path]
    below = [surface for other, surface in bending.items() if other.startswith(f"{path}/")]
    if len(below) > 1:
        names = list_choices(f"'{each.path}'" for each in below)
        raise build.refuse(blame, f"below '{path}' are several surfaces that bend", f"name one of {names}")
    return below[0] if below else None


def refuse_scattered(build: Build, blame: str, path: str) -> None:
    """Refuse to hold an entity whose parts move each by itself, such as a skeleton without flesh."""
    moving = {
        kind
        for compiler in build.registry.compilers.values()
        if "carriers" in compiler.provides or "mechanisms" in compiler.provides
        for kind in compiler.components
    }
    kinds = sorted(moving & set(build.graph[path].components))
    if kinds and build.pose_in_frame(path) is None:
        parts = [other for other in build.frames if other.startswith(f"{path}/")]
        remedy = f"name one of them: {', '.join(parts)}" if parts else "name something that moves as one"
        raise build.refuse(blame, f"the parts of '{path}' ({', '.join(kinds)}) move each by itself", remedy)


def hold_nearest(build: Build, surface: DeformingSurface, place: FloatArray) -> HeldPoint:
    """The point of a surface that is nearest to a place in the world, at the start."""
    triangles = np.ascontiguousarray(surface.triangles, np.int64)
    x = np.ascontiguousarray(find_places_at_start(build, surface), np.float64)
    weights, position = np.zeros(3), np.zeros(3)
    element = find_nearest_point(triangles, x, np.array(place, np.float64), weights)
    place_point(triangles, x, element, weights, position)
    return HeldPoint(build.members("surfaces").index(surface), int(element), weights, position)
