"""From the knots of a channel to segments that can be evaluated; README eq. (1) to (4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple_motion.layout import (
    BASE,
    CUBIC,
    DURATION,
    MIN_JERK,
    NEXT_TANGENT,
    SEGMENT_COLUMNS,
    START,
    TANGENT,
    WAY,
)  # fmt: skip
from supple_motion.rotations import invert_rows, log_rows, multiply_rows, spin_tangents


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
        return self.values.shape[1] == 4

    @property
    def rates(self) -> range:
        """The rates that the channel sets."""
        return range(self.rate, self.rate + (3 if self.turns else 1))


def shape_of(interpolation: str) -> int:
    """Code of the interpolation."""
    return MIN_JERK if interpolation == "min_jerk" else CUBIC


def make_segments(channel: Channel, interpolation: str, period: float) -> FloatArray:
    """[segments, SEGMENT_COLUMNS] of a channel; with a period > 0 the last segment leads back to the first knot."""
    times, values = channel.times, channel.values
    if period > 0.0 and times[-1] - times[0] < period:
        times, values = np.append(times, times[0] + period), np.concatenate([values, values[:1]])
    segments = np.zeros((max(len(times) - 1, 1), SEGMENT_COLUMNS))
    segments[:, BASE : BASE + values.shape[1]] = values[: len(segments)]
    segments[:, START], segments[:, DURATION] = times[: len(segments)], 1.0
    if len(times) == 1:
        return segments
    durations = np.diff(times)
    ways = _ways(values)
    segments[:, DURATION] = durations
    segments[:, WAY : WAY + ways.shape[1]] = ways
    for column, tangents in zip(
        (TANGENT, NEXT_TANGENT), _tangents(ways, durations, interpolation, period), strict=True
    ):
        segments[:, column : column + ways.shape[1]] = tangents
    return segments


def _ways(values: FloatArray) -> FloatArray:
    """From knot to knot: differences, or rotation vectors in the axes of the earlier knot."""
    if values.shape[1] == 1:
        return np.diff(values, axis=0)
    return log_rows(multiply_rows(invert_rows(values[:-1]), values[1:]))


def _tangents(
    ways: FloatArray, durations: FloatArray, interpolation: str, period: float
) -> tuple[FloatArray, FloatArray]:
    """Derivatives by the part of the segment at start and end of every segment."""
    if interpolation != "hermite":
        return ways, ways
    rates = _knot_rates(ways, durations, closed=period > 0.0)
    spans = durations[:, None]
    first, last = rates[:-1] * spans, rates[1:] * spans
    return first, spin_tangents(ways, last) if ways.shape[1] == 3 else last


def _knot_rates(ways: FloatArray, durations: FloatArray, *, closed: bool) -> FloatArray:
    """Rate at every knot: that of the parabola through it and its neighbours, README eq. (3)."""
    slopes = ways / durations[:, None]
    if len(slopes) == 1:
        return np.concatenate([slopes, slopes]) * (0.0 if closed else 1.0)
    if closed:
        slopes, durations = (
            np.concatenate([slopes[-1:], slopes, slopes[:1]]),
            np.pad(durations, 1, mode="wrap"),
        )
        return _weigh(slopes, durations)
    inner = _weigh(slopes, durations)
    first = _outermost(slopes[0], slopes[1], durations[0], durations[1])
    last = _outermost(slopes[-1], slopes[-2], durations[-1], durations[-2])
    return np.concatenate([first[None], inner, last[None]])


def _weigh(slopes: FloatArray, durations: FloatArray) -> FloatArray:
    """Between each pair of segments; the shorter one counts more."""
    before, after = durations[:-1, None], durations[1:, None]
    weighed: FloatArray = (slopes[:-1] * after + slopes[1:] * before) / (before + after)
    return weighed


def _outermost(near: FloatArray, far: FloatArray, near_span: float, far_span: float) -> FloatArray:
    rate: FloatArray = ((2.0 * near_span + far_span) * near - near_span * far) / (near_span + far_span)
    return rate
