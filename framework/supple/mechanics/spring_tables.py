"""The table in which a source of rows tells of its springs, as kernels take it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray

AUTOMATIC: Final = 0.0
"""The setting of a spring that chooses its own implicitness by the step."""

SLOW: Final = 0.5
FAST: Final = 2.0
"""Radians of a swing within a step up to which a spring is taken at the middle, and from which on at the end."""

Implicitness = Literal["automatic"] | float
"""What authors say: 0.5 is the middle of the step, 1 its end."""


class SpringTable(NamedTuple):
    """Springs with dampers, one a row of the problem; only those with stiffness.

    The law of spring n, in the row velocity w before and w' after the step, is in README of supple_joints, eq. (12):
    the source says where it stands, and whoever assembles the rows sets compliance and bias from it.
    """

    counts: IntArray  # [1] springs of this step
    group: IntArray  # group of the row
    drives: IntArray  # 1: follows a target that moves, so that its books hold the work of the drive
    stiffness: FloatArray  # [N/m, N m/rad]
    damping: FloatArray  # [N s/m, N m s/rad]
    bound: FloatArray  # greatest force [N, N m]
    setting: FloatArray  # implicitness that is asked for, or AUTOMATIC
    stretch: (
        FloatArray  # way from the target at the end of the step, without what a constant force does [m, rad]
    )
    goal: FloatArray  # velocity of the target [m/s, rad/s]
    pull: FloatArray  # force against the row at the end of the step, were w' = 0 [N, N m]
    theta: FloatArray  # implicitness of this step
    late: IntArray  # 1: began beyond its bound, and takes its force where the step ends


def make_spring_table(springs: int) -> SpringTable:
    """Room for so many springs."""
    return SpringTable(
        counts=np.zeros(1, np.int64),
        group=np.zeros(springs, np.int64),
        drives=np.zeros(springs, np.int64),
        stiffness=np.zeros(springs),
        damping=np.zeros(springs),
        bound=np.zeros(springs),
        setting=np.zeros(springs),
        stretch=np.zeros(springs),
        goal=np.zeros(springs),
        pull=np.zeros(springs),
        theta=np.zeros(springs),
        late=np.zeros(springs, np.int64),
    )


def find_implicitness(
    h: float, setting: float, stiffness: FloatArray, damping: FloatArray, response: FloatArray
) -> FloatArray:
    """Where in the step of h springs are taken that are part of A; `spring_kernels` says it of rows.

    Rates without stiffness are taken at the end, unless a place is set.
    """
    if setting != AUTOMATIC:
        return np.full(len(stiffness), setting)
    swing = h * np.maximum(np.sqrt(stiffness * response), damping * response)
    theta = 0.5 + 0.5 * np.clip((swing - SLOW) / (FAST - SLOW), 0.0, 1.0)
    return np.where(stiffness > 0.0, theta, 1.0)


def read_implicitness(told: Implicitness) -> float:
    """What an author says as the number that kernels know."""
    return AUTOMATIC if told == "automatic" else float(told)
