"""Writes BVH files, and makes random ones, for tests of their reader."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple_motion.bvh import CHANNELS, Clip, ClipJoint

FloatArray = NDArray[np.float64]


def sample_clip(rng: np.random.Generator, joints: int, frames: int) -> Clip:
    """A random tree in depth-first order, as files have it, with random channels in random order."""
    made: list[ClipJoint] = []
    width = 0
    for number in range(joints):
        parent = number - 1
        while parent > 0 and rng.random() < 0.4:
            parent = made[parent].parent
        channels = tuple(rng.permutation(CHANNELS)[: rng.integers(0, 7)])
        offset = tuple(float(x) for x in rng.normal(size=3))
        made.append(ClipJoint(f"joint_{number}", parent, offset, channels, width))
        width += len(channels)
    values = 100.0 * rng.normal(size=(frames, width))
    return Clip("random", tuple(made), float(rng.uniform(0.001, 0.2)), values)


def write_clip(clip: Clip, indent: str = "  ") -> str:
    """The text of a file; every leaf has an end site. Numbers are written with all their digits."""
    lines = ["HIERARCHY"]
    for number, joint in enumerate(clip.joints):
        if joint.parent < 0:
            _write_joint(clip.joints, number, 0, indent, lines)
    lines += ["MOTION", f"Frames: {len(clip.values)}", f"Frame Time: {clip.frame_time!r}"]
    lines += [" ".join(repr(float(value)) for value in frame) for frame in clip.values]
    return "\n".join(lines) + "\n"


def _write_joint(joints: Sequence[ClipJoint], number: int, depth: int, indent: str, lines: list[str]) -> None:
    joint, pad = joints[number], indent * depth
    lines += [f"{pad}{'ROOT' if joint.parent < 0 else 'JOINT'} {joint.name}", pad + "{"]
    lines.append(f"{pad}{indent}OFFSET {' '.join(map(repr, joint.offset))}")
    lines.append(f"{pad}{indent}CHANNELS {len(joint.channels)} {' '.join(joint.channels)}".rstrip())
    below = [other for other, each in enumerate(joints) if each.parent == number]
    for other in below:
        _write_joint(joints, other, depth + 1, indent, lines)
    if not below:
        lines += [
            f"{pad}{indent}End Site",
            pad + indent + "{",
            f"{pad}{indent * 2}OFFSET 0 1 0",
            pad + indent + "}",
        ]
    lines.append(pad + "}")
