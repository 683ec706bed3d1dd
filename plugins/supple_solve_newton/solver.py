"""Sweeps, then semismooth Newton; proximal points and a Lemke seed where that is not enough."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.core.schedule import Call
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.solution import ITERATIONS, Outcome, Solution, Status
from supple.mechanics.sweeps import Sweeper
from supple_solve_newton import start_kernels
from supple_solve_newton.linear_step import SWEEP_EFFORT, LinearStep
from supple_solve_newton.near_start import NearStart
from supple_solve_newton.problem_search import FIRST_SWEEPS, MANY_GROUPS, ProblemSearch, is_dense
from supple_solve_newton.quick import bind_quick_start
from supple_solve_newton.working_set import WorkingSet, fills_a_set, is_worth_it
from supple_solve_newton.working_set_kernels import ADMITTED

if TYPE_CHECKING:
    from supple_solve_newton.components import NewtonSettings

choose_tolerance = TypedKernel(start_kernels.choose_tolerance)
choose_few_active = TypedKernel(start_kernels.choose_few_active)

# From `MANY_GROUPS` on with this many blocks a row, a factorisation costs as much as dozens of sweeps.
MANY_NEIGHBOURS: Final = 8
MANY_SWEEPS: Final = 200
# From a start near the solution a Newton step for this many groups at work costs no more than two sweeps, and they
# rarely do; for this many it costs as much as ten, and sweeps are tried as long as they promise to do.
FEW_ACTIVE: Final = 10
SOME_ACTIVE: Final = 20
# Where contacts and joints close loops, such as two feet that stand and two hands on a box, sweeps never do within
# their number, so that Newton's steps come first for this many groups at work.
LOOPED_ACTIVE: Final = 24
# The same where not only free bodies move: contacts of one skeleton or one body of flesh all feel each other, and a
# sweep costs more beside a Newton step.
FEW_COUPLED: Final = 14
SOME_COUPLED: Final = 30
# From this many groups on, proximal points of the bodies and interior points come before many sweeps; and from
# this many where nothing is known of bodies.
DIRECT_GROUPS: Final = 30
DIRECT_ALONE: Final = 400
# In the unit of `SWEEP_EFFORT`: about half a second, and three hundred sweeps. After that nothing new is begun.
MAX_EFFORT: Final = 1.2e9
MAX_EFFORT_PER_BLOCK: Final = 300 * SWEEP_EFFORT
# Where hundreds of groups are mostly coupled (`is_dense`), as on figures in soft flesh, Newton's method begins after
# this many sweeps. Most of them may bear, so that sets grow by this part of all at once.
DENSE_SWEEPS: Final = 40
DENSE_ADMITTED: Final = 8
# Groups that a working set which starts from nothing admits per round, try by try: each leads through other sets. The
# last is what every set admits.
FRESH_ADMITTED: Final = (4, 8)


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
        dense = is_dense(problem)
        most = problem.count // DENSE_ADMITTED if dense else ADMITTED
        found, cold = self._working_set.solve(problem, warm, tolerance, most), not warm[: problem.count].any()
        for admitted in () if dense else FRESH_ADMITTED[:1] if cold else FRESH_ADMITTED:
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
        few, looped, some = list_active(problem)
        few = int(choose_few_active(problem.rows, few, looped))
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
        sweeps = FIRST_SWEEPS
        if expensive:
            sweeps = DENSE_SWEEPS if is_dense(problem) else MANY_SWEEPS
        used, residual = self._sweeper.sweep(problem, impulse, tolerance, sweeps, 0 if near else some)
        work += used
        if residual > tolerance and used < sweeps and self._near.improve(problem, warm, tolerance, some):
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
            list_active(problem),
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
        search: ProblemSearch | None = None,
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
        solved = residual <= tolerance or (search is not None and search.done)
        status: Status = "converged" if solved else "stalled"
        return Solution(impulse, status, work, residual)

    def _begin_search(self, problem: ConstraintProblem, tolerance: float) -> ProblemSearch:
        most = min(limit_effort(problem), self._left)
        free = problem.free[: problem.count]
        enough = self.settings.relative_tolerance * float(np.linalg.norm(free))
        return ProblemSearch(problem, tolerance, enough, self._sweeper, self._linear, most)

    def _choose_tolerance(self, problem: ConstraintProblem) -> float:
        """Every group within this [m/s] is enough for both tolerances of the settings."""
        settings = self.settings
        return float(choose_tolerance(problem.rows, settings.tolerance, settings.relative_tolerance))


def list_active(problem: ConstraintProblem) -> tuple[int, int, int]:
    """Groups at work up to which Newton's steps come before sweeps, in general and where loops are closed; and up to
    which after sweeps that promise not to do.
    """
    if problem.roots is None:
        return FEW_COUPLED, LOOPED_ACTIVE, SOME_COUPLED
    return FEW_ACTIVE, LOOPED_ACTIVE, SOME_ACTIVE


def goes_directly(problem: ConstraintProblem) -> bool:
    """Whether factorisations come first: they find what sweeps would be long about."""
    if problem.roots is not None:
        return problem.count >= DIRECT_GROUPS
    return problem.count >= DIRECT_ALONE and not is_dense(problem)


def limit_effort(problem: ConstraintProblem) -> float:
    """What a search for the solution may cost, in the unit of `SWEEP_EFFORT`."""
    return MAX_EFFORT + MAX_EFFORT_PER_BLOCK * problem.W.block_count
