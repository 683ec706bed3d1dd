"""The systems of points and pressures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Call, Phase, System
from supple.mechanics.owners import Owners
from supple_motion.sample_kernels import sample_track
from supple_skeleton.mechanism import Skeletons
from supple_tracking.pose.kernels import find_pose_errors
from supple_tracking.tasks.kernels import bound_shift, fill_task_rows, observe_misses, solve_least_squares
from supple_tracking.tasks.pressure_kernels import add_yielding, observe_pressure


class ShiftPose(System):
    """Where the tasks should be at the end of the step, and the shift of the pose that brings them there."""

    phase = Phase.ACTUATE
    reads = (
        "skeleton.bone", "skeleton.dof", "tracking.gains", "tracking.task", "tracking.task_shape",
        "skeleton.x", "skeleton.rotation", "skeleton.axis", "tracking.pad_point", "tracking.pad_force",
        "tracking.track", "tracking.clock", "tracking.segment", "tracking.largest", "run.time.next",
        "skeleton.target", "skeleton.q", "tracking.pad", "tracking.pad_load",
    )  # fmt: skip
    writes = ("tracking.desired", "tracking.shift")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind tasks, poses and scratch."""
        bone, dof, shape = arrays["skeleton.bone"], arrays["skeleton.dof"], arrays["tracking.task_shape"]
        made = [arrays[name] for name in self.reads[:10]]
        tracks = [arrays[f"tracking.{name}"] for name in ("track", "clock", "segment")]
        end, largest = arrays["run.time.next"], arrays["tracking.largest"]
        target, q = arrays["skeleton.target"], arrays["skeleton.q"]
        desired, shift = (arrays[name] for name in self.writes)
        rows = 3 * len(shape)
        pad, load = arrays["tracking.pad"], arrays["tracking.pad_load"]
        gains, axis, point = arrays["tracking.gains"], arrays["skeleton.axis"], arrays["tracking.pad_point"]
        x, rotation = arrays["skeleton.x"], arrays["skeleton.rotation"]
        J, miss, error, yielded = (
            np.zeros((rows, len(dof))),
            np.zeros(rows),
            np.zeros(len(dof)),
            np.zeros(len(dof)),
        )
        S, y, peak = np.zeros((rows, rows)), np.zeros(rows), np.zeros(len(largest))

        def shift_pose() -> None:
            for n in range(len(tracks[0])):
                sample_track(*tracks, n, end.item(0), desired)
            find_pose_errors(bone, target, q, error)
            yielded[:] = error
            add_yielding(bone, dof, gains, pad, x, rotation, axis, point, load, yielded)
            fill_task_rows(*made, desired, error, yielded, J, miss)
            solve_least_squares(shape, J, miss, S, y, shift)
            bound_shift(bone, dof, largest, peak, shift)

        return shift_pose


class ObserveTasks(System):
    """How far points, turns and centres of pressure are from their targets after the step."""

    phase = Phase.OBSERVE
    reads = (
        "tracking.task", "tracking.task_shape", "tracking.pad_point", "tracking.pad_force",
        "skeleton.x.next", "skeleton.rotation.next", "tracking.desired",
    )  # fmt: skip
    writes = ("tracking.miss",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind targets and new poses."""
        inputs, miss = [arrays[name] for name in self.reads], arrays["tracking.miss"]
        return bind_kernel(observe_misses, *inputs, miss)


class ObservePressure(System):
    """Normal forces on the bones whose pressure is asked for, and their centres, for the next step."""

    phase = Phase.OBSERVE
    owners = tuple(f"owners.{name}" for name in Owners._fields)
    inputs = (
        "tracking.pad", "tracking.pad_of_bone", "skeleton.x", "skeleton.rotation",
        "contacts.count", "contacts.surface", "contacts.element", "contacts.point", "contacts.normal",
        "contacts.force",
    )  # fmt: skip
    reads = (*owners, *inputs)
    writes = ("tracking.pad_point.next", "tracking.pad_force.next", "tracking.pad_load.next")

    def bind(self, arrays: Bound) -> Call:
        """Bind contacts and bones."""
        number = [carrier.name for carrier in arrays.build.members("carriers")].index(Skeletons.name)
        others = (arrays[name] for name in (*self.inputs, *self.writes))
        return Call(observe_pressure, arrays.take(Owners, "owners"), number, *others)
