"""Sweeps, then semismooth Newton; proximal points and a Lemke seed where that is not enough."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.core.schedule import Call
from supple.mechanics.lcp import solve_lcp
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.pyramid import build_pyramid
from supple.mechanics.solution import ITERATIONS, Outcome, Solution, Status
from supple.mechanics.sweeps import Sweeper
from supple_solve_newton import quick_kernels
from supple_solve_newton.body_points import BodyPoints
from supple_solve_newton.interior import InteriorPoints
from supple_solve_newton.linear_step import SWEEP_EFFORT, LinearStep
from supple_solve_newton.near_start import NearStart
from supple_solve_newton.newton_method import NewtonMethod, Point
from supple_solve_newton.proximal import follow_proximal_path, solve_by_proximal_points
from supple_solve_newton.quick import bind_quick_start
from supple_solve_newton.working_set import WorkingSet, fills_a_set, is_worth_it

if TYPE_CHECKING:
    from supple_solve_newton.components import NewtonSettings

choose_tolerance = TypedKernel(quick_kernels.choose_tolerance)
choose_few_active = TypedKernel(quick_kernels.choose_few_active)

FIRST_SWEEPS: Final = 12
# From this many groups with this many blocks a row, a factorisation costs as much as dozens of sweeps.
MANY_GROUPS: Final = 150
MANY_NEIGHBOURS: Final = 8
MANY_SWEEPS: Final = 200
LAST_SWEEPS: Final = 200
# From a start near the solution a Newton step for this many groups at work costs no more than two sweeps, and they
# rarely do; for this many it costs as much as ten, and sweeps are tried as long as they promise to do.
FEW_ACTIVE: Final = 10
SOME_ACTIVE: Final = 20
# Where contacts and joints close loops, such as two feet that stand and two hands on a box, sweeps never do within
# their number, so that Newton's steps come first for this many groups at work.
LOOPED_ACTIVE: Final = 24
MAX_STEPS: Final = 25
# From this many groups on, proximal points of the bodies and interior points come before many sweeps; and from
# this many where nothing is known of bodies.
DIRECT_GROUPS: Final = 30
DIRECT_ALONE: Final = 400
DIRECT_STEPS: Final = 6
# Sweeps come first where a group has fewer neighbours than that.
FEW_NEIGHBOURS: Final = 20
# Shares added to the diagonal, by turns: the first is better where W is singular, the second where it is
# badly conditioned.
FLOORS: Final = (1e-4, 1e-9)
# In the unit of `SWEEP_EFFORT`: about half a second, and three hundred sweeps. After that nothing new is begun.
MAX_EFFORT: Final = 1.2e9
MAX_EFFORT_PER_BLOCK: Final = 300 * SWEEP_EFFORT
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
# Groups that a working set which starts from nothing admits per round, try by try: each leads through other sets. The
# last is what every set admits.
FRESH_ADMITTED: Final = (4, 8)
SEED_DIRECTIONS: Final = (4, 8)
SEED_SWEEPS: Final = 5
SEED_TOLERANCE: Final = 1e-6  # m/s; it is but a start
SEED_PIVOTS_PER_ROW: Final = 3
PIVOT_EFFORT: Final = 1.0  # per entry of the tableau, in the unit of `SWEEP_EFFORT`


class Newton:
    """Solves all five laws exactly: a dozen sweeps, Newton's method, and what README calls the rescue.

    A start near the solution, such as the impulses of the last step, is solved by the sweeps alone or by a few Newton
    steps. Results repeat bit for bit. Where no solution exists, or none is found, the best impulses are given and
    called stalled.
    """

    def __init__(self, settings: NewtonSettings) -> None:
        self.settings = settings
        self._sweeper = Sweeper()
        self._linear = LinearStep(0)
        self._near = NearStart(self._linear)
        # What searches of working sets may still cost together, in the unit of `SWEEP_EFFORT`.
        self._left = math.inf
        self._working_set = WorkingSet(self._solve_all, lambda: self._left > 0.0)

    def solve(self, problem: ConstraintProblem, warm: FloatArray) -> Solution:
        """Impulses that meet the laws, starting from `warm`, [n, 3] N s or longer."""
        warm = np.ascontiguousarray(warm, np.float64)
        tolerance = self._choose_tolerance(problem)
        if not self.settings.working_set or not is_worth_it(problem):
            return self._solve_all(problem, warm, tolerance)
        if not fills_a_set(problem, warm):
            return self._solve_by_sets(problem, warm, tolerance)
        whole = self._solve_all(problem, warm, tolerance)
        if whole.status == "converged":
            return whole
        rest = self._solve_by_sets(problem, np.zeros_like(warm), tolerance)
        nearer = rest if rest.residual < whole.residual else whole
        return replace(nearer, iterations=whole.iterations + rest.iterations)

    def _solve_by_sets(self, problem: ConstraintProblem, warm: FloatArray, tolerance: float) -> Solution:
        """Working sets, from `warm` and from nothing; if they do not do, all together from where these got to.

        All sets together may cost what the whole problem may: each round is a problem of its own, and a hundred that
        have no solution would take a minute.
        """
        self._left = limit_effort(problem)
        found, cold = self._working_set.solve(problem, warm, tolerance), not warm[: problem.count].any()
        for admitted in FRESH_ADMITTED[:1] if cold else FRESH_ADMITTED:
            if found.status == "converged" or self._left <= 0.0 or (cold and self._working_set.overfull):
                break
            # Impulses of the last step may lie where no set of groups leads out of; nothing costs little to try.
            fresh = self._working_set.solve(problem, np.zeros_like(warm), tolerance, admitted)
            nearer = fresh if fresh.residual < found.residual else found
            found = replace(nearer, iterations=found.iterations + fresh.iterations)
        self._left = math.inf
        if found.status == "converged":
            return found
        rest = self._solve_all(problem, found.impulse, tolerance)
        return replace(rest, iterations=found.iterations + rest.iterations)

    def _solve_all(self, problem: ConstraintProblem, warm: FloatArray, tolerance: float) -> Solution:
        n = problem.count
        self._reserve(problem)
        few = int(choose_few_active(problem.rows, FEW_ACTIVE, LOOPED_ACTIVE))
        near = self._near.improve(problem, warm, tolerance, few)
        work = self._near.steps
        if self._near.residual <= tolerance:
            return Solution(self._near.copy_impulse(n), "converged", work, self._near.residual)
        search = None
        if goes_directly(problem):
            search = self._begin_search(problem, tolerance)
            if search.find_directly(warm[:n].copy()):
                self._left -= search.effort
                return Solution(search.best.impulse, "converged", work + search.work, search.best.residual)
        impulse = warm[:n].copy()
        expensive = n >= MANY_GROUPS and problem.W.block_count >= MANY_NEIGHBOURS * n
        sweeps = MANY_SWEEPS if expensive else FIRST_SWEEPS
        used, residual = self._sweeper.sweep(problem, impulse, tolerance, sweeps, 0 if near else SOME_ACTIVE)
        work += used
        if (
            residual > tolerance
            and used < sweeps
            and self._near.improve(problem, warm, tolerance, SOME_ACTIVE)
        ):
            work += self._near.steps
            if self._near.residual <= tolerance:
                return Solution(self._near.copy_impulse(n), "converged", work, self._near.residual)
        return self._search(problem, impulse, residual, tolerance, work, search)

    def bind_quick(
        self, problem: ConstraintProblem, warm: FloatArray, held: IntArray, outcome: Outcome
    ) -> Call:
        """The first sweeps and steps of `solve` as one call; see `QuickSolver`."""
        return bind_quick_start(
            self.settings,
            problem,
            warm,
            held,
            outcome,
            (FEW_ACTIVE, LOOPED_ACTIVE, SOME_ACTIVE),
            FIRST_SWEEPS,
        )

    def go_on(self, problem: ConstraintProblem, outcome: Outcome) -> Solution:
        """The solution, from where the call of `bind_quick` came to."""
        n = problem.count
        self._reserve(problem)
        residual, tolerance = outcome.figures.tolist()
        work = int(outcome.counters[ITERATIONS])
        return self._search(problem, outcome.impulse[:n].copy(), residual, tolerance, work)

    def _reserve(self, problem: ConstraintProblem) -> None:
        """Have work arrays that are long enough."""
        if problem.count > self._linear.capacity:
            self._linear = LinearStep(max(problem.capacity, problem.count))
            self._near = NearStart(self._linear)

    def _search(
        self, problem: ConstraintProblem, impulse: FloatArray, residual: float, tolerance: float, work: int,
        search: _Search | None = None,
    ) -> Solution:  # fmt: skip
        """The solution, from what the first sweeps came to, or a search that has begun."""
        if math.isnan(residual):
            return Solution(np.zeros_like(impulse), "failed", work, math.inf)
        if residual > tolerance:
            search = search or self._begin_search(problem, tolerance)
            search.find(impulse, self.settings.max_rounds)
            impulse, residual = search.best.impulse, search.best.residual
        if search:
            work += search.work
            self._left -= search.effort
        status: Status = "converged" if residual <= tolerance else "stalled"
        return Solution(impulse, status, work, residual)

    def _begin_search(self, problem: ConstraintProblem, tolerance: float) -> _Search:
        most = min(limit_effort(problem), self._left)
        return _Search(problem, tolerance, self._sweeper, self._linear, most)

    def _choose_tolerance(self, problem: ConstraintProblem) -> float:
        """Every group within this [m/s] is enough for both tolerances of the settings."""
        settings = self.settings
        return float(choose_tolerance(problem.rows, settings.tolerance, settings.relative_tolerance))


def goes_directly(problem: ConstraintProblem) -> bool:
    """Whether factorisations come first: they find what sweeps would be long about."""
    return problem.count >= (DIRECT_GROUPS if problem.roots is not None else DIRECT_ALONE)


def limit_effort(problem: ConstraintProblem) -> float:
    """What a search for the solution may cost, in the unit of `SWEEP_EFFORT`."""
    return MAX_EFFORT + MAX_EFFORT_PER_BLOCK * problem.W.block_count


class _Search:
    """One problem that sweeps have not solved: the best point so far, and the sweeps, steps and pivots spent on it."""

    def __init__(
        self, problem: ConstraintProblem, tolerance: float, sweeper: Sweeper, linear: LinearStep, max_effort: float
    ) -> None:  # fmt: skip
        self._problem, self._tolerance = problem, tolerance
        self._sweeper, self._linear = sweeper, linear
        self._max_effort = max_effort
        self._method = NewtonMethod(linear, problem, self._max_effort)
        self._effort = 0.0
        none = np.zeros((problem.count, 3))
        self.best = Point(none, none, math.inf, math.inf)
        self.work = 0

    def find_directly(self, impulse: FloatArray) -> bool:
        """A dozen sweeps where they cost little, proximal points of the bodies, and interior points."""
        problem, linear = self._problem, self._linear
        self._keep(self._method.look_at(impulse))
        if problem.W.block_count < FEW_NEIGHBOURS * problem.count and not self._done:
            self._keep(self._method.look_at(self._sweep(impulse, FIRST_SWEEPS)))
        if self._done or not math.isfinite(self.best.residual):
            return self._done
        linear.elimination.begin(problem)
        if linear.elimination.has_bodies:
            points = BodyPoints(linear.elimination.bodies, problem, self._method.rho)
            found = points.approach(impulse, self._tolerance, DIRECT_STEPS)
            self.work += points.steps
            self._keep(self._method.look_at(found))
        self._go_inside(impulse)
        return self._done

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
            if self._done or self._effort_left <= 0.0:
                return
            last = self._step(self._sweep(last.impulse, sweeps), number + 1)
            sweeps *= 2
            if count >= DAMPED_GROUPS:
                self._go_inside(last.impulse)
            if not self._done and number % 2:
                last = self._approach(last.impulse)
                if not self._done and number // 2 < len(SEED_DIRECTIONS):
                    self._start_from_seed(SEED_DIRECTIONS[number // 2])

    @property
    def effort(self) -> float:
        """What it has cost so far, in the unit of `SWEEP_EFFORT`."""
        return self._effort + self._method.effort

    @property
    def _effort_left(self) -> float:
        return self._max_effort - self.effort

    @property
    def _done(self) -> bool:
        return self.best.residual <= self._tolerance

    def _keep(self, point: Point) -> Point:
        if point.residual < self.best.residual:
            self.best = point
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

    def _go_inside(self, start: FloatArray | None = None) -> None:
        """Interior points, anew or from near a start, and Newton's method from whatever they get to."""
        inside = InteriorPoints(self._linear, self._problem, self._method.rho)
        if self._done or not inside.fits:
            return

        def finish(impulse: FloatArray, residual: float) -> bool:
            point, steps = self._method.improve(impulse, self._tolerance, FINISHING_STEPS, FINISHING_FLOOR)
            self.work += steps
            self._keep(point)
            return self._done

        inside.approach(self._tolerance, INSIDE_SHARE * self._effort_left, finish, start)
        self._effort += inside.effort
        self.work += inside.steps

    def _follow_path(self) -> None:
        if self._done or self._effort_left <= 0.0:
            return
        point, steps, effort = follow_proximal_path(
            self._problem, self.best.impulse, self._tolerance, self._effort_left, self._linear
        )
        self._effort += effort
        self.work += steps
        self._keep(point)

    def _damp_a_little(self) -> None:
        """A few damped steps: where full steps are stuck just above the tolerance, they are often enough."""
        if not self._done:
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
            if self._done or self._effort_left <= enough:
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
        if not self._done:
            self._approach(point.impulse)
