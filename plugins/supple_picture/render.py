"""One frame of a recording as a picture.

stage = Stage(recording)
camera = frame_stage(stage, [frame], (800, 600))
image = render_frame(stage, frame, camera, (800, 600))      # uint8 [600, 800, 3], sRGB
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.core.arrays import FloatArray
from supple.core.pose import rotate
from supple.run.stage import Stage, Thing, is_plane
from supple_picture.arrows import make_arrows
from supple_picture.camera import Camera
from supple_picture.colour import SCREEN_BYTES, to_linear
from supple_picture.fragment_kernels import FRAGMENT_COLUMNS, resolve
from supple_picture.look import Look, plan_look, planes_of
from supple_picture.overlay_kernels import encode, lay_over
from supple_picture.raster_kernels import fill_perspective, place_points
from supple_picture.shade_kernels import BACKGROUND, choose_planes
from supple_picture.soup import Soup, gather
from supple_picture.sun import SEARCHED, TILE, LampMaps, make_disc, make_sky, make_sun

Image = NDArray[np.uint8]

#: sRGB at the top and the bottom of the picture, and of the ground.
_TOP, _BOTTOM, _GROUND = (0.80, 0.86, 0.92), (0.965, 0.965, 0.96), (0.90, 0.90, 0.89)
#: Linear light of the sun, the sky and the ground; from the eye, gloss, rim, and shade where the sky is hidden.
_LIGHT = np.array(
    [[0.72, 0.68, 0.62, 0.0], [0.40, 0.44, 0.50, 0.0], [0.27, 0.25, 0.23, 0.0], [0.06, 0.10, 0.06, 0.55]]
)
#: How much darker the tiles of the ground are, every other one, and how much lighter.
_CONTRAST = 0.04
#: Where the ground begins and ends to fade, in radii of the scene.
_FADE = (1.6, 5.0)
#: How much of an arrow is seen through what hides it, and of a layer that is to shine through.
_THROUGH, _SHINE = 0.3, 0.75
#: What lies less before such a layer does not hide it, in radii of the scene.
_SLACK = 1e-4
#: Radius of the shaft of an arrow in radii of the scene, and at least in pixels.
_SHAFT, _SHAFT_PIXELS = 0.007, 1.2


class View:
    """What a camera sees: the nearest triangle in every sample. Memory is used again in the next frame."""

    def __init__(self, size: tuple[int, int], samples: int) -> None:
        shape = size[1] * samples, size[0] * samples
        self.nearness, self.owner = np.empty(shape), np.empty(shape, np.int64)

    def turn(self, camera: Camera) -> None:
        """Take the place of the camera."""
        height, width = self.owner.shape
        self.axes, self.eye = camera.axes(), np.asarray(camera.eye, np.float64)
        self.lens = np.array([camera.focal_length(height), width / 2, height / 2])
        self.near = 1e-3 * float(np.linalg.norm(camera.target - camera.eye))

    def arrays(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Axes, eye and lens (focal length and middle [samples]), as kernels take them."""
        return self.axes, self.eye, self.lens

    def look_at(self, soup: Soup) -> None:
        """Nearness (1 / depth [1/m], 0 where nothing is) and number of the nearest triangle in every sample."""
        self.nearness.fill(0.0)
        self.owner.fill(BACKGROUND)
        seen = np.empty_like(soup.points)
        place_points(self.axes, self.eye, soup.points, seen)
        focal, x, y = self.lens
        fill_perspective(soup.triangles, seen, focal, x, y, self.near, self.nearness, self.owner)


