"""Everything that a page shows, gathered from the stage frame by frame and packed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.drawing import Lines
from supple.core.pose import rotate
from supple.run.recording import Recording
from supple.run.stage import Stage, Thing, is_plane
from supple_view.metrics import Metrics
from supple_view.pack import Packer

FloatArray = NDArray[np.float32]
#: Layout of the page's data; player/decode.js reads this one.
FORMAT = 1
#: Errors that nobody sees [m], and in the entries of a quaternion.
POSITION_TOLERANCE, ROTATION_TOLERANCE = 2.5e-5, 2.5e-5
#: Percentile of all forces whose arrow has the usual length.
_USUAL_FORCE = 95.0


def gather(
    stage: Stage, metrics: Metrics, frames: Sequence[int], progress: Callable[[int], None] = lambda done: None
) -> tuple[dict[str, Any], bytes]:
    """The page's description, ready for JSON, and the bytes of its streams. `progress` gets the frames done."""
    tracks = [_Track(stage.recording, thing, len(frames)) for thing in stage.things]
    contacts = _ContactTrack()
    measured = np.zeros((len(frames), len(metrics.names)), np.float32)
    for index, frame in enumerate(frames):
        for track in tracks:
            track.take(index, frame)
        contacts.take(*stage.contacts(frame))
        measured[index] = metrics.read(frame)
        progress(index + 1)
    packer = Packer()
    ranges = _find_ranges(tracks)
    about = {
        "format": FORMAT,
        **_describe_run(stage),
        "times": packer.add_exact(stage.times[list(frames)]),
        "steps": packer.add_whole(stage.recording.steps[list(frames)]),
        "things": [track.pack(packer, ranges) for track in tracks],
        "contacts": contacts.pack(packer),
        "metrics": {
            "names": list(metrics.names), "units": metrics.units,
            "values": packer.add_rough(measured), "plots": metrics.suggest_plots(measured),
        },
        "view": _describe_view(stage, frames),
    }  # fmt: skip
    return {**about, "streams": packer.streams}, packer.blob


def _find_ranges(tracks: Sequence[_Track]) -> dict[str, tuple[float, float]]:
    """Where the colour bar of every channel begins and ends: at what was recorded, of all things that it colours.

    A bar begins where the channel says unless something lies below; if nothing was there, all is as the channel says.
    """
    ranges: dict[str, tuple[float, float]] = {}
    for track in tracks:
        channel = track.thing.drawing.channel
        if channel is None or track.values is None:
            continue
        known = track.values[np.isfinite(track.values)]
        low, high = (float(known.min()), float(known.max())) if known.size else (channel.low, channel.low)
        before = ranges.get(channel.says, (channel.low, channel.low))
        ranges[channel.says] = min(low, before[0]), max(high, before[1])
    declared = {track.thing.drawing.channel.says: track.thing.drawing.channel for track in tracks
                if track.thing.drawing.channel is not None}  # fmt: skip
    return {says: each if each[1] > each[0] else (declared[says].low, declared[says].high)
            for says, each in ranges.items()}  # fmt: skip


