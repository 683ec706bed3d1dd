"""Time and number of the step, which every scene has."""

from __future__ import annotations

from supple.core.schedule import Bound, Call, Phase, System


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
