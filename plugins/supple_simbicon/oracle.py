"""A slow, plain twin of the torques, written with rotation matrices: what the kernels are held against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray


def turn_about(axis: int, angle: float) -> FloatArray:
    """Rotation matrix about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i, i], matrix[i, j], matrix[j, i], matrix[j, j] = c, -s, s, c
    return matrix


def find_rotation_vector(matrix: FloatArray) -> FloatArray:
    """Axis times angle of a rotation matrix, for angles below pi."""
    cosine = np.clip((np.trace(matrix) - 1) / 2, -1, 1)
    angle = float(np.arccos(cosine))
    skew = (
        np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]) / 2
    )
    vector: FloatArray = skew if angle < 1e-9 else skew * (angle / np.sin(angle))
    return vector


@dataclass
class Joint:
    """A driven bone: world rotations of it and of its frame, rates in its own axes, target turns, gains by axis."""

    rotation: FloatArray
    frame: FloatArray
    rate: FloatArray
    turns: list[tuple[int, float]]
    stiffness: FloatArray
    damping: FloatArray

    def torque(self, ahead: float) -> FloatArray:
        """PD torque in the world; README eq. (3) and (4)."""
        target = np.eye(3)
        for axis, angle in self.turns:
            target = turn_about(axis, angle) @ target
        error = find_rotation_vector(self.rotation.T @ self.frame @ target)
        own = self.stiffness * (error - ahead * self.rate) - self.damping * self.rate
        torque: FloatArray = self.rotation @ own
        return torque


def share_missing(
    root: FloatArray, hangs: list[FloatArray], stance: FloatArray, swing: FloatArray, share: float
) -> tuple[FloatArray, FloatArray]:
    """Torques of both hips after they made up for what the root lacks; `hangs` are all torques on its children."""
    missing = -(root + sum(hangs, np.zeros(3)))
    return stance + share * missing, swing + (1 - share) * missing
