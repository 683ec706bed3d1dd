"""The systems of pose tracking."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System
from supple_bones.force_kernels import find_gravity_force
from supple_bones.inertia_kernels import add_composites, carry_inertias
from supple_tracking.pose.kernels import book_drives, drive_joints, find_pose_errors, observe_drives
from supple_tracking.pose.layout import GRAVITY
from supple_tracking.pose.rows import LimitedDrives
from supple_tracking.pose.tables import DRIVES, Actuation, DriveBalance, name_shift, take_drives

TRACKED = (
    "skeleton.bone", "skeleton.dof", "skeleton.target", "skeleton.q", "skeleton.v", "tracking.gains",
    "tracking.limited", "skeleton.target_rate", "skeleton.response",
)  # fmt: skip
WEIGHED = (
    "skeleton.bone", "skeleton.inertia", "skeleton.x", "skeleton.rotation", "skeleton.axis", "run.gravity",
)  # fmt: skip


class DriveJoints(System):
    """Forces and implicit gains of all driven joints."""

    phase = Phase.ACTUATE
    writes = ("tracking.deviation", "tracking.push")
    adds = tuple(f"skeleton.{name}" for name in Actuation._fields)

    def __init__(self, build: Build) -> None:
        shifted = name_shift(build)
        self.weighs = bool(build.arrays["tracking.gains"][:, GRAVITY].any())
        self.reads = tuple(dict.fromkeys((*TRACKED, *shifted, *(WEIGHED if self.weighs else ()))))

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind targets, state and sums."""
        drives = take_drives(arrays)
        gravity = np.zeros(len(drives.gains))
        return [
            *(weigh_bones(arrays, gravity) if self.weighs else ()),
            Call(
                find_pose_errors, arrays["skeleton.bone"], arrays["skeleton.target"], arrays["skeleton.q"],
                drives.deviation,
            ),
            Call(
                drive_joints, arrays.h, drives, gravity, arrays["skeleton.v"], arrays["tracking.push"],
                arrays.take(Actuation, "skeleton"),
            ),
        ]  # fmt: skip


def weigh_bones(arrays: Bound, gravity: FloatArray) -> list[Call]:
    """What sets `gravity` to the forces that hold the bones against gravity."""
    bone, axis = arrays["skeleton.bone"], arrays["skeleton.axis"]
    x, rotation = arrays["skeleton.x"], arrays["skeleton.rotation"]
    own, composite = np.zeros((len(bone), 10)), np.zeros((len(bone), 10))
    return [
        Call(carry_inertias, bone, arrays["skeleton.inertia"], x, rotation, own),
        Call(add_composites, bone, own, composite),
        Call(find_gravity_force, bone, arrays["run.gravity"], axis, composite, gravity),
    ]


class ObserveJoints(System):
    """Forces that the drives really gave, and metrics."""

    phase = Phase.OBSERVE
    writes = ("tracking.torque", "tracking.observed", "tracking.stored.next")
    adds = tuple(f"energy.{name}" for name in DriveBalance._fields)

    def __init__(self, build: Build) -> None:
        self.reads = (
            *DRIVES, *name_shift(build), "skeleton.target", "skeleton.q.next", "skeleton.v", "skeleton.v.next",
            "rows.impulse", "run.time", "tracking.stored",
        )  # fmt: skip

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the new state and the impulses of the rows."""
        drives = take_drives(arrays)
        sources = arrays.build.members("row_sources")
        first = next(
            (each.first for each in sources if each.name == LimitedDrives.name), np.zeros(1, np.int64)
        )
        v, v_next = arrays["skeleton.v"], arrays["skeleton.v.next"]
        return [
            Call(
                observe_drives, arrays.h, first, drives, arrays["skeleton.target"], arrays["skeleton.q.next"], v_next,
                arrays["rows.impulse"], np.zeros(len(drives.gains)), arrays["tracking.torque"],
                arrays["tracking.observed"],
            ),
            Call(
                book_drives, arrays.h, arrays["run.time"], drives, v, v_next, arrays["tracking.stored"],
                arrays["tracking.stored.next"], arrays.take(DriveBalance, "energy"),
            ),
        ]  # fmt: skip
