"""The contacts of a step as one group of arrays."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Contacts(NamedTuple):
    """What collision found: the arrays `contacts.*`, of which the first count[0] rows are in use."""

    count: IntArray  # type: ignore[assignment]  # [1]; hides tuple.count, which nobody needs
    surface: IntArray  # [n, 2] numbers of the surfaces of A and B
    element: IntArray  # [n, 2] shapes or triangles there
    key: IntArray  # [n, 2] identity from step to step
    point: FloatArray  # [n, 2, 3] points on A and on B in the world [m]
    weights: FloatArray  # [n, 2, 3] of the corners, where the element is a triangle
    normal: FloatArray  # [n, 3] unit vector from B to A
    gap: FloatArray  # [n] distance, negative when overlapping [m]
    friction: FloatArray  # [n]
    restitution: FloatArray  # [n]


class PlacedContacts(NamedTuple):
    """Who the contacts are, where, and their groups: arrays `contacts.*`."""

    count: IntArray  # type: ignore[assignment]  # [1]
    group: IntArray  # [n] group of rows
    key: IntArray
    point: FloatArray


class LastContacts(NamedTuple):
    """What is kept of the contacts of a step for the next one: arrays `contacts.*`."""

    last_count: IntArray  # [1]
    last_key: IntArray  # [n, 2]
    last_point: FloatArray  # [n, 3] in the middle of both points [m]
    last_impulse: FloatArray  # [n, 3] along n, t, s [N s]
