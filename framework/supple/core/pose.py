"""Where an entity is placed in the frame of its parent."""

from __future__ import annotations

import math

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.component import Vector, component, field
from supple.core.entity import SceneGraph


@component
class Pose:
    """The place of an entity in the frame of its parent: first turned, then moved."""

    position: Vector = field(default=(0.0, 0.0, 0.0), unit="m", doc="Where the entity's origin is.")
    axis: Vector = field(
        default=(0.0, 1.0, 0.0), unit="1", doc="Axis of the turn; need not have unit length."
    )
    angle: float = field(default=0.0, unit="deg", doc="Angle of the turn about the axis, right-handed.")
    numbers = ("position", "axis", "angle")
    placed_by_arrays = True

    def __post_init__(self) -> None:
        if self.angle != 0.0 and not any(self.axis):
            raise ValueError(
                "the axis of a turn must not be zero; give axis = [0, 1, 0] or another direction"
            )


def turn(axis: Vector, angle: float) -> FloatArray:
    """The quaternion (w, x, y, z) of a turn by `angle` [deg] about `axis`.

    Built from half angles in degrees, so that right angles are exact to the last bit.
    """
    length = math.hypot(*axis) or 1.0
    half = math.radians(math.remainder(angle, 720.0) / 2)
    sine = math.sin(half) / length
    return np.array([math.cos(half), axis[0] * sine, axis[1] * sine, axis[2] * sine])


def multiply(p: FloatArray, q: FloatArray) -> FloatArray:
    """The quaternion of turning first by q, then by p."""
    scalar = p[0] * q[0] - p[1:] @ q[1:]
    return np.concatenate([[scalar], p[0] * q[1:] + q[0] * p[1:] + _cross(p[1:], q[1:])])


def rotate(q: FloatArray, vector: FloatArray) -> FloatArray:
    """The vector, or each of the vectors [n, 3], turned by the unit quaternion q."""
    doubled = 2.0 * _cross(q[1:], vector)
    turned: FloatArray = vector + q[0] * doubled + _cross(q[1:], doubled)
    return turned


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """np.cross, to the bit; of two vectors it takes a tenth of the time, and building a world asks for hundreds."""
    if b.ndim > 1:
        return np.cross(a, b)
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def world_pose(graph: SceneGraph, path: str) -> tuple[FloatArray, FloatArray]:
    """Position [m] and rotation of an entity in the world: the poses of all its ancestors, composed."""
    if path not in graph.known_poses:
        graph.known_poses[path] = _compose_poses(graph, path)
    position, rotation = graph.known_poses[path]
    return position.copy(), rotation.copy()


def _compose_poses(graph: SceneGraph, path: str) -> tuple[FloatArray, FloatArray]:
    position, rotation = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    for entity in graph.ancestors(path):
        pose = entity.components.get("pose")
        if pose is not None:
            outer = turn(pose.axis, pose.angle)
            position = rotate(outer, position) + np.array(pose.position)
            rotation = multiply(outer, rotation)
    return position, rotation / np.linalg.norm(rotation)


def relative_pose(
    outer: tuple[FloatArray, FloatArray], inner: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """The pose `inner` (in the world) as seen from the pose `outer` (in the world)."""
    inverse = outer[1] * np.array([1.0, -1.0, -1.0, -1.0])
    return rotate(inverse, inner[0] - outer[0]), multiply(inverse, inner[1])
