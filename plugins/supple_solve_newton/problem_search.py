"""What is tried on a problem that the first sweeps have not solved, one after the other."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics import norm_kernels
from supple.mechanics.lcp import solve_lcp
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.pyramid import build_pyramid
from supple.mechanics.sweeps import Sweeper
from supple_solve_newton.body_points import BodyPoints
from supple_solve_newton.interior import InteriorPoints
from supple_solve_newton.linear_step import SWEEP_EFFORT, LinearStep
from supple_solve_newton.newton_method import NewtonMethod, Point
from supple_solve_newton.proximal import follow_proximal_path, make_proximal, solve_by_proximal_points

sum_squares = TypedKernel(norm_kernels.sum_squares)

FIRST_SWEEPS: Final = 12
# From this many groups on, sweeps are many or few.
MANY_GROUPS: Final = 150
LAST_SWEEPS: Final = 200
MAX_STEPS: Final = 25
# Proximal points of the bodies may take so many Newton steps.
BODY_STEPS: Final = 40
# Where interior points do not get there, they are led to proximal points with these weights, one after the other.
INSIDE_WEIGHTS: Final = (1e-7, 1e-9, 1e-8)
# Sweeps follow where the residual is still above the first part of the velocities without impulses, and where a group
# has fewer neighbours than the second.
FAR: Final = 1e-5
FEW_NEIGHBOURS: Final = 20
# A dozen sweeps, then twice two dozen, as long as each lowers the residual to this part of it.
SWEEP_TURNS: Final = 3
QUICK: Final = 0.03
# Shares added to the diagonal, by turns: the first is better where W is singular, the second where it is
# badly conditioned.
FLOORS: Final = (1e-4, 1e-9)
# Damped steps are begun after this many sweeps, and again where they got stuck, up to this share of all effort.
# With fewer groups than these they come after as many rounds of other things, which are quicker there.
DAMPED_GROUPS: Final = 60
DAMPED_LATE: Final = 4
DAMPED_SWEEPS: Final = 50
DAMPED_STEPS: Final = 1000
FIRST_DAMPED_STEPS: Final = 8
FEW_DAMPED_STEPS: Final = 300
DAMPED_ROUNDS: Final = 3
DAMPED_SHARE: Final = 0.6
# Interior points are led to the solution by this many Newton steps, from this share on the diagonal.
INSIDE_SHARE: Final = 0.4  # of the effort that is left
FINISHING_STEPS: Final = 12
FINISHING_FLOOR: Final = 1e-6
SEED_GROUPS: Final = 100  # Lemke's tableau is dense
SEED_DIRECTIONS: Final = (4, 8)
SEED_SWEEPS: Final = 5
SEED_TOLERANCE: Final = 1e-6  # m/s; it is but a start
SEED_PIVOTS_PER_ROW: Final = 3
PIVOT_EFFORT: Final = 1.0  # per entry of the tableau, in the unit of `SWEEP_EFFORT`


class ProblemSearch:
    """One problem that sweeps have not solved: the best point so far, and the sweeps, steps and pivots spent on it."""

    def __init__(
        self, problem: ConstraintProblem, tolerance: float, enough: float, sweeper: Sweeper, linear: LinearStep,
        max_effort: float,
    ) -> None:  # fmt: skip
        """A residual is small enough within `tolerance` for every group, or with a norm over all within `enough`."""
        self._problem, self._tolerance = problem, tolerance
        self._sweeper, self._linear = sweeper, linear
        self._max_effort = max_effort
        self._method = NewtonMethod(linear, problem, self._max_effort)
        self._effort = 0.0
        self._enough, self._is_enough = enough, False
        none = np.zeros((problem.count, 3))
        self.best = Point(none, none, math.inf, math.inf)
        self.work = 0

    def find_directly(self, impulse: FloatArray) -> bool:
        """Proximal points of the bodies, sweeps where they cost little, and interior points."""
        problem, elimination = self._problem, self._linear.elimination
        self._keep(self._method.look_at(impulse))
        if self.done or not math.isfinite(self.best.residual):
            return self.done
        elimination.begin(problem)
        self._approach_in_bodies()
        # In towers and walls, which are eliminated in the space of their bodies, a dozen sweeps lead nowhere.
        size = float(np.abs(problem.free[: problem.count]).max())
        far = not elimination.has_bodies or self.best.residual > FAR * size
        if far and not elimination.in_bodies and problem.W.block_count < FEW_NEIGHBOURS * problem.count:
            self._sweep_while_quick(impulse)
            self._approach_in_bodies()
        self._go_inside(self.best.impulse)
        if elimination.has_bodies:
            for weight in INSIDE_WEIGHTS:
                self._go_by_way(weight)
        return self.done

    def _go_by_way(self, weight: float) -> None:
        """Interior points of a proximal point of the best impulses, and points of the bodies from there."""
        self._go_inside(None, self.best.impulse, weight)
        self._approach_in_bodies()

    def _sweep_while_quick(self, impulse: FloatArray) -> None:
        for turn in range(SWEEP_TURNS):
            before = self.best.residual
            impulse = self._sweep(impulse, FIRST_SWEEPS if turn == 0 else 2 * FIRST_SWEEPS)
            self._keep(self._method.look_at(impulse))
            if self.done or self.best.residual > QUICK * before:
                return

    def _approach_in_bodies(self) -> None:
        """Proximal points of the bodies from the best impulses, where bodies are known."""
        elimination = self._linear.elimination
        if self.done or not elimination.has_bodies:
            return
        points = BodyPoints(elimination.bodies, self._problem, self._method.rho)
        found = points.approach(self.best.impulse, self._tolerance, self._enough, BODY_STEPS)
        self.work += points.steps
        self._keep(self._method.look_at(found))

    def find(self, impulse: FloatArray, max_rounds: int) -> None:
        """Newton first; then rounds of twice as many sweeps each, every second one with proximal points and a seed."""
        self._linear.elimination.begin(self._problem)
        last = self._step(impulse)
        count = self._problem.count
        sweeps = FIRST_SWEEPS if count < MANY_GROUPS else LAST_SWEEPS
        for number in range(max_rounds):
            if number == (0 if count >= DAMPED_GROUPS else DAMPED_LATE):
                self._damp_a_little()
                self._go_inside(self.best.impulse)
                self._follow_path()
                self._go_inside()
                last = self._go_damped(self.best.impulse)
            if self.done or self._effort_left <= 0.0:
                return
            last = self._step(self._sweep(last.impulse, sweeps), number + 1)
            sweeps *= 2
            if count >= DAMPED_GROUPS:
                self._go_inside(last.impulse)
            if not self.done and number % 2:
                last = self._approach(last.impulse)
                if not self.done and number // 2 < len(SEED_DIRECTIONS):
                    self._start_from_seed(SEED_DIRECTIONS[number // 2])

    @property
    def effort(self) -> float:
        """What it has cost so far, in the unit of `SWEEP_EFFORT`."""
        return self._effort + self._method.effort

    @property
    def _effort_left(self) -> float:
        return self._max_effort - self.effort

    @property
    def done(self) -> bool:
        """Whether the best point is a solution."""
        return self.best.residual <= self._tolerance or self._is_enough

    def _keep(self, point: Point) -> Point:
        if point.residual < self.best.residual:
            self.best = point
            # The tolerance is what is enough for every group; README eq. (4) allows some more than others.
            if self._tolerance < point.residual <= self._enough:
                given = self._problem.rows, self._method.rho, point.impulse, point.velocity
                self._is_enough = float(sum_squares(*given)) <= self._enough**2
        return point

    def _sweep(self, impulse: FloatArray, sweeps: int) -> FloatArray:
        improved = impulse.copy()
        blocks = self._problem.W.block_count
        sweeps = max(1, min(sweeps, int(self._effort_left / (SWEEP_EFFORT * blocks))))
        used, _ = self._sweeper.sweep(self._problem, improved, self._tolerance, sweeps)
        self._effort += SWEEP_EFFORT * used * blocks
        self.work += used
        return improved

    def _step(self, impulse: FloatArray, turn: int = 0) -> Point:
        floor = FLOORS[turn % len(FLOORS)]
        point, steps = self._method.improve(impulse, self._tolerance, MAX_STEPS, floor)
        self.work += steps
        return self._keep(point)

    def _go_inside(
        self, start: FloatArray | None = None, centre: FloatArray | None = None, weight: float = 0.0
    ) -> None:
        """Interior points, anew or from near a start, and Newton's method from whatever they get to.

        Those of the proximal point that follows `centre` with this weight, README eq. (7).
        """
        if self.done:
            return
        problem = self._problem
        if centre is not None:
            problem = make_proximal(problem, self._method.rho, centre, weight)
        inside = InteriorPoints(self._linear, problem, self._method.rho)
        if not inside.fits:
            return

        def finish(impulse: FloatArray, residual: float) -> bool:
            point, steps = self._method.improve(impulse, self._tolerance, FINISHING_STEPS, FINISHING_FLOOR)
            self.work += steps
            self._keep(point)
            return self.done

        inside.approach(self._tolerance, INSIDE_SHARE * self._effort_left, finish, start)
        self._effort += inside.effort
        self.work += inside.steps

    def _follow_path(self) -> None:
        if self.done or self._effort_left <= 0.0:
            return
        point, steps, effort = follow_proximal_path(
            self._problem, self.best.impulse, self._tolerance, self._effort_left, self._linear
        )
        self._effort += effort
        self.work += steps
        self._keep(point)

    def _damp_a_little(self) -> None:
        """A few damped steps: where full steps are stuck just above the tolerance, they are often enough."""
        if not self.done:
            point, steps = self._method.improve_damped(
                self.best.impulse, self._tolerance, FIRST_DAMPED_STEPS, self._max_effort
            )
            self.work += steps
            self._keep(point)

    def _go_damped(self, impulse: FloatArray) -> Point:
        """Damped steps, and sweeps in between where those get stuck."""
        point, enough = self.best, (1.0 - DAMPED_SHARE) * self._max_effort
        most = DAMPED_STEPS if self._problem.count >= DAMPED_GROUPS else FEW_DAMPED_STEPS
        for _ in range(DAMPED_ROUNDS):
            if self.done or self._effort_left <= enough:
                break
            start = self._sweep(impulse, DAMPED_SWEEPS)
            limit = self._method.effort + self._effort_left - enough
            point, steps = self._method.improve_damped(start, self._tolerance, most, limit)
            self.work += steps
            impulse = self._keep(point).impulse
        return point

    def _approach(self, impulse: FloatArray) -> Point:
        point, work, effort = solve_by_proximal_points(
            self._problem, impulse, self._tolerance, self._effort_left, self._sweeper, self._linear
        )
        self._effort += effort
        self.work += work
        # Where the proximal points crawl, they are often close enough for Newton on the problem itself.
        return self._keep(point) if point.residual <= self._tolerance else self._step(point.impulse, 1)

    def _start_from_seed(self, directions: int) -> None:
        """The solution for a pyramid instead of the cone is often near one for the cone."""
        if self._problem.count > SEED_GROUPS:
            return
        pyramid = build_pyramid(self._problem, directions)
        rows = len(pyramid.q)
        affordable = int(self._effort_left / (PIVOT_EFFORT * max(1, rows) ** 2))
        if affordable <= 0:
            return
        pivots = min(SEED_PIVOTS_PER_ROW * rows, affordable)
        seed = solve_lcp(pyramid.M, pyramid.q, SEED_TOLERANCE, pivots, pyramid.residual)
        self.work += seed.pivots
        self._effort += PIVOT_EFFORT * seed.pivots * rows * rows
        if seed.status == "failed":
            return
        point = self._step(self._sweep(pyramid.impulses(seed.z), SEED_SWEEPS))
        if not self.done:
            self._approach(point.impulse)
