"""One tree of a forest by itself: the same tables, whose rows count from its own first bone, rate and coordinate."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import IntArray
from supple_bones.forest import Tree, span_rows
from supple_bones.layout import (
    BONE,
    DOF_PARENT,
    FOLLOWS,
    LAST_DOF,
    PARENT,
    Q_FIRST,
    ROOT,
    ROW,
    ROW_FIRST,
    V_FIRST,
)


def list_frames(tree: Tree) -> IntArray:
    """Rows of the bones of a tree in the tables of the forest, then of its followers."""
    spans = [np.arange(span.start, span.stop) for span in (tree.bones, tree.followers)]
    return np.concatenate(spans).astype(np.int64)


def cut_tables(bone: IntArray, dof: IntArray, tree: Tree) -> tuple[IntArray, IntArray]:
    """The tables `bone` and `dof` of one tree; all kernels can do with these what they do with those of a forest."""
    mine = bone[list_frames(tree)].copy()
    for column, first in (
        (PARENT, tree.bones.start), (ROOT, tree.bones.start), (FOLLOWS, tree.bones.start),
        (Q_FIRST, tree.q.start), (V_FIRST, tree.v.start), (LAST_DOF, tree.v.start),
    ):  # fmt: skip
        known = mine[:, column] >= 0
        mine[known, column] -= first
    rates = tree.v.stop - tree.v.start
    count = tree.bones.stop - tree.bones.start
    mine[:count, ROW_FIRST] -= tree.v.start
    spans = span_rows(mine[count:])
    mine[count:, ROW_FIRST] = rates + np.cumsum(spans) - spans
    structure = dof[tree.v].copy()
    above = structure[:, DOF_PARENT] >= 0
    structure[above, DOF_PARENT] -= tree.v.start
    structure[:, BONE] -= tree.bones.start
    if rates:
        structure[:, ROW] -= structure[0, ROW]
    return mine, structure
