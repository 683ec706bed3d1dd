"""Capsules fitted to the part of a mesh that each joint carries: shapes, and where the mass is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.entity import Entity
from supple.core.pose import Pose
from supple.core.rotation_rows import invert_rows, rotate_rows
from supple_collide.components import Capsule
from supple_rig.rig_file import RigFile

#: The straight part of a capsule is at least this part of its radius.
SHORTEST = 0.1


@dataclass(frozen=True)
class Limb:
    """A capsule [m]: the middle and the unit vector along it in the joint's frame, radius and straight length.

    `centre` is the middle in the world of the file, in its unit.
    """

    middle: FloatArray
    along: FloatArray
    radius: float
    length: float
    centre: FloatArray

    @property
    def volume(self) -> float:
        """[m^3]."""
        return math.pi * self.radius**2 * (self.length + 4.0 / 3.0 * self.radius)

    def inertia(self, mass: float) -> FloatArray:
        """About its middle, in the joint's axes [kg m^2]."""
        from supple_rigid.mass import unit_inertia_of

        across, axial, _ = mass * unit_inertia_of("capsule", Capsule(radius=self.radius, length=self.length))
        return np.asarray(across * np.eye(3) + (axial - across) * np.outer(self.along, self.along))

    def shape(self, path: str, friction: float) -> Entity:
        """As a rigid shape below the bone."""
        x, y, z = (float(value) for value in self.along)
        axis, angle = (z, 0.0, -x), math.degrees(math.atan2(math.hypot(x, z), y))
        if not any(axis):
            axis = (1.0, 0.0, 0.0)
        a, b, c = (float(value) for value in self.middle)
        capsule = Capsule(radius=self.radius, length=self.length, friction=friction)
        return Entity(path, {"pose": Pose(position=(a, b, c), axis=axis, angle=angle), "capsule": capsule})


def fit_limbs(rig: RigFile, scale: float) -> dict[int, Limb]:
    """A capsule for every joint that carries most of some vertices."""
    greatest = rig.weights.argmax(axis=1)
    found = {}
    for joint in range(len(rig.names)):
        own = rig.vertices[greatest == joint]
        if len(own):
            found[joint] = _fit(rig, joint, own, scale)
    return found


def _fit(rig: RigFile, joint: int, own: FloatArray, scale: float) -> Limb:
    """Along the way to the joints below, or along where the vertices are spread most."""
    children = np.flatnonzero(rig.parent == joint)
    middle = (own.min(axis=0) + own.max(axis=0)) / 2
    ways = [rig.position[child] - rig.position[joint] for child in children]
    way = np.mean(ways, axis=0) if ways else np.zeros(3)
    if len(children) != 1 or np.linalg.norm(way) < 1e-9:
        way = np.linalg.svd(own - middle)[2][0] if len(own) > 1 else np.array([0.0, 1.0, 0.0])
    along = way / np.linalg.norm(way)
    reach = (own - middle) @ along
    across = own - middle - np.outer(reach, along)
    radius = max(float(np.linalg.norm(across, axis=1).mean()), 1e-4 / scale)
    low, high = float(reach.min()), float(reach.max())
    length = max(high - low - 2.0 * radius, SHORTEST * radius)
    centre = middle + along * (low + high) / 2
    back = invert_rows(rig.rotation[joint])
    return Limb(
        scale * rotate_rows(back, centre - rig.position[joint]), rotate_rows(back, along),
        scale * radius, scale * length, centre,
    )  # fmt: skip


def give_masses(
    limbs: dict[int, Limb], mass: float, density: float, part: float
) -> dict[int, dict[str, Any]]:
    """Keys of the bones: their share of the whole mass by volume, of which the bones keep `part`."""
    total = sum(limb.volume for limb in limbs.values())
    given = {}
    for joint, limb in limbs.items():
        own = part * (mass * limb.volume / total if mass else density * limb.volume)
        full = limb.inertia(own)
        given[joint] = {
            "mass": own,
            "centre": tuple(float(value) for value in limb.middle),
            "inertia": tuple(float(full[a, b]) for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))),
        }
    return given
