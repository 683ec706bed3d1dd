"""Mass, centre and inertia of bones, from their shapes or as given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.entity import SceneGraph
from supple.core.pose import relative_pose, world_pose
from supple_rigid.mass import SOLID, MassProperties, unit_inertia_of, volume_of

FloatArray = NDArray[np.float64]


def owner_of(path: str, graph: SceneGraph) -> str | None:
    """The path of the bone that an entity moves with."""
    return next((above.path for above in graph.ancestors(path) if "bone" in above.components), None)


def shapes_of_bone(path: str, graph: SceneGraph) -> Iterator[tuple[str, str, Any]]:
    """Entity, kind and component of every solid shape that moves with the bone at `path`."""
    for entity in graph.below(path):
        if owner_of(entity.path, graph) == path:
            for kind in SOLID:
                if kind in entity.components:
                    yield entity.path, kind, entity.components[kind]


def full_inertia(values: Sequence[float]) -> FloatArray:
    """The matrix of three principal moments, or of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = [*values, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def turn_matrix(q: FloatArray) -> FloatArray:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def bone_mass(path: str, bone: Any, graph: SceneGraph) -> MassProperties:
    """Mass properties of the bone at `path`; nothing where it has neither shapes nor a mass."""
    if bone.inertia is not None:
        centre = np.array(bone.centre or (0.0, 0.0, 0.0))
        return MassProperties(bone.mass, centre, full_inertia(bone.inertia))
    parts = []
    for place, kind, shape in shapes_of_bone(path, graph):
        position, rotation = relative_pose(world_pose(graph, path), world_pose(graph, place))
        turn = turn_matrix(rotation)
        parts.append(
            (volume_of(kind, shape), position, turn @ np.diag(unit_inertia_of(kind, shape)) @ turn.T)
        )
    volume = sum(part[0] for part in parts)
    if volume == 0.0:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    density = bone.mass / volume if bone.mass > 0 else bone.density
    centre = sum((v * position for v, position, _ in parts), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for v, position, unit in parts:
        away = position - centre
        inertia += density * v * (unit + away @ away * np.eye(3) - np.outer(away, away))
    return MassProperties(density * volume, centre, inertia)
