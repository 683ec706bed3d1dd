"""What joins the bones, as drawings: thin rods from joint to joint, which also show bones without shapes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from supple.core.build import Build
from supple.core.drawing import Carried, Drawing, Solid
from supple.core.entity import Entity
from supple_bones.forest import Forest
from supple_bones.layout import BALL, FIXED, HINGE, JOINT, PARENT, POSITION, TREE, UNIVERSAL
from supple_skeleton.mechanism import Skeletons

#: Radius of the rods in mean lengths of those of the same skeleton.
_THICKNESS = 0.04
_TURNING = (FIXED, HINGE, UNIVERSAL, BALL)


def draw_rods(build: Build, entities: list[Entity], forest: Forest) -> None:
    """A rod on every bone to each joint that stays in its place there; at the end of a chain to the centre of mass."""
    rods = [
        (child, int(row[PARENT]), forest.frame[child, POSITION : POSITION + 3])
        for child, row in enumerate(forest.bone)
        if row[PARENT] >= 0 and row[JOINT] in _TURNING
    ]
    inner = {int(parent) for parent in forest.bone[:, PARENT]}
    rods += [
        (bone, bone, forest.inertia[bone, 1:4] / forest.inertia[bone, 0])
        for bone in range(len(entities))
        if bone not in inner and forest.inertia[bone, 0] > 0.0
    ]
    lengths: dict[int, list[float]] = {}
    for bone, _, end in rods:
        lengths.setdefault(int(forest.bone[bone, TREE]), []).append(float(np.linalg.norm(end)))
    for bone, owner, end in rods:
        length = float(np.linalg.norm(end))
        if length > 0.0:
            of_tree = lengths[int(forest.bone[bone, TREE])]
            radius = min(_THICKNESS * sum(of_tree) / len(of_tree), 0.5 * length)
            form = Solid("capsule", (radius, 0.5 * length, 0.0))
            turn = _turn_from_y(end / length)
            place = Carried(Skeletons.position, Skeletons.rotation, owner, _as_tuple(end / 2), turn)
            path = entities[bone].path
            name = f"{path}.tip" if owner == bone else f"{path}.rod"
            build.draw(Drawing(name, path, Skeletons.layer, form, place))


def _turn_from_y(direction: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """The quaternion of the shortest turn from y to a unit vector."""
    x, y, z = (float(value) for value in direction)
    if y < -1.0 + 1e-12:
        return 0.0, 1.0, 0.0, 0.0
    w = math.sqrt((1.0 + y) / 2)
    return w, z / (2 * w), 0.0, -x / (2 * w)


def _as_tuple(vector: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in vector)
    return x, y, z
