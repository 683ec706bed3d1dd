"""The systems that sample motions."""

from __future__ import annotations

from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple_motion.sample_kernels import find_rates, sample_phased_tracks, sample_targets, sample_tracks

TABLES, PHASE_TABLES = ("start", "track", "clock", "segment"), ("phase_track", "phase_segment")
PHASES = ("phases.current.next", "phases.time", "phases.duration")


class SampleTargets(System):
    """Reference coordinates and rates of all bones of one owner; nothing if nobody asked for them."""

    phase = Phase.DETECT
    owner = ""

    def __init__(self, build: Build) -> None:
        targets = next((member for member in build.members("targets") if member.name == self.owner), None)
        self.has_phases = False
        if targets is None or not targets.is_sampled:
            return
        self.has_phases = len(build.arrays[f"motion.{self.owner}_phase_track"]) > 0
        tables = (*TABLES, *PHASE_TABLES) if self.has_phases else TABLES
        self.reads = (
            f"{self.owner}.bone",
            *(f"motion.{self.owner}_{table}" for table in tables),
            "run.time",
            "run.time.next",
            *(PHASES if self.has_phases else ()),
        )
        self.writes = (targets.now, targets.target, targets.rate)

    def bind(self, arrays: Bound) -> Work:
        """Bind the tracks."""
        if not self.writes:
            return []
        bone = arrays[f"{self.owner}.bone"]
        start, track, clock, segment = (arrays[f"motion.{self.owner}_{table}"] for table in TABLES)
        now, target, rate = (arrays[str(name)] for name in self.writes)
        h, time, time_next = arrays.h, arrays["run.time"], arrays["run.time.next"]
        if not self.has_phases:
            return Call(
                sample_targets, h, bone, start, track, clock, segment, time, time_next, now, target, rate
            )
        phased = [arrays[f"motion.{self.owner}_{table}"] for table in PHASE_TABLES]
        return [
            Call(sample_tracks, start, track, clock, segment, time, time_next, now, target),
            Call(sample_phased_tracks, h, *phased, *(arrays[name] for name in PHASES), now, target),
            Call(find_rates, h, bone, now, target, rate),
        ]


class SampleSkeleton(SampleTargets):
    """Targets of all skeletons."""

    owner = "skeleton"


class SampleGhost(SampleTargets):
    """Targets of all ghost skeletons."""

    owner = "ghost"
