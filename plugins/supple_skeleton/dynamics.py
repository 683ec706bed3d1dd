"""What controllers ask of one skeleton, at the state that the world has now."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.mechanics.dynamics import Arrays
from supple_bones.cut_tree import list_frames
from supple_bones.dynamics import TreeDynamics
from supple_bones.force_kernels import differentiate_bias
from supple_bones.forest import Tree
from supple_bones.kinematics_kernels import move_bones
from supple_skeleton.coriolis_kernels import fill_coriolis_matrix

READS = (
    "skeleton.bone", "skeleton.dof", "skeleton.frame", "skeleton.inertia", "skeleton.armature", "run.gravity",
    "skeleton.q", "skeleton.v",
)  # fmt: skip
"""The arrays that queries look at; a system that asks must declare them."""
FORCE = "skeleton.force"
"""The array that `add_forces` adds to."""


class SkeletonDynamics(TreeDynamics):
    """Queries about one skeleton; on top of what all can be asked, the matrices of its Coriolis forces."""

    def __init__(
        self,
        arrays: Arrays,
        tree: Tree,
        bones: Mapping[str, int],
        path: str = "",
        build: Build | None = None,
        acts: bool = False,
    ) -> None:
        """`arrays` hands out the arrays of READS by name, and FORCE to whoever `acts`."""
        inertia = np.ascontiguousarray(arrays["skeleton.inertia"][list_frames(tree)])
        armature, force = arrays["skeleton.armature"][tree.v], arrays[FORCE][tree.v] if acts else None
        super().__init__(arrays, "skeleton", tree, bones, path, build, inertia, armature, force)

    def coriolis(self) -> FloatArray:
        """C [n, n] with C v = bias and Mdot - 2 C skew-symmetric."""
        self._follow()
        tables, moved = self.tables, self.moved
        dense = np.zeros((len(self.v), len(self.v)))
        fill_coriolis_matrix(
            tables.bone, tables.dof, moved.axis, moved.axis_rate, moved.velocity, moved.own, moved.composite,
            np.zeros((len(tables.bone), 6, 6)), dense,
        )  # fmt: skip
        return dense

    def bias_form(self, a: ArrayLike, b: ArrayLike) -> FloatArray:
        """B(a, b) [n]: bilinear, symmetric, and B(v, v) is the bias at rates v."""
        self._follow()
        tables, moved = self.tables, self.moved
        rates = np.array([a, b], float)
        velocity, axis_rate = np.zeros((2, len(tables.bone), 6)), np.zeros((2, len(moved.axis), 6))
        for side in range(2):
            move_bones(tables.bone, tables.dof, moved.axis, rates[side], velocity[side], axis_rate[side])
        tau = np.zeros(len(self.v))
        differentiate_bias(
            tables.bone, moved.own, moved.axis, axis_rate[0], velocity[0], rates[0],
            axis_rate[1], velocity[1], rates[1], moved.work, tau,
        )  # fmt: skip
        return 0.5 * tau

    def symmetric_coriolis(self) -> FloatArray:
        """Half the derivative of the bias by the rates: the matrix [n, n] of b -> B(v, b)."""
        v = self.v.copy()
        return np.array([self.bias_form(v, unit) for unit in np.eye(len(v))]).T
