"""The two systems at the heart of a step: assemble the constraint problem, and solve it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.noise import noise_at
from supple.core.schedule import Access, Bound, Each, Phase, System
from supple.mechanics import warm_kernels
from supple.mechanics.last_impulses import LastImpulses
from supple.mechanics.mechanism import AssembledSource, Mechanism
from supple.mechanics.neighbours import Neighbourhood
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.problem_kernels import begin_free, measure_rows
from supple.mechanics.rescue import make_solvers, solve_with_rescue


class AssembleRows(System):
    """Rows of all sources, the Delassus operator W = sum J A^-1 J^T, and the row velocities without impulses.

    At its end the problem is closed: `free` = bias + J v_free of all mechanisms, without plans.
    """

    phase = Phase.ASSEMBLE
    reads = (
        Each("row_sources", "reads"),
        Each("surfaces", "reads"),
        Each("carriers", "reads"),
        Each("mechanisms", "reads"),
        Each("mechanisms", "v"),
        Each("mechanisms", "v_free"),
    )
    writes = ("rows.problem", "rows.count", "rows.contacts", "rows.penetration", "rows.groups")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the velocities of all mechanisms."""
        problem: ConstraintProblem = arrays.record("rows.problem")
        sources: list[AssembledSource] = arrays.build.members("row_sources")
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms")
        jacobians = [mechanism.jacobian for mechanism in mechanisms]
        add_velocities = [
            mechanism.jacobian.bind_row_velocities(arrays[mechanism.v].reshape(-1), problem.u_now)
            for mechanism in mechanisms
        ]
        close = _bind_closing(arrays, problem, mechanisms)
        figures = [arrays[name] for name in self.writes[1:4]]
        measure = bind_kernel(measure_rows, problem.counts, problem.law, problem.gap, *figures)
        appending = list(zip(sources, _name_groups(sources, arrays["rows.groups"]), strict=True))

        def assemble() -> None:
            problem.clear()
            for jacobian in jacobians:
                jacobian.clear()
            last = 0
            for source, groups in appending:
                source.append(problem)
                groups[0], groups[1], last = last, problem.count - last, problem.count
            measure()
            if problem.count == 0:
                return
            for add_velocity in add_velocities:
                add_velocity()
            for source in sources:
                source.set_bias(problem)
            _couple(problem, mechanisms)
            for mechanism in mechanisms:
                mechanism.add_delassus(problem.W)
            problem.W.clear_immovable_groups()
            close()

        return assemble


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
    reads: Sequence[Access] = (
        "rows.problem", *LastImpulses.reads, "rows.failures", "rows.rescues", "run.step",
        Each("mechanisms", "v_free"), Each("mechanisms", "plan"), Each("mechanisms", "reads"),
    )  # fmt: skip
    writes: Sequence[Access] = (
        "rows.impulse", "rows.residual", "rows.iterations", "rows.failures.next", "rows.rescues.next",
        *LastImpulses.writes, Each("mechanisms", "impulse"),
    )  # fmt: skip

    def __init__(self, build: Build) -> None:
        self.solvers = make_solvers(build)
        if build.run.warm_start == "neighbours":
            self.reads, self.writes = (
                (*self.reads, *Neighbourhood.reads),
                (*self.writes, *Neighbourhood.writes),
            )

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the problem, the warm start, and the velocities of all mechanisms."""
        problem: ConstraintProblem = arrays.record("rows.problem")
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms")
        plans = [
            (
                m,
                bind_kernel(
                    warm_kernels.take_plan, arrays[m.plan].reshape(-1), arrays[m.impulse].reshape(-1)
                ),
                arrays[m.plan],
                np.zeros_like(arrays[m.plan]),
            )
            for m in mechanisms
        ]
        impulse = arrays["rows.impulse"]
        close = _bind_closing(arrays, problem, mechanisms)
        hand_over = [
            m.jacobian.bind_transposed_impulses(impulse, arrays[m.impulse].reshape(-1)) for m in mechanisms
        ]
        residual, iterations = arrays["rows.residual"], arrays["rows.iterations"]
        failures, failures_next = arrays["rows.failures"], arrays["rows.failures.next"]
        rescues, rescues_next = arrays["rows.rescues"], arrays["rows.rescues.next"]
        last = LastImpulses(arrays, problem, impulse, residual)
        warm_start = arrays.build.run.warm_start
        neighbourhood = Neighbourhood(arrays) if warm_start == "neighbours" else None
        seed, step = arrays.build.seed, arrays["run.step"]

        def solve() -> None:
            n = problem.count
            planned = _take_plans(plans)
            residual[0] = iterations[0] = 0.0
            if n:
                last.begin()
                if planned:
                    close()  # whatever was added before, should this step be solved twice
                for mechanism, change in planned:
                    mechanism.jacobian.add_row_velocities(change.reshape(-1), problem.free)
                if neighbourhood is not None:
                    neighbourhood.carry_over(problem, impulse)
                elif warm_start != "pairs":
                    set_start(warm_start, seed, int(step[0]), impulse[:n])
                solution, tries = solve_with_rescue(self.solvers, problem, impulse)
                iterations[0] = solution.iterations
                last.finish(problem, solution.impulse)
                failures_next[0] = failures[0] + (solution.status != "converged")
                rescues_next[0] = rescues[0] + (tries > 1)
                for add_impulses in hand_over:
                    add_impulses()
            else:
                last.forget()
            if neighbourhood is not None:
                neighbourhood.keep(problem, impulse)

        return solve


def set_start(start: str, seed: int, step: int, impulse_out: FloatArray) -> None:
    """Impulses [n, 3] N s to begin with that know nothing of the last step; "random" ones are standard normal."""
    if start == "random":
        impulse_out[:] = noise_at(seed, "rows.start", step, impulse_out.size).reshape(impulse_out.shape)
    else:
        impulse_out[:] = 1.0 if start == "ones" else 0.0


def _take_plans(
    plans: list[tuple[Mechanism, Callable[[], bool], FloatArray, FloatArray]],
) -> list[tuple[Mechanism, FloatArray]]:
    """Begin every impulse with what was planned; returns the mechanisms with a plan and what it does to v."""
    planned = []
    for mechanism, take, plan, change in plans:
        if take():
            mechanism.apply_inverse(plan, change)
            planned.append((mechanism, change))
    return planned
