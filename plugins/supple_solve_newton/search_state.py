"""What a search for the impulses keeps from step to step; see `watchdog_kernels` and `damped_kernels`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_solve_newton.damped_kernels import MEMORY


class Search(NamedTuple):
    """Two points, each impulses [n, 3] N s and their row velocities [m/s], and the figures of `watchdog_kernels`."""

    now_impulse: FloatArray
    now_velocity: FloatArray
    best_impulse: FloatArray
    best_velocity: FloatArray
    figures: FloatArray
    counters: IntArray


class Trial(NamedTuple):
    """A third point, which damped steps try, and the merits [(m/s)^2] of the last good ones."""

    impulse: FloatArray
    velocity: FloatArray
    merits: FloatArray


def make_search(groups: int, figures: FloatArray, counters: IntArray) -> Search:
    """A search with room for so many groups."""
    now_impulse, now_velocity, best_impulse, best_velocity = np.zeros((4, groups, 3))
    return Search(
        now_impulse=now_impulse, now_velocity=now_velocity, best_impulse=best_impulse, best_velocity=best_velocity,
        figures=figures, counters=counters,
    )  # fmt: skip


def make_trial(groups: int) -> Trial:
    """A third point with room for so many groups."""
    impulse, velocity = np.zeros((2, groups, 3))
    return Trial(impulse=impulse, velocity=velocity, merits=np.zeros(MEMORY))
