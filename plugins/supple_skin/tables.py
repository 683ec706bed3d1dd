"""The arrays of skins, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class SkinBlend(NamedTuple):
    """How the vertices of a skin follow bones."""

    bone: IntArray  # [nv, influences] bones that carry a vertex, or -1
    weight: FloatArray  # [nv, influences] their shares
    local: FloatArray  # [nv, influences, 3] place of the vertex in their frames [m]


class BonePoses(NamedTuple):
    """The bones of all ghosts and where they are; see `supple_bones.layout`."""

    bone: IntArray
    dof: IntArray
    axis: FloatArray
    x: FloatArray
    rotation: FloatArray
