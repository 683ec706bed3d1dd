"""How long each system takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
        self.reset()

    def reset(self) -> None:
        """Start counting anew, for instance after kernels were compiled."""
        self.nanoseconds = [0] * len(self.names)
        self.steps = 0

    def table(self) -> list[SystemTime]:
        """The systems in the order of the schedule."""
        per_step = max(self.steps, 1)
        return [
            SystemTime(name, spent * 1e-9, spent * 1e-3 / per_step)
            for name, spent in zip(self.names, self.nanoseconds, strict=True)
        ]
