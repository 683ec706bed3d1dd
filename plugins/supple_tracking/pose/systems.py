"""The systems of pose tracking."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple_bones.force_kernels import find_gravity_force
from supple_bones.inertia_kernels import add_composites, carry_inertias
from supple_tracking.pose.kernels import drive_joints, find_pose_errors, observe_drives
from supple_tracking.pose.layout import GRAVITY

WEIGHED = (
    "skeleton.bone", "skeleton.inertia", "skeleton.x", "skeleton.rotation", "skeleton.axis", "run.gravity",
)  # fmt: skip
SHIFT = "tracking.shift"


class DriveJoints(System):
    """Forces and implicit gains of all driven joints."""

    phase = Phase.ACTUATE
    writes = ("tracking.deviation", "tracking.push")
    adds = ("skeleton.force", "skeleton.gain_p", "skeleton.gain_d")

    def __init__(self, build: Build) -> None:
        shifted = (SHIFT,) if SHIFT in build.arrays.specs else ()
        self.weighs = bool(build.arrays["tracking.gains"][:, GRAVITY].any())
        tracked = ("skeleton.bone", "skeleton.target", "skeleton.q", "tracking.gains", "skeleton.target_rate")
        self.reads = tuple(dict.fromkeys((*tracked, *shifted, *(WEIGHED if self.weighs else ()))))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind targets, state and sums."""
        bone, target, q = (arrays[f"skeleton.{name}"] for name in ("bone", "target", "q"))
        gains, rate = arrays["tracking.gains"], arrays["skeleton.target_rate"]
        shift = arrays[SHIFT] if SHIFT in self.reads else np.zeros(len(gains))
        gravity = np.zeros(len(gains))
        weigh = _bind_weight(arrays, gravity) if self.weighs else _do_nothing
        error, push = arrays["tracking.deviation"], arrays["tracking.push"]
        sums = [arrays[name] for name in self.adds]

        def drive() -> None:
            weigh()
            find_pose_errors(bone, target, q, error)
            drive_joints(gains, rate, gravity, error, shift, push, *sums)

        return drive


def _do_nothing() -> None:
    """Nobody asks for the weight."""


def _bind_weight(arrays: Bound, gravity: np.ndarray) -> Callable[[], None]:
    """What sets `gravity` to the forces that hold the bones against gravity."""
    bone, inertia, x, rotation, axis, g = (arrays[name] for name in WEIGHED)
    own, composite = np.zeros((len(bone), 10)), np.zeros((len(bone), 10))

    def weigh() -> None:
        carry_inertias(bone, inertia, x, rotation, own)
        add_composites(bone, own, composite)
        find_gravity_force(bone, g, axis, composite, gravity)

    return weigh


class ObserveJoints(System):
    """Forces that the drives really gave, and metrics."""

    phase = Phase.OBSERVE
    reads = (
        "skeleton.bone", "skeleton.dof", "tracking.gains", "tracking.limited", "tracking.push",
        "skeleton.target", "skeleton.q.next", "skeleton.v.next", "rows.impulse",
    )  # fmt: skip
    writes = ("tracking.torque", "tracking.observed")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the new state and the impulses of the rows."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        sources = arrays.build.members("row_sources")
        drives = next((source for source in sources if source.name == "tracking.drives"), None)
        error, h = np.zeros(len(arrays["tracking.gains"])), arrays.h

        def observe() -> None:
            first = drives.first if drives is not None else 0
            observe_drives(h, *inputs, first, error, *outputs)

        return observe
