"""Time and number of the step, which every scene has."""

from __future__ import annotations

from typing import Final

import numpy as np

from supple.core.build import Build
from supple.core.control import COMMANDED, WATCHED
from supple.core.schedule import Bound, Call, Phase, System

#: The State array that counts doubtful steps which were divided in vain.
VAIN: Final = "run.vain"


class AdvanceClock(System):
    """Counts steps; the time is the step's number times its length, so that it does not drift.

    It runs first of all: who needs the time at the end of the step reads `run.time.next`. A step that is taken in
    parts counts once, when all of them are done.
    """

    phase = Phase.DETECT
    reads = ("run.step", "run.part", "run.halved")
    writes = ("run.step.next", "run.time.next", "run.part.next", "run.halved.next")

    def bind(self, arrays: Bound) -> Call:
        """The length of a step is that of whoever steps, `arrays.h`; it is a part where steps are halved."""
        from supple.core.clock_kernels import advance_clock, advance_part  # numba takes a second to import

        own = tuple(arrays[name] for name in (*self.reads, *self.writes))
        length, h = arrays.build.run.step, arrays.h
        parts = round(length / h)
        return Call(advance_clock, length, *own) if parts == 1 else Call(advance_part, length, h, parts, *own)


def declare_clock(build: Build) -> None:
    """Declare what every world has: time, and what it was told."""
    build.add_state("run.time", [0.0], unit="s", doc="Simulated time.")
    build.add_state("run.step", [0], unit="1", doc="Number of the step.", dtype=np.int64)
    doc = "Parts that are done of a step that is taken in parts; 0 between steps."
    build.add_state("run.part", [0], unit="1", doc=doc, dtype=np.int64)
    build.add_state("run.halved", [0.0], unit="1", doc="Steps that had to be taken in parts so far.")
    doc = "Steps so far in which things were deep in each other, by the measure of who finds contacts."
    build.add_state("run.deep", [0.0], unit="1", doc=doc)
    build.step_counters.append("run.deep")
    doc = "Doubtful steps whose parts did no better, less those whose parts did."
    build.add_state(VAIN, [0], unit="1", doc=doc, dtype=np.int64)
    doc = "Not 0 where the step is to be run again from its start, with what was found out."
    build.add_step("run.again", (1,), unit="1", doc=doc, dtype=np.int64)
    doc = "Not 0 once a force or torque was given from Python."
    build.add_state(COMMANDED, [0], unit="1", doc=doc, dtype=np.int64, bounds=(0, 1))
    doc = "Not 0 once contacts were asked for from Python."
    build.add_state(WATCHED, [0], unit="1", doc=doc, dtype=np.int64, bounds=(0, 1))
    doc = "Acceleration of free fall."
    build.add_model("run.gravity", build.run.gravity, unit="m/s^2", doc=doc, plain=True)
