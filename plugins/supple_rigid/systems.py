"""The systems of free bodies."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple_rigid.kernels import advance_bodies, move_freely, observe_bodies


class MoveFreely(System):
    """Velocities after the step if nothing touched."""

    phase = Phase.FREE
    reads = (
        "rigid.mass", "rigid.inertia", "rigid.inverse_inertia", "run.gravity", "rigid.q", "rigid.v", "rigid.wrench",
    )  # fmt: skip
    writes = ("rigid.v_free",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind bodies and forces."""
        inputs, v_free = [arrays[name] for name in self.reads], arrays["rigid.v_free"]
        h = arrays.build.run.step
        return lambda: move_freely(h, *inputs, v_free)


class AdvanceBodies(System):
    """Row impulses change the velocities; positions follow."""

    phase = Phase.ADVANCE
    reads = ("rigid.mass", "rigid.inverse_inertia", "rigid.x", "rigid.q", "rigid.v_free", "rigid.impulse")
    writes = ("rigid.x.next", "rigid.q.next", "rigid.v.next")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        h = arrays.build.run.step
        return lambda: advance_bodies(h, *inputs, *outputs)


class ObserveBodies(System):
    """Energy and metrics of all bodies."""

    phase = Phase.OBSERVE
    reads = (
        "rigid.mass", "rigid.inertia", "rigid.x_start", "run.gravity", "run.step",
        "rigid.x", "rigid.v", "rigid.q", "rigid.x_half", "rigid.wrench", "rigid.x.next", "rigid.v.next",
    )  # fmt: skip
    writes = ("rigid.observed", "rigid.x_half.next")
    adds = ("energy.before", "energy.kinetic", "energy.potential", "energy.applied")

    def __init__(self, build: Build) -> None:
        self.half_time = build.run.steps // 2

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states and the sums."""
        inputs = [arrays[name] for name in self.reads]
        outputs = [arrays[name] for name in (*self.writes, *self.adds)]
        h, half_time = arrays.build.run.step, self.half_time
        return lambda: observe_bodies(h, half_time, *inputs, *outputs)
