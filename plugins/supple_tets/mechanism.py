"""The vertices of all tetrahedra as a mechanism, and boundaries as surfaces that bend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import TypedKernel, bind_kernel
from supple.core.schedule import Bound, Call
from supple.core.state_kernels import clear
from supple.errors import CapacityError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.dynamics import Arrays
from supple.mechanics.holding import Held
from supple.mechanics.jacobian import Jacobian, JacobianBlocks
from supple.mechanics.last_impulses import Kept
from supple.mechanics.points import PerAsker, SurfacePoints
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.solution import Outcome
from supple_tets.factor_kernels import WIDTH, copy_matrix, factorise, solve_many, solve_one
from supple_tets.hold_kernels import end_hold, hold_contacts, make_holds, set_alone, take_rest
from supple_tets.product_kernels import LANES, ROOM
from supple_tets.reduce_kernels import make_reduced
from supple_tets.response_kernels import add_gram, multiply_rows, number_rows, spread_rows
from supple_tets.row_kernels import add_rows
from supple_tets.tables import Factor, Matrix

if TYPE_CHECKING:
    from supple_tets.compile import TetBody
    from supple_tets.dynamics import TetDynamics

CORNERS = 3
"""Blocks that a point on a triangle needs."""
DYNAMICS_READS = (
    "run.gravity", "tets.mass", "tets.x", "tets.v", "tets.rest", "tets.turn", "tets.tets", "tets.span",
)  # fmt: skip


class TetMechanism:
    """Velocities [n, 3] of all vertices; A = M + h C + h^2 K is factorised when rows are known: README eq. (6).

    Every body is a coupling unit. It holds contacts that stick (`supple.mechanics.holding`).
    """

    name = "tets"
    v, v_next, v_free = "tets.v", "tets.v.next", "tets.v_free"
    plan, impulse, force = "tets.plan", "tets.impulse", "tets.force"
    reads = (
        *(f"tets.{name}" for name in (*Factor._fields, *Matrix._fields, "right", "fixed", "ends", "v_free")),
        *(f"rows.last_{name}" for name in ("count", "key", "impulse")), "rows.steady",
    )  # fmt: skip
    closes = ("tets.numbers", "tets.v_free")
    """Made once the rows are known: in a step that is held there is neither."""
    dynamics_reads, dynamics_forces = DYNAMICS_READS, (force,)

    def __init__(self, bodies: list[TetBody], contacts: int, blocks: int = CORNERS) -> None:
        """`contacts` is the room for contacts: each may have a point on either side, of so many `blocks`."""
        self.bodies, self.unit_count = bodies, len(bodies)
        self.count = sum(len(body.start) for body in bodies)
        self.dynamics_keys = tuple(body.path for body in bodies)
        self.jacobian = JacobianBlocks(2 * blocks * contacts, 3)
        self._one, self._many = np.zeros((2 * self.count, 3)), np.zeros((2, 3 * self.count * WIDTH))
        self.held = Held(np.zeros(1, np.int64), np.zeros((contacts, 3)))
        self.release: Callable[[], None] | None = None
        self._holds, self._kept = make_holds(self.count, contacts), np.zeros((contacts, 3))
        self._rest = JacobianBlocks(contacts, 3)
        self._take_rest, self._set_alone = TypedKernel(take_rest), TypedKernel(set_alone)
        self._end_hold = TypedKernel(end_hold)
        self._sums, self._start = np.zeros(3 * ROOM), np.zeros(self.count + 1, np.int64)
        self._column: IntArray = np.zeros((0, 3), np.int64)
        self._key: IntArray = np.zeros((2, 0), np.int64)
        self._rows, self._gram = np.zeros(0), np.zeros(0)
        self._number, self._spread = TypedKernel(number_rows), TypedKernel(spread_rows)
        self._multiply, self._add_gram = TypedKernel(multiply_rows), TypedKernel(add_gram)

    def bind(self, arrays: Bound) -> None:
        """The factor is made in ASSEMBLE, before anybody asks."""
        self.factor = arrays.take(Factor, "tets")
        self._reduced = make_reduced(self.factor)
        self._matrix = arrays.take(Matrix, "tets")
        self._right, self._fixed, self._ends = (arrays[f"tets.{name}"] for name in ("right", "fixed", "ends"))
        names = ("last_count", "last_key", "last_impulse", "steady")
        self._last = Kept(*(arrays[f"rows.{name}"] for name in names))
        self._v_free = arrays[self.v_free]
        panels = len(self.factor.panel) - 1
        self._touched: IntArray = np.zeros(panels, np.int64)
        self._reach: IntArray = np.zeros((panels, 2), np.int64)

    def bind_free(self) -> list[Call]:
        """The factor of A, and the velocities if nothing touched."""
        return [
            Call(clear, self.held.state),
            Call(copy_matrix, self._matrix, self.factor),
            Call(factorise, self.factor, self._sums),
            Call(solve_one, self.factor, self._right, self._one, self._v_free),
        ]

    def bind_hold(self, problem: ConstraintProblem, otherwise: Callable[[], None]) -> Call:
        """A step in which the vertices that touch are held."""
        return Call(
            hold_contacts, problem.rows, problem.origin, problem.struck, self.jacobian.arrays, self._last, self._fixed,
            self._ends, self._matrix, self.factor, self._right, self._holds, self._reduced, problem.W.blocks,
            problem.W.sizes, self.held, self._v_free, otherwise=otherwise,
        )  # fmt: skip

    def _be_ordinary(self) -> None:
        """In a step that is held there is no factor of A until somebody asks."""
        if self.held.state[0] and self.release is not None:
            self.release()

    @property
    def sliding(self) -> int:
        """Contacts that were left to a solver in the last step that was held."""
        return self._holds.slides.item(0)

    def begin(self, problem: ConstraintProblem, impulse: FloatArray) -> bool:
        """The problem of the contacts that are not held, while the others are."""
        W, rest, holds, n = problem.W, self._rest, self._holds, problem.count
        if holds.slides.item(0) == 0 or holds.slides.item(0) ** 2 + n > len(W.indices):
            return False
        self._take_rest(problem.rows, holds, self.jacobian.arrays, problem.bias, self._v_free, rest.arrays)
        W.set_pattern(rest.group, rest.unit, n, 1, rest.count.item(0))
        self._add_products(self._reduced.factor, rest.arrays, W)
        self._set_alone(
            problem.rows, holds, self.jacobian.arrays, self._matrix, self.factor.place, W.blocks, impulse, self._kept
        )  # fmt: skip
        return True

    def end(self, problem: ConstraintProblem, impulse: FloatArray, outcome: Outcome) -> bool:
        """Velocities and impulses of all, if what is held may be so."""
        impulse[: problem.count] = self._kept[: problem.count]
        return bool(
            self._end_hold(
                problem.rows, problem.bias, self.jacobian.arrays, self._matrix, self.factor, self._ends, self._right,
                self._holds, self._reduced, self._rest.arrays, problem.W.blocks, self.held, outcome, self._v_free,
            )
        )  # fmt: skip

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += (L^-1 J^T)^T (L^-1 J^T): half of what columns of A^-1 would take."""
        self._add_products(self.factor, self.jacobian.arrays, W)

    def _add_products(self, factor: Factor, J: Jacobian, W: BlockMatrix) -> None:
        groups = W.group_count
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
        self._be_ordinary()
        solve_one(self.factor, x, self._one, out)

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k], both [columns, 3 n]."""
        self._be_ordinary()
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
