"""Surfaces whose vertices move by themselves: flesh, boundaries of tetrahedra, skins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Bound

if TYPE_CHECKING:
    from supple.mechanics.points import SurfacePoints


@runtime_checkable
class DeformingSurface(Protocol):
    """A triangle mesh that bends. Put it into the collection `surfaces`; collision finds it there.

    `positions` and `velocities` name arrays [nv, 3] of its vertices in the world [m, m/s]: State, written in
    ADVANCE. `triangles` [nt, 3] are counter-clockwise from outside; the tree is built on `rest` [nv, 3].
    `path` is the entity it belongs to. Behind its triangles it is solid to `thickness` [m]; 0 suffices where
    nothing starts inside it.

    Of a point on it the element is the triangle, and the weights are the barycentric ones of its corners.
    """

    name: str
    path: str
    positions: str
    velocities: str
    triangles: IntArray
    rest: FloatArray
    friction: float
    restitution: float
    thickness: float
    self_contact: bool

    @property
    def reads(self) -> Sequence[str]:
        """The arrays that it looks at when asked for rows."""
        ...

    def bind(self, arrays: Bound) -> None:
        """Look up the declared arrays once."""
        ...

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian blocks of these points on it to those of the mechanisms that move it."""
        ...


@runtime_checkable
class PooledSurface(DeformingSurface, Protocol):
    """One whose vertices are the rows `vertices` of arrays that several surfaces share."""

    vertices: slice


def find_rows(surface: DeformingSurface) -> slice:
    """Which rows of the arrays that it names are its vertices."""
    return surface.vertices if isinstance(surface, PooledSurface) else slice(None)


@runtime_checkable
class PartedSurface(DeformingSurface, Protocol):
    """One whose parts touch each other, as limbs do, but neither themselves nor all the others.

    `parts` [nv] says of which part a vertex is; `parts_meet` [np, np] is symmetric, and not 0 for parts that may
    touch. What overlaps by more than `overlap` [m] is taken for the far sides of two thin parts: give it less than the
    thickness of the thinnest. Without parts a surface with `self_contact` touches itself everywhere, except
    neighbouring triangles.
    """

    parts: IntArray
    parts_meet: IntArray
    overlap: float
