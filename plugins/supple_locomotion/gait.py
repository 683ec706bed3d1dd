"""Walking: which foot goes where, and where the body is meanwhile. README eq. (5) to (7)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_locomotion.body import SoftBody, Want, turn_about_y
from supple_locomotion.clock import Clock
from supple_locomotion.components import Gait

ANKLE_AXES = np.array([0, 2])
NO_PEAK = 1e9
"""Before any step is done."""
STANDING_ANKLE = 0.25
"""Of the weight of a swinging foot's rotation."""


class GaitMemory(NamedTuple):
    """What a gait keeps from step to step: views of the state after the step."""

    started: FloatArray  # [1] 1 once it has begun
    begin: FloatArray  # [1] when [s]
    height: FloatArray  # [1] of the centre of mass then [m]
    reference: FloatArray  # [3] where the centre of mass should be [m]
    leave: FloatArray  # [3] where that was when the phase began
    reach: FloatArray  # [3] where it should be when the body has moved
    middle: FloatArray  # [3] mean of the feet when the phase began
    ground: FloatArray  # [1] height of the ground then
    offset: FloatArray  # [feet, 3] of the feet from their mean at the start
    start: FloatArray  # [feet, 3] feet when the phase began
    low: FloatArray  # [feet] lowest vertices then
    swings: FloatArray  # [feet] 1 for those that swing in this phase
    landed: FloatArray  # [feet] 1 once they have landed again
    peak: FloatArray  # [feet] how high their lowest vertices have been, above `low`
    load: FloatArray  # [feet] as a part of the weight, before they are unloaded
    steps: FloatArray  # [2] steps that are done, and the least peak of them

    @staticmethod
    def shapes(feet: int) -> dict[str, tuple[int, ...]]:
        """Shapes of all fields."""
        single = {"started": (1,), "begin": (1,), "height": (1,), "ground": (1,), "steps": (2,)}
        vectors: dict[str, tuple[int, ...]] = dict.fromkeys(("reference", "leave", "reach", "middle"), (3,))
        of_feet: dict[str, tuple[int, ...]] = {"offset": (feet, 3), "start": (feet, 3)}
        of_feet |= dict.fromkeys(("low", "swings", "landed", "peak", "load"), (feet,))
        every = {**single, **vectors, **of_feet}
        return {name: every[name] for name in GaitMemory._fields}


class Stride(NamedTuple):
    """What a gait asks for in a step."""

    want: Want
    leaving: list[int]  # feet that should leave the ground now
    unloaded: dict[int, float]  # loads of feet as parts of the weight, that are wanted


