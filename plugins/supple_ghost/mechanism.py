"""All ghosts of a scene as one mechanism, and their bones as frames that carry shapes."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.schedule import Bound
from supple.errors import SimulationError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.mechanism import PointRows
from supple_bones.forest import Forest
from supple_bones.layout import DEPTH, ROW
from supple_bones.row_kernels import add_bone_delassus, add_point_blocks, add_turn_blocks
from supple_bones.scratch import make_delassus_scratch

#: What A is made of, besides h.
MOBILITY = ("ghost.stiffness", "ghost.recovery")


def find_mobility(arrays: Bound) -> FloatArray:
    """A^-1 [rates] for the step of whoever is bound: README eq. (3)."""
    h = arrays.h
    mobility: FloatArray = 1.0 / (h * (h + arrays["ghost.recovery"]) * arrays["ghost.stiffness"])
    return mobility


class Ghosts:
    """Joint rates; A = h (h + recovery) K is diagonal, and constant while h is, README eq. (3).

    A contact has one block, dense over the rates of its ghost. Every ghost is one coupling unit.
    """

    name = "ghost"
    v, v_next, v_free = "ghost.v", "ghost.v.next", "ghost.v_free"
    plan, impulse = "ghost.plan", "ghost.impulse"
    position, rotation, twist, wrench = "ghost.x", "ghost.rotation", "ghost.twist", "ghost.wrench"
    reads = ("ghost.x", "ghost.axis", "ghost.bone", "ghost.dof", *MOBILITY)

    def __init__(self, forest: Forest, blocks: int) -> None:
        """`blocks` is the room for rows."""
        self.unit_count = len(forest.trees)
        self.jacobian = JacobianBlocks(blocks, forest.width)
        self._scratch = make_delassus_scratch(self.unit_count, blocks, forest.width)

    def bind(self, arrays: Bound) -> None:
        """Bind poses, axes and A."""
        self.x, self.axis = arrays["ghost.x"], arrays["ghost.axis"]
        self.bone, self.dof = arrays["ghost.bone"], arrays["ghost.dof"]
        self.mobility = find_mobility(arrays)
        # A as a factored chain matrix: L = 1, and 1 / A on the diagonal.
        self.factor = np.zeros(int((self.dof[:, ROW] + self.dof[:, DEPTH] + 1).max(initial=0)))
        self.factor[self.dof[:, ROW]] = self.mobility

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J A^-1 J^T, ghost by ghost: README eq. (6)."""
        add_bone_delassus(
            self.dof, self.factor, self.jacobian.blocks, W.indptr, W.indices, self._scratch, W.values
        )

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both [rates]."""
        np.multiply(self.mobility, x, out=out)

    def add_point_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every point that moves with a bone."""
        self.refuse_overflow(rows.count)
        add_point_blocks(
            self.bone, self.dof, self.axis, self.x, rows.group, rows.frame, rows.sign, rows.point, rows.directions,
            self.jacobian.blocks, rows.count,
        )  # fmt: skip

    def add_turn_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every angular velocity of a bone."""
        self.refuse_overflow(rows.count)
        add_turn_blocks(
            self.bone, self.dof, self.axis, rows.count, rows.group, rows.frame, rows.sign, rows.directions,
            self.jacobian.blocks,
        )  # fmt: skip

    def refuse_overflow(self, extra: int) -> None:
        """Raise when there is no room for so many more blocks."""
        if self.jacobian.count.item(0) + extra > self.jacobian.capacity:
            what = f"room for {self.jacobian.capacity} blocks of rows is used up; raise run.capacity.contacts"
            raise SimulationError(what)
