"""From a list of bones to the tables that kernels read: all skeletons of a scene as one forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_bones.layout import (
    BALL,
    BALL_FOLLOWER,
    BONE,
    BONE_COLUMNS,
    CHILD_FIXED,
    DEPTH,
    DOF_COLUMNS,
    DOF_PARENT,
    FOLLOWER,
    FOLLOWS,
    FRAME_COLUMNS,
    FREE,
    JOINT,
    JOINTS,
    LAST_DOF,
    PARENT,
    Q_FIRST,
    ROOT,
    ROW,
    ROW_COUNT,
    ROW_FIRST,
    RUN,
    SHARE,
    TREE,
    V_COUNT,
    V_FIRST,
    WINDOW,
)


def _zeros(count: int) -> FloatArray:
    return np.zeros(count)


@dataclass(frozen=True)
class BoneSpec:
    """One bone. `parent` is its place in the list, -1 for the world; axes need not have unit length.

    position, rotation  neutral pose in the parent's frame [m; quaternion w, x, y, z]. The joint sits at the
                        bone's origin. A free joint is measured from the parent's frame, so it has none.
    mass, centre        [kg], [m] in the bone's frame
    inertia             [3, 3] about the centre, in the bone's axes [kg m^2]
    """

    parent: int
    joint: str = "fixed"
    tree: int = 0
    position: FloatArray = field(default_factory=lambda: _zeros(3))
    rotation: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    axis: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    second_axis: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    focus: FloatArray = field(default_factory=lambda: _zeros(3))
    mass: float = 0.0
    centre: FloatArray = field(default_factory=lambda: _zeros(3))
    inertia: FloatArray = field(default_factory=lambda: np.zeros((3, 3)))


class Follower(NamedTuple):
    """A frame that turns, with the hinge, universal or ball joint of the bone at `path`, by a share of its angles."""

    path: str
    share: float


@dataclass(frozen=True)
class FollowerSpec:
    """A frame that hangs on the parent of bone `follows` and turns, where that one sits, by `share` of its angles.

    It adds no coordinates and no rates: what hangs on it moves the rates of the joint that it follows.
    """

    follows: int
    share: float


@dataclass(frozen=True)
class Tree:
    """What one skeleton owns: bones, coordinates, rates and followers, each a slice."""

    bones: slice
    q: slice
    v: slice
    followers: slice


@dataclass(frozen=True)
class Forest:
    """Tables of all bones, and behind them of all followers; see `layout` for the columns.

    bone     [bones, BONE_COLUMNS]   topology
    dof      [rates, DOF_COLUMNS]    structure of the mass matrix
    frame    [bones, FRAME_COLUMNS]  neutral poses [m] and axes [1]
    inertia  [bones, 10]  mass, mass * centre, inertia xx yy zz xy xz yz about the bone's origin, in its axes
    width    rates of the largest skeleton: the width of Jacobian blocks
    entries  numbers in a chain matrix
    rows     rows of `skeleton.axis`: one for every rate, then those of the followers
    """

    bone: IntArray
    dof: IntArray
    frame: FloatArray
    inertia: FloatArray
    trees: tuple[Tree, ...]
    q_count: int
    width: int
    entries: int
    rows: int

    @property
    def v_count(self) -> int:
        """Number of rates of all skeletons together."""
        return len(self.dof)


def build_forest(specs: Sequence[BoneSpec], followers: Sequence[FollowerSpec] = ()) -> Forest:
    """The tables of these bones. Parents come before children; the bones of one tree are neighbours.

    Followers come in the order of their trees, and follow hinges, universal and ball joints.
    """
    count = len(specs)
    bone = np.zeros((count + len(followers), BONE_COLUMNS), np.int64)
    rows: list[tuple[int, ...]] = []
    q_count = entries = 0
    for i, spec in enumerate(specs):
        kind, last = JOINTS[spec.joint], int(bone[spec.parent, LAST_DOF]) if spec.parent >= 0 else -1
        bone[i, PARENT], bone[i, JOINT], bone[i, TREE] = spec.parent, kind.code, spec.tree
        bone[i, ROOT] = bone[spec.parent, ROOT] if spec.parent >= 0 else i
        bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, V_COUNT] = q_count, len(rows), kind.v_count
        bone[i, ROW_FIRST], bone[i, ROW_COUNT], bone[i, FOLLOWS] = len(rows), kind.v_count, -1
        for local in range(kind.v_count):
            depth = rows[last][DEPTH] + 1 if last >= 0 else 0
            turning = kind.code == BALL or (kind.code == FREE and local >= 3)
            run = rows[last][RUN] + 1 if last >= 0 and last == len(rows) - 1 else 1
            rows.append(_dof_row(parent=last, row=entries, depth=depth, child_fixed=turning, bone=i, run=run))
            last = len(rows) - 1
            entries += depth + 1
        bone[i, LAST_DOF] = last
        q_count += kind.q_count
    dof = np.array(rows, np.int64).reshape(-1, DOF_COLUMNS)
    end = _add_followers(specs, followers, bone, len(rows))
    trees = _find_trees(specs, bone)
    width = max((tree.v.stop - tree.v.start for tree in trees), default=0)
    for tree in trees:
        # Blocks are as wide as the largest skeleton; the last ones begin earlier, not to reach past the end.
        bone[tree.bones, WINDOW] = bone[tree.followers, WINDOW] = min(tree.v.start, len(rows) - width)
    return Forest(
        bone, dof, _frames(specs, followers), _inertias(specs, len(followers)), trees, q_count=q_count, width=width,
        entries=entries, rows=end,
    )  # fmt: skip


def _add_followers(
    specs: Sequence[BoneSpec], followers: Sequence[FollowerSpec], bone: IntArray, row: int
) -> int:
    """Rows of `bone` behind the bones; returns the number of rows of `skeleton.axis`."""
    for i, follower in enumerate(followers, start=len(specs)):
        followed = bone[follower.follows]
        bone[i] = followed
        kind = BALL_FOLLOWER if followed[JOINT] == BALL else FOLLOWER
        bone[i, JOINT], bone[i, FOLLOWS], bone[i, V_COUNT] = kind, follower.follows, 0
        bone[i, ROW_FIRST] = row
        parent = specs[follower.follows].parent
        bone[i, LAST_DOF] = bone[parent, LAST_DOF] if parent >= 0 else -1
        row += int(span_rows(bone[i]))
    return row


def span_rows(bone: IntArray) -> IntArray:
    """Rows of `skeleton.axis` that bones or followers take: a follower of a ball joint has one behind its axes."""
    spans: IntArray = bone[..., ROW_COUNT] + (bone[..., JOINT] == BALL_FOLLOWER)
    return spans


def _dof_row(*, parent: int, row: int, depth: int, child_fixed: bool, bone: int, run: int) -> tuple[int, ...]:
    cells = {DOF_PARENT: parent, ROW: row, DEPTH: depth, CHILD_FIXED: int(child_fixed), BONE: bone, RUN: run}
    return tuple(cells[column] for column in range(DOF_COLUMNS))


def _find_trees(specs: Sequence[BoneSpec], bone: IntArray) -> tuple[Tree, ...]:
    trees = []
    for number in range(max((spec.tree for spec in specs), default=-1) + 1):
        mine = [i for i, spec in enumerate(specs) if spec.tree == number]
        first, last = mine[0], mine[-1]
        kind = JOINTS[specs[last].joint]
        q = slice(int(bone[first, Q_FIRST]), int(bone[last, Q_FIRST]) + kind.q_count)
        v = slice(int(bone[first, V_FIRST]), int(bone[last, V_FIRST]) + kind.v_count)
        of_tree = len(specs) + np.searchsorted(bone[len(specs) :, TREE], [number, number + 1])
        trees.append(Tree(slice(first, last + 1), q, v, slice(int(of_tree[0]), int(of_tree[1]))))
    return tuple(trees)


def _frames(specs: Sequence[BoneSpec], followers: Sequence[FollowerSpec]) -> FloatArray:
    frame = np.zeros((len(specs) + len(followers), FRAME_COLUMNS))
    for row, spec in zip(frame, specs, strict=False):
        axes = [np.asarray(axis, float) / np.linalg.norm(axis) for axis in (spec.axis, spec.second_axis)]
        rotation = np.asarray(spec.rotation, float) / np.linalg.norm(spec.rotation)
        row[:] = np.concatenate([spec.position, rotation, *axes, [1.0], spec.focus])
    for i, follower in enumerate(followers, start=len(specs)):
        frame[i, :SHARE], frame[i, SHARE] = frame[follower.follows, :SHARE], follower.share
    return frame


def _inertias(specs: Sequence[BoneSpec], followers: int) -> FloatArray:
    table = np.zeros((len(specs) + followers, 10))
    for row, spec in zip(table, specs, strict=False):
        centre = np.asarray(spec.centre, float)
        about = spec.inertia + spec.mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        entries = [about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]]
        row[:] = np.concatenate([[spec.mass], spec.mass * centre, entries])
    return table


def count_rows(bone: IntArray, dof: IntArray) -> int:
    """Rows of `skeleton.axis` with these tables."""
    return int((bone[:, ROW_FIRST] + span_rows(bone)).max(initial=len(dof)))


def neutral_coordinates(specs: Sequence[BoneSpec]) -> FloatArray:
    """q of the neutral pose: zero angles and unit quaternions."""
    q: list[float] = []
    for spec in specs:
        count = JOINTS[spec.joint].q_count
        if count in (4, 7):  # ball and free end in a quaternion
            q += [0.0] * (count - 4) + [1.0, 0.0, 0.0, 0.0]
        else:
            q += [0.0] * count
    return np.array(q)
