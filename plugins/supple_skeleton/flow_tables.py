"""What trees that spin fast need besides: README eq. (11) to (14)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_bones.forest import Forest
from supple_bones.layout import BALL, BONE, DOF_PARENT, FREE, JOINT, LAST_DOF, V_COUNT
from supple_bones.tables import Motion


class Heads(NamedTuple):
    """The first bones on the way from the world that move: what hangs on one is coupled to nothing else.

    of_rate [rates]: the head that a rate belongs to; lone [bones]: 1 where a head can turn freely and nothing moves
    against it, so that all of it is one rigid body.
    """

    of_rate: IntArray
    lone: IntArray
    listed: IntArray  # [heads] the heads
    spinning: IntArray  # [n] bones whose spins are looked at: heads, and what has mass


class Flow(NamedTuple):
    """What FREE leaves to ADVANCE: fast [bones], not 0 for heads that spin fast; their rates [rates] after the forces
    alone, and after the free motion that follows.
    """

    fast: FloatArray
    kicked: FloatArray
    flown: FloatArray


class Ended(NamedTuple):
    """Rates [rates] before fast trees move on: those that rows ask for, and those that impulses led to."""

    v_rows: FloatArray
    v_worked: FloatArray


class FlowScratch(NamedTuple):
    """Coordinates [coordinates], rates, their derivatives and sums, where the bones then are, and inertias."""

    q: FloatArray
    q_from: FloatArray
    q_rate: FloatArray
    q_sum: FloatArray
    v: FloatArray
    v_from: FloatArray
    v_sum: FloatArray
    tau: FloatArray
    zero: FloatArray
    gain: FloatArray  # [rates] diagonal of A - M
    motion: Motion
    own: FloatArray
    composite: FloatArray
    factor: FloatArray
    work: FloatArray
    momentum: FloatArray  # [2, bones, 6] at the start and at the end of a step
    energy: FloatArray  # [2, bones] kinetic energy likewise
    small: FloatArray  # [2, 3, 3]
    still: Motion  # of bones at rest
    pull: FloatArray  # [bones, 3, 3]


def find_heads(forest: Forest) -> Heads:
    """The heads of a forest."""
    bone, dof = forest.bone, forest.dof
    of_rate = np.zeros(len(dof), np.int64)
    for k in range(len(dof)):
        parent = dof[k, DOF_PARENT]
        of_rate[k] = dof[k, BONE] if parent < 0 else of_rate[parent]
    lone = np.zeros(len(bone), np.int64)
    for head in set(of_rate.tolist()):
        free = bone[head, JOINT] in (BALL, FREE)
        lone[head] = free and int((of_rate == head).sum()) == bone[head, V_COUNT]
    heads = sorted(set(of_rate.tolist()))
    masses = forest.inertia[:, 0] > 0
    moved = bone[:, LAST_DOF] >= 0
    moved &= masses | np.isin(np.arange(len(bone)), heads)
    return Heads(of_rate=of_rate, lone=lone, listed=np.array(heads, np.int64), spinning=np.flatnonzero(moved))


def make_flow_scratch(forest: Forest) -> FlowScratch:
    """For this forest."""
    bones, rates, rows, coordinates = len(forest.bone), forest.v_count, forest.rows, forest.q_count
    motion = _make_motion(bones, rates, rows, coordinates)
    return FlowScratch(
        q=motion.q, q_from=np.zeros(coordinates), q_rate=np.zeros(coordinates), q_sum=np.zeros(coordinates),
        v=motion.v, v_from=np.zeros(rates), v_sum=np.zeros(rates), tau=np.zeros(rates), zero=np.zeros(max(rates, 3)),
        gain=np.zeros(rates),
        motion=motion, own=np.zeros((bones, 10)), composite=np.zeros((bones, 10)), factor=np.zeros(forest.entries),
        work=np.zeros((2, bones, 6)), momentum=np.zeros((2, bones, 6)), energy=np.zeros((2, bones)),
        small=np.zeros((2, 3, 3)), still=_make_motion(bones, rates, rows, coordinates), pull=np.zeros((bones, 3, 3)),
    )  # fmt: skip


def _make_motion(bones: int, rates: int, rows: int, coordinates: int) -> Motion:
    return Motion(
        q=np.zeros(coordinates), v=np.zeros(rates), x=np.zeros((bones, 3)), rotation=np.zeros((bones, 4)),
        twist=np.zeros((bones, 6)), axis=np.zeros((rows, 6)), axis_rate=np.zeros((rows, 6)),
        spatial_velocity=np.zeros((bones, 6)),
    )  # fmt: skip
