"""All skeletons of a scene as one mechanism, and their bones as frames that carry shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.errors import PluginError, Problem, suggest
from supple.mechanics.dynamics import Arrays
from supple_bones.chain_kernels import solve_chain, solve_columns
from supple_bones.forest import Follower, Forest
from supple_bones.row_kernels import add_weighted_blocks
from supple_bones.tree_rows import TreeRows
from supple_skeleton.dynamics import FORCE, READS, SkeletonDynamics
from supple_skeleton.loads import WeightedRows


class Skeletons(TreeRows):
    """Joint rates; A = M + armature + h dampers + h^2 springs, factored as L^T D L along the chains.

    A contact on a bone has one block, dense over the rates of the bone's skeleton. Every skeleton is one
    coupling unit.
    """

    name = "skeleton"
    v, v_next, v_free, v_worked = "skeleton.v", "skeleton.v_rows", "skeleton.v_free", "skeleton.v_worked"
    plan, impulse, force = "skeleton.plan", "skeleton.impulse", "skeleton.force"
    position, rotation, twist, wrench = (
        "skeleton.x", "skeleton.rotation", "skeleton.twist", "skeleton.wrench",
    )  # fmt: skip
    layer = "bones"
    reads = ("skeleton.x", "skeleton.axis", "skeleton.factor", *READS)
    dynamics_reads, dynamics_forces = READS, (FORCE,)

    def __init__(
        self,
        forest: Forest,
        skeletons: Mapping[str, int],
        bones: Mapping[str, int],
        followers: Sequence[Follower],
        blocks: int,
        watched: bool = False,
    ) -> None:
        """`skeletons` and `bones` number the paths, `followers` come behind them; `blocks` is the room for rows.

        `watched`: pulls at the bones are looked at.
        """
        super().__init__(forest, blocks, noted=watched)
        self.watched = watched
        self.skeletons, self.bones = dict(skeletons), dict(bones)
        self.followers = {each: len(bones) + place for place, each in enumerate(followers)}
        self.dynamics_keys = tuple(self.skeletons)

    def bind(self, arrays: Bound) -> None:
        """Bind poses, axes and the factor of A."""
        self.bind_tree(arrays, arrays["skeleton.factor"])
        self._queried, self._build = {name: arrays[name] for name in READS}, arrays.build

    def dynamics(self, path: str) -> SkeletonDynamics:
        """Queries about the skeleton at `path` alone, at the state of the moment when they are asked."""
        return self.bind_dynamics([path], self._queried, self._build)[0]

    def bind_dynamics(
        self, keys: Sequence[str], arrays: Arrays, build: Build, acts: bool = False
    ) -> list[SkeletonDynamics]:
        """Queries about skeletons, one for each."""
        for path in keys:
            if path not in self.skeletons:
                remedy = suggest(path, self.skeletons)
                raise PluginError(Problem(None, path, "no skeleton of this name", remedy))
        trees = [self.forest.trees[self.skeletons[path]] for path in keys]
        return [
            SkeletonDynamics(arrays, tree, self.bones, path, build, acts)
            for path, tree in zip(keys, trees, strict=True)
        ]

    @property
    def frames(self) -> list[Follower]:
        """Bones and followers in the order of their rows; of a bone the share is 1."""
        return [*(Follower(path, 1.0) for path in self.bones), *self.followers]

    def frame(self, path: str, share: float = 1.0) -> int:
        """The row of the bone at `path`, or of the follower that turns by a share of its angles."""
        return self.bones[path] if share == 1.0 else self.followers[Follower(path, share)]

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both [rates]."""
        out[:] = x
        solve_chain(self.dof, self.factor, out)

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k], both [columns, rates]."""
        solve_columns(self.dof, self.factor, columns, out)

    def add_weighted_rows(self, rows: WeightedRows) -> None:
        """Append one block of three rows for every weighted sum of point velocities."""
        names = ("group", "frame", "weight", "moment", "directions")
        self.add_rows(add_weighted_blocks, rows, names, self.x, self.acts)
