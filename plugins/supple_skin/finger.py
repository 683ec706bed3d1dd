"""A prefab to begin with: a finger that is a tube with a rounded tip."""

from __future__ import annotations

import math

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.component import component, field
from supple.core.entity import Entity
from supple.core.pose import Pose
from supple.core.scene_files import SceneFiles
from supple_bones.components import Bone
from supple_ghost.components import Ghost
from supple_skin.components import Skin


@component
class SkinnedFinger:
    """A finger along y that bends about x: child `ghost` with a skin and the hinges `ghost/b0`, `ghost/b0/b1`, ..."""

    bones: int = field(default=3, unit="1", doc="Number of bones, each with a hinge at its base.", gt=0, le=8)
    length: float = field(default=0.08, unit="m", doc="From the first hinge to the tip.", gt=0)
    radius: float = field(default=0.008, unit="m", doc="Radius of the tube.", gt=0)
    around: int = field(default=12, unit="1", doc="Vertices around the tube.", ge=3, le=200)
    rings: int = field(default=20, unit="1", doc="Rings of vertices along the tube.", ge=2, le=500)
    stiffness: float = field(default=1.0, unit="N m/rad", doc="Springs of the joints.", gt=0)
    recovery: float = field(default=0.0, unit="s", doc="As for a ghost.", ge=0)
    friction: float = field(default=0.8, unit="1", doc="Coefficient of friction of the skin.", ge=0)

    def __post_init__(self) -> None:
        if self.length <= 2 * self.radius:
            raise ValueError("the finger is thicker than long; make length more than twice the radius")

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The ghost with its skin, and its bones."""
        vertices, triangles = make_tube(self.length, self.radius, self.around, self.rings)
        skin = Skin(
            vertices=tuple(tuple(vertex) for vertex in vertices.tolist()),
            triangles=tuple(tuple(triangle) for triangle in triangles.tolist()),
            friction=self.friction,
        )
        root = f"{entity.path}/ghost"
        ghost = Ghost(stiffness=self.stiffness, recovery=self.recovery)
        children, path = [Entity(root, {"ghost": ghost, "skin": skin})], root
        for number in range(self.bones):
            path = f"{path}/b{number}"
            height = self.length / self.bones if number else 0.0
            pose = Pose(position=(0.0, height, 0.0))
            children.append(Entity(path, {"pose": pose, "bone": Bone(joint="hinge", axis=(1.0, 0.0, 0.0))}))
        return children


def make_tube(length: float, radius: float, around: int, rings: int) -> tuple[FloatArray, IntArray]:
    """Vertices [nv, 3] and triangles of a closed tube along y, flat at y = 0 and round at y = `length`."""
    straight = length - radius
    arc = straight + 0.5 * math.pi * radius
    points = [np.zeros(3)]
    for ring in range(rings):
        way = arc * ring / rings
        bend = max(0.0, way - straight) / radius
        height = min(way, straight) + radius * math.sin(bend)
        for step in range(around):
            # Every second ring is turned by half a step: then the triangles are nearly regular.
            angle = 2.0 * math.pi * (step + 0.5 * (ring % 2)) / around
            wide = radius * math.cos(bend)
            points.append(np.array([wide * math.sin(angle), height, wide * math.cos(angle)]))
    points.append(np.array([0.0, length, 0.0]))
    return np.array(points), np.array(_join_rings(around, rings), np.int64)


def _join_rings(around: int, rings: int) -> list[tuple[int, int, int]]:
    def at(ring: int, step: int) -> int:
        return 1 + ring * around + step % around

    tip, triangles = 1 + rings * around, []
    for step in range(around):
        triangles.append((0, at(0, step + 1), at(0, step)))
        triangles.append((tip, at(rings - 1, step), at(rings - 1, step + 1)))
        for ring in range(rings - 1):
            a, b = at(ring, step), at(ring, step + 1)
            c, d = at(ring + 1, step), at(ring + 1, step + 1)
            triangles += [(a, b, c), (b, d, c)] if ring % 2 == 0 else [(a, d, c), (a, b, d)]
    return triangles
