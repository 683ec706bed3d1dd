"""The arrays of pose tracking, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.mechanics.spring_tables import AUTOMATIC, find_implicitness
from supple_tracking.pose.layout import DAMPING, IMPLICITNESS, STIFFNESS


class Drives(NamedTuple):
    """The driven rates of all skeletons."""

    bone: IntArray
    dof: IntArray
    gains: FloatArray  # [rates, GAIN_COLUMNS]
    limited: IntArray  # rates whose force is limited
    push: FloatArray  # [rates] driving forces at the step's start
    deviation: FloatArray  # [rates] from the coordinates to the motion's target at the end of the step
    shift: FloatArray  # [rates] by which points and pressure shift it
    target_rate: FloatArray  # [rates]
    theta: FloatArray  # [rates] where in the step the drives without a limit are taken


class DriveBalance(NamedTuple):
    """The sums of the run [J] that drives add to, each [1]."""

    before: FloatArray
    potential: FloatArray
    applied: FloatArray
    stored: FloatArray
    numerical: FloatArray


class Actuation(NamedTuple):
    """What drives add to a skeleton, each [rates]."""

    force: FloatArray
    gain_p: FloatArray
    gain_d: FloatArray


SHIFT = "tracking.shift"
DRIVES = (
    "skeleton.bone", "skeleton.dof", "tracking.gains", "tracking.limited", "tracking.push", "tracking.deviation",
    "skeleton.target_rate", "skeleton.response",
)  # fmt: skip


def name_shift(build: Build) -> tuple[str, ...]:
    """The array of shifts, where there is one."""
    return (SHIFT,) if SHIFT in build.arrays.specs else ()


def take_drives(arrays: Bound) -> Drives:
    """The driven rates; `theta` belongs to the step of whoever is bound."""
    gains = arrays["tracking.gains"]
    theta = np.where(gains[:, STIFFNESS] > 0.0, gains[:, IMPLICITNESS], 1.0)
    chosen = find_implicitness(
        arrays.h, AUTOMATIC, gains[:, STIFFNESS], gains[:, DAMPING], arrays["skeleton.response"]
    )
    return Drives(
        bone=arrays["skeleton.bone"],
        dof=arrays["skeleton.dof"],
        gains=gains,
        limited=arrays["tracking.limited"],
        push=arrays["tracking.push"],
        deviation=arrays["tracking.deviation"],
        shift=arrays[SHIFT] if name_shift(arrays.build) else np.zeros(len(gains)),
        target_rate=arrays["skeleton.target_rate"],
        theta=np.where(theta == AUTOMATIC, chosen, theta),
    )
