"""The lamps, sun and sky: where they stand, and the maps of what they see."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import Array, FloatArray
from supple_picture.camera import Camera
from supple_picture.raster_kernels import fill_parallel, place_points
from supple_picture.shadow_kernels import fill_tiles
from supple_picture.soup import Soup

#: Side of a tile of the maps [pixels], which is also the widest half shadow.
TILE = 32
#: Places of a map that are looked at to find what hides the lamp.
SEARCHED = 14


@dataclass(frozen=True)
class Lamp:
    """A lamp far away in the direction `towards`: side of its map [pixels], tangent of its radius, places in it."""

    towards: FloatArray
    size: int
    spread: float
    taps: int


def make_sun(camera: Camera) -> Lamp:
    """The sun over the left shoulder of whoever looks; ten times as wide as the real one, as on a hazy day."""
    away = camera.eye - camera.target
    azimuth, up = math.atan2(away[0], away[2]) - math.radians(48.0), math.radians(52.0)
    towards = [math.cos(up) * math.sin(azimuth), math.sin(up), math.cos(up) * math.cos(azimuth)]
    return Lamp(np.array(towards), 1024, 0.045, 40)


def make_sky() -> Lamp:
    """The sky right above: where it is hidden, things stand close to each other or to the ground."""
    return Lamp(np.array([0.0, 1.0, 0.0]), 256, 0.7, 20)


class LampMaps:
    """The maps of the lamps, as shading kernels take them; their memory is used again in the next frame."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Array, ...]] = {}

    def draw(self, lamp: Lamp, soup: Soup, middle: FloatArray, radius: float) -> tuple[FloatArray, ...]:
        """Axes, place, disc, map and tiles of what the lamp sees within `radius` [m] of the middle."""
        axes = Camera(middle + lamp.towards, middle).axes()
        scale = 0.5 * lamp.size / radius
        nearness, owner, *tiles = self._take(lamp.size)
        nearness.fill(-np.inf)
        seen = np.empty_like(soup.points)
        place_points(axes, middle, soup.points, seen)
        fill_parallel(soup.triangles, seen, scale, nearness, owner)
        fill_tiles(nearness, TILE, *tiles)
        return (
            axes,
            np.array([*middle, scale, lamp.spread]),
            make_disc(lamp.taps),
            nearness,
            tiles[2],
            tiles[3],
        )

    def _take(self, size: int) -> tuple[Array, ...]:
        if size not in self._kept:
            tiles = size // TILE
            maps = np.empty((size, size)), np.empty((size, size), np.int64)
            self._kept[size] = (*maps, *(np.empty((tiles, tiles)) for _ in range(4)))
        return self._kept[size]


@functools.cache
def make_disc(count: int) -> FloatArray:
    """Places that cover the unit disc evenly: a spiral that turns by the golden angle."""
    number = np.arange(count)
    radius = np.sqrt((number + 0.5) / count)
    angle = number * math.pi * (3 - math.sqrt(5))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
