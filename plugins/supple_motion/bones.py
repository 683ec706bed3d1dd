"""What a motion needs to know of the bones that it moves, whoever owns them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.rotation_rows import multiply_rows
from supple_bones.layout import (
    AXIS,
    FOLLOWS,
    FREE,
    JOINT,
    JOINTS,
    PARENT,
    Q_FIRST,
    ROTATION,
    SECOND_AXIS,
    V_FIRST,
)

NAMES = {kind.code: name for name, kind in JOINTS.items()}


@dataclass(frozen=True)
class Bones:
    """All bones of one owner, which is `skeleton` or `ghost`; the tables are those of supple_bones.layout.

    rows     row by path
    start    coordinates at the start
    neutral  [bones, 4] rotations in the world of the neutral pose; of a free bone, of its pose at the start
    """

    owner: str
    rows: dict[str, int]
    bone: IntArray
    frame: FloatArray
    start: FloatArray
    neutral: FloatArray

    @classmethod
    def of(cls, build: Build, owner: str) -> Bones:
        """The bones that this owner has declared."""
        bone, frame, start = (build.arrays[f"{owner}.{name}"] for name in ("bone", "frame", "q"))
        labels = build.arrays.specs[f"{owner}.bone"].labels
        rows = {path: row for row, path in enumerate(labels) if bone[row, FOLLOWS] < 0}
        return cls(owner, rows, bone, frame, start.copy(), _neutral_rotations(bone, frame, start))

    def below(self, path: str) -> dict[str, int]:
        """The rows of the bones below an entity, by the rest of their paths."""
        return {
            bone.removeprefix(f"{path}/"): row
            for bone, row in self.rows.items()
            if bone.startswith(f"{path}/")
        }

    def joint(self, row: int) -> str:
        """Kind of the bone's joint."""
        return NAMES[int(self.bone[row, JOINT])]

    def places(self, row: int) -> tuple[int, int]:
        """First coordinate and first rate of the bone's joint."""
        return int(self.bone[row, Q_FIRST]), int(self.bone[row, V_FIRST])

    def axes(self, row: int) -> tuple[FloatArray, FloatArray]:
        """First and second axis of the bone's joint, in its neutral frame."""
        return self.frame[row, AXIS:SECOND_AXIS], self.frame[row, SECOND_AXIS : SECOND_AXIS + 3]

    def parent(self, row: int) -> int:
        """The row of the bone above; -1 for a root."""
        return int(self.bone[row, PARENT])


def _neutral_rotations(bone: IntArray, frame: FloatArray, start: FloatArray) -> FloatArray:
    neutral = np.zeros((len(bone), 4))
    for row, (table, columns) in enumerate(zip(bone, frame, strict=True)):
        above = neutral[table[PARENT]] if table[PARENT] >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
        turned = multiply_rows(above, columns[ROTATION:AXIS])
        if table[JOINT] == FREE:
            turned = multiply_rows(turned, start[table[Q_FIRST] + 3 : table[Q_FIRST] + 7])
        neutral[row] = turned
    return neutral
