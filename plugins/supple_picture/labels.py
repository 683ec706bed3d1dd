"""Words and scales over a picture: time, title, how strong a force is, how large a tile, what colours mean."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from supple.core.drawing import Channel
from supple.run.stage import Stage
from supple_picture.arrows import COLOUR, nice_number
from supple_picture.camera import Camera
from supple_picture.colour import scale_colours
from supple_picture.look import Look, planes_of

Picture = NDArray[np.uint8]

_DARK, _PALE = (52, 58, 68), (112, 119, 130)
#: Height of a picture for which the letters have their plain size [pixels], and the sizes of the letters.
_PLAIN, _LARGE, _SMALL = 600, 20, 13
_MARGIN = 16
#: Longest mark of a scale [pixels at the plain size].
_MARK = 90


def label(
    picture: Picture,
    stage: Stage,
    frame: int,
    camera: Camera,
    look: Look,
    *,
    title: bool = True,
    scales: bool = True,
) -> Picture:
    """The picture with the time and, if wanted, with its title below on the left and its scales on the right."""
    image = Image.fromarray(picture)
    pen = _Pen(image)
    pen.write(_MARGIN, _MARGIN, f"t = {_say_time(stage, frame)} s", _LARGE, _DARK)
    if title:
        _write_title(pen, stage, look)
    if scales:
        bottom = pen.height - _MARGIN
        if look.metres_per_newton > 0.0:
            bottom = _draw_force_scale(pen, bottom, camera, look)
        for channel in _channels(stage, look):
            bottom = _draw_colour_scale(pen, bottom, channel)
    return np.asarray(image)


def _write_title(pen: _Pen, stage: Stage, look: Look) -> None:
    bottom = pen.height - _MARGIN
    if look.title:
        bottom -= _SMALL
        pen.write(_MARGIN, bottom, look.title, _SMALL, _PALE)
    if planes_of(stage, look):
        pen.write(_MARGIN, bottom - _SMALL - 6, f"tiles {_say_length(look.tile)}", _SMALL, _PALE)


class _Pen:
    """Draws in pixels of a picture of the plain height."""

    def __init__(self, image: Image.Image) -> None:
        self.unit = max(0.85, image.height / _PLAIN)
        self.width, self.height = image.width / self.unit, image.height / self.unit
        self._draw = ImageDraw.Draw(image)

    def write(self, x: float, y: float, text: str, size: float, colour: tuple[int, int, int]) -> None:
        """Text whose upper left corner is at (x, y)."""
        place = (x * self.unit, y * self.unit)
        self._draw.text(place, text, fill=colour, font=_font(round(size * self.unit)), anchor="lt")

    def length(self, text: str, size: float) -> float:
        """The width of a text, in the units of the pen."""
        return float(self._draw.textlength(text, font=_font(round(size * self.unit)))) / self.unit

    def box(self, x: float, y: float, w: float, h: float, colour: tuple[int, int, int]) -> None:
        """A filled rectangle whose upper left corner is at (x, y)."""
        u = self.unit
        self._draw.rectangle(
            [round(x * u), round(y * u), round((x + w) * u) - 1, round((y + h) * u) - 1], fill=colour
        )

    def arrow(self, x: float, y: float, length: float, colour: tuple[int, int, int]) -> None:
        """An arrow to the right from (x, y)."""
        u = self.unit
        self._draw.line(
            [(x * u, y * u), ((x + length - 6) * u, y * u)], fill=colour, width=max(1, round(3 * u))
        )
        tip = [(x + length, y), (x + length - 10, y - 5), (x + length - 10, y + 5)]
        self._draw.polygon([(px * u, py * u) for px, py in tip], fill=colour)


def _draw_force_scale(pen: _Pen, bottom: float, camera: Camera, look: Look) -> float:
    """A mark as long as the arrow of a round force in the middle of the scene; returns where it ends above."""
    depth = float((look.middle - camera.eye) @ camera.axes()[2])
    pixels = camera.focal_length(pen.height) / max(depth, 1e-9) * look.metres_per_newton
    force = nice_number(_MARK / pixels)
    length, text = force * pixels, _say_force(force)
    right = pen.width - _MARGIN
    top = bottom - _SMALL
    red, green, blue = (round(255 * value) for value in COLOUR)
    pen.arrow(right - length, top + _SMALL / 2, length, (red, green, blue))
    pen.write(right - length - 8 - pen.length(text, _SMALL), top, text, _SMALL, _DARK)
    return top - 10


def _draw_colour_scale(pen: _Pen, bottom: float, channel: Channel) -> float:
    width, height = 150.0, 10.0
    left, top = pen.width - _MARGIN - width, bottom - _SMALL - 5 - height
    steps = 75
    for k in range(steps):
        red, green, blue = scale_colours(np.array([(k + 0.5) / steps]), 0.0, 1.0)[0]
        colour = round(255 * red), round(255 * green), round(255 * blue)
        pen.box(left + k * width / steps, top, width / steps, height, colour)
    high = f"{channel.high:.3g} {channel.unit if channel.unit != '1' else ''}".strip()
    pen.write(left, top + height + 5, f"{channel.low:g}", _SMALL, _DARK)
    pen.write(left + width - pen.length(high, _SMALL), top + height + 5, high, _SMALL, _DARK)
    title = channel.says.rstrip(".")
    top -= _SMALL + 5
    pen.write(pen.width - _MARGIN - max(width, pen.length(title, _SMALL)), top, title, _SMALL, _DARK)
    return top - 12


def _channels(stage: Stage, look: Look) -> list[Channel]:
    """The different scales in the picture."""
    shown = [thing.drawing.channel for thing in stage.things if look.shows(thing)]
    different = {(each.says, each.low, each.high, each.unit): each for each in shown if each is not None}
    return [channel for _, channel in sorted(different.items())]


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _say_time(stage: Stage, frame: int) -> str:
    """As many digits as tell the frames apart, but at least two."""
    span = float(stage.times[-1] - stage.times[0]) / max(1, stage.frames - 1)
    digits = 2 if span >= 0.005 or span == 0.0 else 3
    return f"{float(stage.times[frame]):.{digits}f}"


def _say_force(force: float) -> str:
    return f"{force / 1000:g} kN" if force >= 1000 else f"{force:g} N"


def _say_length(length: float) -> str:
    if length >= 1.0:
        return f"{length:g} m"
    return f"{length * 100:g} cm" if length >= 0.01 else f"{length * 1000:g} mm"
