"""Random trees of bones and their states, for tests and probes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple_bones.forest import BoneSpec
from supple_bones.layout import JOINTS


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
