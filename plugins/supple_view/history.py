"""Metrics over the whole of a recording that may grow, in a bounded number of points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.arrays import FloatArray
from supple_view.metrics import Metrics

#: When there are twice as many points, every other one is dropped.
POINTS = 600


class History:
    """Every n-th frame's metrics; n doubles as the recording grows."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self._stride = 1
        self._next = 0
        self._times: list[float] = []
        self._rows: list[NDArray[Any]] = []

    def follow(self, times: FloatArray) -> None:
        """Take the frames that have come; `times` [s] are those of all frames."""
        while len(times) > 2 * POINTS * self._stride:
            self._stride *= 2
            self._times, self._rows = self._times[::2], self._rows[::2]
            self._next = len(self._times) * self._stride
        while self._next < len(times):
            self._times.append(float(times[self._next]))
            self._rows.append(self.metrics.read(self._next))
            self._next += self._stride

    @property
    def values(self) -> FloatArray:
        """All metrics at all points [points, metrics]."""
        return np.array(self._rows).reshape(len(self._rows), -1)

    def curve(self, column: int, now: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Times, a metric, and a line along the bottom that rises at the time `now`; all of one length.

        Whoever draws them may know no gaps: where a metric has no value, it keeps the last one.
        """
        times = np.array(self._times)
        values = _fill(np.array([row[column] for row in self._rows], np.float64))
        low, high = float(values.min()), float(values.max())
        at = int(np.searchsorted(times, now))
        here = float(values[min(at, len(values) - 1)])
        ground = np.full(len(times), low)
        return (
            np.insert(times, at, [now] * 3),
            np.insert(values, at, [here] * 3),
            np.insert(ground, at, [low, high, low]),
        )


def _fill(values: FloatArray) -> FloatArray:
    """Every value that is not finite takes the last one that is, the first ones the next; zeros if there is none."""
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return np.zeros(len(values))
    before = np.searchsorted(known, np.arange(len(values)), side="right") - 1
    return values[known[np.maximum(before, 0)]]
