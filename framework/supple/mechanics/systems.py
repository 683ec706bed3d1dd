"""The two systems at the heart of a step: assemble the constraint problem, and solve it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.members import Solve
from supple.core.noise import noise_at
from supple.core.program import make_callable
from supple.core.schedule import ROWS, Access, Bound, Call, Each, Phase, System, Work, solve_of
from supple.core.state_kernels import clear
from supple.errors import DoubtfulStepError, PluginError, Problem
from supple.mechanics.block_matrix import Incidences
from supple.mechanics.block_matrix_kernels import join_incidences, mark_movable
from supple.mechanics.coupled import count_rolling, solve_coupled
from supple.mechanics.gains import bind_gains
from supple.mechanics.holding import Holder, Holding, find_holder
from supple.mechanics.impacts import LATE, Impacts, LateContacts
from supple.mechanics.last_impulses import LastImpulses, name_last
from supple.mechanics.mechanism import (
    AssembledSource,
    HastySource,
    Mechanism,
    bind_append,
    bind_bias,
    bind_delassus,
)
from supple.mechanics.neighbours import Neighbourhood
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.problem_kernels import begin_free, clear_rows, measure_rows, note_groups
from supple.mechanics.recovery import bind_calming, calm_recovery
from supple.mechanics.rescue import is_approximate, make_solvers, refuse_speeds, solve_with_rescue
from supple.mechanics.roots import find_root_source
from supple.mechanics.sieve import find_sieve
from supple.mechanics.solution import (
    BEGUN,
    BOUNCED,
    COUNTERS,
    ITERATIONS,
    RESCUED,
    SHORT,
    Outcome,
    QuickSolver,
    Solution,
    SolveBooks,
    Solver,
    Status,
)
from supple.mechanics.solve_kernels import begin_impulse, begin_solve, finish_solve
from supple.mechanics.solve_sums import name_energy, name_figure
from supple.mechanics.springs import bind_closing_springs

#: Groups of a step that is tried in parts where it is unsolved. A larger one takes seconds to stall, each of its parts
#: as well, and these were not seen to do better.
MOST_DOUBTFUL = 150


class AssembleRows(System):
    """Rows of all sources, the Delassus operator W = sum J A^-1 J^T, and the row velocities without impulses.

    At its end the problem is closed: `free` = bias + J v_free of all mechanisms, without plans.
    """

    phase = Phase.ASSEMBLE

    def __init__(self, build: Build, solve: Solve) -> None:
        self.solve, self.rate = solve, solve.rate
        self.reads: Sequence[Access] = (
            Each("row_sources", "reads", solve.name),
            Each("surfaces", "reads", solve.name),
            Each("carriers", "reads", solve.name),
            Each("mechanisms", "reads", solve.name),
            Each("mechanisms", "v", solve.name),
            Each("mechanisms", "v_free", solve.name),
        )
        self.figures = (solve.array("count"), *(name_figure(solve, f) for f in ("contacts", "penetration")))
        sources = build.members("row_sources", solve.name)
        made = (name for source in sources for name in getattr(source, "writes", ()))
        mechanisms = build.members("mechanisms", solve.name)
        closed = (name for each in mechanisms for name in getattr(each, "closes", ()))
        self.writes: Sequence[Access] = (
            solve.array("problem"), *self.figures, solve.array("groups"), *made, *closed,
        )  # fmt: skip

    def bind(self, arrays: Bound) -> Work:
        """Bind the sources in their order, and the velocities of all mechanisms."""
        problem: ConstraintProblem = arrays.record(self.solve.array("problem"))
        problem.step = arrays.h
        sources: list[AssembledSource] = arrays.build.members("row_sources", self.solve.name)
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", self.solve.name)
        problem.roots = find_root_source(mechanisms)
        figures = [arrays[name] for name in self.figures]
        groups = arrays[self.solve.array("groups")]
        couple = _bind_coupling(problem, mechanisms)  # first, for it may replace the arrays of W
        appending: list[Work] = []
        for number, (source, mine) in enumerate(zip(sources, groups, strict=True)):
            source.groups = mine
            appending += [bind_append(source, problem), Call(note_groups, problem.counts, number, groups)]
        measuring: list[Work] = [Call(measure_rows, problem.counts, problem.law, problem.gap, *figures)]
        if any(hasattr(source, "coupled") for source in sources):
            measuring.append(lambda: _leave_out_rolling(problem, figures[1]))
        return [
            Call(clear_rows, problem.counts, problem.struck),
            *(each.jacobian.bind_clear() for each in mechanisms),
            *self._guard_others(arrays, mechanisms, appending),
            *measuring,
            *(
                each.jacobian.bind_row_velocities(arrays[each.v].reshape(-1), problem.u_now)
                for each in mechanisms
            ),
            *(bind_bias(source, problem) for source in sources),
            *self._bind_end(arrays, problem, mechanisms, sources, couple),
        ]

    def _bind_end(
        self, arrays: Bound, problem: ConstraintProblem, mechanisms: list[Mechanism], sources: list[AssembledSource],
        couple: list[Call],
    ) -> list[Work]:  # fmt: skip
        """What makes W and closes the problem; or somebody who knows a way without."""
        begin = [each.bind_free() for each in mechanisms if hasattr(each, "bind_free")]
        making = [
            *couple,
            *(bind_delassus(mechanism, problem) for mechanism in mechanisms),
            *_bind_clearing(problem, mechanisms),
            *bind_closing_springs(problem, sources, arrays.h),
        ]
        closing, problem.sieve = _bind_closing(arrays, problem, mechanisms), None
        holder = find_holder(arrays, mechanisms, sources)
        if holder is None and self.solve.name == ROWS:
            problem.sieve = find_sieve(arrays, problem, mechanisms, sources)
        if problem.sieve is not None:
            return [*begin, *problem.sieve.bind_closing(making, closing)]
        return _hold_first(arrays, problem, [*begin, *making, *closing], holder)

    def _guard_others(self, arrays: Bound, mechanisms: list[Mechanism], appending: list[Work]) -> list[Work]:
        """The same work, between looks at the mechanisms of other solves: it may append nothing to these."""
        others = [each for each in arrays.build.members("mechanisms") if each not in mechanisms]
        if not others:
            return appending
        known: list[int] = []

        def remember() -> None:
            known[:] = [one.jacobian.count.item(0) for one in others]

        return [remember, *appending, lambda: self._refuse_rows_of_others(others, known)]

    def _refuse_rows_of_others(self, mechanisms: list[Mechanism], known: list[int]) -> None:
        """A mechanism is moved by the rows of its own solve alone; `known` is how many blocks each had."""
        for mechanism, count in zip(mechanisms, known, strict=True):
            if mechanism.jacobian.count.item(0) != count:
                mine, other = solve_of(mechanism), self.solve.name
                what = f"belongs to the solve '{mine}', and a row of '{other}' acts on it"
                raise PluginError(Problem(None, mechanism.name, what, "make rows in its own solve"))


def _hold_first(
    arrays: Bound, problem: ConstraintProblem, closing: list[Work], holder: Holder | None
) -> list[Work]:
    """What closes the problem; where somebody may hold what touches, only if that cannot be."""
    problem.holding = None
    if holder is None:
        return closing
    problem.holding = Holding(problem, holder, make_callable(closing))
    return [holder.bind_hold(problem, problem.holding.close)]


def _leave_out_rolling(problem: ConstraintProblem, contacts_out: FloatArray) -> None:
    """Groups of three rows that resist rolling were counted as contacts."""
    contacts_out[0] -= count_rolling(problem)


def _bind_clearing(problem: ConstraintProblem, mechanisms: list[Mechanism]) -> list[Call]:
    """What takes out the groups that nothing moves; see `BlockMatrix.clear_immovable_groups`."""
    movable = np.zeros(problem.capacity, np.int64)
    marking = [
        Call(mark_movable, m.jacobian.count, m.jacobian.group, m.jacobian.unit, movable)
        for m in mechanisms
        if getattr(m, "sums_only", False)
    ]
    return [*marking, problem.W.bind_clearing(movable)]


def _bind_closing(arrays: Bound, problem: ConstraintProblem, mechanisms: list[Mechanism]) -> list[Call]:
    """What sets problem.free to bias + J v_free of all mechanisms."""
    free = [(each.jacobian, arrays[each.v_free].reshape(-1)) for each in mechanisms]
    if not free:
        return []
    begin = Call(begin_free, problem.rows, problem.bias, free[0][0].arrays, free[0][1])
    return [begin, *(jacobian.bind_row_velocities(v_free, problem.free) for jacobian, v_free in free[1:])]


def _bind_coupling(problem: ConstraintProblem, mechanisms: list[Mechanism]) -> list[Call]:
    """What sets the pattern of W: groups are coupled that touch one unit of one mechanism."""
    units = sum(each.unit_count for each in mechanisms)
    if len(mechanisms) == 1:
        jacobian = mechanisms[0].jacobian
        incidences = Incidences(counts=jacobian.count, group=jacobian.group, unit=jacobian.unit)
        return [problem.W.bind_pattern(problem.counts, incidences, problem.capacity, units)]
    counts, room = np.zeros(1, np.int64), sum(each.jacobian.capacity for each in mechanisms)
    incidences = Incidences(counts, *np.zeros((2, room), np.int64))
    joining, first = [Call(clear, counts)], 0
    for mechanism in mechanisms:
        joining.append(Call(join_incidences, mechanism.jacobian.arrays, first, incidences))
        first += mechanism.unit_count
    return [*joining, problem.W.bind_pattern(problem.counts, incidences, problem.capacity, units)]


class SolveRows(System):
    """Closes the free row velocities, solves, and hands J^T lambda to every mechanism."""

    phase = Phase.SOLVE

    def __init__(self, build: Build, solve: Solve) -> None:
        self.solve, self.rate = solve, solve.rate
        self.adds = (name_energy(solve, "late"),)
        self.solvers, self.impact_solvers = make_solvers(build), make_solvers(build)
        at, mine, last = solve.array, solve.name, name_last(solve)
        self.reads: Sequence[Access] = (
            at("problem"), *last, at("unsolved"), at("failures"), at("rescues"), "run.step",
            *(Each("mechanisms", part, mine) for part in ("v", "v_free", "plan", "reads")),
            *(LATE if mine == ROWS else ()),
            *(each.turned for each in build.members("mechanisms", mine) if hasattr(each, "turned")),
        )  # fmt: skip
        self.writes: Sequence[Access] = (
            at("impulse"), at("lag"), at("lagging"), name_figure(solve, "residual"), name_figure(solve, "iterations"),
            at("unsolved.next"), at("failures.next"), at("rescues.next"), *(f"{name}.next" for name in last),
            Each("mechanisms", "impulse", mine),
        )  # fmt: skip
        self.keeps = build.run.warm_start in ("pairs", "neighbours")
        # Only the contacts of the solve that every scene has are known by their places.
        self.by_place = build.run.warm_start == "neighbours" and solve.name == ROWS
        if self.by_place:
            self.reads = (*self.reads, *Neighbourhood.reads)
            self.writes = (*self.writes, *Neighbourhood.writes)

    def bind(self, arrays: Bound) -> Work:
        """Bind the problem, the warm start, and the velocities of all mechanisms."""
        problem: ConstraintProblem = arrays.record(self.solve.array("problem"))
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", self.solve.name)
        sources = arrays.build.members("row_sources", self.solve.name)
        hasty: list[HastySource] = [source for source in sources if hasattr(source, "find_haste")]
        impulse = arrays[self.solve.array("impulse")]
        planned = np.zeros(len(mechanisms) + 1, np.int64)  # the last entry is that of `Sieve.bind_note`
        found, blow = np.zeros((2, problem.capacity, 3))
        outcome = Outcome(found, blow, np.zeros(COUNTERS, np.int64), np.zeros(2))
        books = self._take_books(arrays)
        last = LastImpulses(arrays, self.solve, problem)
        neighbourhood = Neighbourhood(arrays, impulse) if self.by_place else None
        solve = self._bind_python(arrays, problem, mechanisms, planned, neighbourhood, outcome)
        # Who approximates the laws leaves a residual even where it comes to its end.
        exact, bound = not is_approximate(self.solvers[0][1]), arrays.build.run.allowed_residual
        solving: list[Work] = [solve]
        quick = self.solvers[0][1]
        plain = self.keeps and not self.by_place and not any(hasattr(source, "coupled") for source in sources)
        if plain and isinstance(quick, QuickSolver):
            call = quick.bind_quick(problem, impulse, planned, outcome)
            solving = [Call(call.kernel, *call.arguments, otherwise=solve)]
        solving += bind_calming(problem, hasty, lambda: _calm(problem, hasty, self.solvers, outcome))
        if exact and problem.holding is None:
            turned = [each for each in mechanisms if hasattr(each, "turned")]
            moving = [
                (arrays[each.turned].reshape(-1), arrays[each.v].reshape(-1), arrays[each.v_free].reshape(-1))
                for each in turned
            ]
            lagging = arrays[self.solve.array("lagging")]
            solving += bind_gains(
                problem, turned, moving, self.solvers, lagging, outcome,
                lambda found: _note(found, outcome, problem.count),
            )  # fmt: skip
        if problem.holding is not None:
            solving = [problem.holding.bind_solve(planned, impulse, outcome, solving)]
        noting: list[Work] = []
        if problem.sieve is not None:
            noting = [problem.sieve.bind_note(planned)]
            solving.append(problem.sieve.bind_end())
        doubt = None
        # What is slow keeps its step, and who approximates would do no better.
        if exact and self.rate == 1 and arrays.build.run.halvings and not arrays.build.trusting:
            doubt = _bind_doubt(books, bound, problem)
        return [
            *(
                Call(begin_impulse, arrays[each.plan].reshape(-1), number, planned, arrays[each.impulse].reshape(-1))
                for number, each in enumerate(mechanisms)
            ),
            Call(begin_solve, outcome),
            Call(clear, arrays[self.solve.array("lagging")]),
            last.bind_start(impulse),
            *noting,
            *solving,
            Call(
                finish_solve, problem.rows, problem.W.blocks, problem.key, last.start, outcome, exact, bound,
                last.following, impulse, books, otherwise=doubt,
            ),
            *(m.jacobian.bind_transposed_impulses(impulse, arrays[m.impulse].reshape(-1)) for m in mechanisms),
            *([] if neighbourhood is None else [neighbourhood.keep]),
        ]  # fmt: skip

    def _take_books(self, arrays: Bound) -> SolveBooks:
        at = self.solve.array
        residual, iterations = (arrays[name_figure(self.solve, f)] for f in ("residual", "iterations"))
        counted = {name: arrays[at(name)] for name in ("failures", "unsolved", "rescues")}
        following = {f"{name}_next": arrays[at(f"{name}.next")] for name in counted}
        return SolveBooks(residual=residual, iterations=iterations, **counted, **following)

    def _bind_python(
        self,
        arrays: Bound,
        problem: ConstraintProblem,
        mechanisms: list[Mechanism],
        planned: IntArray,
        neighbourhood: Neighbourhood | None,
        outcome: Outcome,
    ) -> Callable[[], None]:
        """A function that solves with all that Python knows: plans, impacts, rescues, limits that follow contacts."""
        at, impulse = self.solve.array, arrays[self.solve.array("impulse")]
        plans = [(each, arrays[each.plan], np.zeros_like(arrays[each.plan])) for each in mechanisms]
        close = make_callable(_bind_closing(arrays, problem, mechanisms))
        late = LateContacts(*(arrays[name] for name in LATE)) if self.solve.name == ROWS else None
        impacts = Impacts(arrays, problem, mechanisms, self.impact_solvers, late)
        lag, lagging, late_work = (
            arrays[name] for name in (at("lag"), at("lagging"), name_energy(self.solve, "late"))
        )
        sieve = problem.sieve
        warm_start, build, step = arrays.build.run.warm_start, arrays.build, arrays["run.step"]

        def solve() -> None:
            n, counters = problem.count, outcome.counters
            if n == 0:
                return
            refuse_speeds(problem)
            if sieve is not None and sieve.open[0]:
                needs_all = planned[:-1].any() or problem.strikes
                sifted = None if needs_all else sieve.solve(self.solvers, impulse)
                if sifted is not None:
                    _note(sifted[0], outcome, n)
                    if not sieve.strays(outcome, lagging):
                        counters[RESCUED] = sifted[1] > 1
                        return
                sieve.release()
            if planned.any() or problem.strikes:
                close()  # whatever was added before, should this step be solved twice
            for mechanism, plan, change in itertools.compress(plans, planned):
                mechanism.apply_inverse(plan, change)
                mechanism.jacobian.add_row_velocities(change.reshape(-1), problem.free)
            bounced = problem.strikes and impacts.reflect()
            if neighbourhood is not None:
                neighbourhood.carry_over()
            elif not self.keeps:
                set_start(warm_start, build.seed, at("start"), int(step[0]), impulse[:n])
            if problem.coupled is not None and problem.coupled.counts[0]:
                struck = impacts.impulse if bounced else None
                solution, tries = solve_coupled(self.solvers, problem, impulse, struck)
            else:
                begun = outcome if counters[BEGUN] else None
                solution, tries = solve_with_rescue(self.solvers, problem, impulse, begun)
            _note(solution, outcome, n)
            counters[RESCUED], counters[BOUNCED] = tries > 1, bounced
            if bounced:
                outcome.blow[:n] = impacts.impulse
                lag[:n], lagging[0] = impacts.lag, impacts.lag.any()
                late_work[0] += impacts.late_work

        return solve


def _bind_doubt(books: SolveBooks, bound: float, problem: ConstraintProblem) -> Callable[[], None]:
    """What asks for shorter steps where this one is unsolved."""

    def refuse() -> None:
        if problem.count > MOST_DOUBTFUL:
            return
        what = (
            f"unsolved: a residual of {books.residual[0]:.2g} m/s, above run.allowed_residual = {bound:g} m/s"
        )
        raise DoubtfulStepError(what, books.residual.item(0))

    return refuse


def _note(solution: Solution, outcome: Outcome, count: int) -> None:
    outcome.impulse[:count] = solution.impulse[:count]
    outcome.counters[ITERATIONS] = solution.iterations
    outcome.counters[SHORT] = solution.status != "converged"


def _calm(
    problem: ConstraintProblem,
    hasty: list[HastySource],
    solvers: Sequence[tuple[str, Solver]],
    outcome: Outcome,
) -> None:
    """`calm_recovery` of what was found, unless limits follow contacts."""
    n, coupled = problem.count, problem.coupled
    if coupled is not None and coupled.counts[0]:
        return
    status: Status = "stalled" if outcome.counters[SHORT] else "converged"
    known = Solution(outcome.impulse[:n].copy(), status, int(outcome.counters[ITERATIONS]), 0.0)
    calm = calm_recovery(problem, hasty, solvers, known)
    if calm is not known:
        _note(calm, outcome, n)


def set_start(start: str, seed: int, label: str, step: int, impulse_out: FloatArray) -> None:
    """Impulses [n, 3] N s to begin with that know nothing of the last step; "random" ones are standard normal."""
    if start == "random":
        impulse_out[:] = noise_at(seed, label, step, impulse_out.size).reshape(impulse_out.shape)
    else:
        impulse_out[:] = 1.0 if start == "ones" else 0.0
