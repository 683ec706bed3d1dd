"""All ghosts of a scene as one mechanism, and their bones as frames that carry shapes."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.schedule import Bound
from supple.errors import SimulationError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.mechanism import PointRows
from supple_skeleton.forest import Forest
from supple_skeleton.row_kernels import add_bone_delassus, add_point_blocks, add_turn_blocks
from supple_skeleton.scratch import make_delassus_scratch


class Ghosts:
    """Joint rates; A = h (h + recovery) K is diagonal and constant, README eq. (4).

    A contact has one block, dense over the rates of its ghost. Every ghost is one coupling unit.
    """

    name = "ghost"
    v, v_next, v_free = "ghost.v", "ghost.v.next", "ghost.v_free"
    plan, impulse, force = "ghost.plan", "ghost.impulse", "ghost.force"
    position, rotation, twist, wrench = "ghost.x", "ghost.rotation", "ghost.twist", "ghost.wrench"
    shown = ("ghost.position", "ghost.orientation")
    reads = ("ghost.x", "ghost.axis", "ghost.bone", "ghost.dof", "ghost.mobility", "ghost.factor")

    def __init__(self, forest: Forest, blocks: int) -> None:
        """`blocks` is the room for rows."""
        self.unit_count = len(forest.trees)
        self.jacobian = JacobianBlocks(blocks, forest.width)
        self._scratch = make_delassus_scratch(self.unit_count, blocks, forest.width)

    def bind(self, arrays: Bound) -> None:
        """Bind poses, axes and A."""
        self.x, self.axis, self.bone, self.dof, self.mobility, self.factor = (
            arrays[name] for name in self.reads
        )

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J A^-1 J^T, ghost by ghost: README eq. (8)."""
        J = self.jacobian
        add_bone_delassus(
            self.dof, self.factor, J.count, J.group, J.unit, J.dof, J.values, W.indptr, W.indices,
            *self._scratch, W.values,
        )  # fmt: skip

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both [rates]."""
        np.multiply(self.mobility, x, out=out)

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k], both [columns, rates]."""
        np.multiply(self.mobility, columns, out=out)

    def add_point_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every point that moves with a bone."""
        J = self.jacobian
        self.refuse_overflow(rows.count)
        add_point_blocks(
            self.bone, self.dof, self.axis, self.x,
            rows.group, rows.frame, rows.sign, rows.point, rows.directions,
            J.count, J.group, J.unit, J.dof, J.values, rows.count,
        )  # fmt: skip

    def add_turn_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every angular velocity of a bone."""
        J = self.jacobian
        self.refuse_overflow(rows.count)
        add_turn_blocks(
            self.bone, self.dof, self.axis, rows.count, rows.group, rows.frame, rows.sign, rows.directions,
            J.count, J.group, J.unit, J.dof, J.values,
        )  # fmt: skip

    def refuse_overflow(self, extra: int) -> None:
        """Raise when there is no room for so many more blocks."""
        if self.jacobian.count.item(0) + extra > self.jacobian.capacity:
            what = f"room for {self.jacobian.capacity} blocks of rows is used up; raise run.capacity.contacts"
            raise SimulationError(what)
