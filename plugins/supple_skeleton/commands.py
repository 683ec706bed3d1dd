"""Torques of joints that are given from Python."""

from __future__ import annotations

from supple.core.control import COMMANDED
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple_skeleton.command_kernels import add_commands

COMMAND = "skeleton.command"


class ApplyCommands(System):
    """Adds the torques that were given from Python; until there are some it has nothing to do."""

    phase = Phase.ACTUATE
    reads = (COMMAND, COMMANDED)
    adds = ("skeleton.force",)

    def bind(self, arrays: Bound) -> Work:
        """Bind both arrays, if anything was commanded."""
        if not arrays[COMMANDED][0]:
            return []
        return Call(add_commands, arrays[COMMAND], arrays["skeleton.force"])
