"""The two systems at the heart of a step: assemble the constraint problem, and solve it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.members import Solve
from supple.core.noise import noise_at
from supple.core.schedule import ROWS, Access, Bound, Each, Phase, System, solve_of
from supple.errors import PluginError, Problem
from supple.mechanics import warm_start_kernels
from supple.mechanics.block_matrix_kernels import mark_movable
from supple.mechanics.coupled import count_rolling, solve_coupled
from supple.mechanics.impacts import Impacts
from supple.mechanics.last_impulses import LastImpulses, name_last
from supple.mechanics.mechanism import AssembledSource, HastySource, Mechanism
from supple.mechanics.neighbours import Neighbourhood
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.problem_kernels import begin_free, measure_rows
from supple.mechanics.recovery import calm_recovery
from supple.mechanics.rescue import is_approximate, make_solvers, solve_with_rescue
from supple.mechanics.roots import find_root_source
from supple.mechanics.solve_sums import name_figure
from supple.mechanics.springs import bind_closing_springs


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
        self.writes: Sequence[Access] = (
            solve.array("problem"), *self.figures, solve.array("groups"), *made,
        )  # fmt: skip

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the velocities of all mechanisms."""
        problem: ConstraintProblem = arrays.record(self.solve.array("problem"))
        problem.step = arrays.h
        sources: list[AssembledSource] = arrays.build.members("row_sources", self.solve.name)
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", self.solve.name)
        problem.roots = find_root_source(mechanisms)
        jacobians = [mechanism.jacobian for mechanism in mechanisms]
        add_velocities = [
            mechanism.jacobian.bind_row_velocities(arrays[mechanism.v].reshape(-1), problem.u_now)
            for mechanism in mechanisms
        ]
        close = _bind_closing(arrays, problem, mechanisms)
        figures = [arrays[name] for name in self.figures]
        measure = bind_kernel(measure_rows, problem.counts, problem.law, problem.gap, *figures)
        groups_of_source = _name_groups(sources, arrays[self.solve.array("groups")])
        appending = list(zip(sources, groups_of_source, strict=True))
        clear_immovable = _bind_clearing(problem, mechanisms)
        others = [m for m in arrays.build.members("mechanisms") if m not in mechanisms]
        springs = bind_closing_springs(problem, sources, arrays.h)

        def assemble() -> None:
            problem.clear()
            for jacobian in jacobians:
                jacobian.clear()
            known = [one.jacobian.count.item(0) for one in others]
            last = 0
            for source, groups in appending:
                source.append(problem)
                groups[0], groups[1], last = last, problem.count - last, problem.count
            if known:
                self._refuse_rows_of_others(others, known)
            measure()
            if problem.coupled is not None:
                figures[1][0] -= count_rolling(problem)
            if problem.count == 0:
                return
            for add_velocity in add_velocities:
                add_velocity()
            for source in sources:
                source.set_bias(problem)
            _couple(problem, mechanisms)
            for mechanism in mechanisms:
                mechanism.add_delassus(problem.W)
            clear_immovable()
            for close_springs in springs:
                close_springs()
            close()

        return assemble

    def _refuse_rows_of_others(self, mechanisms: list[Mechanism], known: list[int]) -> None:
        """A mechanism is moved by the rows of its own solve alone; `known` is how many blocks each had."""
        for mechanism, count in zip(mechanisms, known, strict=True):
            if mechanism.jacobian.count.item(0) != count:
                mine, other = solve_of(mechanism), self.solve.name
                what = f"belongs to the solve '{mine}', and a row of '{other}' acts on it"
                raise PluginError(Problem(None, mechanism.name, what, "make rows in its own solve"))


