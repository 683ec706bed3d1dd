"""Columns of the tables that the sampling kernel reads.

A track moves one channel: a coordinate, or the quaternion of a ball or free joint. Its knots are turned into
segments once, each with all that is needed to evaluate it.
"""

from __future__ import annotations

from typing import Final

# Table of tracks [tracks, TRACK_COLUMNS], integers.
TURNS: Final = 0  # 1: four coordinates are a quaternion; 0: one coordinate is a number
COORDINATE: Final = 1  # first coordinate that it sets
FIRST_SEGMENT: Final = 2
SEGMENT_COUNT: Final = 3
SHAPE: Final = 4  # MIN_JERK or CUBIC
CLOCK: Final = 5  # row of the table of clocks
TRACK_COLUMNS: Final = 6

MIN_JERK: Final = 0
CUBIC: Final = 1  # cubic Hermite; with equal tangents it is linear

# Table of clocks [motions, CLOCK_COLUMNS]: time in the motion = offset + speed * time of the run.
OFFSET: Final = 0  # [s]
SPEED: Final = 1  # [1]
PERIOD: Final = 2  # [s]; 0: the motion does not start over
CLOCK_COLUMNS: Final = 3

# Table of segments [segments, SEGMENT_COLUMNS]: base value, and the way from there in coordinates or as a
# rotation vector in the axes that the base turns to [rad, m].
START: Final = 0  # [s], in the motion
DURATION: Final = 1  # [s], greater than 0
BASE: Final = 2  # one number, or a quaternion of four
WAY: Final = 6  # to the next knot, three numbers
TANGENT: Final = 9  # derivative by the part of the segment, at its start
NEXT_TANGENT: Final = 12  # likewise at its end
SEGMENT_COLUMNS: Final = 15
