"""Random skeletons and states, for tests and probes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple_skeleton.dynamics import SkeletonDynamics
from supple_skeleton.forest import BoneSpec, FollowerSpec, Forest, build_forest
from supple_skeleton.layout import JOINTS


def sample_rotation(rng: np.random.Generator) -> FloatArray:
    """A unit quaternion, uniform over all rotations."""
    q = rng.normal(size=4)
    rotation: FloatArray = q / np.linalg.norm(q)
    return rotation


def sample_specs(rng: np.random.Generator, joints: Sequence[str], climbs: Sequence[int]) -> list[BoneSpec]:
    """Bones with these joints and random frames and masses.

    The parent of a bone is found from the bone before it by going up `climbs` times; so every list of numbers
    makes a tree, and the bones of a subtree are neighbours.
    """
    specs: list[BoneSpec] = []
    for index, (joint, climb) in enumerate(zip(joints, climbs, strict=True)):
        parent = index - 1
        for _ in range(climb):
            parent = specs[parent].parent if parent > 0 else parent
        moments = rng.uniform(0.002, 0.03, 3)
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        free = joint == "free"
        specs.append(
            BoneSpec(
                parent, joint, 0,
                np.zeros(3) if free else rng.normal(size=3) * 0.3,
                np.array([1.0, 0.0, 0.0, 0.0]) if free else sample_rotation(rng),
                rng.normal(size=3), rng.normal(size=3),
                mass=float(rng.uniform(0.2, 3.0)), centre=rng.normal(size=3) * 0.2,
                inertia=turn @ np.diag(moments.sum() - moments) @ turn.T,
            )
        )  # fmt: skip
    return specs


def sample_state(
    rng: np.random.Generator, specs: Sequence[BoneSpec], speed: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Coordinates with arbitrary rotations, and rates of about `speed`."""
    q: list[FloatArray] = []
    for spec in specs:
        count = JOINTS[spec.joint].q_count
        if count in (4, 7):
            q += [rng.normal(size=count - 4), sample_rotation(rng)]
        else:
            q.append(rng.normal(size=count))
    rates = sum(JOINTS[spec.joint].v_count for spec in specs)
    return np.concatenate(q), speed * rng.normal(size=rates)


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
