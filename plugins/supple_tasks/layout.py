"""Columns of the tables of tasks, and their codes."""

from __future__ import annotations

from typing import Final

# Table `tasks.task` [tasks, TASK_COLUMNS].
KIND: Final = 0
FIRST: Final = 1  # its first row among the wishes of its controller
ROWS: Final = 2
GOAL: Final = 3  # where its goal comes from
PLACE: Final = 4  # of its target in the values of phases
CURVE: Final = 5  # the first curve of its target
GAIN_FROM: Final = 6  # BY_NUMBER, BY_CURVE or BY_VALUE
GAIN_PLACE: Final = 7  # curve, or place in the values of phases
MACHINE: Final = 8  # phases that switch it on and off; -1: always on
AXES: Final = 9  # bits 1, 2, 4 for x, y, z
TASK_COLUMNS: Final = 10

POINT, ORIENTATION, CENTRE, MOMENTUM, POSTURE, RELATIVE, GAZE, LIMITS = range(8)
KINDS: Final = {
    "point": POINT, "orientation": ORIENTATION, "centre": CENTRE, "momentum": MOMENTUM,
    "posture": POSTURE, "relative": RELATIVE, "gaze": GAZE, "limits": LIMITS,
}  # fmt: skip

HOLD, FIXED, CURVED, VALUE, CUBIC, QUINTIC, INTERCEPT, AT_OTHER = range(8)
BY_NUMBER, BY_CURVE, BY_VALUE = range(3)

# Table `tasks.number` [tasks, NUMBER_COLUMNS].
GAIN: Final = 0
TARGET: Final = 1  # 6 columns: place, rotation vector [rad], or momenta
FORCE: Final = 7  # greatest force; infinite without bound
END_RATE: Final = 8  # 3 columns
DURATION: Final = 11
NORMAL: Final = 12  # 3 columns
OFFSET: Final = 15
AXIS: Final = 16  # 3 columns
MARGIN: Final = 19  # [rad]
MASS: Final = 20  # of all that is controlled
NUMBER_COLUMNS: Final = 21

# State `tasks.told` [tasks, TOLD_COLUMNS]: three columns of a fixed target, then
TOLD_GAIN: Final = 3
TOLD_COLUMNS: Final = 4

# State `tasks.start` [tasks, START_COLUMNS].
WAS: Final = 0  # 1 while active
BEGAN: Final = 1  # time at which it became so [s]
PLACE_THEN: Final = 2  # 3 columns
ROTATION_THEN: Final = 5  # 4 columns
VELOCITY_THEN: Final = 9  # 3 columns
LAST_GOAL: Final = 12  # 3 columns
START_COLUMNS: Final = 15

# Columns of `tasks.observed`, in the order of `METRICS`.
ERROR, ERROR_WORST, FORCE_USED, SHARE, MISSED, ACTIVE, RATE_ERROR = range(7)
