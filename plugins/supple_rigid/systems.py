"""The systems of free bodies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.pose import rotate
from supple.core.schedule import Bound, Call, Phase, System
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.problem import ConstraintProblem
from supple_rigid.kernels import advance_bodies, move_freely, observe_bodies, take_back_lag
from supple_rigid.layout import (
    ENDED,
    MODEL,
    NEXT,
    NEXT_TIE,
    RESPONSE,
    STATE,
    TIE,
    TURNING,
    Applied,
    Bodies,
    Ended,
    Motion,
    Observed,
    Response,
    Tie,
    Turning,
)
from supple_rigid.turning_kernels import keep_pulls


class MoveFreely(System):
    """Velocities after the step if nothing touched."""

    phase = Phase.FREE
    reads = (*MODEL, *STATE, *TIE, "run.gravity", "rigid.wrench", "rigid.force")
    writes = ("rigid.v_free", *TURNING)

    def bind(self, arrays: Bound) -> Call:
        """Bind bodies and forces."""
        bodies, motion, applied, tie, turning = (
            arrays.take(group, "rigid") for group in (Bodies, Motion, Applied, Tie, Turning)
        )
        return Call(
            move_freely, arrays.h, bodies, arrays["run.gravity"], motion, applied, tie, np.zeros((4, 3, 3)), turning,
            arrays["rigid.v_free"],
        )  # fmt: skip


class AdvanceBodies(System):
    """Row impulses change the velocities; positions follow. What joints pull is kept for the next step."""

    phase = Phase.ADVANCE
    reads = (
        *MODEL, *STATE, *TIE, *TURNING, "rigid.v_free", "rigid.impulse", "rows.problem", "rows.impulse", "rows.lag",
        "rows.lagging",
    )  # fmt: skip
    writes = (*NEXT.values(), *NEXT_TIE.values(), *ENDED)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind both states and the rows."""
        bodies, motion, tie, turning = (
            arrays.take(group, "rigid") for group in (Bodies, Motion, Tie, Turning)
        )
        response = arrays.take(Response, "rigid", **RESPONSE)
        after, tie_after = arrays.take(Motion, "rigid", **NEXT), arrays.take(Tie, "rigid", **NEXT_TIE)
        problem: ConstraintProblem = arrays.record("rows.problem")
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms")
        rigid: Any = next(each for each in mechanisms if each.name == "rigid")
        rigid_v = arrays["rigid.v"]
        return [
            Call(
                advance_bodies, arrays.h, bodies, response, motion, turning, arrays["rigid.v_free"],
                arrays["rigid.impulse"], np.zeros((3, 3)), arrays.take(Ended, "rigid"), after,
            ),
            Call(
                take_back_lag, arrays["rows.lagging"], rigid.jacobian.arrays, arrays["rows.lag"], response,
                np.zeros((2, *rigid_v.shape)), after,
            ),
            Call(
                keep_pulls, arrays.h, motion, rigid.jacobian.arrays, rigid.lever, problem.law, arrays["rows.impulse"],
                tie, after.v, tie_after,
            ),
        ]  # fmt: skip


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
                launch_next[row] = v_next[index] if touched else launch[row]
                observed[row, :4] = judge_throw(launch_next[row, :3], direction[row])
                observed[row, 4] = np.linalg.norm(launch_next[row, 3:])

        return observe


class ObserveTilts(System):
    """How far axes of bodies have turned."""

    phase = Phase.OBSERVE
    reads = ("tilt.body", "tilt.axis", "tilt.start", "rigid.q.next")
    writes = ("tilt.observed",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind bodies and axes."""
        body, axis, start, q_next = (arrays[name] for name in self.reads)
        observed = arrays["tilt.observed"]

        def observe() -> None:
            for row, index in enumerate(body):
                now = rotate(q_next[index], axis[row])
                sine, cosine = np.linalg.norm(np.cross(now, start[row])), now @ start[row]
                observed[row] = math.degrees(math.atan2(sine, cosine))

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
