"""All skeletons of a scene as one mechanism, and their bones as frames that carry shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.core.schedule import Bound
from supple.errors import PluginError, Problem, SimulationError, suggest
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.mechanism import PointRows
from supple_skeleton.chain_kernels import solve_chain, solve_columns
from supple_skeleton.dynamics import READS, Dynamics
from supple_skeleton.forest import Forest
from supple_skeleton.loads import Follower, WeightedRows
from supple_skeleton.row_kernels import (
    add_bone_delassus,
    add_point_blocks,
    add_turn_blocks,
    add_weighted_blocks,
)
from supple_skeleton.scratch import make_delassus_scratch


class Skeletons:
    """Joint rates; A = M + armature + h dampers + h^2 springs, factored as L^T D L along the chains.

    A contact on a bone has one block, dense over the rates of the bone's skeleton. Every skeleton is one
    coupling unit.
    """

    name = "skeleton"
    v, v_next, v_free = "skeleton.v", "skeleton.v.next", "skeleton.v_free"
    plan, impulse, force = "skeleton.plan", "skeleton.impulse", "skeleton.force"
    position, rotation, twist, wrench = (
        "skeleton.x", "skeleton.rotation", "skeleton.twist", "skeleton.wrench",
    )  # fmt: skip
    shown = ("skeleton.position", "skeleton.orientation")
    layer = "bones"
    reads = ("skeleton.x", "skeleton.axis", "skeleton.factor", *READS)

    def __init__(
        self,
        forest: Forest,
        skeletons: Mapping[str, int],
        bones: Mapping[str, int],
        followers: Sequence[Follower],
        blocks: int,
    ) -> None:
        """`skeletons` and `bones` number the paths, `followers` come behind them; `blocks` is the room for rows."""
        self.forest, self.skeletons, self.bones = forest, dict(skeletons), dict(bones)
        self.followers = {each: len(bones) + place for place, each in enumerate(followers)}
        self.unit_count = len(forest.trees)
        self.jacobian = JacobianBlocks(blocks, forest.width)
        self._scratch = make_delassus_scratch(self.unit_count, blocks, forest.width)
        self._bound_points: dict[int, tuple[PointRows, Callable[[int], None]]] = {}
        #: Values and indptr of the matrix that `_add_delassus` adds to.
        self._bound_to: tuple[FloatArray | None, IntArray | None] = (None, None)

    def bind(self, arrays: Bound) -> None:
        """Bind poses, axes and the factor of A."""
        self.x, self.axis, self.factor = (arrays[name] for name in self.reads[:3])
        self.bone, self.dof = arrays["skeleton.bone"], arrays["skeleton.dof"]
        self._queried = {name: arrays[name] for name in READS}

    def dynamics(self, path: str) -> Dynamics:
        """Queries about the skeleton at `path`, at the state of the moment when they are asked."""
        if path not in self.skeletons:
            raise PluginError(Problem(None, path, "no skeleton of this name", suggest(path, self.skeletons)))
        return Dynamics(self._queried, self.forest.trees[self.skeletons[path]], self.bones)

    @property
    def frames(self) -> list[Follower]:
        """Bones and followers in the order of their rows; of a bone the share is 1."""
        return [*(Follower(path, 1.0) for path in self.bones), *self.followers]

    def frame(self, path: str, share: float = 1.0) -> int:
        """The row of the bone at `path`, or of the follower that turns by a share of its angles."""
        return self.bones[path] if share == 1.0 else self.followers[Follower(path, share)]

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J A^-1 J^T, skeleton by skeleton."""
        if W.values is not self._bound_to[0] or W.indptr is not self._bound_to[1]:
            J, self._bound_to = self.jacobian, (W.values, W.indptr)
            self._add_delassus = bind_kernel(
                add_bone_delassus, self.dof, self.factor, J.count, J.group, J.unit, J.dof, J.values, W.indptr,
                W.indices, *self._scratch, W.values,
            )  # fmt: skip
        self._add_delassus()

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both [rates]."""
        out[:] = x
        solve_chain(self.dof, self.factor, out)

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k], both [columns, rates]."""
        solve_columns(self.dof, self.factor, columns, out)

    def add_point_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every point. Whoever has points keeps their arrays, so they are bound."""
        self.refuse_overflow(rows.count)
        known, add_blocks = self._bound_points.get(id(rows), (None, None))
        if known is not rows or add_blocks is None:
            J = self.jacobian
            arrays = (
                self.bone, self.dof, self.axis, self.x, rows.group, rows.frame, rows.sign, rows.point, rows.directions,
                J.count, J.group, J.unit, J.dof, J.values,
            )  # fmt: skip
            add_blocks = bind_first_arguments(add_point_blocks, arrays, (rows.count,))
            self._bound_points[id(rows)] = (rows, add_blocks)
        add_blocks(rows.count)

    def add_turn_rows(self, rows: PointRows) -> None:
        """Append one block of three rows for every angular velocity."""
        J = self.jacobian
        self.refuse_overflow(rows.count)
        add_turn_blocks(
            self.bone, self.dof, self.axis, rows.count, rows.group, rows.frame, rows.sign, rows.directions,
            J.count, J.group, J.unit, J.dof, J.values,
        )  # fmt: skip

    def add_weighted_rows(self, rows: WeightedRows) -> None:
        """Append one block of three rows for every weighted sum of point velocities."""
        J = self.jacobian
        self.refuse_overflow(rows.count)
        add_weighted_blocks(
            self.bone, self.dof, self.axis, self.x,
            rows.count, rows.group, rows.frame, rows.weight, rows.moment, rows.directions,
            J.count, J.group, J.unit, J.dof, J.values,
        )  # fmt: skip

    def refuse_overflow(self, extra: int) -> None:
        """Raise when there is no room for so many more blocks."""
        if self.jacobian.count.item(0) + extra > self.jacobian.capacity:
            what = f"room for {self.jacobian.capacity} blocks of rows is used up; raise run.capacity.contacts"
            raise SimulationError(what)
