"""Columns of the tables of tasks."""

from __future__ import annotations

from typing import Final

# Table `tracking.task` [tasks, TASK_COLUMNS]; every task has three rows.
KIND: Final = 0
BONE: Final = 1
OTHER: Final = 2  # bone that the first is measured against; -1: the world
DESIRED: Final = 3  # place of its target in `tracking.desired`
PAD: Final = 4  # row of its bone in the table of pads; -1: none
OTHER_PAD: Final = 5
OWNER: Final = 6  # skeleton that it belongs to
TASK_COLUMNS: Final = 7

POSITION: Final = 0
TURN: Final = 1
PRESSURE: Final = 2
STILL: Final = 3  # directions of weight 0 at the other centre of pressure: the shift changes nothing there

# Table `tracking.task_shape` [tasks, SHAPE_COLUMNS].
POINT: Final = 0  # place on the bone [m], three numbers
WEIGHT: Final = 3  # of the three rows
SOFTNESS: Final = 6  # [1]
LEAST: Final = 7  # force from which on a centre of pressure counts [N]
SHAPE_COLUMNS: Final = 8
