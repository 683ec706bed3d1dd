"""Time and number of the step, which every scene has."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.schedule import Bound, Phase, System


class AdvanceClock(System):
    """Counts steps; the time is the step's number times its length, so that it does not drift.

    It runs first of all: who needs the time at the end of the step reads `run.time.next`. A step that is taken in
    parts counts once, when all of them are done.
    """

    phase = Phase.DETECT
    reads = ("run.step", "run.part", "run.halved")
    writes = ("run.step.next", "run.time.next", "run.part.next", "run.halved.next")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """The length of a step is that of whoever steps, `arrays.h`; it is a part where steps are halved."""
        step, part, halved = (arrays[name] for name in self.reads)
        step_next, time_next, part_next, halved_next = (arrays[name] for name in self.writes)
        length, h = arrays.build.run.step, arrays.h
        parts = round(length / h)

        def advance() -> None:
            number = step.item(0) + 1
            step_next[0] = number
            time_next[0] = number * length

        def advance_part() -> None:
            done = part.item(0) + 1
            halved_next[0] = halved[0] + (done == 1)
            part_next[0] = done % parts
            if done == parts:
                advance()
            else:
                time_next[0] = step.item(0) * length + done * h

        return advance if parts == 1 else advance_part
