"""Metrics of bones."""

from __future__ import annotations

import math

from supple.core.jit import njit


@njit
def observe_bones(x_start, x, twist, observed_out):
    """Height, speed and travel of every bone's origin."""
    for i in range(x.shape[0]):
        observed_out[i, 0] = x[i, 1]
        observed_out[i, 1] = math.sqrt(twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2)
        observed_out[i, 2] = math.sqrt(
            (x[i, 0] - x_start[i, 0]) ** 2 + (x[i, 1] - x_start[i, 1]) ** 2 + (x[i, 2] - x_start[i, 2]) ** 2
        )
