"""Free bodies as a mechanism, and as frames that carry shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.jit import TypedKernel
from supple.core.schedule import Bound, Call
from supple.errors import CapacityError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.dynamics import Arrays
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.mechanism import PointRows
from supple.mechanics.roots import Roots
from supple_rigid import kernels
from supple_rigid.dynamics import READS, WRENCH, BodyDynamics
from supple_rigid.layout import MODEL, RESPONSE, STATE, Chain, Motion, Response

list_body_roots = TypedKernel(kernels.list_body_roots)
add_body_delassus = TypedKernel(kernels.add_body_delassus)
add_point_blocks, add_turn_blocks = (
    TypedKernel(kernels.add_point_blocks),
    TypedKernel(kernels.add_turn_blocks),
)


class RigidBodies:
    """Six velocities a body: linear in the world, angular in the body frame. A is the block mass, with what joints
    that pull add to the inertia."""

    name = "rigid"
    v, v_next, v_free, v_worked = "rigid.v", "rigid.v_rows", "rigid.v_free", "rigid.v_worked"
    plan, impulse, force = "rigid.plan", "rigid.impulse", "rigid.force"
    position, rotation, twist, wrench = "rigid.x", "rigid.q", "rigid.v", "rigid.wrench"
    layer = "bodies"
    sums_only = True
    meets_late = True
    turned = "rigid.turned"
    reads = (*STATE, *MODEL, *RESPONSE.values(), turned)
    dynamics_reads, dynamics_forces = READS, (WRENCH,)

    def __init__(self, paths: Sequence[str], blocks: int) -> None:
        """`paths` are those of the bodies, in the order of their rows; `blocks` is the room for rows of contacts."""
        self.dynamics_keys = tuple(paths)
        self.unit_count = count = len(paths)
        self.jacobian = JacobianBlocks(blocks, 6)
        #: Of every block of a point, its lever from the centre of mass [m], in the world.
        self.lever: FloatArray = np.zeros((blocks, 3))
        following, single = np.zeros((2, blocks), np.int64)
        self._chain = Chain(first=np.zeros(count, np.int64), following=following, single=single)
        self._moved: FloatArray = np.zeros((blocks, 3, 6))

    def bind(self, arrays: Bound) -> None:
        """Bind poses and masses."""
        self.bodies = arrays.take(Response, "rigid", **RESPONSE)
        self.motion = arrays.take(Motion, "rigid")

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J M^-1 J^T, body by body."""
        add_body_delassus(self.bodies, self.jacobian.arrays, self._chain, self._moved, W.blocks)

    def bind_delassus(self, W: BlockMatrix) -> Call:
        """The same as a call for every step."""
        return Call(
            kernels.add_body_delassus, self.bodies, self.jacobian.arrays, self._chain, self._moved, W.blocks
        )

    def list_roots(self, roots: Roots) -> None:
        """The blocks of J A^(-1/2), one for every block of the Jacobian."""
        list_body_roots(self.bodies, self.jacobian.arrays, roots)

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = M^-1 x, both [bodies, 6]."""
        kernels.apply_inverse_mass(self.bodies, x, out)

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = M^-1 columns[k], both [columns, 6 bodies]."""
        kernels.apply_inverse_mass_to_columns(self.bodies, columns, out)

    def add_point_rows(self, rows: PointRows) -> None:
        """Append one 3 x 6 block for every point."""
        self._check_room(rows.count)
        add_point_blocks(
            self.motion, rows.count, rows.group, rows.frame, rows.sign, rows.point, rows.directions,
            self.lever, self.jacobian.arrays,
        )  # fmt: skip

    def add_turn_rows(self, rows: PointRows) -> None:
        """Append one 3 x 6 block for every angular velocity."""
        self._check_room(rows.count)
        add_turn_blocks(
            self.motion, rows.count, rows.group, rows.frame, rows.sign, rows.directions, self.jacobian.arrays
        )

    def bind_point_rows(self, rows: PointRows) -> Call:
        """`add_point_rows` as a call for every step."""
        return Call(
            kernels.append_point_blocks, rows.counts, self.motion, rows.arrays, self.lever, self.jacobian.arrays,
            otherwise=lambda: self._check_room(rows.count),
        )  # fmt: skip

    def bind_turn_rows(self, rows: PointRows) -> Call:
        """`add_turn_rows` as a call for every step."""
        return Call(
            kernels.append_turn_blocks, rows.counts, self.motion, rows.arrays, self.jacobian.arrays,
            otherwise=lambda: self._check_room(rows.count),
        )  # fmt: skip

    def bind_dynamics(
        self, keys: Sequence[str], arrays: Arrays, build: Build, acts: bool = False
    ) -> list[BodyDynamics]:
        """Queries about several bodies at once; what asks may keep masses and what follows from them."""
        build.derive_from("rigid.mass", "rigid.inertia")
        rows = {path: row for row, path in enumerate(self.dynamics_keys)}
        return [BodyDynamics(arrays, rows, keys, build, acts)]

    def _check_room(self, more: int) -> None:
        if self.jacobian.count.item(0) + more > self.jacobian.capacity:
            room = self.jacobian.capacity
            raise CapacityError(f"room for {room} blocks of rows is used up; raise run.capacity.contacts")
