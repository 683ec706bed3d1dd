"""Where the axis of a ball joint may point: in a cone about a middle, or in an oval that is wider one way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from supple.core.arrays import BoolArray, FloatArray

SIDES = 16
"""Directions that the swings of a ball joint are looked at in."""

LOOKS = 720
"""Turns to every side among which the farthest one is found."""


class Ball(Protocol):
    """What `bone` says of the range of a ball joint; angles in degrees."""

    @property
    def axis(self) -> tuple[float, float, float]:
        """Direction of the bone."""
        ...

    @property
    def second_axis(self) -> tuple[float, float, float]:
        """What the first of two swings is about."""
        ...

    @property
    def middle(self) -> tuple[float, float, float] | None:
        """Where the axis points in the middle of its range."""
        ...

    @property
    def upper(self) -> float | tuple[float, ...] | None:
        """One swing to all sides, or one about the second axis and one across it."""
        ...


@dataclass(frozen=True)
class SwingRange:
    """All directions whose mean angle to two unit vectors is at most `bound` [rad]; README eq. (21a)."""

    focus: FloatArray
    other: FloatArray
    bound: float

    @property
    def is_oval(self) -> bool:
        """Whether it is no cone."""
        return not np.array_equal(self.focus, self.other)

    def has(self, ways: FloatArray) -> BoolArray:
        """Whether the unit vectors [..., 3] are in the range."""
        angles = [np.arccos(np.clip(ways @ each, -1.0, 1.0)) for each in (self.focus, self.other)]
        found: BoolArray = 0.5 * (angles[0] + angles[1]) <= self.bound
        return found


def unit(way: tuple[float, float, float] | FloatArray) -> FloatArray:
    """The direction of a vector."""
    found: FloatArray = np.asarray(way, float) / np.linalg.norm(way)
    return found


def find_swing_range(ball: Ball) -> SwingRange:
    """The range in the neutral frame of the bone; without limit, 90 degrees to all sides."""
    middle = unit(ball.middle or ball.axis)
    upper = 90.0 if ball.upper is None else ball.upper
    about, across = upper if isinstance(upper, tuple) else (upper, upper)
    if about == across:
        return SwingRange(middle, middle, math.radians(about))
    hinge = unit(np.cross(middle, np.cross(ball.second_axis, middle)))
    widest = np.cross(hinge, middle) if about > across else hinge
    high, low = math.radians(max(about, across)), math.radians(min(about, across))
    # From a focus to the end of the short half axis and to the middle: a right angle at the middle.
    off = math.acos(math.cos(high) / math.cos(low))
    foci = [math.cos(off) * middle + side * math.sin(off) * widest for side in (1.0, -1.0)]
    return SwingRange(foci[0], foci[1], high)


def find_swings(along: FloatArray, reach: SwingRange) -> tuple[FloatArray, ...]:
    """The farthest turns of the direction `along` within its range, to SIDES sides [rad]."""
    across = unit(np.cross(along, np.eye(3)[np.argmin(np.abs(along))]))
    other = np.cross(along, across)
    angles = math.pi * np.arange(1, LOOKS + 1) / LOOKS
    turns = []
    for side in 2.0 * math.pi * np.arange(SIDES) / SIDES:
        axis = math.cos(side) * across + math.sin(side) * other
        ways = np.outer(np.cos(angles), along) + np.outer(np.sin(angles), np.cross(axis, along))
        within = angles[reach.has(ways)]
        if len(within):
            turns.append(within[-1] * axis)
    return tuple(turns)
