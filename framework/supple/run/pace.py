"""Doing something every so many seconds of wall time without asking the clock at every step."""

from __future__ import annotations

import time
from collections.abc import Callable

_GLANCES = 4
# Who looks at every step, as progress of long runs does, doubles its stride each time for nothing.
_LONGEST = 1 << 30


class Pace:
    """Says when the next moment has come, looking at the clock a few times per interval only.

    The number of steps between two looks follows the speed of the run; it at most doubles each time, so that
    a run that turns slow is noticed.
    """

    def __init__(self, interval: float, first: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._interval, self._clock = interval, clock
        self._looked = clock()
        self._next = self._looked + first
        self._stride = 1

    def look(self) -> bool:
        """Look at the clock: is it time? Called `stride` steps after the last look."""
        now = self._clock()
        spent = max(now - self._looked, 1e-9)
        wanted = self._stride * self._interval / (_GLANCES * spent)
        self._stride = max(1, int(min(2 * self._stride, wanted, _LONGEST)))
        self._looked = now
        if now < self._next:
            return False
        self._next = now + self._interval
        return True

    @property
    def stride(self) -> int:
        """Steps until the next look."""
        return self._stride
