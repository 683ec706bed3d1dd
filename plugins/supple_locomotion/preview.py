"""Looking ahead: where the pressure under a body should be now, for pushes that come later. README eq. (10), (11)."""

from __future__ import annotations

from typing import Final, NamedTuple

import daqp
import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity

INTERVAL: Final = 0.04
"""Of the plan [s]."""
EASE: Final = 0.1
"""Weight of squared pressures, against squared distances of the centre of mass [m^2]."""
AT_THE_END: Final = 100.0
"""Weight of what is not caught at the end of the plan."""


class Announced(NamedTuple):
    """A push that is known before it comes: force along x and z [N], height above the ground [m], and times [s]."""

    force: FloatArray
    height: float
    start: float
    end: float
    rise: float

    @property
    def way(self) -> FloatArray:
        """Unit vector along x and z; zero without a force."""
        return np.asarray(self.force / max(float(np.linalg.norm(self.force)), 1e-12))

    def mean_share(self, first: FloatArray, last: FloatArray) -> FloatArray:
        """Mean of force over full force within intervals."""
        return (self._sum(last) - self._sum(first)) / (last - first)

    def _sum(self, time: FloatArray) -> FloatArray:
        """Integral of the share from the start on."""
        passed = np.clip(time, self.start, self.end) - self.start
        rising = np.minimum(passed, self.rise)
        return np.asarray(passed - rising + (0.5 * rising**2 / self.rise if self.rise else 0.0))


def read_announced(build: Build, body: Entity, names: tuple[str, ...]) -> list[Announced]:
    """The events that a goal foresees, which push this body."""
    events = {event.path: event for event in build.having("push")}
    found = []
    position, _ = build.pose(body.path)
    for name in names:
        push, begin = events[name].components["push"], float(events[name].at or 0.0)
        force = np.array([push.force[0], push.force[2]])
        height = float(position[1] + push.point[1])
        found.append(Announced(force, height, begin, begin + push.duration, push.rise))
    return found


class Preview:
    """Plans the pressure under a body for a while ahead, as of a pendulum on it."""

    def __init__(self, pushes: list[Announced], ahead: float) -> None:
        self.pushes = pushes
        self.count = max(2, round(ahead / INTERVAL))

    def foresee(self, time: float, weight: float, friction: float, height: float) -> FloatArray:
        """By how much [m] pushes shift the pressure that balances the body, in every interval [intervals, 2].

        What exceeds friction accelerates the whole body, and turns it only by its height above the centre of mass.
        """
        first = np.asarray(time + INTERVAL * np.arange(self.count), np.float64)
        shift = np.zeros((self.count, 2))
        for push in self.pushes:
            force = push.mean_share(first, first + INTERVAL) * float(np.linalg.norm(push.force))
            held = np.minimum(force, friction * weight)
            torque = held * push.height + (force - held) * (push.height - height)
            shift += torque[:, None] * push.way / weight
        return shift

    def plan(
        self, lean: float, speed: float, height: float, gravity: float, most: float, shift: FloatArray
    ) -> float:
        """The pressure [m from the middle] now: that of the plan with the least eq. (11) within the base, +- most."""
        rate = np.sqrt(gravity / height)
        reach, drive = self._respond(rate)
        free = reach @ np.array([lean, speed / rate]) - drive @ shift
        end = np.sqrt(AT_THE_END)
        rows = np.concatenate([drive, end * (drive[-2:-1] + drive[-1:])])
        miss = np.append(free, end * (free[-2] + free[-1]))
        hessian = rows.T @ rows + EASE * np.eye(self.count)
        bound = np.full(self.count, most)
        x, _, code, _ = daqp.solve(
            hessian, rows.T @ miss, np.zeros((0, self.count)), bound, -bound, np.zeros(self.count, np.int32)
        )
        return float(np.clip(x[0] if code > 0 else lean, -most, most))

    def _respond(self, rate: float) -> tuple[FloatArray, FloatArray]:
        """(lean, speed / rate) after every interval [2 k]: by where it is now [2 k, 2], and by pressures [2 k, k]."""
        c, s = np.cosh(rate * INTERVAL), np.sinh(rate * INTERVAL)
        step, push = np.array([[c, s], [s, c]]), np.array([1.0 - c, -s])
        reach, drive = np.zeros((2 * self.count, 2)), np.zeros((2 * self.count, self.count))
        power, column = np.eye(2), push
        columns = []
        for k in range(self.count):
            power = step @ power
            reach[2 * k : 2 * k + 2] = power
            columns.append(column)
            column = step @ column
        for k in range(self.count):
            for j in range(k + 1):
                drive[2 * k : 2 * k + 2, j] = columns[k - j]
        return reach, drive
