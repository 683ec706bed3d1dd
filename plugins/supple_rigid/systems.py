"""The systems of free bodies."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
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
        h = arrays.h
        return bind_kernel(move_freely, h, *inputs, v_free)


class AdvanceBodies(System):
    """Row impulses change the velocities; positions follow."""

    phase = Phase.ADVANCE
    reads = ("rigid.mass", "rigid.inverse_inertia", "rigid.x", "rigid.q", "rigid.v_free", "rigid.impulse")
    writes = ("rigid.x.next", "rigid.q.next", "rigid.v.next")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        h = arrays.h
        return bind_kernel(advance_bodies, h, *inputs, *outputs)


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
        h, half_time = arrays.h, self.half_time
        return bind_kernel(observe_bodies, h, half_time, *inputs, *outputs)


class ObserveAims(System):
    """How bodies were thrown."""

    phase = Phase.OBSERVE
    reads = ("aim.body", "aim.direction", "aim.launch", "rigid.impulse", "rigid.v.next")
    writes = ("aim.launch.next", "aim.observed")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind bodies and directions."""
        body, direction, launch, impulse, v_next = (arrays[name] for name in self.reads)
        launch_next, observed = (arrays[name] for name in self.writes)

        def observe() -> None:
            for row, index in enumerate(body):
                touched = bool(np.any(impulse[index]))
                launch_next[row] = v_next[index, :3] if touched else launch[row]
                observed[row] = judge_throw(launch_next[row], direction[row])

        return observe


def judge_throw(velocity: FloatArray, direction: FloatArray) -> tuple[float, float, float, float]:
    """Angles [deg] between the two: all of it, about the vertical, in steepness; and the speed [m/s].

    What does not move misses by a right angle.
    """
    speed = float(np.linalg.norm(velocity))
    if speed == 0.0:
        return 90.0, 90.0, 90.0, 0.0
    x, y, z = velocity / speed
    a, b, c = direction / np.linalg.norm(direction)
    across = float(np.linalg.norm(np.cross((x, y, z), (a, b, c))))
    along = float(x * a + y * b + z * c)
    aside = math.atan2(c * x - a * z, a * x + c * z)
    above = math.atan2(y, math.hypot(x, z)) - math.atan2(b, math.hypot(a, c))
    return math.degrees(math.atan2(across, along)), math.degrees(aside), math.degrees(above), speed
