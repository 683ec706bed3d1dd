"""Values over time, as authors write them: keys, and how to go from one to the next.

Every plugin that has a target over time says it in this way. Knots become segments once; the kernels in
`supple.math.curve_kernels` give the value and its derivatives.

| interpolation | between the knots | continuous |
|---|---|---|
| `linear` | at a constant rate; rotations along the shortest arc | value |
| `min_jerk` | rests at every knot, without acceleration there | rate and acceleration |
| `hermite` | the rate at a knot is that of the parabola through it and its neighbours | rate |
| `catmull_rom` | the tangent at a knot is half the way between its neighbours, at any times | rate, for even times |
| `constant` | holds each knot until the next | nothing |
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.component import component, field
from supple.core.rotation_rows import invert_rows, log_rows, multiply_rows, spin_tangents
from supple.math.curve_layout import (
    BASE,
    CUBIC,
    DURATION,
    HOLD,
    LINEAR,
    MIN_JERK,
    NEXT_TANGENT,
    SEGMENT_COLUMNS,
    START,
    TANGENT,
    WAY,
)  # fmt: skip

Interpolation = Literal["min_jerk", "hermite", "catmull_rom", "linear", "constant"]

#: Rates at the first and at the last knot; None leaves one to the interpolation.
EndRates = tuple[FloatArray | None, FloatArray | None]


def check_times(times: Iterable[float], unit: str = " s") -> None:
    """Raise ValueError for keys that are not in the order of their times, or whose times are no numbers."""
    times = list(times)
    for number, at in enumerate(times):
        if not math.isfinite(at):
            raise ValueError(f"keys[{number}] is at {at:g}, which is no time; give a finite number")
    for number, (before, after) in enumerate(pairwise(times)):
        if after <= before:
            raise ValueError(
                f"keys[{number + 1}] at {after:g}{unit} is not later than keys[{number}] at {before:g}{unit}; "
                "write keys in the order of their times"
            )


@component
class Curve:
    """A number or a vector over time, through keys; before the first and after the last key it holds."""

    keys: tuple[tuple[float, ...], ...] = field(
        unit="s, SI", min_length=1, doc="Each is [at, value] or [at, x, y, z], in the order of `at`."
    )
    interpolation: Interpolation = field(default="min_jerk", unit="", doc="Between the keys.")
    start_rate: tuple[float, ...] | float | None = field(
        default=None, unit="SI", doc="Rate at the first key of a hermite curve; else that of a parabola."
    )
    end_rate: tuple[float, ...] | float | None = field(
        default=None, unit="SI", doc="Rate at the last key of a hermite curve, likewise."
    )

    def __post_init__(self) -> None:
        widths = {len(key) for key in self.keys}
        if min(widths) < 2:
            raise ValueError("a key has no value; write [at, value] or [at, x, y, z]")
        if len(widths) > 1:
            fewest, most = sorted(widths)[0] - 1, sorted(widths)[-1] - 1
            raise ValueError(f"keys have {fewest} and {most} values; give all the same number")
        check_times((key[0] for key in self.keys), "")
        for name, rate in (("start_rate", self.start_rate), ("end_rate", self.end_rate)):
            if rate is None:
                continue
            if self.interpolation != "hermite":
                raise ValueError(
                    f"{name} is for hermite curves; set interpolation = 'hermite' or leave it out"
                )
            if len(as_numbers(rate)) != self.width:
                raise ValueError(
                    f"{name} has another number of values than the keys; give as many as a key has"
                )

    @property
    def width(self) -> int:
        """How many numbers the value has."""
        return len(self.keys[0]) - 1


def as_numbers(value: float | Sequence[float]) -> tuple[float, ...]:
    """A number or a list of them, as a list."""
    return (float(value),) if isinstance(value, int | float) else tuple(value)


def read_curve(curve: Curve) -> list[FloatArray]:
    """The segments of every number of the curve, each [segments, SEGMENT_COLUMNS]."""
    table = np.array(curve.keys, float)
    ends = [None if rate is None else as_numbers(rate) for rate in (curve.start_rate, curve.end_rate)]
    return [
        make_segments(
            table[:, 0],
            table[:, k + 1 : k + 2],
            curve.interpolation,
            ends=(_number_at(ends[0], k), _number_at(ends[1], k)),
        )
        for k in range(curve.width)
    ]


def _number_at(rates: tuple[float, ...] | None, k: int) -> FloatArray | None:
    return None if rates is None else np.array([rates[k]])


def shape_of(interpolation: str) -> int:
    """Code of the interpolation, for the kernels."""
    return {"min_jerk": MIN_JERK, "constant": HOLD, "linear": LINEAR}.get(interpolation, CUBIC)


def make_segments(
    times: FloatArray,
    values: FloatArray,
    interpolation: str,
    period: float = 0.0,
    ends: EndRates = (None, None),
) -> FloatArray:
    """[segments, SEGMENT_COLUMNS] of a curve through `values` [n, 1], or [n, 4] for unit quaternions.

    With a period > 0 the last segment leads back to the first knot.
    """
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
        (TANGENT, NEXT_TANGENT), _tangents(ways, durations, interpolation, period, ends), strict=True
    ):
        segments[:, column : column + ways.shape[1]] = tangents
    return segments


def _ways(values: FloatArray) -> FloatArray:
    """From knot to knot: differences, or rotation vectors in the axes of the earlier knot."""
    if values.shape[1] == 1:
        return np.diff(values, axis=0)
    return log_rows(multiply_rows(invert_rows(values[:-1]), values[1:]))


def _tangents(
    ways: FloatArray, durations: FloatArray, interpolation: str, period: float, ends: EndRates
) -> tuple[FloatArray, FloatArray]:
    """Derivatives by the part of the segment at start and end of every segment."""
    if interpolation == "catmull_rom":
        rates, spans = _half_ways(ways, closed=period > 0.0), np.ones((len(ways), 1))
    elif interpolation == "hermite":
        rates, spans = _knot_rates(ways, durations, closed=period > 0.0), durations[:, None]
    else:
        return ways, ways
    for knot, rate in zip((0, -1), ends, strict=True):
        if rate is not None:
            rates[knot] = rate
    first, last = rates[:-1] * spans, rates[1:] * spans
    return first, spin_tangents(ways, last) if ways.shape[1] == 3 else last


def _half_ways(ways: FloatArray, *, closed: bool) -> FloatArray:
    """Half of the way from the knot before to the knot after; the first and the last knot count twice."""
    before = np.concatenate([ways[-1:] if closed else np.zeros_like(ways[:1]), ways])
    after = np.concatenate([ways, ways[:1] if closed else np.zeros_like(ways[:1])])
    halves: FloatArray = 0.5 * (before + after)
    return halves


def _knot_rates(ways: FloatArray, durations: FloatArray, *, closed: bool) -> FloatArray:
    """Rate at every knot: that of the parabola through it and its neighbours."""
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
