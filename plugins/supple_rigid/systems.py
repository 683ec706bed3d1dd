"""The systems of free bodies."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System
from supple_rigid.kernels import advance_bodies, move_freely, observe_bodies
from supple_rigid.layout import MODEL, NEXT, STATE, Applied, Bodies, Motion, Observed


class MoveFreely(System):
    """Velocities after the step if nothing touched."""

    phase = Phase.FREE
    reads = (*MODEL, *STATE, "run.gravity", "rigid.wrench", "rigid.force")
    writes = ("rigid.v_free",)

    def bind(self, arrays: Bound) -> Call:
        """Bind bodies and forces."""
        bodies, motion, applied = (arrays.take(group, "rigid") for group in (Bodies, Motion, Applied))
        return Call(
            move_freely, arrays.h, bodies, arrays["run.gravity"], motion, applied, arrays["rigid.v_free"]
        )


class AdvanceBodies(System):
    """Row impulses change the velocities; positions follow."""

    phase = Phase.ADVANCE
    reads = (*MODEL, *STATE, "rigid.v_free", "rigid.impulse")
    writes = tuple(NEXT.values())

    def bind(self, arrays: Bound) -> Call:
        """Bind both states."""
        bodies, motion = arrays.take(Bodies, "rigid"), arrays.take(Motion, "rigid")
        after = arrays.take(Motion, "rigid", **NEXT)
        return Call(
            advance_bodies, arrays.h, bodies, motion, arrays["rigid.v_free"], arrays["rigid.impulse"], after
        )


class ObserveBodies(System):
    """Energy and metrics of all bodies."""

    phase = Phase.OBSERVE
    reads = (
        *MODEL, *STATE, *NEXT.values(), "rigid.x_start", "run.gravity", "run.step", "rigid.x_half", "rigid.wrench",
        "rigid.force",
    )  # fmt: skip
    writes = ("rigid.observed", "rigid.x_half.next")
    adds = ("energy.before", "energy.kinetic", "energy.potential", "energy.applied")

    def __init__(self, build: Build) -> None:
        self.half_time = build.run.steps // 2

    def bind(self, arrays: Bound) -> Call:
        """Bind both states and the sums."""
        bodies, motion, applied = (arrays.take(group, "rigid") for group in (Bodies, Motion, Applied))
        after = arrays.take(Motion, "rigid", **NEXT)
        seen = arrays.take(Observed, "energy", observed="rigid.observed")
        return Call(
            observe_bodies, arrays.h, self.half_time, bodies, arrays["rigid.x_start"], arrays["run.gravity"],
            arrays["run.step"], motion, arrays["rigid.x_half"], applied, after, seen, arrays["rigid.x_half.next"],
        )  # fmt: skip


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
