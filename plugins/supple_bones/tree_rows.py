"""Rows on the bones of trees, for the mechanism that owns these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.core.schedule import Bound, Call
from supple.errors import CapacityError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.mechanism import PointRows
from supple_bones.delassus_kernels import add_bone_delassus
from supple_bones.forest import Forest
from supple_bones.row_kernels import (
    add_point_blocks,
    add_turn_blocks,
    append_point_blocks,
    append_turn_blocks,
    forget_blocks,
)
from supple_bones.scratch import make_delassus_scratch
from supple_bones.tables import RowActs

#: What rows of points and of turns are made of, in the order of the kernels.
POINT = ("group", "frame", "sign", "point", "directions")
TURN = ("group", "frame", "sign", "directions")


class NotedBlocks(JacobianBlocks):
    """Blocks of which some say where they act; who forgets the blocks forgets that too."""

    def __init__(self, capacity: int, width: int, frame: IntArray) -> None:
        """`frame` [capacity] is the bone, -1 for blocks that act nowhere."""
        super().__init__(capacity, width)
        self.frame = frame

    def bind_clear(self) -> Call:
        """`clear` as a call for every step."""
        return Call(forget_blocks, self.count, self.frame)

    def clear(self) -> None:
        """Forget all blocks."""
        self.frame[: self.count.item(0)] = -1
        super().clear()


class TreeRows:
    """Jacobian blocks of points and turns of bones, and W += J A^-1 J^T with a factor of A along the chains.

    A contact on a bone has one block, dense over the rates of the bone's tree. Every tree is one coupling unit.
    """

    name: str

    def __init__(self, forest: Forest, blocks: int, noted: bool = False) -> None:
        """`blocks` is the room for rows; `noted` asks for where they act, in `acts`."""
        self.forest, self.unit_count = forest, len(forest.trees)
        room = blocks if noted else 0
        self.acts = RowActs(
            frame=np.full(room, -1), weight=np.zeros(room), moment=np.zeros((room, 3)),
            directions=np.zeros((room, 3, 3)),
        )  # fmt: skip
        self.jacobian = JacobianBlocks(blocks, forest.width)
        if noted:
            self.jacobian = NotedBlocks(blocks, forest.width, self.acts.frame)
        self._scratch = make_delassus_scratch(self.unit_count, blocks, forest.width)
        self._bound_rows: dict[tuple[int, int], tuple[Any, Callable[[int], None]]] = {}
        #: Values and indptr of the matrix that `_add_delassus` adds to.
        self._bound_to: tuple[FloatArray | None, IntArray | None] = (None, None)

    def bind_tree(self, arrays: Bound, factor: FloatArray) -> None:
        """Bind poses and axes of the bones; `factor` is that of A."""
        self.bone, self.dof = arrays[f"{self.name}.bone"], arrays[f"{self.name}.dof"]
        self.x, self.axis, self.factor = arrays[f"{self.name}.x"], arrays[f"{self.name}.axis"], factor
        self._bound_rows.clear()
        self._bound_to = (None, None)

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J A^-1 J^T, tree by tree: README eq. (19)."""
        if W.values is not self._bound_to[0] or W.indptr is not self._bound_to[1]:
            self._bound_to = (W.values, W.indptr)
            self._add_delassus = bind_kernel(
                add_bone_delassus, self.dof, self.factor, self.jacobian.arrays, W.indptr, W.indices, self._scratch,
                W.values.reshape(-1),
            )  # fmt: skip
        self._add_delassus()

    def bind_delassus(self, W: BlockMatrix) -> Call:
        """The same as a call for every step."""
        return Call(
            add_bone_delassus, self.dof, self.factor, self.jacobian.arrays, W.indptr, W.indices, self._scratch,
            W.values.reshape(-1),
        )  # fmt: skip

    def bind_point_rows(self, rows: PointRows) -> Call:
        """`add_point_rows` as a call for every step."""
        return Call(
            append_point_blocks, rows.counts, self.bone, self.dof, self.axis, self.x, self.acts, rows.arrays,
            self.jacobian.arrays, otherwise=lambda: self.refuse_overflow(rows.count),
        )  # fmt: skip

    def add_point_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every point that moves with a bone."""
        self.add_rows(add_point_blocks, rows, POINT, self.x, self.acts)

    def bind_turn_rows(self, rows: PointRows) -> Call:
        """`add_turn_rows` as a call for every step."""
        return Call(
            append_turn_blocks, rows.counts, self.bone, self.dof, self.axis, rows.arrays, self.jacobian.arrays,
            otherwise=lambda: self.refuse_overflow(rows.count),
        )  # fmt: skip

    def add_turn_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every angular velocity of a bone."""
        self.add_rows(add_turn_blocks, rows, TURN)

    def add_rows(self, kernel: Any, rows: Any, names: Sequence[str], *places: Any) -> None:
        """Append the blocks that a kernel makes of the arrays `names` of `rows`.

        Whoever has rows keeps their arrays, so they are bound.
        """
        count, key = rows.count, (id(kernel), id(rows))
        self.refuse_overflow(count)
        known, add_blocks = self._bound_rows.get(key, (None, None))
        if known is not rows or add_blocks is None:
            arrays = (getattr(rows, name) for name in names)
            given = (self.bone, self.dof, self.axis, *places, *arrays, self.jacobian.arrays)
            add_blocks = bind_first_arguments(kernel, given, (count,))
            self._bound_rows[key] = (rows, add_blocks)
        add_blocks(count)

    def refuse_overflow(self, extra: int) -> None:
        """Raise when there is no room for so many more blocks."""
        if self.jacobian.count.item(0) + extra > self.jacobian.capacity:
            what = f"room for {self.jacobian.capacity} blocks of rows is used up; raise run.capacity.contacts"
            raise CapacityError(what)
