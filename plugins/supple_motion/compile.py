"""From motions to tracks, and the arrays of targets that others read."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple_bones.layout import BONE
from supple_motion.bones import Bones
from supple_motion.bvh_motion import read_clip_channels
from supple_motion.keys import loop_period, read_keys
from supple_motion.layout import CLOCK_COLUMNS, SEGMENT_COLUMNS, TRACK_COLUMNS
from supple_motion.segments import Channel, make_segments, shape_of

OWNERS = ("skeleton", "ghost")


def compile_motions(build: Build) -> None:
    """Declare tracks and targets for every owner of bones that the scene has."""
    motions = build.having("motion")
    misfits = {entity.path: 0.0 for entity in motions}
    for owner in OWNERS:
        if f"{owner}.bone" in build.arrays.specs:
            _compile_owner(build, Bones.of(build, owner), motions, misfits)
    build.add_model(
        "motion.misfit", list(misfits.values()), unit="rad", labels=list(misfits),
        doc="Greatest turn of the file that the joints cannot follow.",
    )  # fmt: skip
    for index, entity in enumerate(motions):
        build.bind_metrics(entity, "motion", {"misfit": ("motion.misfit", index)})


def _compile_owner(build: Build, bones: Bones, motions: list[Entity], misfits: dict[str, float]) -> None:
    tracks: list[tuple[int, ...]] = []
    clocks: list[tuple[float, ...]] = []
    segments = [np.zeros((0, SEGMENT_COLUMNS))]
    tracked = np.zeros(len(build.arrays[f"{bones.owner}.dof"]), np.int64)
    used = 0
    for number, entity in enumerate(motions):
        motion = entity.components["motion"]
        channels, interpolation, period = _read(build, entity, bones, misfits)
        clocks.append((motion.offset, motion.speed, period))
        for channel in channels:
            tracked[list(channel.rates)] = 1
            segments.append(make_segments(channel, interpolation, period))
            count = len(segments[-1])
            tracks.append(
                (int(channel.turns), channel.coordinate, used, count, shape_of(interpolation), number)
            )
            used += count
    _declare_tracks(build, bones, np.array(tracks, np.int64), np.array(clocks), np.concatenate(segments))
    _declare_targets(build, bones, tracked)


def _read(
    build: Build, entity: Entity, bones: Bones, misfits: dict[str, float]
) -> tuple[list[Channel], str, float]:
    """Channels, interpolation and period of a motion; none for a motion of another owner's bones."""
    motion = entity.components["motion"]
    if not bones.below(entity.path):
        return [], "linear", 0.0
    if motion.file:
        channels, period, misfit = read_clip_channels(build, entity, bones)
        misfits[entity.path] = max(misfit, misfits[entity.path])
        return channels, motion.interpolation or "hermite", period if motion.loop else 0.0
    channels = read_keys(build, entity, bones)
    return channels, motion.interpolation or "min_jerk", loop_period(entity) if motion.loop else 0.0


def _declare_tracks(
    build: Build, bones: Bones, tracks: np.ndarray, clocks: np.ndarray, segments: np.ndarray
) -> None:
    owner = bones.owner
    build.add_model(f"motion.{owner}_start", bones.start, unit="rad, m, 1", doc="Targets without a track.")
    build.add_model(
        f"motion.{owner}_track", tracks.reshape(-1, TRACK_COLUMNS), unit="1", dtype=np.int64,
        doc="Channels that have knots; columns in layout.py.",
    )  # fmt: skip
    build.add_model(
        f"motion.{owner}_clock", clocks.reshape(-1, CLOCK_COLUMNS), unit="s, 1",
        doc="Offset, speed and period of every motion.",
    )  # fmt: skip
    build.add_model(
        f"motion.{owner}_segment",
        segments,
        unit="s, rad, m, 1",
        doc="From knot to knot; columns in layout.py.",
    )


def _declare_targets(build: Build, bones: Bones, tracked: np.ndarray) -> None:
    owner, paths = bones.owner, list(bones.rows)
    rates = [paths[row[BONE]] for row in build.arrays[f"{owner}.dof"]]
    coordinates = (len(bones.start),)
    build.add_model(
        f"{owner}.tracked", tracked, unit="1", doc="1: a motion sets this rate.", dtype=np.int64, labels=rates
    )
    build.add_step(
        f"{owner}.target_now", coordinates, unit="rad, m, 1", doc="Reference coordinates at the step's start."
    )
    build.add_step(
        f"{owner}.target", coordinates, unit="rad, m, 1", doc="Reference coordinates at the step's end."
    )
    build.add_step(
        f"{owner}.target_rate", (len(tracked),), unit="rad/s, m/s", labels=rates,
        doc="Rates that lead from the one to the other within the step.",
    )  # fmt: skip