class BoundGait:
    """The gait of one body."""

    def __init__(
        self, gait: Gait, body: SoftBody, clock: Clock, parts: dict[str, IntArray], period: float,
        memory: GaitMemory,
    ) -> None:  # fmt: skip
        self.gait, self.body, self.clock, self.memory, self.period = gait, body, clock, memory, period
        self.soles, self.ankles = ([parts[name] for name in names] for names in (gait.feet, gait.ankles))
        self.trunk = parts[gait.trunk]
        ahead = np.array([gait.heading[0], 0.0, gait.heading[2]])
        self.ahead = ahead / np.linalg.norm(ahead)
        self._flags = clock.find_flags(gait.feet)
        self._values = {
            name: place
            for name in ("shift", "forward", "lift", "unload", "advance")
            if (place := clock.find_value(name, needed=False)) is not None
        }
        self._rows = body.make_rows(6 + 5 * len(gait.feet))
        self._rows[:3] = body.map_centre()
        for foot, sole in enumerate(self.soles):
            self._rows[6 + 5 * foot : 9 + 5 * foot] = body.map_mean(sole)

    def decide(self, load: FloatArray) -> Stride | None:
        """What is wanted now; `load` [feet] was planned in the last step, as a part of the weight."""
        active = self.clock.are_active(self._flags)
        memory = self.memory
        if not any(active):
            return None
        places = np.array([self.body.x[sole].mean(axis=0) for sole in self.soles])
        lowest = np.array([self.body.x[sole, 1].min() for sole in self.soles])
        if not memory.started[0]:
            self._begin(places)
        if self.clock.changed or not memory.swings.any():
            self._begin_phase(active, places, lowest)
        np.maximum(memory.peak, lowest - memory.low, out=memory.peak)
        aim, weight = np.zeros(len(self._rows)), np.zeros(len(self._rows))
        turn = self.gait.turn * (self.clock.time - float(memory.begin[0]))
        self._lead_body(turn, aim, weight)
        self._lead_feet(turn, places, load, aim, weight)
        return Stride(Want(self._rows, aim, weight), self._list_leaving(), self._unload(load))

    def _begin(self, places: FloatArray) -> None:
        memory, centre = self.memory, self.body.find_centre()
        memory.started[0], memory.begin[0], memory.height[0] = 1.0, self.clock.time, centre[1]
        memory.reference[:] = centre
        memory.offset[:] = places - places.mean(axis=0)
        memory.steps[:] = 0.0, NO_PEAK

    def _begin_phase(self, active: list[bool], places: FloatArray, lowest: FloatArray) -> None:
        memory = self.memory
        for peak in memory.peak[memory.swings > 0.0]:
            memory.steps[0] += 1.0
            memory.steps[1] = min(float(memory.steps[1]), float(peak))
        memory.swings[:] = active
        memory.start[:], memory.low[:], memory.peak[:], memory.landed[:] = places, lowest, 0.0, 0.0
        memory.middle[:], memory.leave[:] = places.mean(axis=0), memory.reference
        stands = memory.swings == 0.0
        memory.ground[0] = lowest[stands].mean() if stands.any() else lowest.min()
        memory.reach[:] = self._find_support(places)
        memory.reach[1] = memory.height[0]

    def _find_support(self, places: FloatArray) -> FloatArray:
        """Where the body should be while these feet swing: README eq. (5)."""
        swings = np.flatnonzero(self.memory.swings)
        if not self.gait.shift or len(swings) == len(places):
            return np.asarray(places.mean(axis=0))
        share = (self.memory.swings == 0.0).astype(float)
        if len(places) == 4 and len(swings) == 1:
            share *= (1.0 - self.gait.opposite) / 2
            share[(swings[0] + 2) % 4] = self.gait.opposite
        return np.asarray(share @ places / share.sum())

    def _read(self, name: str, otherwise: float) -> tuple[float, float]:
        if name not in self._values:
            return otherwise, 0.0
        value, rate = self.clock.read(self._values[name])
        return float(value[0]), float(rate[0])

    def _lead_body(self, turn: float, aim: FloatArray, weight: FloatArray) -> None:
        gait, memory, body = self.gait, self.memory, self.body
        share, rate = self._read("shift", 1.0)
        further, speed = self._read("advance", 0.0)
        way = memory.reach - memory.leave
        heading = turn_about_y(turn) @ self.ahead
        memory.reference[:] = memory.leave + share * way + further * heading
        memory.reference[1] = memory.height[0]
        moving = rate * way + speed * heading
        moving[1] = 0.0
        aim[:3] = moving + gait.centre_gain * (memory.reference - body.find_centre())
        body.fill_turn(self.trunk, self._rows[3:6])
        aim[3:6] = -gait.turn_gain * body.find_turn(self.trunk, turn_about_y(turn))
        aim[4] += gait.turn
        weight[:3], weight[3:6] = gait.centre_weight, gait.trunk_weight

    def _lead_feet(
        self, turn: float, places: FloatArray, load: FloatArray, aim: FloatArray, weight: FloatArray
    ) -> None:
        gait, memory, body, time = self.gait, self.memory, self.body, self.clock.phase_time
        heading = turn_about_y(turn)
        for foot in range(len(places)):
            first = 6 + 5 * foot
            swings = memory.swings[foot] > 0.0 and time >= gait.lift_off - 1e-9
            if swings and time >= gait.touch_down - 1e-9 and load[foot] > gait.landed:
                memory.landed[foot] = 1.0
            flies = swings and memory.landed[foot] == 0.0
            if flies:
                aim[first : first + 3] = self._lead_swing(foot, turn, places[foot])
            weight[first : first + 3] = gait.swing_weight if flies else gait.stance_weight
            body.fill_turn(self.ankles[foot], self._rows[first + 3 : first + 5], ANKLE_AXES)
            tilt = body.find_turn(self.ankles[foot], heading)[ANKLE_AXES]
            aim[first + 3 : first + 5] = -gait.turn_gain * tilt
            weight[first + 3 : first + 5] = gait.ankle_weight * (1.0 if flies else STANDING_ANKLE)

    def _lead_swing(self, foot: int, turn: float, place: FloatArray) -> FloatArray:
        """Velocity of a swinging foot: README eq. (6), (7)."""
        gait, memory = self.gait, self.memory
        later = turn_about_y(turn + gait.turn * self.period / 2)
        target = memory.middle + later @ memory.offset[foot]
        target = target + gait.ahead * gait.stride * (turn_about_y(turn) @ self.ahead)
        way = target - memory.start[foot]
        forward, rate = self._read("forward", 1.0)
        lift, lift_rate = self._read("lift", 0.0)
        reference = memory.start[foot] + forward * way
        moving = rate * way
        reference[1], moving[1] = memory.ground[0] + lift, lift_rate
        return np.asarray(moving + gait.foot_gain * (reference - place))

    def _list_leaving(self) -> list[int]:
        time = self.clock.phase_time
        if not self.gait.lift_off - 1e-9 <= time < self.gait.touch_down - 1e-9:
            return []
        return [int(foot) for foot in np.flatnonzero(self.memory.swings)]

    def _unload(self, load: FloatArray) -> dict[int, float]:
        memory, wanted = self.memory, {}
        left, _ = self._read("unload", 1.0)
        for foot in np.flatnonzero(memory.swings):
            if self.clock.phase_time >= self.gait.lift_off - 1e-9:
                continue
            if left >= 1.0:
                memory.load[foot] = load[foot]
            else:
                wanted[int(foot)] = left * float(memory.load[foot])
        return wanted
