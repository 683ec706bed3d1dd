"""From keys to the knots of every channel that they name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import multiply, rotate, turn
from supple.errors import suggest
from supple_bones.layout import JOINTS
from supple_motion.bones import Bones
from supple_motion.components import JointPose, JointValue, Key
from supple_motion.segments import Channel

Knot = tuple[int, int, FloatArray]
"""First coordinate, first rate, and values of a channel in one key."""


def read_keys(build: Build, entity: Entity, bones: Bones) -> list[Channel]:
    """One channel for every coordinate or quaternion that some key of this motion names."""
    motion = entity.components["motion"]
    channels = read_channels(build, entity, bones, motion.keys, f"{entity.path}.motion.keys")
    if motion.loop:
        _refuse_jumps(build, entity, channels, bones, loop_period(entity))
    return channels


def read_channels(
    build: Build, entity: Entity, bones: Bones, keys: Sequence[Key], within: str
) -> list[Channel]:
    """The same for any keys; `within` is the path where they are written."""
    rows = bones.below(entity.path)
    knots: dict[tuple[int, int], list[tuple[float, FloatArray]]] = {}
    for number, key in enumerate(keys):
        for name, value in key.pose.items():
            path = f"{within}[{number}].pose.{name}"
            if name not in rows:
                raise build.refuse(path, "no bone of this name", suggest(name, rows, "the bones are"))
            for coordinate, rate, values in _read_joint(build, path, bones, rows[name], value):
                knots.setdefault((coordinate, rate), []).append((key.at, values))
    return [
        Channel(*place, np.array([at for at, _ in found]), np.array([values for _, values in found]))
        for place, found in sorted(knots.items())
    ]


def loop_period(entity: Entity) -> float:
    """From the first to the last key [s]."""
    keys = entity.components["motion"].keys
    return float(keys[-1].at - keys[0].at)


def _read_joint(build: Build, path: str, bones: Bones, row: int, value: JointValue) -> Iterator[Knot]:
    joint = bones.joint(row)
    q, v = bones.places(row)
    if joint in ("ball", "free"):
        yield from _read_turn(build, path, bones, row, value)
        return
    if joint == "fixed":
        raise build.refuse(path, "the joint is fixed", "name a bone whose joint moves")
    if isinstance(value, JointPose):
        if joint != "translation" or value.position is None:
            raise build.refuse(path, f"a {joint} joint has no axis and angle", _say_numbers(joint))
        value = value.position
    numbers = value if isinstance(value, tuple) else (value,)
    if len(numbers) != JOINTS[joint].q_count:
        what = f"has {len(numbers)} numbers"
        raise build.refuse(path, what, _say_numbers(joint))
    turning = joint in ("hinge", "universal")
    for local, number in enumerate(numbers):
        yield q + local, v + local, np.array([math.radians(number) if turning else number])


def _say_numbers(joint: str) -> str:
    count = JOINTS[joint].q_count
    unit = "deg" if joint in ("hinge", "universal") else "m"
    return f"a {joint} joint takes {'one number' if count == 1 else f'{count} numbers'} [{unit}]"


def _read_turn(build: Build, path: str, bones: Bones, row: int, value: JointValue) -> Iterator[Knot]:
    """Ball and free joints. What is said of a free root is said in the frame of its entity's parent."""
    joint = bones.joint(row)
    q, v = bones.places(row)
    if not isinstance(value, JointPose):
        value = _read_quaternion(build, path, joint, value)
    outer = (
        _outer_pose(build, bones, row) if joint == "free" else (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    )
    if value.position is not None:
        if joint != "free":
            raise build.refuse(path, "a ball joint has no position", "give axis and angle, or rotation")
        place = outer[0] + rotate(outer[1], np.array(value.position))
        for local in range(3):
            yield q + local, v + local, place[local : local + 1]
    if value.angle is not None or value.rotation is not None:
        turned = turn(value.axis, value.angle) if value.angle is not None else _unit(value.rotation)
        shift = 3 if joint == "free" else 0
        yield q + shift, v + shift, multiply(outer[1], turned)


def _read_quaternion(build: Build, path: str, joint: str, value: float | tuple[float, ...]) -> JointPose:
    numbers = value if isinstance(value, tuple) else (value,)
    if len(numbers) != 4 or not any(numbers):
        what = f"a {joint} joint has no {'such number' if len(numbers) == 1 else f'list of {len(numbers)} numbers'}"
        raise build.refuse(path, what, "give { axis = [0, 1, 0], angle = 30 }, or a quaternion [w, x, y, z]")
    return JointPose(rotation=(numbers[0], numbers[1], numbers[2], numbers[3]))


def _unit(rotation: tuple[float, ...] | None) -> FloatArray:
    quaternion = np.array(rotation, float)
    unit: FloatArray = quaternion / np.linalg.norm(quaternion)
    return unit


def _outer_pose(build: Build, bones: Bones, row: int) -> tuple[FloatArray, FloatArray]:
    """Frame in which the coordinates of a free bone are written: the coordinates of a root are in the world."""
    if bones.parent(row) >= 0:
        return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    path = next(path for path, number in bones.rows.items() if number == row)
    return build.pose(path.rpartition("/")[0])


def _refuse_jumps(build: Build, entity: Entity, channels: list[Channel], bones: Bones, period: float) -> None:
    """A joint that is named in the first and in the last key of a loop must be the same in both."""
    for channel in channels:
        if channel.times[-1] - channel.times[0] < period:
            continue
        first, last = channel.values[0], channel.values[-1]
        apart = min(np.abs(first - last).max(), np.abs(first + last).max() if channel.turns else np.inf)
        if apart > 1e-9:
            names = bones.below(entity.path)
            name = next(n for n, row in names.items() if channel.rate in _rates(bones, row))
            what = f"the loop jumps: {name} ends elsewhere than it starts"
            raise build.refuse(
                f"{entity.path}.motion.keys", what, "leave it out of the last key, or repeat the first"
            )


def _rates(bones: Bones, row: int) -> range:
    first = bones.places(row)[1]
    return range(first, first + JOINTS[bones.joint(row)].v_count)
