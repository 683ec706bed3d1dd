"""The coordinates of a joint that come nearest to given rotations; README eq. (7) and (8)."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray


def project_rotations(
    joint: str, first: FloatArray, second: FloatArray, turns: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Angles [n, 0, 1 or 2] of a joint and the angles [n] that remain to the quaternions `turns` [n, 4] [rad].

    Angles follow each other without jumps. Joints that do not turn have none, and all remains.
    """
    if joint == "hinge":
        halves, likeness = _project_on_hinge(first, turns)
    elif joint == "universal":
        halves, likeness = _project_on_universal(first, second, turns)
    else:
        halves, likeness = np.zeros((len(turns), 0)), np.abs(turns[:, 0])
    residual = 2.0 * np.arccos(np.clip(likeness, 0.0, 1.0))
    return np.unwrap(2.0 * halves, axis=0), residual


def _project_on_hinge(axis: FloatArray, turns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The quaternion (cos, sin a) that is most like q maximises cos q_w + sin (a . q_v)."""
    along = turns[:, 1:] @ axis
    return np.arctan2(along, turns[:, 0])[:, None], np.hypot(along, turns[:, 0])


def _project_on_universal(
    first: FloatArray, second: FloatArray, turns: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The likeness is a bilinear form in (cos, sin) of both half angles: its largest singular value."""
    scalar, vector = turns[:, 0], turns[:, 1:]
    both = vector @ np.cross(first, second) - scalar * (first @ second)
    form = np.stack([np.stack([scalar, vector @ second], -1), np.stack([vector @ first, both], -1)], -2)
    left, size, right = np.linalg.svd(form)
    halves = np.stack(
        [np.arctan2(left[:, 1, 0], left[:, 0, 0]), np.arctan2(right[:, 0, 1], right[:, 0, 0])], -1
    )
    return halves, size[:, 0]
