"""Which frame a live viewer shows, and how it goes on. Frames may be added at the end at any time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Playhead:
    """A time that runs while `playing`, at `speed` times real time. `at_end` keeps to the newest frame instead."""

    def __init__(self, times: NDArray[np.float64], *, at_end: bool) -> None:
        self.times = times
        self.time = float(times[0])
        self.playing = True
        self.speed = 1.0
        self.repeats = True
        self.at_end = at_end

    @property
    def frame(self) -> int:
        """The frame nearest to the time."""
        return int(np.argmin(np.abs(self.times - self.time)))

    def seek(self, frame: int) -> None:
        """Go to a frame and stay there."""
        self.playing = self.at_end = False
        self.time = float(self.times[max(0, min(frame, len(self.times) - 1))])

    def toggle(self) -> None:
        """Play, from the start if the end is reached; or pause."""
        self.playing = not (self.playing or self.at_end)
        self.at_end = False
        if self.playing and self.time >= self.times[-1]:
            self.time = float(self.times[0])

    def pass_time(self, seconds: float) -> None:
        """Let real time pass [s]."""
        last = float(self.times[-1])
        if self.at_end:
            self.time = last
        elif self.playing:
            self.time += seconds * self.speed
            if self.time > last:
                self.time = float(self.times[0]) if self.repeats else last
                self.playing = self.repeats
