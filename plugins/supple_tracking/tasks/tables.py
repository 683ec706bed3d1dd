"""The arrays of tasks, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Bound


class Limbs(NamedTuple):
    """Where all bones are, and which of their rates are driven."""

    bone: IntArray
    dof: IntArray
    axis: FloatArray
    x: FloatArray
    rotation: FloatArray
    gains: FloatArray  # [rates, GAIN_COLUMNS]


class TaskTable(NamedTuple):
    """All tasks; columns in layout.py."""

    task: IntArray
    shape: FloatArray


class Pads(NamedTuple):
    """Bones whose pressure is asked for, each [pads]."""

    bone: IntArray
    point: FloatArray  # [pads, 3] centre of pressure in the bone's frame [m]
    force: FloatArray  # sum of the normal forces [N]
    load: FloatArray  # [pads, 3] their vector in the world [N]


class PressingContacts(NamedTuple):
    """The contacts of the step, and their forces."""

    count: IntArray  # type: ignore[assignment]  # hides tuple.count, which nobody needs
    surface: IntArray
    element: IntArray
    point: FloatArray
    normal: FloatArray
    force: FloatArray


LIMBS = (
    "skeleton.bone", "skeleton.dof", "skeleton.axis", "skeleton.x", "skeleton.rotation", "tracking.gains",
)  # fmt: skip
TASKS = ("tracking.task", "tracking.task_shape")
PADS = ("tracking.pad", "tracking.pad_point", "tracking.pad_force", "tracking.pad_load")
CONTACTS = tuple(f"contacts.{name}" for name in PressingContacts._fields)


def take_limbs(arrays: Bound) -> Limbs:
    """The bones at the start of the step."""
    return arrays.take(Limbs, "skeleton", gains="tracking.gains")


def take_tasks(arrays: Bound) -> TaskTable:
    """All tasks."""
    return arrays.take(TaskTable, "tracking", shape="tracking.task_shape")


def take_pads(arrays: Bound, end: str = "") -> Pads:
    """What pressed in the last step; with `.next`, what presses in this one."""
    return Pads(
        bone=arrays["tracking.pad"],
        point=arrays[f"tracking.pad_point{end}"],
        force=arrays[f"tracking.pad_force{end}"],
        load=arrays[f"tracking.pad_load{end}"],
    )
