"""The poses of a motion at given times, for whoever wants all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple_motion.bvh_motion import read_clip_channels
from supple_motion.keys import read_channels
from supple_motion.layout import TRACK_COLUMNS
from supple_motion.sample_kernels import sample_track_at
from supple_motion.segments import Channel, Tracks

if TYPE_CHECKING:
    from supple.core.build import Build
    from supple.core.entity import Entity
    from supple_motion.bones import Bones
    from supple_motion.components import Motion


def sample_motion(
    build: Build, entity: Entity, bones: Bones, motion: Motion, path: str, rate: float
) -> FloatArray:
    """Coordinates [frames, coordinates of all bones], so many a second; what the motion leaves out is as at the start.

    `path` is where the motion is written, for complaints.
    """
    if motion.file:
        channels, _, _ = read_clip_channels(build, entity, bones, motion, path)
    else:
        channels = read_channels(build, entity, bones, motion.keys, f"{path}.keys")
    interpolation = motion.interpolation or ("hermite" if motion.file else "min_jerk")
    end = max(float(channel.times[-1]) for channel in channels)
    times = np.linspace(0.0, end, 1 + max(1, round(end * rate)) if end > 0.0 else 1)
    return sample_channels(bones, channels, interpolation, times)


def sample_channels(
    bones: Bones, channels: Sequence[Channel], interpolation: str, times: FloatArray
) -> FloatArray:
    """Coordinates [times, coordinates of all bones] of channels."""
    tracks = Tracks(TRACK_COLUMNS)
    for channel in channels:
        tracks.add(channel, interpolation, 0.0, 0)
    table, segments = tracks.table, np.concatenate(tracks.segments)
    poses = np.tile(bones.start, (len(times), 1))
    for pose, at in zip(poses, times, strict=True):
        for n in range(len(table)):
            sample_track_at(table, segments, n, float(at), pose)
    return poses
