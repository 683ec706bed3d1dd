"""Mass, centre and inertia of bodies made of shapes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.entity import SceneGraph
from supple.core.pose import relative_pose, rotate, world_pose
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError
from supple_collide.mesh_shape import integrate_volume, load_mesh

SOLID = ("box", "capsule", "cone", "cylinder", "ellipsoid", "sphere")
"""Primitives with a volume."""
SOLID_MESHES = ("convex", "mesh")
"""Meshes, which have a volume if they are closed."""


def shapes_of(path: str, graph: SceneGraph) -> Iterator[tuple[str, str, Any]]:
    """Entity, kind and component of every solid shape that moves with the body at `path`."""
    for entity in graph.below(path):
        owner = next(
            (above.path for above in graph.ancestors(entity.path) if "body" in above.components), None
        )
        if owner == path:
            for kind in (*SOLID, *SOLID_MESHES):
                if kind in entity.components:
                    yield entity.path, kind, entity.components[kind]


def volume_of(kind: str, shape: Any) -> float:
    """Volume of a shape [m^3]."""
    if kind == "sphere":
        return 4.0 / 3.0 * math.pi * float(shape.radius) ** 3
    if kind == "box":
        return float(np.prod(shape.size))
    if kind == "cylinder":
        return math.pi * float(shape.radius) ** 2 * float(shape.length)
    if kind == "cone":
        return math.pi * float(shape.radius) ** 2 * float(shape.height) / 3.0
    if kind == "ellipsoid":
        return 4.0 / 3.0 * math.pi * float(np.prod(shape.radii))
    return math.pi * float(shape.radius) ** 2 * (float(shape.length) + 4.0 / 3.0 * float(shape.radius))


def unit_inertia_of(kind: str, shape: Any) -> FloatArray:
    """Inertia of a shape of mass 1 kg about its centre, in its own axes [m^2]; all are diagonal."""
    if kind == "sphere":
        return np.full(3, 0.4 * shape.radius**2)
    if kind == "box":
        squares: FloatArray = np.array(shape.size) ** 2
        return np.asarray((squares.sum() - squares) / 12.0)
    if kind == "cylinder":
        across = shape.radius**2 / 4 + shape.length**2 / 12
        return np.array([across, shape.radius**2 / 2, across])
    if kind == "cone":
        across = 0.15 * shape.radius**2 + 0.0375 * shape.height**2
        return np.array([across, 0.3 * shape.radius**2, across])
    if kind == "ellipsoid":
        radii: FloatArray = np.array(shape.radii) ** 2
        return np.asarray((radii.sum() - radii) / 5.0)
    # A capsule is a cylinder and two half balls; each half ball's centre of mass lies 3/8 r beyond the disc.
    r, length = shape.radius, shape.length
    cylinder, balls = length / (length + 4.0 / 3.0 * r), 4.0 / 3.0 * r / (length + 4.0 / 3.0 * r)
    across = cylinder * (r**2 / 4 + length**2 / 12) + balls * (
        0.4 * r**2 + length**2 / 4 + 0.375 * r * length
    )
    along = cylinder * r**2 / 2 + balls * 0.4 * r**2
    return np.array([across, along, across])


@dataclass(frozen=True)
class MassProperties:
    """Mass [kg], centre in the entity's frame [m], inertia about the centre in the entity's axes [kg m^2]."""

    mass: float
    centre: FloatArray
    inertia: FloatArray


def integrate_solid(
    kind: str, shape: Any, path: str, files: SceneFiles
) -> tuple[float, FloatArray, FloatArray]:
    """Volume [m^3], centre [m] and inertia of 1 kg about the centre [m^2] of a shape, in its own frame.

    `path` is that of its entity; `files` finds the files of meshes.
    """
    if kind not in SOLID_MESHES:
        # A cone's centre of mass is a quarter of its height above the base.
        centre = np.array([0.0, -0.25 * shape.height if kind == "cone" else 0.0, 0.0])
        return volume_of(kind, shape), centre, np.diag(unit_inertia_of(kind, shape))
    mesh = load_mesh(kind, shape, path, files)
    if not mesh.closed:
        what = f"{shape.file or 'the mesh'} is open, so it has no volume and no mass"
        raise UserError(
            Problem(None, f"{path}.{kind}", what, "close its holes, use convex, or take the body away")
        )
    return integrate_volume(mesh)


def mass_properties(path: str, body: Any, graph: SceneGraph, files: SceneFiles) -> MassProperties:
    """Mass properties of the body at `path`; `files` finds the files of meshes."""
    return add_shapes(path, shapes_of(path, graph), body.mass, body.density, graph, files)


def add_shapes(
    path: str,
    shapes: Iterable[tuple[str, str, Any]],
    mass: float,
    density: float,
    graph: SceneGraph,
    files: SceneFiles,
) -> MassProperties:
    """Mass properties of shapes (entity, kind, component) in the frame of the entity `path`.

    A `mass` of 0 takes it from the density. Overlaps count twice; no shapes have no mass.
    """
    parts = []
    for place, kind, shape in shapes:
        position, rotation = relative_pose(world_pose(graph, path), world_pose(graph, place))
        volume, centre, unit = integrate_solid(kind, shape, place, files)
        turn = turn_matrix(rotation)
        parts.append((volume, position + rotate(rotation, centre), turn @ unit @ turn.T))
    volume = sum(part[0] for part in parts)
    if volume == 0.0:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    density = mass / volume if mass > 0 else density
    centre = sum((v * position for v, position, _ in parts), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for v, position, unit in parts:
        away = position - centre
        inertia += density * v * (unit + away @ away * np.eye(3) - np.outer(away, away))
    return MassProperties(density * volume, centre, inertia)


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
