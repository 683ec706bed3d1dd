"""The arrays of pliant joints, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray

# Columns of `pliant.bone_row`: bone, its rate, its coordinate (the first of a quaternion), component of a turn.
BONE, RATE, COORDINATE, COMPONENT = 0, 1, 2, 3
SCALAR = -1  # component of a row that is no part of a turn

# Columns of `pliant.link_row`: link, motion and column of its direction, number of the track.
LINK, MOTION, COLUMN, TRACK = 0, 1, 2, 3


class Effort(NamedTuple):
    """Stiffness and damping of every row, and the curves that scale them; a curve without segments is 1."""

    gains: FloatArray  # [rows, 2]
    character: IntArray  # [rows]
    effort_curve: IntArray  # [characters, 3] shape, first segment, number of segments
    effort_segment: FloatArray


class BoneTargets(NamedTuple):
    """Rows on bones, and where the skeletons are and should be."""

    bone_row: IntArray
    q: FloatArray
    target: FloatArray
    target_rate: FloatArray


class LinkTargets(NamedTuple):
    """Rows on joints between bodies, where these are, and the tracks that lead them."""

    link_row: IntArray
    track: IntArray
    segment: FloatArray
    coordinate: FloatArray  # [links] position of a hinge or slider
    q: FloatArray  # [links, 2, 4] rotations of both anchors


class Springs(NamedTuple):
    """Spring and damper of every row: distance and velocity of the target, stiffness and damping now."""

    error: FloatArray
    desired: FloatArray
    gains_now: FloatArray


class Touching(NamedTuple):
    """The contacts of the step: their groups, and what touches."""

    count: IntArray  # type: ignore[assignment]  # hides tuple.count, which nobody needs
    group: IntArray
    surface: IntArray
    element: IntArray


class Torques(NamedTuple):
    """What came of the step: planned torques, those of plan and spring together, the lead, the plan's residual."""

    torque: FloatArray
    total: FloatArray
    lead: FloatArray
    residual: FloatArray


EFFORT = tuple(f"pliant.{name}" for name in Effort._fields)
BONES = ("pliant.bone_row", "skeleton.q", "skeleton.target", "skeleton.target_rate")
LINKS = ("pliant.link_row", "pliant.track", "pliant.segment", "joints.coordinate", "joints.q")
SPRINGS = tuple(f"pliant.{name}" for name in Springs._fields)
TOUCHING = tuple(f"contacts.{name}" for name in Touching._fields)
