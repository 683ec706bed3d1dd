"""Which frames are shown and from where."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple.errors import Problem, UserError
from supple.run.stage import Stage, Thing
from supple_picture.camera import FIELD_OF_VIEW, Camera, centre_of, fit, frame_stage

#: How much farther away a camera stands that follows something, to show where it goes.
_ROOM = 1.7


@dataclass(frozen=True)
class Viewpoint:
    """What was asked for: angles and distance, or eye and target, or nothing; and what to follow."""

    angles: tuple[float, float] | None = None
    distance: float | None = None
    eye: tuple[float, float, float] | None = None
    target: tuple[float, float, float] | None = None
    follow: str = ""
    field_of_view: float = FIELD_OF_VIEW


class Shot:
    """A camera, which may follow some things."""

    def __init__(
        self, camera: Camera, followed: Sequence[Thing] = (), start: FloatArray | None = None
    ) -> None:
        self.camera = camera
        self._followed, self._start = list(followed), start

    def shift(self, frame: int) -> FloatArray:
        """How far the camera has moved with what it follows [m]."""
        if self._start is None:
            return np.zeros(3)
        return centre_of(self._followed, frame) - self._start

    def at(self, frame: int) -> Camera:
        """The camera at a frame."""
        return self.camera.moved(self.shift(frame))


def plan_shot(stage: Stage, frames: Sequence[int], size: tuple[int, int], wanted: Viewpoint) -> Shot:
    """The shot of these frames in pictures of width and height `size`."""
    followed = stage.find(wanted.follow) if wanted.follow else []
    start = centre_of(followed, frames[0]) if followed else None
    if wanted.eye is not None or wanted.target is not None:
        camera = _place_camera(stage, frames, wanted, start)
    elif followed and wanted.distance is None:
        camera = _fit_followed(stage, frames, size, wanted, followed)
    else:
        camera = frame_stage(
            stage,
            frames[:1] if followed else frames,
            size,
            angles=wanted.angles,
            distance=wanted.distance,
            field_of_view=wanted.field_of_view,
            things=followed or None,
        )
    return Shot(camera, followed, start)


def _place_camera(stage: Stage, frames: Sequence[int], wanted: Viewpoint, start: FloatArray | None) -> Camera:
    low, high = stage.bounds(frames)
    middle = (low + high) / 2 if start is None else start
    target = middle if wanted.target is None else np.array(wanted.target)
    eye = np.array(wanted.eye) if wanted.eye is not None else target + 2.0 * (high - low).max() * np.ones(3)
    if float(np.linalg.norm(eye - target)) < 1e-9:
        where = ",".join(f"{value:g}" for value in eye)
        raise UserError(
            Problem(None, f"--from {where}", "is where the camera looks at", "move one of the two")
        )
    return Camera(eye, target, wanted.field_of_view)


def _fit_followed(
    stage: Stage, frames: Sequence[int], size: tuple[int, int], wanted: Viewpoint, followed: Sequence[Thing]
) -> Camera:
    start = centre_of(followed, frames[0])
    first = frame_stage(
        stage, frames[:1], size, angles=wanted.angles, field_of_view=wanted.field_of_view, things=followed
    )
    picked = np.unique(np.linspace(0, len(frames) - 1, 24).round().astype(int))
    clouds = (
        thing.vertices(frames[index]) - centre_of(followed, frames[index]) + start
        for index in picked
        for thing in followed
    )
    near = fit(clouds, first.eye - first.target, size[0] / size[1], wanted.field_of_view)
    return Camera(near.target + _ROOM * (near.eye - near.target), near.target, wanted.field_of_view)


def pick_evenly(stage: Stage, count: int) -> list[int]:
    """`count` frames from the first to the last of a recording, evenly spaced in time."""
    times = np.linspace(stage.times[0], stage.times[-1], count)
    return [stage.frame_at(float(time)) for time in times]


def pick_film(stage: Stage, fps: float, speed: float) -> list[int]:
    """The frames of a film of `fps` pictures a second that runs `speed` times as fast as the real thing."""
    first, last = float(stage.times[0]), float(stage.times[-1])
    count = math.floor((last - first) * fps / speed + 1e-9) + 1
    return [stage.frame_at(first + number * speed / fps) for number in range(count)]
