"""Columns of the tables that the sampling kernel reads.

A track moves one channel: a coordinate, or the quaternion of a ball or free joint. Its knots are turned into
segments once, each with all that is needed to evaluate it: columns in supple.math.curve_layout.
"""

from __future__ import annotations

from typing import Final

# Table of tracks [tracks, TRACK_COLUMNS], integers.
TURNS: Final = 0  # 1: four coordinates are a quaternion; 0: one coordinate is a number
COORDINATE: Final = 1  # first coordinate that it sets
FIRST_SEGMENT: Final = 2
SEGMENT_COUNT: Final = 3
SHAPE: Final = 4  # MIN_JERK, CUBIC, HOLD or LINEAR
CLOCK: Final = 5  # row of the table of clocks
TRACK_COLUMNS: Final = 6

# Table of clocks [motions, CLOCK_COLUMNS]: time in the motion = offset + speed * time of the run.
OFFSET: Final = 0  # [s]
SPEED: Final = 1  # [1]
PERIOD: Final = 2  # [s]; 0: the motion does not start over
CLOCK_COLUMNS: Final = 3

# Tracks of phases have two columns more; their CLOCK is the row of the state machine.
PHASE: Final = 6  # row of the phase in which it acts
BY_SHARE: Final = 7  # 1: times are shares of the phase, 0: seconds since it began
PHASED_COLUMNS: Final = 8
