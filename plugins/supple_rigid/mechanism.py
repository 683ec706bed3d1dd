"""Free bodies as a mechanism, and as frames that carry shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.errors import SimulationError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.dynamics import Arrays
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.mechanism import PointRows
from supple_rigid.dynamics import READS, WRENCH, BodyDynamics
from supple_rigid.kernels import add_body_delassus, add_point_blocks, add_turn_blocks, apply_inverse_mass


class RigidBodies:
    """Six velocities a body: linear in the world, angular in the body frame. A is the constant block mass."""

    name = "rigid"
    v, v_next, v_free = "rigid.v", "rigid.v.next", "rigid.v_free"
    plan, impulse = "rigid.plan", "rigid.impulse"
    position, rotation, twist, wrench = "rigid.x", "rigid.q", "rigid.v", "rigid.wrench"
    layer = "bodies"
    reads = ("rigid.x", "rigid.q", "rigid.mass", "rigid.inverse_inertia")
    dynamics_reads, dynamics_forces = READS, (WRENCH,)

    def __init__(self, paths: Sequence[str], blocks: int) -> None:
        """`paths` are those of the bodies, in the order of their rows; `blocks` is the room for rows of contacts."""
        self.dynamics_keys = tuple(paths)
        self.unit_count = count = len(paths)
        self.jacobian = JacobianBlocks(blocks, 6)
        self._first_block = np.zeros(count, np.int64)
        self._next_block = np.zeros(blocks, np.int64)

    def bind(self, arrays: Bound) -> None:
        """Bind poses and masses."""
        self.x, self.q, self.mass, self.inverse_inertia = (arrays[name] for name in self.reads)

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J M^-1 J^T, body by body."""
        J = self.jacobian
        add_body_delassus(
            self.mass, self.inverse_inertia, J.count, J.group, J.unit, J.values, W.indptr, W.indices,
            self._first_block, self._next_block, W.values,
        )  # fmt: skip

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = M^-1 x, both [bodies, 6]."""
        apply_inverse_mass(self.mass, self.inverse_inertia, x, out)

    def add_point_rows(self, rows: PointRows) -> None:
        """Append one 3 x 6 block for every point."""
        J = self.jacobian
        self._check_room(rows.count)
        add_point_blocks(
            self.x, self.q, rows.count, rows.group, rows.frame, rows.sign, rows.point, rows.directions,
            J.count, J.group, J.unit, J.dof, J.values,
        )  # fmt: skip

    def add_turn_rows(self, rows: PointRows) -> None:
        """Append one 3 x 6 block for every angular velocity."""
        J = self.jacobian
        self._check_room(rows.count)
        add_turn_blocks(
            self.q, rows.count, rows.group, rows.frame, rows.sign, rows.directions,
            J.count, J.group, J.unit, J.dof, J.values,
        )  # fmt: skip

    def bind_dynamics(
        self, keys: Sequence[str], arrays: Arrays, build: Build, acts: bool = False
    ) -> list[BodyDynamics]:
        """Queries about several bodies at once."""
        rows = {path: row for row, path in enumerate(self.dynamics_keys)}
        return [BodyDynamics(arrays, rows, keys, build, acts)]

    def _check_room(self, more: int) -> None:
        if self.jacobian.count.item(0) + more > self.jacobian.capacity:
            room = self.jacobian.capacity
            raise SimulationError(f"room for {room} blocks of rows is used up; raise run.capacity.contacts")
