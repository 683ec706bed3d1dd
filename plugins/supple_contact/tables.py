"""The arrays of contact rows, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class GroupLaws(NamedTuple):
    """What a contact sets of its group in the problem; see `ConstraintProblem`."""

    law: IntArray
    size: IntArray
    friction: FloatArray
    restitution: FloatArray
    gap: FloatArray
    key: IntArray


class Recovery(NamedTuple):
    """The settings of the bias; see `Contact`."""

    recovery: float
    recovery_speed: float
    bounce_speed: float


class LastGaps(NamedTuple):
    """Contacts of the last step and the gaps that it led to, if any overlapped: arrays `contact.*`."""

    last_count: IntArray
    last_key: IntArray
    last_expected: FloatArray


class RowContacts(NamedTuple):
    """The contacts of the step with their groups, directions and sides: arrays `contacts.*`."""

    count: IntArray  # type: ignore[assignment]  # hides tuple.count, which nobody needs
    group: IntArray
    directions: FloatArray
    surface: IntArray
    element: IntArray
    point: FloatArray


LAST = tuple(f"contact.{name}" for name in LastGaps._fields)


class ContactSides(NamedTuple):
    """The contacts of the step and what their sides are on: arrays `contacts.*`."""

    count: IntArray  # type: ignore[assignment]
    surface: IntArray
    element: IntArray
    key: IntArray


class Lengths(NamedTuple):
    """Torque by normal force of the owners of elements [m]: arrays `contact.*`."""

    spinning: FloatArray
    rolling: FloatArray


class TorqueRows(NamedTuple):
    """Groups from span[0] on, span[1] of them: the contact of each, and whether it is of rolling (1) or not (0)."""

    span: IntArray
    contact: IntArray
    rolls: IntArray


class PatchTable(NamedTuple):
    """The patches of one surface that bends."""

    first: int  # number of its first patch
    triangles: IntArray  # [nt, 3]
    start: IntArray  # [nv + 1] where the triangles of a vertex begin in `around`
    around: IntArray
    cell: IntArray  # [nv] patch of a vertex, from 0 on


class Merged(NamedTuple):
    """The contacts of a step after those of a patch have become one; `Contacts` says what the fields are."""

    count: IntArray  # type: ignore[assignment]  # [1]
    key: IntArray
    normal: FloatArray
    gap: FloatArray
    friction: FloatArray
    restitution: FloatArray
    patch: IntArray  # [n] number of the patch, or -1
    other: IntArray  # [n] what it touches
    leader: IntArray  # [n] the first of its contacts
    area: FloatArray  # [n] that presses [m^2]
