"""How long each system takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import IntArray


@dataclass(frozen=True)
class SystemTime:
    """The time of one system: all steps together [s], and one step on average [us]."""

    name: str
    seconds: float
    microseconds_per_step: float


class Timing:
    """Accumulated wall time per system."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        #: By system, and what is done around them. Compiled code adds to it, so it stays the same array.
        self.nanoseconds: IntArray = np.zeros(len(self.names) + 1, np.int64)
        self.steps = 0

    def reset(self) -> None:
        """Start counting anew, for instance after kernels were compiled."""
        self.nanoseconds.fill(0)
        self.steps = 0

    def table(self) -> list[SystemTime]:
        """The systems in the order of the schedule."""
        per_step = max(self.steps, 1)
        return [
            SystemTime(name, spent * 1e-9, spent * 1e-3 / per_step)
            for name, spent in zip(self.names, self.nanoseconds[:-1].tolist(), strict=True)
        ]
