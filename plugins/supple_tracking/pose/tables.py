"""The arrays of pose tracking, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Drives(NamedTuple):
    """The driven rates of all skeletons."""

    bone: IntArray
    dof: IntArray
    gains: FloatArray  # [rates, GAIN_COLUMNS]
    limited: IntArray  # rates whose force is limited
    push: FloatArray  # [rates] driving forces at the step's start


class Actuation(NamedTuple):
    """What drives add to a skeleton, each [rates]."""

    force: FloatArray
    gain_p: FloatArray
    gain_d: FloatArray


DRIVES = ("skeleton.bone", "skeleton.dof", "tracking.gains", "tracking.limited", "tracking.push")