def _bind_clearing(problem: ConstraintProblem, mechanisms: list[Mechanism]) -> Callable[[], None]:
    """A function that takes out the groups that nothing moves; see `BlockMatrix.clear_immovable_groups`."""
    movable = np.zeros(problem.capacity, np.int64)
    marking = [
        bind_kernel(mark_movable, m.jacobian.count, m.jacobian.group, m.jacobian.unit, movable)
        for m in mechanisms
        if getattr(m, "sums_only", False)
    ]

    def clear() -> None:
        for mark in marking:
            mark()
        problem.W.clear_immovable_groups(movable)

    return clear


def _bind_closing(
    arrays: Bound, problem: ConstraintProblem, mechanisms: list[Mechanism]
) -> Callable[[], None]:
    """A function that sets problem.free to bias + J v_free of all mechanisms."""
    free = [(each.jacobian, arrays[each.v_free].reshape(-1)) for each in mechanisms]
    if not free:
        return lambda: None
    begin = bind_kernel(begin_free, problem.rows, problem.bias, free[0][0].arrays, free[0][1])
    adding = [jacobian.bind_row_velocities(v_free, problem.free) for jacobian, v_free in free[1:]]

    def close() -> None:
        begin()
        for add_velocities in adding:
            add_velocities()

    return close


def _name_groups(sources: list[AssembledSource], groups: IntArray) -> list[IntArray]:
    """Give every source its row of the table [sources, 2] of first groups and numbers of groups."""
    for source, mine in zip(sources, groups, strict=True):
        source.groups = mine
    return list(groups)


def _couple(problem: ConstraintProblem, mechanisms: list[Mechanism]) -> None:
    """Set the pattern of W: groups are coupled that touch one unit of one mechanism."""
    if len(mechanisms) == 1:
        jacobian = mechanisms[0].jacobian
        problem.W.set_pattern(
            jacobian.group, jacobian.unit, problem.count, mechanisms[0].unit_count, jacobian.count.item(0)
        )
        return
    groups, units, first = [], [], 0
    for mechanism in mechanisms:
        used = mechanism.jacobian.count.item(0)
        groups.append(mechanism.jacobian.group[:used])
        units.append(mechanism.jacobian.unit[:used] + first if first else mechanism.jacobian.unit[:used])
        first += mechanism.unit_count
    problem.W.set_pattern(np.concatenate(groups), np.concatenate(units), problem.count, first)


