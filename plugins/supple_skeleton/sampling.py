"""Queries about trees of bones without a world, for tests and probes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple_bones.forest import BoneSpec, FollowerSpec, Forest, build_forest
from supple_skeleton.dynamics import SkeletonDynamics


def make_dynamics(
    specs: Sequence[BoneSpec],
    q: FloatArray,
    v: FloatArray,
    gravity: FloatArray,
    armature: FloatArray | None = None,
    followers: Sequence[FollowerSpec] = (),
    hanging: FloatArray | None = None,
) -> tuple[Forest, SkeletonDynamics]:
    """The tables of these bones, and queries about them at this state; bones are called by their number.

    `hanging` [followers, 10] are the inertias of what hangs on the followers.
    """
    forest = build_forest(specs, followers)
    if hanging is not None:
        forest.inertia[len(specs) :] = hanging
    arrays = {
        "skeleton.bone": forest.bone, "skeleton.dof": forest.dof, "skeleton.frame": forest.frame,
        "skeleton.inertia": forest.inertia, "skeleton.q": q, "skeleton.v": v, "run.gravity": gravity,
        "skeleton.armature": np.zeros(forest.v_count) if armature is None else armature,
    }  # fmt: skip
    bones = {str(index): index for index in range(len(forest.bone))}
    return forest, SkeletonDynamics(arrays, forest.trees[0], bones)
