"""The vertices of all tetrahedra as a mechanism, and boundaries as surfaces that bend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import TypedKernel, bind_kernel
from supple.core.schedule import Bound
from supple.errors import CapacityError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.dynamics import Arrays
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.points import PerAsker, SurfacePoints
from supple_tets.factor_kernels import WIDTH, solve_many, solve_one
from supple_tets.product_kernels import LANES, ROOM
from supple_tets.response_kernels import add_gram, multiply_rows, number_rows, spread_rows
from supple_tets.row_kernels import add_rows
from supple_tets.tables import Factor

if TYPE_CHECKING:
    from supple_tets.compile import TetBody
    from supple_tets.dynamics import TetDynamics

CORNERS = 3
"""Blocks that a point on a triangle needs."""
DYNAMICS_READS = (
    "run.gravity", "tets.mass", "tets.x", "tets.v", "tets.rest", "tets.turn", "tets.tets", "tets.span",
)  # fmt: skip


class TetMechanism:
    """Velocities [n, 3] of all vertices; A = M + h C + h^2 K is factorised in FREE: README eq. (6).

    Every body is a coupling unit.
    """

    name = "tets"
    v, v_next, v_free = "tets.v", "tets.v.next", "tets.v_free"
    plan, impulse, force = "tets.plan", "tets.impulse", "tets.force"
    reads = tuple(f"tets.{name}" for name in Factor._fields)
    dynamics_reads, dynamics_forces = DYNAMICS_READS, (force,)

    def __init__(self, bodies: list[TetBody], contacts: int, blocks: int = CORNERS) -> None:
        """`contacts` is the room for contacts: each may have a point on either side, of so many `blocks`."""
        self.bodies, self.unit_count = bodies, len(bodies)
        self.count = sum(len(body.start) for body in bodies)
        self.dynamics_keys = tuple(body.path for body in bodies)
        self.jacobian = JacobianBlocks(2 * blocks * contacts, 3)
        self._one, self._many = np.zeros((2 * self.count, 3)), np.zeros((2, 3 * self.count * WIDTH))
        self._sums, self._start = np.zeros(3 * ROOM), np.zeros(self.count + 1, np.int64)
        self._column: IntArray = np.zeros((0, 3), np.int64)
        self._key: IntArray = np.zeros((2, 0), np.int64)
        self._rows, self._gram = np.zeros(0), np.zeros(0)
        self._number, self._spread = TypedKernel(number_rows), TypedKernel(spread_rows)
        self._multiply, self._add_gram = TypedKernel(multiply_rows), TypedKernel(add_gram)

    def bind(self, arrays: Bound) -> None:
        """The factor is made in FREE, before anybody asks."""
        self.factor = arrays.take(Factor, "tets")
        panels = len(self.factor.panel) - 1
        self._touched: IntArray = np.zeros(panels, np.int64)
        self._reach: IntArray = np.zeros((panels, 2), np.int64)

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += (L^-1 J^T)^T (L^-1 J^T): half of what columns of A^-1 would take."""
        J, factor, groups = self.jacobian.arrays, self.factor, W.group_count
        if len(self._column) < groups:
            self._column = np.zeros((2 * groups, 3), np.int64)
            self._key = np.zeros((2, 2 * groups), np.int64)
        column = self._column
        found = int(self._number(factor, J, groups, self._key[0], self._start, self._key[1], column))
        if found == 0:
            return
        count = found + -found % 3
        if self._rows.size < 3 * self.count * count + LANES:
            self._rows, self._gram = np.zeros(6 * self.count * count + LANES), np.zeros(4 * count * count)
        self._spread(factor, J, column, count, self._reach, self._rows)
        self._multiply(factor, count, self._reach, self._rows, self._sums, self._gram)
        self._add_gram(self._gram, count, column, groups, W.blocks)

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both [n, 3]."""
        solve_one(self.factor, x, self._one, out)

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k], both [columns, 3 n]."""
        solve_many(self.factor, columns, self._touched, self._many, self._sums, out)

    def check_room(self, points: SurfacePoints, blocks: int, path: str) -> None:
        """Refuse points, of so many `blocks` each, for which there is no room."""
        J, asked = self.jacobian, points.span.item(1) - points.span.item(0)
        if J.count.item(0) + blocks * asked > J.capacity:
            what = (
                f"room for {J.capacity} blocks of rows on tetrahedra is used up; raise run.capacity.contacts"
            )
            raise CapacityError(what, entity=path)

    def bind_dynamics(
        self, keys: Sequence[str], arrays: Arrays, build: Build, acts: bool = False
    ) -> list[TetDynamics]:
        """Queries about each of these bodies."""
        from supple_tets.dynamics import TetDynamics

        found = {body.path: number for number, body in enumerate(self.bodies)}
        return [TetDynamics(arrays, self.bodies[found[key]], build, acts) for key in keys]


class TetSurface:
    """The boundary of one body; see `PooledSurface`. Its vertices come first among those of the body."""

    positions, velocities = "tets.x", "tets.v"
    reads: tuple[str, ...] = ()

    def __init__(self, body: TetBody, unit: int, mechanism: TetMechanism) -> None:
        self.body, self.unit, self.mechanism = body, unit, mechanism
        self.path, self.name = body.path, f"tets {body.path}"
        count = body.mesh.boundary_count
        self.vertices = slice(body.vertices.start, body.vertices.start + count)
        self.triangles, self.rest = body.mesh.boundary, body.start[:count]
        self.friction, self.restitution = body.tets.friction, body.tets.restitution
        self.self_contact = body.tets.self_contact
        self.patch_size = body.tets.patch_size
        self.thickness = float(np.ptp(body.mesh.vertices, axis=0).min()) / 2

    def bind(self, arrays: Bound) -> None:
        """Rows follow from the weights alone."""
        self._add_rows = PerAsker(self._bind_points)

    def _bind_points(self, points: SurfacePoints) -> Callable[[], None]:
        J = self.mechanism.jacobian.arrays
        return bind_kernel(add_rows, self.vertices.start, self.unit, self.triangles, points, J)

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian of points on the boundary."""
        self.mechanism.check_room(points, CORNERS, self.path)
        self._add_rows(points)()
