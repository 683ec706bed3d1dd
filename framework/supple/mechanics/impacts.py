"""Impacts: what meets within a step and bounces, before the rows of the step are solved.

With u the row velocities and W the Delassus operator, everything that strikes is reflected together, by Newton's law
and within the cones of friction, while joints pass the blow on. Whatever strikes afterwards is reflected next, until
nothing does. No reflection may add energy,

    dE = lambda . u + lambda . W lambda / 2 <= 0.

Where Newton's law would, the impulses lie on the way to those without restitution, at the point where dE is zero. The
equations are in the README of the plugin that makes contact rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Bound
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.problem import ConstraintProblem, PartialProblem
from supple.mechanics.rescue import solve_with_rescue
from supple.mechanics.resting import Resting
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL
from supple.mechanics.solution import Solver

BoolArray = NDArray[np.bool_]

#: Reflections of one step after which the rest meets without a bounce.
MOST_REFLECTIONS = 200
#: Part of a step within which what meets meets at once.
AT_ONCE = 0.01
#: Approach [m/s] that is no impact, whatever the scene says of slow ones.
STILL = 1e-9


#: What tells which contacts are struck within the step and not at its start.
LATE = ("contacts.count", "contacts.group", "contacts.late")


class LateContacts(NamedTuple):
    """The arrays `LATE`."""

    contacts: IntArray
    group: IntArray
    late: IntArray


class Impacts:
    """Reflects what strikes in a step. `impulse` [groups, 3] N s is what it came to.

    `lag` [groups, 3] N s^2 has the impulses of late contacts and what they set going, times when they were: positions
    follow the old velocities until then. `late_work` [J] is what they work more than by the mean velocity of the step,
    because forces went on until then.
    """

    def __init__(
        self,
        arrays: Bound,
        problem: ConstraintProblem,
        mechanisms: Sequence[Mechanism],
        solvers: Sequence[tuple[str, Solver]],
        late: LateContacts | None = None,
    ) -> None:
        self._problem, self._solvers, self._late = problem, solvers, late
        turned = [(each, getattr(each, "turned", "")) for each in mechanisms]
        self._turned = [(each.jacobian, arrays[name].reshape(-1)) for each, name in turned if name]
        self._part: PartialProblem | None = None
        self.impulse: FloatArray = np.zeros((0, 3))
        self.lag: FloatArray = np.zeros((0, 3))
        self.late_work = 0.0

    def reflect(self) -> bool:
        """Whether anything bounced; `impulse` then has the impulses, and problem.free what they do to all rows."""
        problem = self._problem
        n, h = problem.count, problem.step
        law, gap = problem.law[:n], problem.gap[:n]
        restitution, bias = problem.restitution[:n], problem.bias[:n]
        movable = problem.W.values[problem.W.diagonal[:n], 0, 0] > 0.0
        contact, limit = (law == COULOMB) & movable, (law == UNILATERAL) & movable
        always = np.flatnonzero((law == BILATERAL) & movable)
        now, free = problem.u_now[:n].copy(), problem.free[:n] - bias
        struck = self._meet(now, free)
        # What does not bounce may come to touch; what overlaps is pushed apart later, with the other rows.
        room = np.where(restitution > 0.0, 0.0, np.maximum(gap, 0.0) / h)
        lift = 2.0 * np.maximum(gap, 0.0) * (free[:, 0] - now[:, 0]) / h
        slow = max(problem.bounce_speed, STILL)
        late = self._find_late(n)
        self.impulse, self.lag = np.zeros((2, n, 3))
        blow, change, stays, bounced = *np.zeros((3, n, 3)), False
        rests, begun, held = contact & (now[:, 0] >= -slow) & (gap + h * free[:, 0] < 0.0), free.copy(), None
        for _ in range(MOST_REFLECTIONS):
            strikes = (
                contact & (now[:, 0] < -slow) & (struck[:, 0] < -STILL) & (gap + h * free[:, 0] < stays[:, 0])
            )
            if not strikes.any():
                break
            # What lags moved is struck late, too: `ahead` are the gaps from which it would have come on like this.
            ahead = gap - stays[:, 0]
            lagging = late | (stays[:, 0] != 0.0)
            strikes = _choose_first(strikes, problem.key[:n, 0], ahead, free[:, 0], AT_ONCE * h)
            bounced = bounced or bool((restitution[strikes] > 0.0).any())
            stopped = limit & (free[:, 0] + np.maximum(bias[:, 0], 0.0) < 0.0)
            groups = np.union1d(always, np.flatnonzero(strikes | stopped))
            if held is None and (strikes & lagging).any():
                held = self._hold(rests & ~self.impulse.any(axis=1), limit, begun)
            meets, forced = struck, free - now
            if held is not None:
                meets, forced = struck + 0.5 * held.change, forced + held.change
            after = _find_touch(strikes & lagging, ahead, meets[:, 0], forced[:, 0] / h, h)
            blow[:] = 0.0
            blow[groups] = self._strike(
                groups, meets + (after / h) * forced, room, np.where(lagging, 0.0, lift)
            )
            self.lag += after * blow
            if held is not None:
                released = held.release(groups[rests[groups]])
                blow += (0.5 + after / h) * released
                self.lag += (0.5 * after * after / h) * released
            self.impulse += blow
            if after > 0.0:
                problem.W.multiply(self.lag, stays)
            problem.W.multiply(blow, change)
            for velocity in (now, free, struck):
                velocity += change
        if bounced:
            problem.W.multiply(self.impulse, change)
            problem.free[:n] += change
        if self.lag.any():
            self._spare_others(contact, gap + h * free[:, 0], stays)
            problem.free[:n, 0] -= np.where(contact, stays[:, 0] / h, 0.0)
        self.late_work = float(np.sum(self.lag * (free - now))) / h
        return bounced

    def _hold(self, rests: BoolArray, limit: BoolArray, free: FloatArray) -> Resting:
        """What holds things that rest on each other up, with row velocities `free` [groups, 3] if nothing did."""
        problem, n = self._problem, self._problem.count
        if not rests.any():
            return Resting(problem, np.zeros(0, np.int64), free, self._support)
        allowed = free.copy()
        allowed[:, 0] += np.where(rests, np.maximum(problem.gap[:n], 0.0) / problem.step, 0.0)
        allowed[:, 0] += np.where(limit, np.maximum(problem.bias[:n, 0], 0.0), 0.0)
        holds = rests | (problem.law[:n] == BILATERAL) | (limit & (allowed[:, 0] < 0.0))
        movable = problem.W.values[problem.W.diagonal[:n], 0, 0] > 0.0
        return Resting(problem, np.flatnonzero(holds & movable), allowed, self._support)

    def _support(self, groups: IntArray, free: FloatArray) -> FloatArray:
        """Impulses [groups, 3] that hold these groups, with these row velocities if nothing did."""
        return self._solve(self._cut(groups), free)

    def _spare_others(self, contact: BoolArray, reached: FloatArray, stays: FloatArray) -> None:
        """Leave out lags that would press bodies into others: pushing these apart would make energy.

        reached [groups] are the gaps after the step without lags [m]; lags take stays [groups, 3] from them.
        """
        W = self._problem.W
        for _ in range(len(contact)):
            pressed = np.flatnonzero(contact & (stays[:, 0] > 0.0) & (reached < stays[:, 0]))
            if not len(pressed):
                return
            for g in pressed:
                self.lag[W.indices[W.indptr[g] : W.indptr[g + 1]]] = 0.0
            W.multiply(self.lag, stays)

    def _find_late(self, n: int) -> BoolArray:
        """Which groups are late contacts."""
        late = np.zeros(n, bool)
        if self._late is not None:
            count = self._late.contacts.item(0)
            late[self._late.group[:count]] = self._late.late[:count] > 0
        return late

    def _meet(self, now: FloatArray, free: FloatArray) -> FloatArray:
        """The row velocities that impacts see: half of the forces act before, half after.

        A body that bounces then has the same energy in every flight. Free turning does no work: it comes before all of
        them or after, as the mechanism says.
        """
        velocity = 0.5 * (now + free)
        for jacobian, turned in self._turned:
            jacobian.add_row_velocities(turned, velocity)
        return velocity

    def _strike(self, groups: IntArray, struck: FloatArray, room: FloatArray, lift: FloatArray) -> FloatArray:
        """Impulses [groups, 3] of one reflection.

        room [m/s] is how fast groups may go on approaching; lift [m^2/s^2] what forces add to the square of the normal
        velocity on the way through the gap.
        """
        part, m = self._cut(groups), len(groups)
        u, softly = struck[groups], struck[groups].copy()
        is_limit = part.law[:m] == UNILATERAL
        softly[:, 0] += np.where(is_limit, np.maximum(part.bias[:m, 0], 0.0), 0.0)
        softly[:, 0] += np.where(part.law[:m] == COULOMB, room[groups], 0.0)
        hard = softly.copy()
        bounce = _find_bounce(part.restitution[:m], u[:, 0], lift[groups])
        hard[:, 0] += np.where(part.law[:m] == COULOMB, bounce * u[:, 0], 0.0)
        impulse = self._solve(part, hard)
        gained, _ = _measure(part, u, impulse)
        if gained <= 0.0:
            return impulse
        inelastic = self._solve(part, softly)
        lost, velocity = _measure(part, u, inelastic)
        if lost > 0.0:  # short of the tolerance of the solver
            inelastic, lost, velocity = _scale_down(part, u, inelastic)
        return inelastic + _find_share(part, impulse - inelastic, lost, velocity) * (impulse - inelastic)

    def _cut(self, groups: IntArray) -> PartialProblem:
        if self._part is None or self._part.capacity < len(groups):
            self._part = PartialProblem(2 * len(groups), self._problem.capacity)
        return self._problem.cut(groups, into=self._part)

    def _solve(self, part: PartialProblem, free: FloatArray) -> FloatArray:
        part.free[: part.count] = free
        solution, _ = solve_with_rescue(self._solvers, part, np.zeros((part.count, 3)))
        return np.array(solution.impulse[: part.count])


def _choose_first(
    strikes: BoolArray, pair: IntArray, gap: FloatArray, approach: FloatArray, at_once: float
) -> BoolArray:
    """Those of the groups that meet first, with all others between the same two: who is behind is not struck yet."""
    time = np.full(len(gap), np.inf)
    time[strikes] = np.maximum(gap[strikes], 0.0) / -approach[strikes]
    first = time <= time.min() + at_once
    return strikes & np.isin(pair, pair[first])


def _find_touch(late: BoolArray, gap: FloatArray, speed: FloatArray, forced: FloatArray, h: float) -> float:
    """When in the step the first of late contacts touch [s], by their speeds at its start and what forces do."""
    if not late.any():
        return 0.0
    g, u, a = gap[late], speed[late], forced[late]
    root = np.sqrt(np.maximum(u * u - 2.0 * a * g, 0.0))
    return float(np.clip(2.0 * g / np.maximum(root - u, STILL), 0.0, h).min())


def _find_bounce(restitution: FloatArray, approach: FloatArray, lift: FloatArray) -> FloatArray:
    """The part of the approach [m/s] that comes back before the gap is closed, so that it is e once it is.

    (e_gap u)^2 = e^2 (u^2 - lift) + lift
    """
    squared = restitution**2 + (1.0 - restitution**2) * lift / np.maximum(approach**2, STILL**2)
    return np.where(restitution > 0.0, np.sqrt(np.clip(squared, 0.0, 1.0)), 0.0)


def _measure(part: PartialProblem, u: FloatArray, impulse: FloatArray) -> tuple[float, FloatArray]:
    """What impulses do to the energy [J], and the velocities after them."""
    change = np.zeros_like(u)
    part.W.multiply(impulse, change)
    return float(np.sum(impulse * (u + 0.5 * change))), u + change


def _scale_down(
    part: PartialProblem, u: FloatArray, impulse: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """The same impulses, as much of them as takes most energy; with their energy and the velocities."""
    _, velocity = _measure(part, u, impulse)
    squared, work = float(np.sum(impulse * (velocity - u))), float(np.sum(impulse * u))
    scaled = impulse * min(1.0, max(0.0, -work / squared)) if squared > 0.0 else np.zeros_like(impulse)
    return scaled, *_measure(part, u, scaled)


def _find_share(part: PartialProblem, way: FloatArray, lost: float, velocity: FloatArray) -> float:
    """How far along the way from impulses that lose energy (`lost` <= 0) nothing is gained: the root of a parabola."""
    change = np.zeros_like(way)
    part.W.multiply(way, change)
    a, b = 0.5 * float(np.sum(way * change)), float(np.sum(way * velocity))
    if a <= 0.0:
        return 0.0
    share = (-b + math.sqrt(max(b * b - 4.0 * a * lost, 0.0))) / (2.0 * a)
    return min(max(share, 0.0), 1.0)
