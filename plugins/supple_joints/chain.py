"""A chain of rods: a prefab, for ropes, swings and bridges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.component import Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.pose import Pose
from supple.core.scene_files import SceneFiles
from supple_collide.components import Capsule
from supple_joints.components import Joint
from supple_rigid.components import Body

WORLD = "world"
"""What an end is tied to when it is tied to nothing that moves."""


@component
class Chain:
    """Rods on joints along a line: children link0, link1, ... and joint1, ...; joint0 and the last one tie its ends."""

    links: int = field(unit="1", doc="Number of rods.", gt=0, le=10000)
    path: tuple[Vector, ...] = field(
        unit="m", min_length=2, doc="Corners of the line that the chain lies along at the start."
    )
    mass: float = field(unit="kg", doc="Mass of all rods together.", gt=0)
    radius: float = field(unit="m", doc="Radius of a rod.", gt=0)
    kind: Literal["ball", "hinge"] = field(default="ball", unit="", doc="What the rods turn on.")
    axis: Vector = field(default=(0.0, 0.0, 1.0), unit="1", doc="Axis of the hinges in the entity's frame.")
    damping: float = field(default=0.0, unit="N m s/rad", ge=0, doc="Resistance of every hinge.")
    friction: float = field(default=0.5, unit="1", ge=0, doc="Coefficient of friction of every rod.")
    first: str = field(default="", unit="", doc="What the first rod is tied to: a path, `world`, or nothing.")
    last: str = field(default="", unit="", doc="What the last rod is tied to: a path, `world`, or nothing.")

    def __post_init__(self) -> None:
        corners = np.array(self.path)
        if not np.all(np.linalg.norm(np.diff(corners, axis=0), axis=1) > 0):
            raise ValueError("path has a corner twice in a row; leave one of them out")
        if not np.all(np.linalg.norm(np.diff(self._place_ends(), axis=0), axis=1) > 0):
            raise ValueError("path leads a rod back to where it began; take more links")
        if self.kind == "ball" and self.damping > 0:
            raise ValueError('damping acts on hinges, and these are balls; say kind = "hinge"')

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """The ends are tied to something that exists."""
        for key in ("first", "last"):
            path = getattr(self, key)
            if path and path != WORLD and path not in graph:
                yield f"{key} names {path}, which is not in the scene; name an entity, or {WORLD}"

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """One child for every rod, and one for every joint."""
        ends = self._place_ends()
        rods = [
            Entity(f"{entity.path}/link{index}", self._make_rod(ends[index], ends[index + 1]))
            for index in range(self.links)
        ]
        return rods + list(self._tie(entity.path, ends))

    def _place_ends(self) -> FloatArray:
        """The ends of all rods [links + 1, 3], at equal distances along the line."""
        corners = np.array(self.path)
        lengths = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))]
        along = np.linspace(0.0, lengths[-1], self.links + 1)
        return np.stack([np.interp(along, lengths, corners[:, axis]) for axis in range(3)], axis=1)

    def _make_rod(self, start: FloatArray, end: FloatArray) -> dict[str, object]:
        length = float(np.linalg.norm(end - start))
        x, y, z = (float(value) for value in (start + end) / 2)
        axis, angle = _turn_up_to((end - start) / length)
        return {
            "pose": Pose(position=(x, y, z), axis=axis, angle=angle),
            "capsule": Capsule(radius=self.radius, length=length, friction=self.friction),
            "body": Body(mass=self.mass / self.links),
        }

    def _tie(self, path: str, ends: FloatArray) -> Iterator[Entity]:
        names = [self.first, *(f"{path}/link{index}" for index in range(self.links)), self.last]
        for index, (x, y, z) in enumerate(ends.tolist()):
            before, after = names[index], names[index + 1]
            if not before or not after:
                continue
            between = tuple(name for name in (after, before) if name != WORLD)
            yield Entity(
                f"{path}/joint{index}",
                {
                    "pose": Pose(position=(x, y, z)),
                    "joint": Joint(kind=self.kind, between=between, axis=self.axis, damping=self.damping),
                },
            )


def _turn_up_to(direction: FloatArray) -> tuple[Vector, float]:
    """Axis and angle [deg] of the shortest turn from y to a direction of length one."""
    x, y, z = (float(value) for value in direction)
    across = float(np.hypot(x, z))
    if across < 1e-12:
        return (1.0, 0.0, 0.0), 0.0 if y > 0 else 180.0
    return (z, 0.0, -x), float(np.degrees(np.arctan2(across, y)))
