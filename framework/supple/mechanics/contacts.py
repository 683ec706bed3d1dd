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
