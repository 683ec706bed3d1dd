"""Goals: what is wanted of a quantity of the body, as rows with what they should give. README eq. (2) to (4)."""

from __future__ import annotations

from typing import Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.curves import Curve, read_curve, shape_of
from supple.math.curve_kernels import sample_curve
from supple_locomotion.body import SoftBody, Want
from supple_locomotion.clock import Clock
from supple_locomotion.components import Goal
from supple_locomotion.known import KnownPush, find_torque
from supple_locomotion.patches import Touching
from supple_locomotion.preview import Announced, Preview
from supple_qpcc.quantities import map_area_rate, measure_area
from supple_qpcc.targets import fade

GOAL_MEMORY: Final = 10
"""Numbers that a goal keeps: was it active; its value then; its value, and a part's place, when the phase began."""
WITHIN_BASE: Final = 0.85
"""Pressure stays within this part of the half base."""
CALM: Final = 0.05
"""Time [s] over which the speed of the base is smoothed: every step of muscles squeezes a soft one this way or that."""
UP: Final = np.array([0.0, 1.0, 0.0])


class BoundGoal:
    """One goal of one body. `memory` [GOAL_MEMORY] is a view of the state after the step."""

    def __init__(
        self, goal: Goal, body: SoftBody, clock: Clock, parts: dict[str, IntArray], triangles: IntArray,
        memory: FloatArray, gravity: FloatArray, pushes: list[Announced], known: list[KnownPush],
    ) -> None:  # fmt: skip
        self.goal, self.body, self.clock, self.parts, self.memory = goal, body, clock, parts, memory
        self.axes = np.array(["xyz".index(axis) for axis in goal.axes])
        self.which = parts.get(goal.part, np.zeros(0, np.int64))
        self.weight_of_body = body.mass * float(np.linalg.norm(gravity))
        self._known = known
        self._preview = Preview(pushes, goal.look_ahead) if pushes else None
        self._flags = clock.find_flags(goal.when)
        self._value, self._progress = clock.find_value(goal.value), clock.find_value(goal.progress)
        self._target, self._push = (_Track(given, len(self.axes)) for given in (goal.target, goal.push))
        self._unit = np.pi / 180.0 if goal.of == "turn" else 1.0
        self._springy = bool(goal.stiffness or goal.damping or goal.push)
        self._rows = self._make_rows(triangles)

    def _make_rows(self, triangles: IntArray) -> FloatArray:
        goal, body = self.goal, self.body
        if goal.of == "centre":
            return np.asarray(body.map_centre()[self.axes])
        if goal.of == "momentum":
            return np.asarray(body.mass * body.map_centre()[self.axes])
        if goal.of == "place":
            return np.asarray(body.map_mean(self.which)[self.axes])
        if goal.of == "offset":
            return np.asarray((body.map_mean(self.which) - body.map_mean(self.parts[goal.other]))[self.axes])
        if goal.of == "lean":
            return np.asarray((body.map_centre() - body.map_mean(self.which))[self.axes])
        inside = np.isin(triangles, self.which).all(axis=1)
        self._triangles = triangles[inside]
        return body.make_rows(len(self.axes))

    def decide(self, touching: Touching) -> Want | None:
        """What is wanted in this step; None while the goal is not active."""
        goal, clock = self.goal, self.clock
        weight = goal.weight * fade(clock.time, goal.begin, goal.end, goal.ramp)
        if weight == 0.0 or (goal.when and not any(clock.are_active(self._flags))):
            return None
        if goal.of == "balance":
            return self._balance(weight, touching)
        value = self._measure(touching)
        now = self.body.find_rates(self._rows)
        aim, rate = self._refer(value)
        push, _ = self._push.sample(clock.time)
        if self._springy:
            change = push + goal.stiffness * (aim - value) - goal.damping * now
            aim = now + clock.h * self._limit(change)
            weight /= clock.h**2
        elif goal.of not in ("momentum", "angular_momentum"):
            aim = self._limit(rate + goal.gain * (aim - value))
        return Want(self._rows, aim, np.full(len(aim), weight))

    def _limit(self, wanted: FloatArray) -> FloatArray:
        most = self.goal.limit
        return np.clip(wanted, -most, most) if most else wanted

    def _measure(self, touching: Touching) -> FloatArray:
        """The value now; rows that follow the shape are filled."""
        goal, body = self.goal, self.body
        if goal.of == "centre":
            return np.asarray(body.find_centre()[self.axes])
        if goal.of == "place":
            return np.asarray(body.x[self.which].mean(axis=0)[self.axes])
        if goal.of == "offset":
            other = body.x[self.parts[goal.other]].mean(axis=0)
            return np.asarray((body.x[self.which].mean(axis=0) - other)[self.axes])
        if goal.of == "lean":
            return np.asarray((body.find_centre() - body.x[self.which].mean(axis=0))[self.axes])
        if goal.of == "turn":
            body.fill_turn(self.which, self._rows, self.axes)
            return np.asarray(body.find_turn(self.which)[self.axes])
        if goal.of == "area":
            body.spread(self._rows)[0] = map_area_rate(body.x, self._triangles, -UP).reshape(-1, 3)
            return np.array([measure_area(body.x, self._triangles, -UP)])
        if goal.of == "angular_momentum":
            about = body.find_centre()
            if goal.about == "contacts" and len(touching.patch):
                about = touching.centre.mean(axis=0)
            body.fill_angular_momentum(about, np.eye(3)[self.axes], self._rows)
        return np.zeros(len(self.axes))

    def _refer(self, value: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where the value should be now, and at which rate that moves: README eq. (2)."""
        goal, clock, width = self.goal, self.clock, len(value)
        first, captured, other = (self.memory[1 + 3 * k : 1 + 3 * k + width] for k in range(3))
        if not self.memory[0]:
            first[:] = value
        if not self.memory[0] or clock.changed:
            captured[:] = value
            if goal.counts_from in self.parts:
                other[:] = self.body.x[self.parts[goal.counts_from]].mean(axis=0)[self.axes]
        self.memory[0] = 1.0
        origins = {"world": np.zeros(width), "start": first, "phase": captured}
        origin = origins.get(goal.counts_from, other)
        target, rate = self._target.sample(clock.time)
        if self._value is not None:
            more, its_rate = clock.read(self._value)
            target, rate = target + more, rate + its_rate
        aim, rate = origin + self._unit * target, self._unit * rate
        if self._progress is not None:
            share, its_rate = clock.read(self._progress)
            return captured + share * (aim - captured), share * rate + its_rate * (aim - captured)
        return aim, rate

    def _balance(self, weight: float, touching: Touching) -> Want:
        """Angular momentum about the middle of the base, by a pressure that stays within it: README eq. (4)."""
        goal, body, base = self.goal, self.body, self.body.x[self.which]
        middle = base.mean(axis=0)
        middle[1] = base[:, 1].min()
        half = (base.max(axis=0) - base.min(axis=0)) / 2
        lean = body.find_centre() - middle
        # Leaning along x is falling about z, and the other way round.
        body.fill_angular_momentum(middle, np.eye(3)[2 - self.axes], self._rows)
        signs = np.where(self.axes == 0, 1.0, -1.0)
        now, most = body.find_rates(self._rows), (goal.limit or WITHIN_BASE) * half[self.axes]
        force = self.weight_of_body
        if self._preview is not None:
            pressure = self._look_ahead(touching, lean, -signs * now / (body.mass * lean[1]), most)
        else:
            target, _ = self._target.sample(self.clock.time)
            strayed = lean[self.axes] - target
            wanted = goal.stiffness * body.mass * lean[1] * strayed - signs * goal.damping * now
            pressure = np.clip(strayed + wanted / force, -most, most)
        # Pressure can do nothing about the torque of a push in this step: it is no error to be made good.
        torque = find_torque(self._known, body, self.clock.time, self.clock.h, middle)[2 - self.axes]
        aim = now + self.clock.h * (signs * force * (pressure - lean[self.axes]) + torque)
        scale = force * half[self.axes] * self.clock.h
        return Want(self._rows, aim, weight / scale**2)

    def _look_ahead(
        self, touching: Touching, lean: FloatArray, speed: FloatArray, most: FloatArray
    ) -> FloatArray:
        """Pressures that prepare for what is announced: README eq. (10), (11)."""
        body, preview, force = self.body, self._preview, self.weight_of_body
        assert preview is not None
        friction = float(touching.friction.mean()) if len(touching.patch) else 0.0
        shift = preview.foresee(self.clock.time, force, friction, lean[1])
        slides = self._smooth(body.v[self.which].mean(axis=0)[self.axes])
        return np.array(
            [
                preview.plan(
                    lean[axis], speed[k] - slides[k], lean[1], force / body.mass, most[k], shift[:, axis // 2]
                )
                for k, axis in enumerate(self.axes)
            ]
        )

    def _smooth(self, speed: FloatArray) -> FloatArray:
        """The speed of the base, smoothed over time, README eq. (10); kept where other goals keep their first value."""
        kept = self.memory[1 : 1 + len(speed)]
        share = min(self.clock.h / CALM, 1.0) if self.memory[0] else 1.0
        kept += share * (speed - kept)
        self.memory[0] = 1.0
        return kept


class _Track:
    """Numbers, or curves over the time of the run."""

    def __init__(self, given: tuple[float, ...] | Curve, width: int) -> None:
        self._constant = np.zeros(width)
        self._curves: list[FloatArray] = []
        if isinstance(given, Curve):
            self._curves, self._shape = read_curve(given), shape_of(given.interpolation)
        elif given:
            self._constant[:] = given

    def sample(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Values and rates."""
        if not self._curves:
            return self._constant, np.zeros(len(self._constant))
        found = np.array([sample_curve(self._shape, 0, len(each), each, time) for each in self._curves])
        return found[:, 0], found[:, 1]
