"""All ghosts of a scene as one mechanism, and their bones as frames that carry shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.mechanics.dynamics import Arrays
from supple_bones.forest import Follower, Forest
from supple_bones.layout import ROW
from supple_bones.tree_rows import TreeRows
from supple_ghost.dynamics import READS, GhostDynamics

#: What A is made of, besides h.
MOBILITY = ("ghost.stiffness", "ghost.recovery")


def find_mobility(arrays: Bound) -> FloatArray:
    """A^-1 [rates] for the step of whoever is bound: README eq. (3)."""
    h = arrays.h
    mobility: FloatArray = 1.0 / (h * (h + arrays["ghost.recovery"]) * arrays["ghost.stiffness"])
    return mobility


class Ghosts(TreeRows):
    """Joint rates; A = h (h + recovery) K is diagonal, and constant while h is, README eq. (3).

    A contact has one block, dense over the rates of its ghost. Every ghost is one coupling unit.
    """

    name = "ghost"
    v, v_next, v_free = "ghost.v", "ghost.v.next", "ghost.v_free"
    plan, impulse, force = "ghost.plan", "ghost.impulse", "ghost.force"
    position, rotation, twist, wrench = "ghost.x", "ghost.rotation", "ghost.twist", "ghost.wrench"
    layer = "bodies"
    reads = ("ghost.x", "ghost.axis", "ghost.bone", "ghost.dof", *MOBILITY)

    dynamics_reads, dynamics_forces = READS, ()

    def __init__(
        self,
        forest: Forest,
        ghosts: Mapping[str, int],
        bones: Mapping[str, int],
        followers: Sequence[Follower],
        blocks: int,
    ) -> None:
        """`ghosts` and `bones` number the paths, `followers` come behind them; `blocks` is the room for rows."""
        super().__init__(forest, blocks)
        self.trees = {path: forest.trees[number] for path, number in ghosts.items()}
        self.bones, self.dynamics_keys = dict(bones), tuple(self.trees)
        self.followers = {each: len(bones) + place for place, each in enumerate(followers)}

    def bind(self, arrays: Bound) -> None:
        """Bind poses, axes and A."""
        self.mobility = find_mobility(arrays)
        # A as a factored chain matrix: L = 1, and 1 / A on the diagonal.
        factor = np.zeros(self.forest.entries)
        factor[self.forest.dof[:, ROW]] = self.mobility
        self.bind_tree(arrays, factor)

    def frame(self, path: str, share: float = 1.0) -> int:
        """The row of the bone at `path`, or of the follower that turns by a share of its angles."""
        return self.bones[path] if share == 1.0 else self.followers[Follower(path, share)]

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both [rates]."""
        np.multiply(self.mobility, x, out=out)

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k], both [columns, rates]."""
        np.multiply(self.mobility, columns, out=out)

    def bind_dynamics(
        self, keys: Sequence[str], arrays: Arrays, build: Build, acts: bool = False
    ) -> list[GhostDynamics]:
        """Queries about ghosts, one for each; nobody acts on them."""
        return [GhostDynamics(arrays, self.trees[path], self.bones, path, build) for path in keys]
