"""Solids and tubes as triangles, counter-clockwise seen from outside. Lengths in m.

A round solid is a set of unit directions: the vertex is a centre plus the radius times its direction, and the
direction is the normal there. A capsule has two centres, and so has every tube between two points.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from supple.core.arrays import FloatArray, IntArray

Triangles = tuple[FloatArray, IntArray]

#: Vertices around, and rings from the rim to the tip.
_ROUND = (32, 9)
# Corners of a drum's rim, whose outline nothing smooths.
_RIM = 64
_TUBE = (10, 2)
_BOX_FACES = tuple((axis, side) for axis in range(3) for side in (-1.0, 1.0))


def tessellate_solid(kind: str, size: tuple[float, float, float]) -> Triangles:
    """Vertices [nv, 3] and triangles [nt, 3] of a solid of one of these kinds, sized as `drawing.Solid` says.

    Raises ValueError for another kind. A plane has no size; see `make_square`.
    """
    if kind == "box":
        return _make_box(size)
    if kind == "sphere":
        directions, triangles = make_ball(*_ROUND)
        return size[0] * directions, triangles
    if kind == "capsule":
        directions, ends, triangles = make_pill(*_ROUND)
        shift = np.where(ends == 1, size[1], -size[1])[:, None] * np.array([0.0, 1.0, 0.0])
        return size[0] * directions + shift, triangles
    if kind == "cylinder":
        return _make_cylinder(_RIM, size[0], size[0], size[1])
    if kind == "cone":
        return _make_cylinder(_RIM, size[0], 0.0, size[1])
    if kind == "ellipsoid":
        directions, triangles = make_ball(*_ROUND)
        return directions * np.array(size), triangles
    kinds = "box, capsule, cone, cylinder, ellipsoid, plane, sphere"
    raise ValueError(f"no solid of the kind '{kind}'; choose from: {kinds}")


def make_square(centre_x: float, centre_z: float, half: float) -> Triangles:
    """A square in the plane y = 0 that is seen from above."""
    corners = np.array([[-half, 0.0, -half], [-half, 0.0, half], [half, 0.0, half], [half, 0.0, -half]])
    return corners + np.array([centre_x, 0.0, centre_z]), np.array([[0, 1, 2], [0, 2, 3]])


def tessellate_tubes(points: FloatArray, segments: IntArray, radius: float) -> FloatArray:
    """Vertices [ns * m, 3] of a round-ended tube for each row of `segments` [ns, 2], which count `points`."""
    directions, ends, _ = make_pill(*_TUBE)
    tips = points[segments]
    axis = tips[:, 1] - tips[:, 0]
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    y = np.where(length > 0.0, axis / np.where(length > 0.0, length, 1.0), (0.0, 1.0, 0.0))
    # The side of the tube is turned to the world axis that is farthest from its own.
    x = np.cross(y, np.eye(3)[np.argmin(np.abs(y), axis=1)])
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    frames = np.stack([x, y, np.cross(x, y)], axis=1)
    vertices = tips[:, ends] + radius * np.einsum("vk,skc->svc", directions, frames)
    return np.ascontiguousarray(vertices.reshape(-1, 3))


def connect_tubes(count: int) -> IntArray:
    """Triangles of `count` tubes."""
    directions, _, triangles = make_pill(*_TUBE)
    first = len(directions) * np.arange(count)[:, None, None]
    return np.ascontiguousarray((triangles[None] + first).reshape(-1, 3))


def vertices_per_tube() -> int:
    """Vertices of one tube; a value of a segment counts for all of them."""
    return len(make_pill(*_TUBE)[0])


@functools.cache
def make_pill(around: int, rings: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Unit directions [nv, 3] of a rod along y, the end (0 below, 1 above) of each, and its triangles.

    `around` vertices form a ring; each end has `rings` of them, the last one on the rim, and a tip.
    """
    sines = _quarter(rings)
    directions, triangles = _revolve([*sines, *(-sine for sine in reversed(sines))], around)
    ends = np.arange(len(directions)) > rings * around
    return directions, ends.astype(np.int64), triangles


