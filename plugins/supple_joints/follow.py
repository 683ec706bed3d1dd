"""Grasps that close and open with phases."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System
from supple.core.settings import NEVER
from supple_joints.follow_kernels import follow_phases
from supple_joints.tables import SPANS


class FollowPhases(System):
    """Decides, when the phases of the step are known, which grasps close or open in it."""

    phase = Phase.DETECT

    def __init__(self, build: Build) -> None:
        self.flags: list[tuple[int, int, int]] = []
        for number, event in enumerate(build.having("grasp")):
            told = event.components["grasp"].while_active
            if told:
                (machines,) = build.members("phases")
                self.flags.append((number, machines.flag(*told), build.run.step_at(event.at or 0.0)))
                self.active = str(machines.active)
                self.reads = ("run.step", self.active, *SPANS)
                self.writes = tuple(name + NEXT for name in SPANS)

    def bind(self, arrays: Bound) -> list[Call]:
        """Without grasps that follow there is nothing to do."""
        if not self.flags:
            return []
        step, active = arrays["run.step"], arrays[self.active]
        first, last = (arrays[name] for name in SPANS)
        spans = (arrays[name + NEXT] for name in SPANS)
        flags = np.array(self.flags, np.int64)
        return [Call(follow_phases, flags, NEVER, step, active, first, last, *spans)]
