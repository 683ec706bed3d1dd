"""Torques and forces on the free axes of joints that are given from Python."""

from __future__ import annotations

from supple.core.control import COMMANDED
from supple.core.schedule import Bound, Call, Each, Phase, System, Work
from supple_joints.command_kernels import drive_axes
from supple_joints.tables import LINKS, Links

COMMAND = "joints.command"


class DriveAxes(System):
    """Adds what drives the free axes of joints to the frames of both sides; until there is some, nothing runs."""

    phase = Phase.ACTUATE
    reads = (COMMAND, COMMANDED, *LINKS, "joints.axes", "joints.point", Each("carriers", "position"))
    adds = (Each("carriers", "wrench"),)

    def bind(self, arrays: Bound) -> Work:
        """One call for every carrier, if anything was commanded."""
        if not arrays[COMMANDED][0]:
            return []
        links = arrays.take(Links, "joints")
        axes, point = arrays["joints.axes"], arrays["joints.point"]
        return [
            Call(
                drive_axes, number, links, arrays[COMMAND], axes, point, arrays[carrier.position],
                arrays[carrier.wrench],
            )
            for number, carrier in enumerate(arrays.build.members("carriers"))
        ]  # fmt: skip
