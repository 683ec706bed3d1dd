"""Many contacts, few that carry force: the working set finds what the whole problem asks for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL
from supple.mechanics.solution import BEGUN, COUNTERS, ITERATIONS, Outcome, Solution
from supple_solve_newton import solver as newton
from supple_solve_newton import working_set
from supple_solve_newton.components import NewtonSettings
from supple_solve_newton.solver import Newton
from supple_solve_newton.working_set import ADMITTED


def low_rank_problem(rng, groups, ranks, friction=0.5, others=0):
    """Contacts that all act on the same few degrees of freedom, with `others` bilateral rows and limits before."""
    size = np.array([1] * others + [3] * (groups - others))
    J = rng.normal(size=(size.sum(), ranks))
    problem = ConstraintProblem(groups)
    problem.reserve(groups)
    problem.W = BlockMatrix.from_dense(J @ J.T, size)
    problem.size[:] = size
    problem.law[:] = [*([BILATERAL, UNILATERAL] * others)[:others], *[COULOMB] * (groups - others)]
    problem.friction[:] = friction
    # Velocities without impulses come from a motion of the degrees of freedom, and most gaps are open.
    free = J @ rng.normal(size=ranks)
    start = np.concatenate([[0], np.cumsum(size)])
    for i in range(groups):
        problem.free[i, : size[i]] = free[start[i] : start[i + 1]]
    problem.free[others:, 0] += rng.uniform(0.5, 2.0, groups - others) * np.sqrt(ranks)
    return problem


def solve(problem, warm=None, **keywords):
    start = np.zeros((problem.count, 3)) if warm is None else warm
    return Newton(NewtonSettings(**keywords)).solve(problem, start)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    groups=st.integers(43, 160),
    ranks=st.integers(6, 31),
    others=st.integers(0, 4),
)
def test_solution_of_the_set_solves_the_whole_problem(seed, groups, ranks, others):
    problem = low_rank_problem(np.random.default_rng(seed), groups, ranks, others=others)
    assert working_set.is_worth_it(problem)
    solution = solve(problem)
    assert solution.status == "converged"
    assert natural_map_residual(problem, solution.impulse)[0] <= 1e-9


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    groups=st.integers(43, 90),
    ranks=st.integers(6, 20),
    others=st.integers(0, 4),
    change=st.sampled_from([0.0, 1e-3, 0.3]),
)
def test_sets_without_python_find_the_same_bits(seed, groups, ranks, others, change):
    rng = np.random.default_rng(seed)
    problem = low_rank_problem(rng, groups, ranks, others=others)
    warm = solve(problem).impulse
    problem.free[:] *= 1.0 + change * rng.normal(size=problem.free.shape)
    outcome = Outcome(*np.zeros((2, groups, 3)), np.zeros(COUNTERS, np.int64), np.zeros(2))
    call = Newton(NewtonSettings()).bind_quick(problem, warm, np.zeros(1, np.int64), outcome)
    if call.kernel(*call.arguments):
        assert outcome.counters[BEGUN] == 0
        return
    expected = solve(problem, warm)
    assert np.array_equal(outcome.impulse, expected.impulse)
    assert outcome.counters[ITERATIONS] == expected.iterations


def test_most_sets_need_no_python():
    found = 0
    for seed in range(20):
        problem = low_rank_problem(np.random.default_rng(seed), 50, 8)
        warm = solve(problem).impulse
        problem.free[:] *= 1.001
        outcome = Outcome(*np.zeros((2, 50, 3)), np.zeros(COUNTERS, np.int64), np.zeros(2))
        call = Newton(NewtonSettings()).bind_quick(problem, warm, np.zeros(1, np.int64), outcome)
        found += not call.kernel(*call.arguments)
    assert found > 15


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), groups=st.integers(40, 100))
def test_without_friction_velocities_are_those_of_the_whole_solve(seed, groups):
    """A convex problem: impulses may differ where W is singular, velocities may not."""
    problem = low_rank_problem(np.random.default_rng(seed), groups, 12, friction=0.0)
    few, all_at_once = solve(problem), solve(problem, working_set=False)
    velocities = [row_velocities(problem, each.impulse)[:, 0] for each in (few, all_at_once)]
    np.testing.assert_allclose(*velocities, atol=1e-7)


def test_solved_problem_is_left_alone():
    problem = low_rank_problem(np.random.default_rng(3), 120, 20)
    first = solve(problem)
    again = solve(problem, warm=first.impulse)
    assert again.iterations == 0
    assert np.array_equal(again.impulse, first.impulse)


def test_one_admitted_per_round_comes_to_the_same(monkeypatch):
    problem = low_rank_problem(np.random.default_rng(5), 90, 12, friction=0.0)
    expected = row_velocities(problem, solve(problem).impulse)[:, 0]
    monkeypatch.setattr(working_set, "ADMITTED", 1)
    got = row_velocities(problem, solve(problem).impulse)[:, 0]
    np.testing.assert_allclose(got, expected, atol=1e-7)


def test_set_that_grows_too_large_is_given_up(monkeypatch):
    problem = low_rank_problem(np.random.default_rng(7), 60, 200)  # all ranks: most contacts carry force
    problem.free[:, 0] = -5.0
    monkeypatch.setattr(working_set, "GREATEST_SHARE", 0.3)
    whole = working_set.WorkingSet(lambda small, warm, tolerance: solve(small, warm, working_set=False))
    assert whole.solve(problem, np.zeros((60, 3)), 1e-10).status == "stalled"
    assert solve(problem).status == "converged"


@pytest.mark.parametrize("stuck", [1, 2])
def test_start_that_leads_nowhere_is_given_up_for_none(monkeypatch, stuck):
    """The first `stuck` tries stall; those after the first begin from nothing and admit another number per round."""
    problem = low_rank_problem(np.random.default_rng(11), 80, 12)
    solver, asked, spent = Newton(NewtonSettings()), [], []
    whole = solver._working_set.solve

    def get_stuck(problem, warm, tolerance, admitted=ADMITTED):
        asked.append((bool(warm.any()), admitted))
        stalled = Solution(warm[: problem.count].copy(), "stalled", 7, 0.1)
        found = stalled if len(asked) <= stuck else whole(problem, warm, tolerance, admitted)
        spent.append(found.iterations)
        return found

    monkeypatch.setattr(solver._working_set, "solve", get_stuck)
    start = np.zeros((80, 3))
    start[:40] = 1.0
    solution = solver.solve(problem, start)
    assert solution.status == "converged"
    assert asked == [(True, ADMITTED), (False, 4), (False, 8)][: stuck + 1]
    assert solution.iterations == sum(spent)
    np.testing.assert_allclose(solution.impulse, solve(problem).impulse, atol=1e-7)


def test_no_set_is_tried_where_most_groups_carry_force(monkeypatch):
    problem = low_rank_problem(np.random.default_rng(7), 60, 200)  # all ranks
    problem.free[:, 0] = -5.0
    first, solver = solve(problem), Newton(NewtonSettings())
    assert (first.impulse[:, 0] > 0.0).mean() > working_set.GREATEST_SHARE
    monkeypatch.setattr(solver._working_set, "solve", None)
    problem.free[:, 0] = -5.01
    again = solver.solve(problem, first.impulse)
    assert again.status == "converged"
    assert natural_map_residual(problem, again.impulse)[0] <= 1e-9


@pytest.mark.parametrize("count", [10, 60])
def test_small_or_loosely_coupled_problems_are_solved_at_once(count):
    rng = np.random.default_rng(1)
    problem = low_rank_problem(rng, count, 6)
    if count == 60:  # pairs of contacts, each pair by itself
        dense = np.kron(np.eye(30), np.ones((6, 6))) * 0.1 + np.eye(180)
        problem.W = BlockMatrix.from_dense(dense, problem.size)
    assert not working_set.is_worth_it(problem)
    assert natural_map_residual(problem, solve(problem).impulse)[0] <= 1e-9


def test_sets_that_never_do_cost_no_more_than_the_whole_problem(monkeypatch):
    """Speeds that mean nothing: every set stalls, and a hundred searches of half a second would be a minute."""
    problem = low_rank_problem(np.random.default_rng(13), 120, 20)
    problem.free[:] *= 1e57 * np.random.default_rng(14).normal(size=problem.free.shape)
    monkeypatch.setattr(newton, "MAX_EFFORT", 5e7)
    monkeypatch.setattr(newton, "MAX_EFFORT_PER_BLOCK", 0.0)
    spent, find = [], newton.ProblemSearch.find

    def count(search, impulse, max_rounds):
        find(search, impulse, max_rounds)
        spent.append(search._effort + search._method.effort)

    monkeypatch.setattr(newton.ProblemSearch, "find", count)
    assert solve(problem).status == "stalled"
    # Once for the sets and once for all; each search may go beyond by a step that it has begun.
    assert sum(spent) <= 2 * 5e7 * 1.2
