"""Time and number of the step, which every scene has."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.schedule import Bound, Phase, System


class AdvanceClock(System):
    """Counts steps; the time is the step's number times its length, so that it does not drift."""

    phase = Phase.ADVANCE
    reads = ("run.step",)
    writes = ("run.step.next", "run.time.next")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """The length of a step is that of whoever steps, `arrays.h`."""
        step, step_next, time_next = arrays["run.step"], arrays["run.step.next"], arrays["run.time.next"]
        length = arrays.h

        def advance() -> None:
            number = step.item(0) + 1
            step_next[0] = number
            time_next[0] = number * length

        return advance
