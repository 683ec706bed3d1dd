"""From the joints of a clip to the bones of a scene; README eq. (6) to (8)."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.rotation_rows import invert_rows, multiply_rows, rotate_rows
from supple_bones.layout import POSITION
from supple_motion.bones import Bones
from supple_motion.clips import AnyClip, read_clip, refuse_other_units
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
    clip = read_clip(build.blueprint.files.find(motion.file, f"{path}.file"), f"{path}.file", motion.clip)
    pairs = pair_joints(build, entity, bones, clip, motion, path)
    carriers = _add_carriers(bones, clip, pairs)
    slides = ("free", "slider", "translation")
    if any(_moves(clip, joint) and bones.joint(row) in slides for row, joint in pairs.items()):
        refuse_other_units(clip, motion.scale, f"{path}.scale")
    times = np.asarray(clip.times - clip.times[0])
    outer = build.pose(entity.path)
    channels: list[Channel] = []
    misfit = 0.0
    for row, joint in sorted(pairs.items()):
        turns, shift = _relative_motion(clip, bones, pairs, row, joint, outer, motion.scale)
        if row in carriers:
            shift = _place_against(clip, bones, row, joint, outer, motion.scale)
        if motion.root == "from_start" and (row in carriers or bones.joint(row) == "free"):
            start = bones.start[bones.places(row)[0] :][:3]
            shift = start + shift - shift[0]
        found, residual = _make_channels(bones, row, times, turns, shift, _moves(clip, joint))
        channels += found
        misfit = max(misfit, residual)
    return channels, clip.period, misfit


def _add_carriers(bones: Bones, clip: AnyClip, pairs: dict[int, int]) -> set[int]:
    """A translation bone without a joint of its own that carries a moving root follows where that root goes.

    So the root of a skeleton can be driven: by a translation bone, and a ball joint below it.
    """
    carriers = set()
    for row, joint in list(pairs.items()):
        above = bones.parent(row)
        if above < 0 or above in pairs or clip.joints[joint].parent >= 0 or not _moves(clip, joint):
            continue
        if bones.joint(above) == "translation" and bones.parent(above) < 0:
            pairs[above] = joint
            carriers.add(above)
    return carriers


def _place_against(
    clip: AnyClip, bones: Bones, row: int, joint: int, outer: tuple[FloatArray, FloatArray], scale: float
) -> FloatArray:
    """How far a root of the file is from the neutral place of a bone on the world, in its neutral axes [m]."""
    place = outer[0] + scale * rotate_rows(outer[1], clip.positions(clip.joints[joint]))
    away = place - bones.frame[row, POSITION : POSITION + 3]
    return rotate_rows(invert_rows(bones.neutral[row]), away)


def _moves(clip: AnyClip, joint: int) -> bool:
    return any(channel.endswith("position") for channel in clip.joints[joint].channels)


def _relative_motion(
    clip: AnyClip, bones: Bones, pairs: dict[int, int], row: int, joint: int,
    outer: tuple[FloatArray, FloatArray], scale: float,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Turn [frames, 4] and shift [frames, 3] m of a bone against its neutral pose, in its neutral axes.

    A free bone has coordinates instead: rotation and position in its parent's frame.
    """
    above = bones.parent(row)
    while above >= 0 and pairs.get(above, joint) == joint:
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


def _pose_against(clip: AnyClip, joint: int, stop: int) -> tuple[FloatArray, FloatArray]:
    """Rotation and origin of a joint against the joint `stop` above it, or against the world of the file."""
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip.times), 1))
    moved = np.zeros((len(clip.times), 3))
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
