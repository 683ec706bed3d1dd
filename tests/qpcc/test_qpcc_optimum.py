"""The optimum: against all combinations of sides, closed forms, and itself under changes that keep it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from qpcc.qpcc_oracles import enumerate_optimum, list_rows, make_body, make_general, solve_program
from supple_qpcc.contacts import find_contacts
from supple_qpcc.problem import make_qpcc
from supple_qpcc.records import Budget
from supple_qpcc.search import solve
from supple_qpcc.static import solve_static

PROOF = Budget(nodes=100_000, gap=1e-9, confirm=True)


def check_optimum(problem, best, budget=PROOF):
    found = solve(problem, budget=budget)
    if best == np.inf:
        assert (found.status, found.bound) == ("infeasible", np.inf)
        assert found.fallback == "hold"
        return found
    scale = max(1.0, abs(best))
    assert found.status == "proven"
    assert found.objective == pytest.approx(best, abs=1e-6 * scale)
    assert found.objective == pytest.approx(problem.evaluate(found.x), abs=1e-12 * scale)
    assert found.bound <= found.objective <= found.bound + 2e-7 * scale
    assert problem.measure(found.x) < 1e-8
    return found


@given(seed=st.integers(0, 2**32), pairs=st.integers(0, 6), rows=st.integers(0, 3), equal=st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_any_pairs(seed, pairs, rows, equal):
    problem = make_general(seed, 4, pairs, rows, equal)
    check_optimum(problem, enumerate_optimum(problem))


@given(seed=st.integers(0, 2**32), pairs=st.integers(1, 5), spread=st.sampled_from([0.0, 2.0, 4.0]))
@settings(max_examples=30, deadline=None)
def test_any_units(seed, pairs, spread):
    """Variables and rows in units that differ by up to 10^8: the same optimum."""
    random, plain = np.random.default_rng(seed), make_general(seed, 4, pairs, 2, 1)
    s = 10.0 ** random.uniform(-spread, spread, plain.size)
    own, other = 10.0 ** random.uniform(-spread / 2, spread / 2, (2, pairs))
    problem = make_qpcc(
        plain.P * np.outer(s, s), plain.c * s, plain.C * np.outer(own, s), plain.d * own, plain.E * np.outer(other, s),
        plain.f * other, c0=plain.c0, lb=plain.lb / s, ub=plain.ub / s, G=plain.G * s, h=plain.h, A=plain.A * s,
        b=plain.b,
    )  # fmt: skip
    found, best = solve(problem, budget=PROOF), enumerate_optimum(plain)
    assert found.status == ("infeasible" if best == np.inf else "proven")
    assert best == np.inf or found.objective == pytest.approx(best, abs=1e-6 * max(1.0, abs(best)))


@given(seed=st.integers(0, 2**32), pairs=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_many_rows_on_one_variable(seed, pairs):
    """Both sides of every pair are zero at one point, each to its own last digits: the point is the only one."""
    random = np.random.default_rng(seed)
    point, C, E = random.normal(), random.normal(size=(pairs, 1)), random.normal(size=(pairs, 1))
    problem = make_qpcc(np.eye(1), np.array([3.0]), C, -C[:, 0] * point, E, -E[:, 0] * point)
    found = solve(problem, budget=PROOF)
    assert found.status == "proven"
    assert found.objective <= 0.5 * point**2 + 3.0 * point + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_a_search_among_many_pairs_ends_where_no_side_can_be_released(seed):
    """30 pairs alone, too many to prove: at a local minimum no program with one held side released is better."""
    random = np.random.default_rng(seed)
    root, K, N = random.normal(size=(34, 34)), random.normal(size=(30, 30)), random.normal(size=(30, 4))
    problem = make_qpcc(
        root @ root.T / 34.0, random.normal(size=34), np.eye(30, 34, 4), np.zeros(30), np.hstack([N, K @ K.T / 30.0]),
        random.normal(size=30), lb=np.r_[np.full(4, -5.0), np.zeros(30)], ub=np.full(34, 10.0),
    )  # fmt: skip
    found = solve(problem, budget=Budget(nodes=120))
    a, e = problem.find_pairs(found.x)
    both = np.flatnonzero((a < 1e-9) & (e < 1e-9))
    for pair in both:
        zero_a = a < e
        zero_a[pair] = not zero_a[pair]
        other = solve_program(problem.P, problem.c, *list_rows(problem, zero_a, ~zero_a))
        assert other is None or other[1] >= found.objective - 1e-7


@given(
    seed=st.integers(0, 2**32), muscles=st.integers(1, 8), rank=st.integers(1, 8),
    friction=st.sampled_from([None, 0.0, 1e-3, 3.0]), rates=st.sampled_from([None, 1, 2]),
    airborne=st.sampled_from([0.0, 50.0, -3.0]),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_one_contact(seed, muscles, rank, friction, rates, airborne):
    """Without friction, airborne, with a W that is singular: 64 combinations of sides, of which ten are modes."""
    problem = make_body(seed, muscles, 1, 4, rank=rank, friction=friction, rates=rates, airborne=airborne)
    check_optimum(problem, enumerate_optimum(problem))


@pytest.mark.parametrize(("seed", "friction"), [(0, None), (1, 0.0)])
def test_a_contact_of_eight_directions(seed, friction):
    problem = make_body(seed, 3, 1, 8, friction=friction)
    check_optimum(problem, enumerate_optimum(problem))


@pytest.mark.parametrize(("seed", "twice", "rates"), [(0, False, None), (1, True, 4)])
def test_two_contacts(seed, twice, rates):
    """4096 combinations; the second one is a copy of the first."""
    problem = make_body(seed, 3, 2, 4, twice=twice, rates=rates)
    check_optimum(problem, enumerate_optimum(problem))


@pytest.mark.parametrize("seed", range(8))
def test_linear_objectives(seed):
    """P = 0: every piece is a linear program, which HiGHS solves; some have no lower bound until pairs are decided."""
    problem = make_general(seed, 3, 3, 2, 0, singular=True)
    best = np.inf
    for sides in product((False, True), repeat=3):
        rows, low, equal, value = list_rows(problem, np.array(sides), ~np.array(sides))
        found = linprog(problem.c, -rows, -low, equal, value, bounds=(None, None), method="highs")
        best = min(best, -np.inf if found.status == 3 else found.fun if found.status == 0 else np.inf)
    answer = solve(problem, budget=PROOF)
    if np.isfinite(best):
        assert answer.status == "proven"
        assert answer.objective == pytest.approx(best + problem.c0, abs=1e-6)
    else:
        assert answer.status == ("infeasible" if best > 0.0 else "unbounded")


def test_without_a_lower_bound():
    problem = make_qpcc(
        np.zeros((2, 2)), np.array([-1.0, 0.0]), np.eye(2)[:1], np.zeros(1), np.eye(2)[1:], np.zeros(1)
    )
    assert solve(problem).status == "unbounded"


def test_a_small_problem_on_paper():
    """0 <= x perp x - y - 2 >= 0: two half lines, and the nearest points to (3, -1) and (-3, -4) on them."""
    C, E = np.array([[1.0, 0.0]]), np.array([[1.0, -1.0]])
    for target, expected in (
        ((3.0, -1.0), (2.0, 0.0)),
        ((-3.0, -4.0), (0.0, -4.0)),
        ((0.0, -1.0), (0.5, -1.5)),
    ):
        aim = np.array(target)
        problem = make_qpcc(np.eye(2), -aim, C, np.zeros(1), E, np.array([-2.0]), c0=0.5 * float(aim @ aim))
        found = solve(problem)
        np.testing.assert_allclose(found.x, expected, atol=1e-12)
        assert found.objective == pytest.approx(0.5 * float((aim - expected) @ (aim - expected)))


@given(seed=st.integers(0, 2**32), contacts=st.integers(1, 5))
@settings(max_examples=8, deadline=None)
def test_what_keeps_the_optimum(seed, contacts):
    """Another order of pairs, and other units of the objective."""
    problem = make_body(seed, 6, contacts, rank=3)
    best = solve(problem, budget=PROOF)
    assert best.status == "proven"
    order = np.random.default_rng(seed).permutation(problem.pairs)
    shuffled = make_qpcc(
        problem.P, problem.c, problem.C[order], problem.d[order], problem.E[order], problem.f[order],
        c0=problem.c0, lb=problem.lb, ub=problem.ub,
    )  # fmt: skip
    scaled = make_qpcc(
        100.0 * problem.P, 100.0 * problem.c, problem.C, problem.d, problem.E, problem.f, c0=100.0 * problem.c0,
        lb=problem.lb, ub=problem.ub,
    )  # fmt: skip
    assert len(find_contacts(shuffled)) == contacts
    tolerance = 1e-6 * max(1.0, abs(best.objective))
    assert solve(shuffled, budget=PROOF).objective == pytest.approx(best.objective, abs=tolerance)
    assert solve(scaled, budget=PROOF).objective == pytest.approx(100 * best.objective, abs=100 * tolerance)
    static = solve_static(problem)
    assert static.status == "infeasible" or static.objective >= best.objective - tolerance


def test_rows_that_nearly_depend_on_each_other_are_not_called_empty():
    """Five contacts on six rates: a tight tolerance alone lost nodes here that HiGHS finds points in."""
    problem = make_body(678, 16, 5, rank=1, friction=5.0, airborne=-2.0, rates=6)
    sure, quick = solve(problem, budget=PROOF), solve(problem)
    assert (sure.status, sure.failed) == ("proven", 0)
    assert quick.objective == pytest.approx(sure.objective, rel=1e-5)


def test_the_oracle_itself():
    """A program with a known solution, and one without a point."""
    x, value = solve_program(np.diag([2.0, 1.0]), np.zeros(2), np.array([[1.0, 1.0]]), np.array([3.0]))
    np.testing.assert_allclose(x, [1.0, 2.0], atol=1e-12)
    assert value == pytest.approx(3.0)
    assert solve_program(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([1.0, 0.0])) is None
