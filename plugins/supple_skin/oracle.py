"""Plain twins of the kernels: poses of bones and blended vertices in numpy, one at a time."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.pose import multiply, rotate
from supple_bones.layout import (
    AXIS,
    BALL,
    FOLLOWS,
    FREE,
    JOINT,
    JOINTS,
    PARENT,
    POSITION,
    Q_FIRST,
    ROTATION,
    SECOND_AXIS,
    SHARE,
    V_COUNT,
    V_FIRST,
)

NAMES = {kind.code: name for name, kind in JOINTS.items()}


def turn(axis: FloatArray, angle: float) -> FloatArray:
    """The quaternion of a turn by `angle` [rad] about the unit vector `axis`."""
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def place_bone(joint: str, frame: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pose of a bone in the frame of its parent, from its row of `ghost.frame` and its own coordinates."""
    position, rotation = frame[POSITION:ROTATION], frame[ROTATION:AXIS]
    axis, second = frame[AXIS:SECOND_AXIS], frame[SECOND_AXIS : SECOND_AXIS + 3]
    if joint == "slider":
        position = position + rotate(rotation, q[0] * axis)
    elif joint in ("translation", "free"):
        position = position + rotate(rotation, q[:3])
    if joint in ("hinge", "universal"):
        rotation = multiply(rotation, turn(axis, q[0]))
    if joint == "universal":
        rotation = multiply(rotation, turn(second, q[1]))
    elif joint in ("ball", "free"):
        rotation = multiply(rotation, q[-4:])
    return position, rotation


def take_share(joint: str, share: float, q: FloatArray) -> FloatArray:
    """Coordinates of a follower from those of the joint that it follows: a share of the way from the neutral pose."""
    if joint != "ball":
        return share * q
    shorter = q if q[0] >= 0.0 else -q
    sine = float(np.linalg.norm(shorter[1:]))
    return turn(shorter[1:] / max(sine, 1e-300), share * 2.0 * float(np.arctan2(sine, shorter[0])))


def place_bones(bone: IntArray, frame: FloatArray, q: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Position [m] and rotation of all bones in the world."""
    poses: list[tuple[FloatArray, FloatArray]] = []
    for row, columns in zip(bone, frame, strict=True):
        followed = bone[row[FOLLOWS]] if row[FOLLOWS] >= 0 else row
        joint = NAMES[int(followed[JOINT])]
        own = q[row[Q_FIRST] : row[Q_FIRST] + JOINTS[joint].q_count]
        if row[FOLLOWS] >= 0:
            own = take_share(joint, columns[SHARE], own)
        position, rotation = place_bone(joint, columns, own)
        if row[PARENT] >= 0:
            x, turned = poses[row[PARENT]]
            position, rotation = x + rotate(turned, position), multiply(turned, rotation)
        poses.append((position, rotation))
    return poses


def place_vertex(
    poses: list[tuple[FloatArray, FloatArray]], bones: IntArray, weights: FloatArray, local: FloatArray
) -> FloatArray:
    """A vertex carried by some bones [m]: README eq. (1)."""
    total = np.zeros(3)
    for bone, weight, place in zip(bones, weights, local, strict=True):
        if bone >= 0:
            x, rotation = poses[bone]
            total = total + weight * (x + rotate(rotation, place))
    return total


def shift_coordinates(bone: IntArray, q: FloatArray, rate: int, step: float) -> FloatArray:
    """Coordinates moved by `step` along one rate; a quaternion turns in the axes of its bone."""
    moved = q.copy()
    row = next(each for each in bone if each[V_FIRST] <= rate < each[V_FIRST] + each[V_COUNT])
    first, local = row[Q_FIRST], rate - row[V_FIRST]
    turning = {BALL: 0, FREE: 3}.get(int(row[JOINT]))
    if turning is None or local < turning:
        moved[first + local] += step
        return moved
    place = slice(first + turning, first + turning + 4)
    moved[place] = multiply(q[place], turn(np.eye(3)[local - turning], step))
    return moved
