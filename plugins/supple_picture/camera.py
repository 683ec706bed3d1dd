"""Where the eye is. A camera that is not told where to stand takes the nearest place that shows everything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.core.arrays import FloatArray
from supple.run.stage import Stage, Thing, is_plane

#: Vertical angle of view [deg], and what stays free around what is shown, as a part of the picture.
FIELD_OF_VIEW, MARGIN = 30.0, 0.09
#: Where a camera stands that is told nothing: a little to the side and above [deg].
AZIMUTH, ELEVATION = 28.0, 20.0
#: Frames that are looked at to find a place for the camera.
_SAMPLES = 24


@dataclass(frozen=True)
class Camera:
    """A perspective view from `eye` to `target` [m]; `field_of_view` [deg] is measured from bottom to top."""

    eye: FloatArray
    target: FloatArray
    field_of_view: float = FIELD_OF_VIEW

    def axes(self) -> FloatArray:
        """Rows: right, up and forward in the world."""
        forward = self.target - self.eye
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 1.0, 0.0))
        if np.linalg.norm(right) < 1e-9:
            # Looking straight up or down, north (-z) is the top of the picture.
            right = np.array([1.0, 0.0, 0.0])
        right = right / np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    def focal_length(self, height: float) -> float:
        """Pixels per unit of slope in a picture of this height [pixels]."""
        return 0.5 * height / math.tan(math.radians(self.field_of_view) / 2)

    def project(self, points: FloatArray, size: tuple[int, int]) -> FloatArray:
        """Column, row and depth [m] of points in the world, for a picture of width and height `size`."""
        x, y, depth = ((points - self.eye) @ self.axes().T).T
        focal = self.focal_length(size[1])
        return np.stack([size[0] / 2 + focal * x / depth, size[1] / 2 - focal * y / depth, depth], axis=1)

    def moved(self, shift: FloatArray) -> Camera:
        """The same view from another place."""
        return replace(self, eye=self.eye + shift, target=self.target + shift)


def direction(azimuth: float, elevation: float) -> FloatArray:
    """The unit vector from the target to the eye. Azimuth 0 looks along -z with x to the right [deg]."""
    a, e = math.radians(azimuth), math.radians(elevation)
    return np.array([math.cos(e) * math.sin(a), math.sin(e), math.cos(e) * math.cos(a)])


def fit(
    clouds: Iterable[FloatArray], towards: FloatArray, aspect: float, field_of_view: float = FIELD_OF_VIEW
) -> Camera:
    """The nearest camera that sees all points from the side `towards`.

    In camera axes (x, y, z forward) a point is within the slope t of the picture's edge if |x - cx| <= t (z + d).
    So t d = max(x - t z) - cx = max(-x - t z) + cx on the tight side, and likewise for y: no search is needed.
    """
    axes = Camera(towards, np.zeros(3)).axes()
    up = math.tan(math.radians(field_of_view) / 2) * (1 - 2 * MARGIN)
    slopes = np.array([up * aspect, up])
    reach = np.full((2, 2), -np.inf)
    nearest, farthest = np.inf, -np.inf
    for cloud in clouds:
        seen = cloud @ axes.T
        for axis, slope in enumerate(slopes):
            for side, sign in enumerate((1.0, -1.0)):
                reach[axis, side] = max(reach[axis, side], np.max(sign * seen[:, axis] - slope * seen[:, 2]))
        nearest, farthest = min(nearest, float(seen[:, 2].min())), max(farthest, float(seen[:, 2].max()))
    centre = (reach[:, 0] - reach[:, 1]) / 2
    distance = float(np.max(reach.sum(axis=1) / (2 * slopes)))
    # A single point would be touched by the eye.
    distance = max(distance, 1e-3 - nearest)
    eye = np.array([centre[0], centre[1], -distance]) @ axes
    middle = np.array([centre[0], centre[1], (nearest + farthest) / 2]) @ axes
    return Camera(eye, middle, field_of_view)


def framed_things(stage: Stage) -> list[Thing]:
    """What a picture must show: everything but the ground, unless there is nothing else."""
    things = [thing for thing in stage.things if not is_plane(thing.drawing) and len(thing.rest)]
    return [thing for thing in things if thing.drawing.layer != "ground"] or things


def frame_stage(
    stage: Stage,
    frames: Sequence[int],
    size: tuple[int, int],
    *,
    angles: tuple[float, float] | None = None,
    distance: float | None = None,
    field_of_view: float = FIELD_OF_VIEW,
    things: Sequence[Thing] | None = None,
) -> Camera:
    """A camera that has everything, or these things, in view in all of the frames.

    `angles` are azimuth and elevation [deg]; a `distance` [m] from the middle overrules the fit.
    """
    things = framed_things(stage) if things is None else things
    low, high = stage.bounds(frames, things)
    if angles is None:
        # The longer side of the scene faces the camera.
        wide = high[0] - low[0] >= high[2] - low[2]
        angles = (AZIMUTH if wide else 90.0 - AZIMUTH), ELEVATION
    towards = direction(*angles)
    if distance is not None:
        middle = (low + high) / 2
        return Camera(middle + distance * towards, middle, field_of_view)
    if not things:
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (0, 1) for z in (-1, 1)], dtype=float)
        return fit([corners], towards, size[0] / size[1], field_of_view)
    picked = np.linspace(0, len(frames) - 1, min(len(frames), _SAMPLES)).round().astype(int)
    clouds = (thing.vertices(frames[index]) for index in picked for thing in things)
    return fit(clouds, towards, size[0] / size[1], field_of_view)


def centre_of(things: Sequence[Thing], frame: int) -> FloatArray:
    """The middle of the box around things [m]."""
    vertices = [thing.vertices(frame) for thing in things]
    low = np.min([each.min(axis=0) for each in vertices], axis=0)
    high = np.max([each.max(axis=0) for each in vertices], axis=0)
    return np.asarray((low + high) / 2)