@functools.cache
def make_ball(around: int, rings: int) -> Triangles:
    """Unit directions [nv, 3] of a ball, and its triangles; it has one rim where a rod has two."""
    sines = _quarter(rings)
    return _revolve([*sines[:-1], *(-sine for sine in reversed(sines))], around)


def _quarter(rings: int) -> list[float]:
    """Sines of the latitudes from near the lower pole up to the equator."""
    return [-math.cos(math.pi / 2 * k / rings) for k in range(1, rings)] + [0.0]


def _revolve(sines: list[float], around: int) -> Triangles:
    """Rings about y at these sines of the latitude, a tip at either end, and triangles between them."""
    turn = 2 * math.pi * np.arange(around) / around
    circle = np.stack([np.cos(turn), np.zeros(around), -np.sin(turn)], axis=1)
    height = np.array(sines)[:, None, None]
    ring = np.sqrt(1 - height**2) * circle + height * np.array([0.0, 1.0, 0.0])
    directions = np.vstack([[[0.0, -1.0, 0.0]], ring.reshape(-1, 3), [[0.0, 1.0, 0.0]]])
    here = np.arange(around)
    ahead = (here + 1) % around
    parts = [np.stack([np.zeros_like(here), 1 + ahead, 1 + here], axis=1)]
    for level in range(len(sines) - 1):
        low, high = 1 + level * around, 1 + (level + 1) * around
        parts.append(np.stack([low + here, low + ahead, high + ahead], axis=1))
        parts.append(np.stack([low + here, high + ahead, high + here], axis=1))
    top = len(directions) - 1
    last = top - around
    parts.append(np.stack([last + here, last + ahead, np.full_like(here, top)], axis=1))
    return directions, np.vstack(parts).astype(np.int64)


def _make_box(half: tuple[float, float, float]) -> Triangles:
    """Each face has its own corners, so that normals taken from the triangles are those of the faces."""
    vertices, triangles = [], []
    for number, (axis, side) in enumerate(_BOX_FACES):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            corner = np.zeros(3)
            corner[[axis, u, v]] = side * half[axis], side * a * half[u], b * half[v]
            vertices.append(corner)
        first = 4 * number
        triangles += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    return np.array(vertices), np.array(triangles, dtype=np.int64)


def _make_cylinder(around: int, low: float, high: float, half: float) -> Triangles:
    """A drum with these radii below and above; a cone is one whose upper end is a point.

    The ends have corners of their own, so that the edges stay sharp.
    """
    turn = 2 * math.pi * np.arange(around) / around
    rim = np.stack([np.cos(turn), np.zeros(around), -np.sin(turn)], axis=1)
    up = np.array([0.0, half, 0.0])
    ends = [low * rim - up, high * rim + up]
    vertices = np.concatenate([*ends, *ends, [-up, up]])
    here = np.arange(around)
    ahead = (here + 1) % around
    below, above, tips = 2 * around, 3 * around, 4 * around
    parts = [
        np.stack([here, ahead, around + ahead], axis=1),
        np.stack([here, around + ahead, around + here], axis=1),
        np.stack([np.full_like(here, tips), below + ahead, below + here], axis=1),
        np.stack([np.full_like(here, tips + 1), above + here, above + ahead], axis=1),
    ]
    if high == 0.0:  # what an apex would have of it has no area
        parts = [parts[0], parts[2]]
    return vertices, np.vstack(parts).astype(np.int64)


def smooth_normals(vertices: FloatArray, triangles: IntArray) -> FloatArray:
    """Unit normals [nv, 3]: the mean of those of the triangles around, weighted by their areas."""
    corners = vertices[triangles]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.zeros_like(vertices)
    for axis in range(3):
        weights = np.repeat(doubled[:, axis], 3)
        total[:, axis] = np.bincount(triangles.ravel(), weights=weights, minlength=len(vertices))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(total / np.where(length > 0.0, length, 1.0))
