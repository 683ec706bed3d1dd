"""The knots of the channels of a motion, and the segments of the curves through them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core import curves
from supple.core.arrays import FloatArray, IntArray
from supple.math.curve_layout import SEGMENT_COLUMNS


@dataclass(frozen=True)
class Channel:
    """Knots of one coordinate, or of the quaternion of one joint.

    coordinate  place of its first number in q
    rate        place of its first rate in v
    times       [n] s in the motion, rising
    values      [n, 1] rad or m, or [n, 4] unit quaternions
    """

    coordinate: int
    rate: int
    times: FloatArray
    values: FloatArray

    @property
    def turns(self) -> bool:
        """Whether the values are quaternions."""
        return bool(self.values.shape[1] == 4)

    @property
    def rates(self) -> range:
        """The rates that the channel sets."""
        return range(self.rate, self.rate + (3 if self.turns else 1))


def make_segments(channel: Channel, interpolation: str, period: float) -> FloatArray:
    """[segments, SEGMENT_COLUMNS] of a channel; with a period > 0 the last segment leads back to the first knot."""
    return curves.make_segments(channel.times, channel.values, interpolation, period)


class Tracks:
    """Rows of tracks and segments that grow while targets over time are read."""

    def __init__(self, columns: int) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.segments: list[FloatArray] = [np.zeros((0, SEGMENT_COLUMNS))]
        self.columns, self.used = columns, 0

    def add(self, channel: Channel, interpolation: str, period: float, *rest: int) -> None:
        """One channel; `rest` are its last columns."""
        made = make_segments(channel, interpolation, period)
        shape = curves.shape_of(interpolation)
        self.rows.append((int(channel.turns), channel.coordinate, self.used, len(made), shape, *rest))
        self.segments.append(made)
        self.used += len(made)

    @property
    def table(self) -> IntArray:
        """[tracks, columns]; the segments are `np.concatenate(self.segments)`."""
        return np.array(self.rows, np.int64).reshape(-1, self.columns)
