"""From the joints of a clip to the bones of a scene; README eq. (6) to (8)."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.rotation_rows import invert_rows, multiply_rows, rotate_rows
from supple_motion.bones import Bones
from supple_motion.bvh import Clip, read_bvh
from supple_motion.components import Motion
from supple_motion.pairing import pair_joints
from supple_motion.projection import project_rotations
from supple_motion.segments import Channel


def read_clip_channels(
    build: Build, entity: Entity, bones: Bones, motion: Motion, path: str
) -> tuple[list[Channel], float, float]:
    """Channels of all bones that the file moves, its period [s], and the worst misfit [rad].

    `path` is where the motion is written.
    """
    clip = read_bvh(build.blueprint.files.find(motion.file, f"{path}.file"), f"{path}.file")
    pairs = pair_joints(build, entity, bones, clip, motion.map, path)
    times: FloatArray = clip.frame_time * np.arange(len(clip.values), dtype=np.float64)
    outer = build.pose(entity.path)
    channels: list[Channel] = []
    misfit = 0.0
    for row, joint in sorted(pairs.items()):
        turns, shift = _relative_motion(clip, bones, pairs, row, joint, outer, motion.scale)
        found, residual = _make_channels(bones, row, times, turns, shift, _moves(clip, joint))
        channels += found
        misfit = max(misfit, residual)
    return channels, clip.frame_time * len(times), misfit


def _moves(clip: Clip, joint: int) -> bool:
    return any(channel.endswith("position") for channel in clip.joints[joint].channels)


def _relative_motion(
    clip: Clip, bones: Bones, pairs: dict[int, int], row: int, joint: int,
    outer: tuple[FloatArray, FloatArray], scale: float,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Turn [frames, 4] and shift [frames, 3] m of a bone against its neutral pose, in its neutral axes.

    A free bone has coordinates instead: rotation and position in its parent's frame.
    """
    above = bones.parent(row)
    while above >= 0 and above not in pairs:
        above = bones.parent(above)
    stop = pairs[above] if above >= 0 else -1
    turned, moved = _pose_against(clip, joint, stop)
    turned = multiply_rows(multiply_rows(outer[1], turned), invert_rows(outer[1]))
    neutral = bones.neutral[row]
    if bones.joint(row) == "free":
        parent = bones.parent(row)
        base = bones.neutral[parent] if parent >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
        place = scale * rotate_rows(outer[1], moved) + (outer[0] if parent < 0 else 0.0)
        return multiply_rows(invert_rows(base), multiply_rows(turned, neutral)), rotate_rows(
            invert_rows(base), place
        )
    shift = clip.positions(clip.joints[joint]) - np.array(clip.joints[joint].offset)
    back = multiply_rows(invert_rows(neutral), outer[1])
    return multiply_rows(invert_rows(neutral), multiply_rows(turned, neutral)), scale * rotate_rows(
        back, shift
    )


def _pose_against(clip: Clip, joint: int, stop: int) -> tuple[FloatArray, FloatArray]:
    """Rotation and origin of a joint against the joint `stop` above it, or against the world of the file."""
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip.values), 1))
    moved = np.zeros((len(clip.values), 3))
    while joint not in (stop, -1):
        here = clip.joints[joint]
        local = clip.rotations(here)
        turned = multiply_rows(local, turned)
        # The origin itself lies in the parent's frame: only what hangs below is turned.
        moved = clip.positions(here) + rotate_rows(local, moved)
        joint = here.parent
    return turned, moved


def _make_channels(
    bones: Bones, row: int, times: FloatArray, turns: FloatArray, shift: FloatArray, moves: bool
) -> tuple[list[Channel], float]:
    """What the bone's joint can follow, and the greatest angle [rad] that it cannot."""
    kind = bones.joint(row)
    q, v = bones.places(row)
    if kind in ("ball", "free"):
        skip = 3 if kind == "free" else 0
        slides = (
            [Channel(q + k, v + k, times, shift[:, k : k + 1]) for k in range(3)] if skip and moves else []
        )
        return [*slides, Channel(q + skip, v + skip, times, turns)], 0.0
    first, second = bones.axes(row)
    coordinates, residual = project_rotations(kind, first, second, turns)
    if moves and kind == "slider":
        coordinates = shift @ first[:, None]
    elif moves and kind == "translation":
        coordinates = shift
    made = [Channel(q + k, v + k, times, coordinates[:, k : k + 1]) for k in range(coordinates.shape[1])]
    return made, float(residual.max())
