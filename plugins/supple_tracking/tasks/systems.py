"""The systems of points and pressures."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.schedule import Bound, Call, Phase, System
from supple.mechanics.owners import Owners
from supple_skeleton.mechanism import Skeletons
from supple_tracking.pose.kernels import find_pose_errors
from supple_tracking.tasks.kernels import (
    bound_shift,
    fill_task_rows,
    observe_misses,
    sample_desired,
    solve_least_squares,
)
from supple_tracking.tasks.pressure_kernels import find_yielding, observe_pressure
from supple_tracking.tasks.tables import (
    CONTACTS,
    LIMBS,
    PADS,
    TASKS,
    PressingContacts,
    take_limbs,
    take_pads,
    take_tasks,
)


class ShiftPose(System):
    """Where the tasks should be at the end of the step, and the shift of the pose that brings them there."""

    phase = Phase.ACTUATE
    reads = (
        *LIMBS, *TASKS, *PADS, "tracking.track", "tracking.clock", "tracking.segment", "tracking.largest",
        "run.time.next", "skeleton.target", "skeleton.q",
    )  # fmt: skip
    writes = ("tracking.desired", "tracking.shift")

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind tasks, poses and scratch."""
        limbs, tasks, pads = take_limbs(arrays), take_tasks(arrays), take_pads(arrays)
        track, clock, segment = (arrays[f"tracking.{name}"] for name in ("track", "clock", "segment"))
        desired, shift, largest = (arrays[f"tracking.{name}"] for name in ("desired", "shift", "largest"))
        rows, rates = 3 * len(tasks.shape), len(limbs.dof)
        J, miss, error, yielded = np.zeros((rows, rates)), np.zeros(rows), np.zeros(rates), np.zeros(rates)
        S, y, peak = np.zeros((rows, rows)), np.zeros(rows), np.zeros(len(largest))
        return [
            Call(sample_desired, track, clock, segment, arrays["run.time.next"], desired),
            Call(find_pose_errors, limbs.bone, arrays["skeleton.target"], arrays["skeleton.q"], error),
            Call(find_yielding, limbs, pads, error, yielded),
            Call(fill_task_rows, limbs, tasks, pads, desired, error, yielded, J, miss),
            Call(solve_least_squares, tasks.shape, J, miss, S, y, shift),
            Call(bound_shift, limbs.bone, limbs.dof, largest, peak, shift),
        ]


class ObserveTasks(System):
    """How far points, turns and centres of pressure are from their targets after the step."""

    phase = Phase.OBSERVE
    reads = (*TASKS, *PADS, "skeleton.x.next", "skeleton.rotation.next", "tracking.desired")
    writes = ("tracking.miss",)

    def bind(self, arrays: Bound) -> Call:
        """Bind targets and new poses."""
        return Call(
            observe_misses, take_tasks(arrays), take_pads(arrays), arrays["skeleton.x.next"],
            arrays["skeleton.rotation.next"], arrays["tracking.desired"], arrays["tracking.miss"],
        )  # fmt: skip


class ObservePressure(System):
    """Normal forces on the bones whose pressure is asked for, and their centres, for the next step."""

    phase = Phase.OBSERVE
    reads = (
        *(f"owners.{name}" for name in Owners._fields), *CONTACTS, "tracking.pad", "tracking.pad_of_bone",
        "skeleton.x", "skeleton.rotation",
    )  # fmt: skip
    writes = tuple(name + NEXT for name in PADS[1:])

    def bind(self, arrays: Bound) -> Call:
        """Bind contacts and bones."""
        number = [carrier.name for carrier in arrays.build.members("carriers")].index(Skeletons.name)
        return Call(
            observe_pressure, number, arrays.take(Owners, "owners"), arrays.take(PressingContacts, "contacts"),
            arrays["tracking.pad_of_bone"], arrays["skeleton.x"], arrays["skeleton.rotation"], take_pads(arrays, NEXT),
        )  # fmt: skip