class _Track:
    """One thing over time: its pose if it is rigid, else all its vertices; and the values that colour it.

    Of tubes only the points between which they run are kept: the player makes tubes of them.
    """

    def __init__(self, recording: Recording, thing: Thing, frames: int) -> None:
        self.recording, self.thing = recording, thing
        form, channel = thing.drawing.form, thing.drawing.channel
        self.tubes = form if isinstance(form, Lines) and not thing.is_rigid else None
        if thing.is_rigid:
            self.positions = np.zeros((frames, 3), np.float32)
            self.rotations = np.zeros((frames, 4), np.float32)
        else:
            self.vertices = np.zeros((frames, *self._vertices(0).shape), np.float32)
        self.values = None if channel is None else np.zeros((frames, len(self._values(0))), np.float32)

    def take(self, index: int, frame: int) -> None:
        """Keep a frame as number `index`."""
        if self.thing.is_rigid:
            position, rotation = self.thing.pose(frame)
            # q and -q are the same rotation; the one nearer to the last one changes less.
            near = index == 0 or float(rotation @ self.rotations[index - 1]) >= 0
            self.positions[index], self.rotations[index] = position, rotation if near else -rotation
        else:
            self.vertices[index] = self._vertices(frame)
        if self.values is not None:
            self.values[index] = self._values(frame)

    def pack(self, packer: Packer, ranges: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
        """The thing as JSON, with the numbers of its streams; `ranges` are those of the colour bars."""
        thing, drawing, channel = self.thing, self.thing.drawing, self.thing.drawing.channel
        plain: dict[str, Any] = {
            "name": drawing.name, "path": drawing.path, "layer": drawing.layer, "flat": bool(thing.flat),
            "plane": is_plane(drawing), "colour": [round(float(value), 4) for value in thing.colour],
        }  # fmt: skip
        if self.tubes is not None:
            plain["segments"] = packer.add_whole(self._read(self.tubes.segments, 0).reshape(-1, 2))
            plain["radius"] = self.tubes.radius
        else:
            plain["triangles"] = packer.add_whole(thing.triangles)
        if thing.is_rigid:
            plain["rest"] = packer.add_exact(thing.rest)
            plain["position"] = packer.add_within(_once(self.positions), POSITION_TOLERANCE)
            plain["rotation"] = packer.add_within(_once(self.rotations), ROTATION_TOLERANCE)
        else:
            centres = (self.vertices.min(axis=1) + self.vertices.max(axis=1)) / 2
            # Around its own centre a thing has no range but its size: 16 bits are a hundred-thousandth of that.
            self.vertices -= centres[:, None]
            plain["vertices"] = packer.add_within(self.vertices, np.inf)
            plain["centre"] = packer.add_exact(centres)
        if channel is not None and self.values is not None:
            low, high = ranges[channel.says]
            plain["channel"] = {
                "says": channel.says, "unit": channel.unit, "low": low, "high": high,
                "values": packer.add_within(_once(self.values), abs(high - low) / 1000),
            }  # fmt: skip
        return plain

    def _vertices(self, frame: int) -> NDArray[Any]:
        if self.tubes is None:
            return self.thing.vertices(frame)
        position, rotation = self.thing.pose(frame)
        return rotate(rotation, self._read(self.tubes.points, frame)) + position

    def _values(self, frame: int) -> NDArray[Any]:
        values = self.thing.values(frame)
        channel = self.thing.drawing.channel
        return self._read(channel.array, frame) if self.tubes is not None and channel else np.asarray(values)

    def _read(self, name: str, frame: int) -> NDArray[Any]:
        moves = name in self.recording.names
        return self.recording.rows(name, frame) if moves else self.recording.model(name)


class _ContactTrack:
    """The contacts of all frames, one frame after another; those without force are left out."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.points: list[FloatArray] = []
        self.forces: list[FloatArray] = []

    def take(self, points: NDArray[Any], forces: NDArray[Any]) -> None:
        """Keep the contacts of a frame that press; the others are not shown."""
        pressed = (forces != 0).any(axis=1)
        self.counts.append(int(pressed.sum()))
        self.points.append(points[pressed].astype(np.float32))
        self.forces.append(forces[pressed].astype(np.float32))

    def pack(self, packer: Packer) -> dict[str, Any]:
        """Streams, and the force [N] whose arrow has the usual length."""
        points, forces = np.concatenate(self.points), np.concatenate(self.forces)
        sizes = np.linalg.norm(forces, axis=1)
        reference = float(np.percentile(sizes, _USUAL_FORCE)) if len(sizes) else 0.0
        return {
            "counts": packer.add_whole(np.array(self.counts)),
            "points": packer.add_within(points, POSITION_TOLERANCE)
            if len(points)
            else packer.add_exact(points),
            "forces": packer.add_rough(forces),
            "reference": reference,
        }


def _once(values: FloatArray) -> FloatArray:
    """Only the first frame of what never changes."""
    return values[:1] if len(values) and (values == values[:1]).all() else values


def _describe_run(stage: Stage) -> dict[str, Any]:
    header = stage.recording.header
    return {
        "scene": header.scene,
        "variant": header.variant,
        "seed": header.seed,
        "h": header.h,
        "overrides": header.overrides,
        "supple": str(header.versions.get("supple", "")),
    }


def _describe_view(stage: Stage, frames: Sequence[int]) -> dict[str, Any]:
    """Where to look: the corners of what is not ground, in all frames and in the first one."""
    actors = [thing for thing in stage.things if thing.drawing.layer != "ground"] or stage.things
    always, first = (stage.bounds(some, actors) for some in (frames, frames[:1]))
    return {"always": np.array(always).tolist(), "first": np.array(first).tolist()}
