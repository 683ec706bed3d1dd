"""Columns and codes of the tables of phases, and the groups of arrays that kernels take."""

from __future__ import annotations

from typing import Final, NamedTuple

from supple.core.arrays import FloatArray, IntArray

NOTHING: Final = -1

# Table of nodes [nodes, 3] of the conditions of all exits; the parts of a joined one come before it.
KIND: Final = 0
PARENT: Final = 1  # node that it is a part of, or NOTHING
SOURCE: Final = 2  # place in phases.seen, or NOTHING

# Kinds of nodes.
ALL: Final = 0
ANY: Final = 1
TIME: Final = 2  # lower bound of the time in the phase [s]
SHARE: Final = 3  # lower bound of the share of the phase's duration
RUN_TIME: Final = 4  # lower bound of the time of the run [s]
BETWEEN: Final = 5  # what was seen lies above the lower and below the upper bound
GAINED: Final = 6  # what was seen lies above the lower bound, and did not the step before
LOST: Final = 7  # the reverse

# Columns of phases.figures.
FIGURES: Final = ("phase", "transitions", "period")


class Chart(NamedTuple):
    """What the phases are and how they end: machines [m], phases [p], exits [e] and nodes of conditions."""

    first: IntArray  # [m + 1] first phase of every machine
    duration: FloatArray  # [p] s; negative: none
    waits: IntArray  # [p] 1: goes on after its duration
    following: IntArray  # [p] phase that follows after the duration
    exit_first: IntArray  # [p + 1] first exit of every phase
    exit_to: IntArray  # [e] phase that an exit leads to
    exit_node: IntArray  # [e + 1] first node of its condition; the last one is the condition itself
    node: IntArray
    bound: FloatArray  # [nodes, 2]


class Seen(NamedTuple):
    """What was measured after the last step, and after the one before."""

    seen: FloatArray
    known: IntArray  # 1 where there was a number
    seen_before: FloatArray
    known_before: IntArray


class Memory(NamedTuple):
    """What a machine must remember."""

    current: IntArray  # [m] row of the phase
    previous: IntArray  # [m] the phase before it, or NOTHING
    begun: FloatArray  # [m] s of the run
    transitions: IntArray  # [m]
    entries: IntArray  # [p] how often the phase began
    first_entry: FloatArray  # [p] s of the run at which it began for the first time
    last_entry: FloatArray  # [p] likewise for the last time


class Shown(NamedTuple):
    """What controllers read in this step, one number for each machine."""

    time: FloatArray  # s in the phase at the start of the step
    share: FloatArray  # of its duration, at most 1; 0 without a duration
    changed: IntArray  # transitions of this step
    figures: FloatArray  # [m, FIGURES]


class Curves(NamedTuple):
    """Values of all phases: channels [c] are the numbers that controllers read."""

    channel_machine: IntArray  # [c]
    channel_curve: IntArray  # [p, c] row of the curve in a phase, or NOTHING
    curve_shape: IntArray
    curve_first: IntArray  # first segment
    curve_count: IntArray
    curve_by_share: IntArray  # 1: over the share of the phase, 0: over its time
    segment: FloatArray