class Renderer:
    """Makes pictures of one size and look."""

    def __init__(self, stage: Stage, size: tuple[int, int], look: Look) -> None:
        self.stage, self.size, self.look = stage, size, look
        self._things = [thing for thing in stage.things if look.shows(thing) and not is_plane(thing.drawing)]
        self._shining = [thing for thing in self._things if thing.drawing.layer in look.through]
        self._planes = planes_of(stage, look)
        self._view, self._over = (View(size, look.samples) for _ in range(2))
        self._lamps = LampMaps()
        self._image = np.empty((size[1], size[0], 3))
        most = size[0] * look.samples**2
        self._row = np.empty(most, np.int64), np.empty(most, np.int64), np.empty((most, FRAGMENT_COLUMNS))

    def render(self, frame: int, camera: Camera, shift: FloatArray | None = None) -> Image:
        """The picture [height, width, 3] of a frame, without labels.

        `shift` [m] says how far the scene has moved that the look was made for.
        """
        view, look, image = self._view, self.look, self._image
        middle = look.middle if shift is None else look.middle + shift
        soup = gather(self._things, frame)
        view.turn(camera)
        view.look_at(soup)
        planes = _describe_planes(self._planes, frame)
        choose_planes(planes, view.axes, view.eye, view.lens, view.nearness, view.owner)
        casters = soup if "shadow" not in look.hidden else gather([], frame)
        sun, sky = (
            self._lamps.draw(lamp, casters, middle, 1.05 * look.radius)
            for lamp in (make_sun(camera), make_sky())
        )
        resolve(
            soup.arrays(), planes, _describe_ground(look, middle), _LIGHT, _make_background(self.size[1]),
            make_disc(SEARCHED), TILE, sun, sky, view.arrays(), view.owner, look.samples, *self._row, image,
        )  # fmt: skip
        if self._shining:
            self._lay_over(gather(self._shining, frame), camera, _SHINE, _SLACK * look.radius)
        if look.metres_per_newton > 0.0:
            depth = max(float((middle - camera.eye) @ camera.axes()[2]), view.near)
            self._draw_arrows(frame, camera, depth / camera.focal_length(self.size[1]))
        finished = np.empty(image.shape, np.uint8)
        encode(SCREEN_BYTES, image, finished)
        return finished

    def _draw_arrows(self, frame: int, camera: Camera, pixel: float) -> None:
        """Arrows over the picture; `pixel` is the size of one in the middle of the scene [m]."""
        points, forces = self.stage.contacts(frame)
        look = self.look
        length = look.metres_per_newton * np.linalg.norm(forces, axis=1, keepdims=True)
        forces = forces * np.minimum(1.0, look.longest / np.maximum(length, 1e-300))
        shaft = max(_SHAFT * look.radius, _SHAFT_PIXELS * pixel)
        arrows = make_arrows(points, forces, look.metres_per_newton, shaft)
        if len(arrows.triangles):
            self._lay_over(arrows, camera, _THROUGH, 2.0 * shaft)

    def _lay_over(self, soup: Soup, camera: Camera, through: float, slack: float) -> None:
        """A soup over the picture: the part `through` of what lies more than `slack` [m] behind all else."""
        over = self._over
        over.turn(camera)
        over.look_at(soup)
        lay_over(
            soup.arrays(), over.owner, self._view.nearness, through, slack, over.arrays(), self._image,
        )  # fmt: skip


def render_frame(
    stage: Stage, frame: int, camera: Camera, size: tuple[int, int], look: Look | None = None
) -> Image:
    """The picture [height, width, 3] of a frame, of width and height `size`, without labels.

    Whoever needs many keeps a `Renderer`.
    """
    return Renderer(stage, size, look or plan_look(stage, [frame])).render(frame, camera)


def _describe_planes(planes: list[Thing], frame: int) -> FloatArray:
    """A row for each plane: a point, its normal, and the two directions of its tiles."""
    rows = np.zeros((len(planes), 12))
    for row, plane in zip(rows, planes, strict=True):
        position, rotation = plane.pose(frame)
        axes = [rotate(rotation, axis) for axis in np.eye(3)]
        row[:] = np.concatenate([position, axes[1], axes[0], axes[2]])
    return rows


def _describe_ground(look: Look, middle: FloatArray) -> FloatArray:
    fade = [look.radius * part for part in _FADE]
    return np.array([*to_linear(_GROUND), look.tile, _CONTRAST, *middle, *fade])


def _make_background(height: int) -> FloatArray:
    """Linear colours [height, 3] from top to bottom."""
    part = (np.arange(height) + 0.5)[:, None] / height
    return to_linear((1 - part) * np.array(_TOP) + part * np.array(_BOTTOM))
