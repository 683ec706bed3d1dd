"""The systems that sample motions."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Phase, System
from supple_motion.sample_kernels import sample_targets


class SampleTargets(System):
    """Reference coordinates and rates of all bones of one owner; nothing in scenes without such bones."""

    phase = Phase.DETECT
    owner = ""

    def __init__(self, build: Build) -> None:
        if f"{self.owner}.target" in build.arrays.specs:
            self.reads = (
                f"{self.owner}.bone",
                *(f"motion.{self.owner}_{table}" for table in ("start", "track", "clock", "segment")),
                "run.time",
                "run.time.next",
            )
            self.writes = tuple(f"{self.owner}.{name}" for name in ("target_now", "target", "target_rate"))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the tracks."""
        if not self.writes:
            return lambda: None
        inputs, outputs = (
            [arrays[str(name)] for name in self.reads],
            [arrays[str(name)] for name in self.writes],
        )
        h = arrays.h
        return bind_kernel(sample_targets, h, *inputs, *outputs)


class SampleSkeleton(SampleTargets):
    """Targets of all skeletons."""

    owner = "skeleton"


class SampleGhost(SampleTargets):
    """Targets of all ghost skeletons."""

    owner = "ghost"
