"""Mass, centre and inertia of bones, from their shapes or as given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.entity import SceneGraph
from supple.core.scene_files import SceneFiles
from supple_rigid.mass import SOLID, SOLID_MESHES, MassProperties, add_shapes


def owner_of(path: str, graph: SceneGraph) -> str | None:
    """The path of the bone that an entity moves with."""
    return next((above.path for above in graph.ancestors(path) if "bone" in above.components), None)


def shapes_of_bone(path: str, graph: SceneGraph) -> Iterator[tuple[str, str, Any]]:
    """Entity, kind and component of every solid shape that moves with the bone at `path`."""
    for entity in graph.below(path):
        if owner_of(entity.path, graph) == path:
            for kind in (*SOLID, *SOLID_MESHES):
                if kind in entity.components:
                    yield entity.path, kind, entity.components[kind]


def full_inertia(values: Sequence[float]) -> FloatArray:
    """The matrix of three principal moments, or of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = [*values, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def bone_mass(path: str, bone: Any, graph: SceneGraph, files: SceneFiles) -> MassProperties:
    """Mass properties of the bone at `path`; nothing where it has neither shapes nor a mass."""
    if bone.inertia is not None:
        centre = np.array(bone.centre or (0.0, 0.0, 0.0))
        return MassProperties(bone.mass, centre, full_inertia(bone.inertia))
    return add_shapes(path, shapes_of_bone(path, graph), bone.mass, bone.density, graph, files)
