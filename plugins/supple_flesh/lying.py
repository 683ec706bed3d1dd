"""Where flesh lies: how far from a bone, and whether it lies around the bones that it hangs on at all."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import relative_pose, rotate
from supple_bones.seams import find_next_joints
from supple_collide.mesh_shape import TriangleMesh

BESIDE = 0.1
"""Part of the size of what hangs on a bone that it may lie beside it, as a pad under a foot does."""


def _list_ends(build: Build, entity: Entity, path: str) -> tuple[FloatArray, list[FloatArray]]:
    """The joint of a bone, and the next ones; of the last bone, as far beyond its centre as this is from the joint."""
    start, turn = relative_pose(build.pose(entity.path), build.pose(path))
    ends = find_next_joints(build, entity, path)
    centre = build.graph[path].components["bone"].centre
    if not ends and centre is not None:
        ends = [start + 2.0 * rotate(turn, np.array(centre))]
    return start, ends


def find_distances_to_bone(build: Build, entity: Entity, path: str, points: FloatArray) -> FloatArray:
    """Distances of points from the lines between the joint of a bone and the next ones [m]."""
    start, ends = _list_ends(build, entity, path)
    found: FloatArray = np.linalg.norm(points - start, axis=1)
    for end in ends:
        along = end - start
        squared = float(along @ along)
        if squared > 0.0:
            part = np.clip((points - start) @ along / squared, 0.0, 1.0)
            found = np.minimum(found, np.linalg.norm(points - start - part[:, None] * along, axis=1))
    return found


def refuse_flesh_off_its_bones(
    build: Build, entity: Entity, mesh: TriangleMesh, hangs_on: IntArray, bones: list[str]
) -> None:
    """Raise for a bone whose lines pass the box around what hangs on it, farther away than BESIDE of its size."""
    for number, path in enumerate(bones):
        mine = mesh.vertices[hangs_on == number]
        if len(mine) == 0:
            continue
        low, high = mine.min(axis=0), mine.max(axis=0)
        start, ends = _list_ends(build, entity, path)
        parts = np.linspace(0.0, 1.0, 33)[:, None]
        line = np.concatenate([start[None], *(start + parts * (end - start) for end in ends)])
        off = float(np.linalg.norm(line - np.clip(line, low, high), axis=1).min())
        if off > BESIDE * max(float(np.linalg.norm(high - low)), float(np.ptp(mesh.vertices, axis=0).min())):
            what = f"what hangs on {path} lies {1e3 * off:.4g} mm off that bone"
            remedy = (
                f"the mesh is in the frame of {entity.path} while all bones are neutral, which of a free root is where "
                "it starts, turned as it is there: move and turn the mesh likewise, hang it on another bone, or say "
                "anywhere = true"
            )
            raise build.refuse(f"{entity.path}.flesh", what, remedy)
