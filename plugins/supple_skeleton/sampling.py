"""Queries about trees of bones without a world, for tests and probes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple_bones.forest import BoneSpec, FollowerSpec, Forest, build_forest
from supple_skeleton.dynamics import Dynamics


def make_dynamics(
    specs: Sequence[BoneSpec],
    q: FloatArray,
    v: FloatArray,
    gravity: FloatArray,
    armature: FloatArray | None = None,
    followers: Sequence[FollowerSpec] = (),
) -> tuple[Forest, Dynamics]:
    """The tables of these bones, and queries about them at this state; bones are called by their number."""
    forest = build_forest(specs, followers)
    arrays = {
        "skeleton.bone": forest.bone, "skeleton.dof": forest.dof, "skeleton.frame": forest.frame,
        "skeleton.inertia": forest.inertia, "skeleton.q": q, "skeleton.v": v, "run.gravity": gravity,
        "skeleton.armature": np.zeros(forest.v_count) if armature is None else armature,
    }  # fmt: skip
    return forest, Dynamics(arrays, forest.trees[0], {str(index): index for index in range(len(forest.bone))})
