"""Columns of the table of segments that curves are made of, and how a segment goes from knot to knot."""

from __future__ import annotations

from typing import Final

# Table of segments [segments, SEGMENT_COLUMNS]: base value, and the way from there in coordinates or as a
# rotation vector in the axes that the base turns to [rad, m].
START: Final = 0  # time, or share of a phase
DURATION: Final = 1  # greater than 0
BASE: Final = 2  # one number, or a quaternion of four
WAY: Final = 6  # to the next knot, three numbers
TANGENT: Final = 9  # derivative by the part of the segment, at its start
NEXT_TANGENT: Final = 12  # likewise at its end
SEGMENT_COLUMNS: Final = 15

# Shapes of segments.
MIN_JERK: Final = 0
CUBIC: Final = 1  # cubic Hermite
HOLD: Final = 2  # stays at its first knot until the next one
LINEAR: Final = 3
