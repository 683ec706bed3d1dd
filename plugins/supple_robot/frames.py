"""Poses as position and quaternion, and as authors write them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.component import Vector
from supple.core.pose import Pose, multiply, rotate

UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])
HALF = math.sqrt(0.5)
#: Turns what is along y to along z: shapes of supple lie along y, those of MuJoCo along z.
Y_TO_Z = np.array([HALF, HALF, 0.0, 0.0])
#: Turns what is along z to along y.
Z_TO_Y = np.array([HALF, -HALF, 0.0, 0.0])


class Place(NamedTuple):
    """A position [m] and a unit quaternion w, x, y, z, in the frame of something."""

    position: FloatArray
    rotation: FloatArray

    def then(self, inner: Place) -> Place:
        """What `inner`, given in this frame, is where this one is given."""
        return Place(
            self.position + rotate(self.rotation, inner.position), multiply(self.rotation, inner.rotation)
        )


NOWHERE = Place(np.zeros(3), UNTURNED)


def moved(offset: FloatArray) -> Place:
    """A pose that is only displaced."""
    return Place(np.array(offset, float), UNTURNED)


def vector(values: FloatArray) -> Vector:
    """Three plain numbers."""
    x, y, z = (float(value) + 0.0 for value in values)
    return x, y, z


def as_pose(place: Place) -> Pose:
    """As authors write it: an axis and an angle [deg]."""
    w, *xyz = place.rotation if place.rotation[0] >= 0 else -place.rotation
    sine = float(np.linalg.norm(xyz))
    if sine < 1e-300:
        return Pose(position=vector(place.position))
    angle = math.degrees(2.0 * math.atan2(sine, float(w)))
    return Pose(position=vector(place.position), axis=vector(np.array(xyz) / sine), angle=angle)


def turn_of(rotation: FloatArray) -> FloatArray:
    """The matrix of a unit quaternion."""
    return np.array([rotate(rotation, axis) for axis in np.eye(3)]).T
