"""The knots of one channel of a motion, and the segments of the curve through them."""

from __future__ import annotations

from dataclasses import dataclass

from supple.core import curves
from supple.core.arrays import FloatArray


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
