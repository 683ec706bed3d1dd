"""From motions to tracks, and the targets that others ask for."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple_motion.bones import Bones
from supple_motion.bvh_motion import read_clip_channels
from supple_motion.gltf_file import SUFFIXES as GLTF
from supple_motion.keys import loop_period, read_channels, read_keys
from supple_motion.layout import CLOCK_COLUMNS, PHASED_COLUMNS, TRACK_COLUMNS
from supple_motion.segments import Channel, Tracks
from supple_motion.targets import Tables, Targets

OWNERS = ("skeleton", "ghost")


def compile_motions(build: Build) -> None:
    """Offer the targets of every owner of bones; those that have a motion are sampled in any case."""
    motions = build.having("motion")
    misfits = {entity.path: 0.0 for entity in motions}
    for owner in OWNERS:
        if f"{owner}.bone" in build.arrays.specs:
            targets = _compile_owner(build, Bones.of(build, owner), motions, misfits)
            build.add_member("targets", targets)
            if motions:
                targets.sample(build)
    build.add_model(
        "motion.misfit", list(misfits.values()), unit="rad", labels=list(misfits),
        doc="Greatest turn of the file that the joints cannot follow.",
    )  # fmt: skip
    for index, entity in enumerate(motions):
        build.bind_metrics(entity, "motion", {"misfit": ("motion.misfit", index)})


def _compile_owner(build: Build, bones: Bones, motions: list[Entity], misfits: dict[str, float]) -> Targets:
    tracks, phased = Tracks(TRACK_COLUMNS), Tracks(PHASED_COLUMNS)
    clocks: list[tuple[float, ...]] = []
    tracked = np.zeros(len(build.arrays[f"{bones.owner}.dof"]), np.int64)
    for number, entity in enumerate(motions):
        motion = entity.components["motion"]
        channels, interpolation, period = _read(build, entity, bones, misfits)
        clocks.append((motion.offset, motion.speed, period))
        for channel in channels:
            tracks.add(channel, interpolation, period, number)
        for channel in (*channels, *_read_phases(build, entity, bones, phased)):
            tracked[list(channel.rates)] = 1
    clock = np.array(clocks, float).reshape(-1, CLOCK_COLUMNS)
    segments, phase_segments = np.concatenate(tracks.segments), np.concatenate(phased.segments)
    return Targets(bones, Tables(tracks.table, clock, segments, phased.table, phase_segments, tracked))


def _read(
    build: Build, entity: Entity, bones: Bones, misfits: dict[str, float]
) -> tuple[list[Channel], str, float]:
    """Channels, interpolation and period of a motion; none for a motion of another owner's bones."""
    motion = entity.components["motion"]
    if not bones.below(entity.path) or not (motion.file or motion.keys):
        return [], "linear", 0.0
    if motion.file:
        channels, period, misfit = read_clip_channels(build, entity, bones, motion, f"{entity.path}.motion")
        misfits[entity.path] = max(misfit, misfits[entity.path])
        return channels, motion.interpolation or _usual(motion.file), period if motion.loop else 0.0
    channels = read_keys(build, entity, bones)
    return channels, motion.interpolation or "min_jerk", loop_period(entity) if motion.loop else 0.0


def _usual(file: str) -> str:
    """How frames of a file are meant to be joined: glTF says linear."""
    return "linear" if file.lower().endswith(GLTF) else "hermite"


def _read_phases(build: Build, entity: Entity, bones: Bones, tracks: Tracks) -> list[Channel]:
    """Adds what moves the bones in each phase; returns the channels."""
    motion = entity.components["motion"]
    if not motion.phases or not bones.below(entity.path):
        return []
    machines, found = build.members("phases")[0], []
    machine = machines.row(entity.path)
    for name, told in sorted(motion.phases.items()):
        phase = machines.phase(entity.path, name)
        within = f"{entity.path}.motion.phases.{name}.keys"
        channels = read_channels(build, entity, bones, told.keys, within)
        for channel in channels:
            tracks.add(channel, told.interpolation, 0.0, machine, phase, int(told.over == "share"))
        found += channels
    return found
