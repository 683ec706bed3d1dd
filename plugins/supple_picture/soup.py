"""Everything that a frame shows as one heap of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import Array, FloatArray, IntArray
from supple.run.stage import Thing
from supple_picture.colour import scale_colours, to_linear
from supple_picture.raster_kernels import add_normals
from supple_picture.shade_kernels import FLAT, TILED


@dataclass(frozen=True)
class Soup:
    """Triangles [nt, 3] of points [nv, 3] in the world [m], with their normals and linear colours [nv, 3].

    Normals need not be of unit length. `finish` [nt] has the bits FLAT and TILED.
    """

    triangles: IntArray
    points: FloatArray
    normals: FloatArray
    colours: FloatArray
    finish: IntArray

    def arrays(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
        """All of it, as kernels take it."""
        return self.triangles, self.finish, self.points, self.normals, self.colours


def gather(things: Sequence[Thing], frame: int) -> Soup:
    """The things at a frame; a channel takes the place of the colour."""
    parts = [_take(thing, frame) for thing in things]
    first = np.cumsum([0, *(len(points) for _, points, _, _ in parts)])
    triangles = [part[0] + start for part, start in zip(parts, first, strict=False)]
    finish = [np.full(len(part[0]), part[3]) for part in parts]
    return make_soup(
        _stack(triangles, np.int64),
        _stack([part[1] for part in parts], np.float64),
        _stack([part[2] for part in parts], np.float64),
        np.concatenate([np.zeros(0, np.int64), *finish]).astype(np.int64),
    )


def make_soup(triangles: IntArray, points: FloatArray, colours: FloatArray, finish: IntArray) -> Soup:
    """A soup with normals from its triangles."""
    normals = np.zeros_like(points)
    add_normals(triangles, points, normals)
    return Soup(triangles, points, normals, colours, finish)


def _take(thing: Thing, frame: int) -> tuple[IntArray, FloatArray, FloatArray, int]:
    points = thing.vertices(frame)
    values, channel = thing.values(frame), thing.drawing.channel
    if values is not None and channel is not None:
        colours = to_linear(scale_colours(values, channel.low, channel.high))
    else:
        colours = np.broadcast_to(to_linear(thing.colour), points.shape)
    finish = (FLAT if thing.flat else 0) | (TILED if thing.drawing.layer == "ground" else 0)
    return thing.triangles, points, colours, finish


def _stack(parts: Sequence[Array], kind: type) -> Array:
    return np.ascontiguousarray(np.concatenate([np.zeros((0, 3), kind), *parts]), kind)
