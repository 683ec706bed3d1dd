"""The arrays of a tree of bones in groups, as kernels take them. Each field has the name of its array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from supple.core.arrays import NEXT, Array, FloatArray, IntArray
from supple.core.schedule import Bound


class Bones(NamedTuple):
    """The tables of a forest; `layout` has their columns."""

    bone: IntArray
    dof: IntArray
    frame: FloatArray


class Motion(NamedTuple):
    """Coordinates, rates, and all that follows from them without masses; shapes in `kinematics_kernels`."""

    q: FloatArray
    v: FloatArray
    x: FloatArray
    rotation: FloatArray
    twist: FloatArray
    axis: FloatArray
    axis_rate: FloatArray
    spatial_velocity: FloatArray


class Limits(NamedTuple):
    """limit [limits, 3]: kind, bone, place of the coordinate within the joint. bound [limits]: where it is [rad, m]."""

    limit: IntArray
    bound: FloatArray


class RowActs(NamedTuple):
    """Where blocks of rows act: bone, -1 for blocks that turn or drive; weight, moment about its origin, directions."""

    frame: IntArray  # [blocks]
    weight: FloatArray  # [blocks] with its sign
    moment: FloatArray  # [blocks, 3] m, in the world, with its sign
    directions: FloatArray  # [blocks, 3, 3]


def name_arrays(group: type[NamedTuple], owner: str, suffix: str = "") -> tuple[str, ...]:
    """The arrays that a group takes from this owner, to be declared."""
    return tuple(f"{owner}.{field}{suffix}" for field in group._fields)


def take_next_motion(arrays: Bound, owner: str) -> Motion:
    """The motion as it is after the step."""
    return arrays.take(Motion, owner, **{field: f"{owner}.{field}{NEXT}" for field in Motion._fields})


def follow_coordinates(arrays: Mapping[str, Array], owner: str) -> None:
    """Bring everything up to date that follows from coordinates and rates, after somebody has set these by hand.

    `arrays` are those of a world; within a step the mechanism does it.
    """
    from supple_bones.kinematics_kernels import follow_state

    names = (*name_arrays(Bones, owner), *name_arrays(Motion, owner))
    follow_state(*(arrays[name] for name in names))
