"""Contact forces as arrows."""

from __future__ import annotations

import functools
import math

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_picture.colour import to_linear
from supple_picture.soup import Soup, make_soup

COLOUR = (0.90, 0.22, 0.16)
_AROUND = 12
#: Radii and length of the head in units of the shaft's radius.
_HEAD_RADIUS, _HEAD_LENGTH = 2.6, 6.0


def make_arrows(points: FloatArray, forces: FloatArray, metres_per_newton: float, radius: float) -> Soup:
    """An arrow from each point along the force that holds the upper of the two that touch.

    A contact has two forces, equal and opposite: shown is the one that points up. Arrows shorter than their
    shaft is thick are left out.
    """
    vectors = forces * metres_per_newton * np.where(forces[:, 1:2] < 0.0, -1.0, 1.0)
    lengths = np.linalg.norm(vectors, axis=1)
    kept = lengths > 2.0 * radius
    points, vectors, lengths = points[kept], vectors[kept], lengths[kept]
    template, triangles = _make_template()
    y = vectors / lengths[:, None]
    x = np.cross(y, np.eye(3)[np.argmin(np.abs(y), axis=1)])
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    frames = np.stack([x, y, np.cross(x, y)], axis=1)
    # Short arrows are all head.
    size = radius * np.minimum(1.0, lengths / (1.4 * _HEAD_LENGTH * radius))
    local = np.zeros((len(points), len(template), 3))
    local[:, :, [0, 2]] = template[None, :, [0, 2]] * size[:, None, None]
    local[:, :, 1] = template[:, 3] * lengths[:, None] - template[:, 1] * size[:, None]
    world = points[:, None, :] + np.einsum("nvk,nkc->nvc", local, frames)
    rows = triangles[None] + len(template) * np.arange(len(points))[:, None, None]
    vertices = np.ascontiguousarray(world.reshape(-1, 3))
    colours = np.ascontiguousarray(np.broadcast_to(to_linear(COLOUR), vertices.shape))
    finish = np.zeros(len(points) * len(triangles), np.int64)
    return make_soup(np.ascontiguousarray(rows.reshape(-1, 3)), vertices, colours, finish)


@functools.cache
def _make_template() -> tuple[FloatArray, IntArray]:
    """Vertices (x, distance back from the tip, z in shaft radii; 1 at the tip's end, 0 at the foot), and triangles."""
    turn = 2 * math.pi * np.arange(_AROUND) / _AROUND
    rings = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, _HEAD_LENGTH, 1.0), (_HEAD_RADIUS, _HEAD_LENGTH, 1.0),
             (_HEAD_RADIUS, _HEAD_LENGTH, 1.0), (0.0, 0.0, 1.0))  # fmt: skip
    vertices = np.array(
        [[r * math.cos(a), back, -r * math.sin(a), end] for r, back, end in rings for a in turn]
    )
    here = np.arange(_AROUND)
    ahead = (here + 1) % _AROUND
    parts = []
    for level in range(len(rings) - 1):
        low, high = level * _AROUND, (level + 1) * _AROUND
        parts.append(np.stack([low + here, low + ahead, high + ahead], axis=1))
        parts.append(np.stack([low + here, high + ahead, high + here], axis=1))
    return vertices, np.vstack(parts).astype(np.int64)


def nice_number(value: float) -> float:
    """The largest of ..., 1, 2, 5, 10, 20, 50, ... that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return power * max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1 + 1e-9))