class SolveRows(System):
    """Closes the free row velocities, solves, and hands J^T lambda to every mechanism."""

    phase = Phase.SOLVE

    def __init__(self, build: Build, solve: Solve) -> None:
        self.solve, self.rate = solve, solve.rate
        self.solvers, self.impact_solvers = make_solvers(build), make_solvers(build)
        at, mine, last = solve.array, solve.name, name_last(solve)
        self.reads: Sequence[Access] = (
            at("problem"), *last, at("unsolved"), at("failures"), at("rescues"), "run.step",
            *(Each("mechanisms", part, mine) for part in ("v", "v_free", "plan", "reads")),
        )  # fmt: skip
        self.writes: Sequence[Access] = (
            at("impulse"), name_figure(solve, "residual"), name_figure(solve, "iterations"),
            at("unsolved.next"), at("failures.next"), at("rescues.next"), *(f"{name}.next" for name in last),
            Each("mechanisms", "impulse", mine),
        )  # fmt: skip
        # Only the contacts of the solve that every scene has are known by their places.
        self.by_place = build.run.warm_start == "neighbours" and solve.name == ROWS
        if self.by_place:
            self.reads = (*self.reads, *Neighbourhood.reads)
            self.writes = (*self.writes, *Neighbourhood.writes)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the problem, the warm start, and the velocities of all mechanisms."""
        at = self.solve.array
        problem: ConstraintProblem = arrays.record(at("problem"))
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", self.solve.name)
        plans = [_bind_plan(arrays, mechanism) for mechanism in mechanisms]
        impulse = arrays[at("impulse")]
        close = _bind_closing(arrays, problem, mechanisms)
        hand_over = [
            m.jacobian.bind_transposed_impulses(impulse, arrays[m.impulse].reshape(-1)) for m in mechanisms
        ]
        residual, iterations = (arrays[name_figure(self.solve, f)] for f in ("residual", "iterations"))
        failures, failures_next = arrays[at("failures")], arrays[at("failures.next")]
        unsolved, unsolved_next = arrays[at("unsolved")], arrays[at("unsolved.next")]
        rescues, rescues_next = arrays[at("rescues")], arrays[at("rescues.next")]
        last = LastImpulses(arrays, self.solve, problem, impulse, residual)
        sources = arrays.build.members("row_sources", self.solve.name)
        hasty: list[HastySource] = [source for source in sources if hasattr(source, "find_haste")]
        impacts = Impacts(arrays, problem, mechanisms, self.impact_solvers)
        warm_start = arrays.build.run.warm_start
        neighbourhood = Neighbourhood(arrays, impulse) if self.by_place else None
        known = warm_start in ("pairs", "neighbours")
        seed, step = arrays.build.seed, arrays["run.step"]
        # Who approximates the laws leaves a residual even where it comes to its end.
        exact, bound = not is_approximate(self.solvers[0][1]), arrays.build.run.allowed_residual

        def solve() -> None:
            n = problem.count
            planned = _take_plans(plans)
            residual[0] = iterations[0] = 0.0
            if n:
                last.begin()
                if planned or problem.strikes:
                    close()  # whatever was added before, should this step be solved twice
                for mechanism, change in planned:
                    mechanism.jacobian.add_row_velocities(change.reshape(-1), problem.free)
                bounced = problem.strikes and impacts.reflect()
                if neighbourhood is not None:
                    neighbourhood.carry_over()
                elif not known:
                    set_start(warm_start, seed, at("start"), int(step[0]), impulse[:n])
                if problem.coupled is not None and problem.coupled.counts[0]:
                    struck = impacts.impulse if bounced else None
                    solution, tries = solve_coupled(self.solvers, problem, impulse, struck)
                else:
                    solution, tries = solve_with_rescue(self.solvers, problem, impulse)
                    if hasty:
                        solution = calm_recovery(problem, hasty, self.solvers, solution)
                iterations[0] = solution.iterations
                last.finish(problem, solution.impulse)
                short = solution.status != "converged"
                failures_next[0] = failures[0] + short
                if (short or exact) and not residual.item(0) <= bound:
                    unsolved_next[0] = unsolved[0] + 1
                rescues_next[0] = rescues[0] + (tries > 1)
                if bounced:
                    impulse[:n] += impacts.impulse
                for add_impulses in hand_over:
                    add_impulses()
            else:
                last.forget()
            if neighbourhood is not None:
                neighbourhood.keep()

        return solve


def set_start(start: str, seed: int, label: str, step: int, impulse_out: FloatArray) -> None:
    """Impulses [n, 3] N s to begin with that know nothing of the last step; "random" ones are standard normal."""
    if start == "random":
        impulse_out[:] = noise_at(seed, label, step, impulse_out.size).reshape(impulse_out.shape)
    else:
        impulse_out[:] = 1.0 if start == "ones" else 0.0


Plan = tuple[Mechanism, Callable[[], bool], FloatArray, FloatArray]
"""A mechanism, what begins its impulse with its plan (and tells if there is one), the plan, room for M^-1 plan."""


def _bind_plan(arrays: Bound, mechanism: Mechanism) -> Plan:
    plan, impulse = arrays[mechanism.plan], arrays[mechanism.impulse]
    take = bind_kernel(warm_start_kernels.take_plan, plan.reshape(-1), impulse.reshape(-1))
    return mechanism, take, plan, np.zeros_like(plan)


def _take_plans(plans: list[Plan]) -> list[tuple[Mechanism, FloatArray]]:
    """Begin every impulse with what was planned; returns the mechanisms with a plan and what it does to v."""
    planned = []
    for mechanism, take, plan, change in plans:
        if take():
            mechanism.apply_inverse(plan, change)
            planned.append((mechanism, change))
    return planned
