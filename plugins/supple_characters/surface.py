"""A closed skin of a chosen number of vertices around limbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.arrays import FloatArray, IntArray
from supple.core.kept_arrays import keep_arrays
from supple_characters import limb_columns as at
from supple_characters.limbs import Limb, tabulate

# How often the grid is made finer when limbs have melted where they should not.
ATTEMPTS = 3
# Sweeps of the remesher: while the edges grow to their size, and then to make them even.
GROWTH = 1.5
SWEEPS, LAST_SWEEPS = 7, 8
SHORTEST, LONGEST = 0.75, 1.36
# Cotangent of the angle below which a triangle is a needle and is done away with.
SHARP = 3.0


@dataclass(frozen=True)
class Surface:
    """A closed mesh, counter-clockwise seen from outside: corners [nv, 3] in m, triangles [nt, 3].

    `bones[v]` is the bone whose limb vertex v belongs to.
    """

    vertices: FloatArray
    triangles: IntArray
    bones: tuple[str, ...]


@lru_cache(maxsize=32)
def wrap(limbs: tuple[Limb, ...], vertices: int, join: float, apart: float, detail: float) -> Surface:
    """The skin around the limbs with about `vertices` vertices; a pure function, bit for bit.

    Branches blend with the trunk over the width `join` [m] and with each other over `apart`. `detail` [m] is the
    distance below which limbs and gaps may be missed. Raises ValueError if the skin is no ball with dents.
    """
    table, ordered = tabulate(limbs)

    def make() -> Mapping[str, NDArray[Any]]:
        points, triangles, chosen = _wrap(table, vertices, join, apart, detail)
        return {"points": points, "triangles": triangles, "chosen": chosen}

    asked = f"{table.tobytes().hex()} {(vertices, join, apart, detail)!r}"
    kept = keep_arrays(__name__, asked, make)
    points, triangles = kept["points"], kept["triangles"]
    points.setflags(write=False)
    triangles.setflags(write=False)
    return Surface(points, triangles, tuple(ordered[k].bone for k in kept["chosen"]))


def _wrap(
    table: FloatArray, vertices: int, join: float, apart: float, detail: float
) -> tuple[FloatArray, IntArray, IntArray]:
    """Vertices, triangles, and the limb of every vertex."""
    from supple_characters.distance_kernels import choose_limbs

    soft = np.array([join, apart])
    for _ in range(ATTEMPTS):
        points, triangles = _polygonise(table, soft, detail)
        if len(points) - len(triangles) // 2 == 2:
            break
        detail /= 1.5
    else:
        raise ValueError("the limbs make no single closed skin; they are apart, or form a ring")
    points, triangles = _Remesher(table, soft, points, triangles, vertices).run()
    chosen = np.zeros(len(points), np.int64)
    choose_limbs(table, points, chosen)
    return points, triangles, chosen


def _polygonise(table: FloatArray, soft: FloatArray, spacing: float) -> tuple[FloatArray, IntArray]:
    """A fine mesh of the surface by marching tetrahedra."""
    from supple_characters.polygonise_kernels import DIRECTIONS, march, sample_grid

    starts = table[:, at.START : at.START + 3]
    ends = starts + table[:, [at.LENGTH]] * table[:, at.ALONG : at.ALONG + 3]
    radii = table[:, [at.START_RADIUS, at.END_RADIUS]].max(axis=1, keepdims=True)
    bulge = 0.25 * max(table[:, at.BLEND].max(), *soft) + 2 * spacing
    low = (np.minimum(starts, ends) - radii).min(axis=0) - bulge
    high = (np.maximum(starts, ends) + radii).max(axis=0) + bulge
    values = np.empty(np.ceil((high - low) / spacing).astype(int) + 1)
    sample_grid(table, soft, low, spacing, values)
    crossing = sum(np.count_nonzero(np.diff(np.signbit(values), axis=axis)) for axis in range(3))
    position = np.empty((4 * crossing, 3))
    triangles = np.empty((8 * crossing, 3), np.int64)
    count = np.zeros(2, np.int64)
    march(values, low, spacing, np.full(values.size * DIRECTIONS, -1, np.int32), position, triangles, count)
    return position[: count[0]], triangles[: count[1]]


def match_corners(triangles: IntArray) -> IntArray:
    """The corner on the other side of the edge opposite to each corner, of a closed mesh [3 nt]."""
    first, last = np.roll(triangles, -1, axis=1).ravel(), np.roll(triangles, -2, axis=1).ravel()
    edge = np.minimum(first, last) * (triangles.max() + 1) + np.maximum(first, last)
    order = np.argsort(edge, kind="stable")
    across = np.empty(triangles.size, np.int64)
    across[order[0::2]], across[order[1::2]] = order[1::2], order[0::2]
    return across


class _Remesher:
    """A mesh on its way from the fine one to the wanted one."""

    def __init__(
        self, table: FloatArray, soft: FloatArray, points: FloatArray, triangles: IntArray, wish: int
    ) -> None:
        from supple_characters.remesh_kernels import settle_all

        self.field = (table, soft)
        self.wish = wish
        room = max(len(points), wish) + wish
        self.x, self.normal, self.size = np.zeros((room, 3)), np.zeros((room, 3)), np.ones(room)
        self.vertex, self.across = np.full(6 * room, -1), np.full(6 * room, -1)
        self.corner = np.full(room, -1)
        self._fill(points, triangles)
        settle_all(*self.field, len(points), self.x, self.normal, self.size)

    @property
    def mesh(self) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
        return self.vertex, self.across, self.corner, self.x, self.normal, self.size

    def _fill(self, points: FloatArray, triangles: IntArray) -> None:
        """Set vertices and corners from a mesh, which must fit into the room there is."""
        self.count = np.array([len(points), len(triangles)])
        self.x[: len(points)] = points
        self.vertex[:], self.across[:], self.corner[:] = -1, -1, -1
        self.vertex[: triangles.size] = triangles.ravel()
        self.across[: triangles.size] = match_corners(triangles)
        self.corner[triangles.ravel()] = np.arange(triangles.size)

    def _living(self) -> tuple[FloatArray, IntArray]:
        """Vertices and triangles that live, renumbered."""
        kept = np.flatnonzero(self.corner >= 0)
        place = np.full(len(self.corner), -1)
        place[kept] = np.arange(len(kept))
        triangles = self.vertex[: 3 * self.count[1]].reshape(-1, 3)
        return self.x[kept], place[triangles[triangles[:, 0] >= 0]]

    def _pack(self) -> int:
        """Close the gaps that dead vertices and triangles left; how many vertices live."""
        kept = np.flatnonzero(self.corner >= 0)
        normal, size = self.normal[kept], self.size[kept]
        self._fill(*self._living())
        self.normal[: len(kept)], self.size[: len(kept)] = normal, size
        return len(kept)

    def _scale_for_wish(self) -> float:
        """The length by relative size at which even triangles would have as many vertices as wished."""
        points, triangles = self._living()
        a, b, c = (points[triangles[:, k]] for k in range(3))
        areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        size = self.size[self.corner >= 0][triangles].mean(axis=1)
        return float(np.sqrt((areas / size**2).sum() * 2.0 / (np.sqrt(3.0) * self.wish)))

    def run(self) -> tuple[FloatArray, IntArray]:
        """Grow the edges step by step to their size, then make them even and meet the wish."""
        from supple_characters.remesh_kernels import collapse_needles, flip_edges, meet_count, relax

        scale = self._scale_for_wish()
        growing = GROWTH * scale / max(1.0, np.sqrt(self.count[0] / self.wish))
        while growing < scale:
            self._sweep(growing)
            growing *= GROWTH
        for _ in range(SWEEPS):
            living = self._sweep(scale)
            scale *= np.sqrt(living / self.wish)
        for sweep in range(LAST_SWEEPS):
            if sweep % 2 == 0:
                living -= collapse_needles(*self.field, SHARP, *self.mesh, self.count)
                tried = np.zeros_like(self.vertex)
                living = meet_count(*self.field, self.wish, living, tried, *self.mesh, self.count)
            flip_edges(True, *self.mesh[:5], self.count)
            relax(*self.field, *self.mesh, self.count)
        flip_edges(True, *self.mesh[:5], self.count)
        return self._living()

    def _sweep(self, scale: float) -> int:
        """One round of splitting, collapsing, flipping and relaxing; how many vertices live then."""
        from supple_characters.remesh_kernels import collapse_short, flip_edges, relax, split_long

        split_long(*self.field, scale, LONGEST, *self.mesh, self.count)
        collapse_short(*self.field, scale, SHORTEST, LONGEST, *self.mesh, self.count)
        living = self._pack()
        flip_edges(False, *self.mesh[:5], self.count)
        flip_edges(True, *self.mesh[:5], self.count)
        relax(*self.field, *self.mesh, self.count)
        return living
