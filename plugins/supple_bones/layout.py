"""Columns of the tables that kernels read, and the codes of the joints."""

from __future__ import annotations

from typing import Final, NamedTuple

# Table `skeleton.bone` [bones, BONE_COLUMNS]; bones are sorted by path, so parents come before children. Behind all
# bones come followers, which hang on the parent of the bone that they follow and turn a share of its way.
PARENT: Final = 0  # bone that this one hangs on; -1: the world
ROOT: Final = 1  # first bone of its chain; its origin is the point that spatial vectors refer to
JOINT: Final = 2  # code of the joint, see below
Q_FIRST: Final = 3  # its first coordinate in `skeleton.q`
V_FIRST: Final = 4  # its first rate in `skeleton.v`; of a follower, that of the bone it follows
V_COUNT: Final = 5  # number of its own rates; 0 of a follower
LAST_DOF: Final = (
    6  # last rate that moves it, its own or an ancestor's; -1: none. Of a follower, its parent's
)
TREE: Final = 7  # skeleton that it belongs to
WINDOW: Final = 8  # first column of the Jacobian blocks of its skeleton
ROW_FIRST: Final = 9  # its first row in `skeleton.axis`; without followers that is its first rate
ROW_COUNT: Final = 10  # number of its rows there; they belong to the rates from V_FIRST on
FOLLOWS: Final = 11  # the bone that it follows; -1: it is a bone of its own
BONE_COLUMNS: Final = 12

# Table `skeleton.dof` [rates, DOF_COLUMNS].
DOF_PARENT: Final = 0  # the rate before it on the way to the root; -1: none
ROW: Final = 1  # place of its diagonal in a chain matrix; its ancestors follow, nearest first
DEPTH: Final = 2  # number of its ancestors
CHILD_FIXED: Final = 3  # 1: its axis turns with the bone itself; 0: with what lies before the rate
BONE: Final = 4  # the bone that it moves first
RUN: Final = (
    5  # number of rates k, k - 1, ... from it on that each have the next one as parent, itself counted
)
DOF_COLUMNS: Final = 6

# Columns of `skeleton.frame` [bones, FRAME_COLUMNS]: neutral pose in the parent's frame, axes of the joint.
POSITION: Final = 0
ROTATION: Final = 3
AXIS: Final = 7
SECOND_AXIS: Final = 10
SHARE: Final = 13  # of the angles of its joint by which a bone turns; 1 unless it is a follower
FOCUS: Final = 14  # of an oval range of a ball joint: SECOND_AXIS and this are its foci
FRAME_COLUMNS: Final = 17

FIXED: Final = 0
HINGE: Final = 1
SLIDER: Final = 2
UNIVERSAL: Final = 3
BALL: Final = 4
TRANSLATION: Final = 5
FREE: Final = 6
FOLLOWER: Final = 7  # turns about the axes of the hinge or universal joint of the bone that it follows
BALL_FOLLOWER: Final = (
    8  # turns about the same axis as the ball joint that it follows; has a row more than axes
)


class JointKind(NamedTuple):
    """Code, number of coordinates and number of rates of a kind of joint."""

    code: int
    q_count: int
    v_count: int


JOINTS: Final = {
    "fixed": JointKind(FIXED, 0, 0),
    "hinge": JointKind(HINGE, 1, 1),
    "slider": JointKind(SLIDER, 1, 1),
    "universal": JointKind(UNIVERSAL, 2, 2),
    "ball": JointKind(BALL, 4, 3),
    "translation": JointKind(TRANSLATION, 3, 3),
    "free": JointKind(FREE, 7, 6),
}
"""Every kind of joint by its name in a scene."""
