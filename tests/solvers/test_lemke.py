"""Lemke's method: complementarity problems with known solutions, and contacts with a friction pyramid."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.contact_problems import (
    STEP,
    hanging_chain,
    make_problem,
    random_pile,
    random_spheres,
    stack_of_boxes,
)
from solvers.hard_problems import mixed_laws, pinch
from solvers.singular_lcps import make_pyramid_lcp
from supple.mechanics.lcp import measure_lcp, solve_lcp
from supple.mechanics.lemke_kernels import RAY, SOLVED, run_lemke
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple.mechanics.rows import BOUNDED, COMPLIANT, COULOMB, UNILATERAL
from supple_solve_lemke.solver import Lemke

WEIGHT = 9.81 * STEP


def solve(problem, directions=8, tolerance=1e-9):
    chosen = SimpleNamespace(directions=directions, tolerance=tolerance)
    return Lemke(chosen).solve(problem, np.zeros((problem.count, 3)))


def run_kernel(M, q):
    """One bare run with ones as covering vector: (code, pivots, z)."""
    n = len(q)
    z = np.zeros(n)
    work = np.zeros(n + 2), np.zeros((n, n + 2)), np.zeros(n, np.int64), np.zeros(2 * n + 1, np.int64)
    code, pivots = run_lemke(M, q, np.ones(n), 10000, 1e-11, *work, z)
    return code, pivots, z


def find_all(M, q, slack=1e-9):
    """Solutions of all complementary bases with a regular matrix."""
    found = []
    n = len(q)
    for size in range(n + 1):
        for basis in itertools.combinations(range(n), size):
            z, part = np.zeros(n), M[np.ix_(basis, basis)]
            if size and abs(np.linalg.det(part)) < 1e-6:
                continue
            z[list(basis)] = np.linalg.solve(part, -q[list(basis)])
            if z.min() >= -slack and (M @ z + q).min() >= -slack:
                found.append(z)
    return found


@pytest.mark.parametrize("n", [2, 6, 12, 30])
def test_murty_family(n):
    """Twos below a diagonal of ones, q = -1: z = (1, 0, ...). With ones as covering vector the path has 2^n pivots."""
    M = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    if n <= 12:
        assert run_kernel(M, -np.ones(n))[:2] == (SOLVED, 2**n)
    solution = solve_lcp(M, -np.ones(n))
    assert solution.status == "converged"
    assert solution.pivots <= 20 * n + 200
    np.testing.assert_allclose(solution.z, np.eye(n)[0], atol=1e-14)


@pytest.mark.parametrize("n", [2, 5, 8])
def test_fathi_family(n):
    """L L^T of Murty's matrix, positive definite, with the same solution."""
    L = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    solution = solve_lcp(L @ L.T, -np.ones(n))
    np.testing.assert_allclose(solution.z, np.eye(n)[0], atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 6))
def test_positive_definite_problems_have_the_one_solution(seed, n):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(2, n, n))
    M, q = A @ A.T + 0.1 * np.eye(n) + B - B.T, rng.normal(size=n)
    (expected,) = find_all(M, q, slack=1e-12)
    code, _, bare = run_kernel(M, q)
    assert code == SOLVED
    np.testing.assert_allclose(bare, expected, atol=1e-7 * (1 + np.abs(expected).max()))
    solution = solve_lcp(M, q)
    assert (solution.status, solution.residual <= 1e-10) == ("converged", True)
    np.testing.assert_allclose(solution.z, expected, atol=1e-9 * (1 + np.abs(expected).max()))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 5))
def test_small_problems_are_solved_whenever_they_can_be(seed, n):
    """Any matrix at all: the solver succeeds exactly where some complementary basis does."""
    rng = np.random.default_rng(seed)
    M, q = rng.integers(-3, 4, (n, n)).astype(float), rng.integers(-3, 4, n).astype(float)
    known = find_all(M, q)
    solution = solve_lcp(M, q)
    if known:
        assert solution.status == "converged"
    if solution.status == "converged":
        w = M @ solution.z + q
        assert solution.z.min() >= 0.0
        assert w.min() >= -1e-8
        assert abs(solution.z @ w) <= 1e-7
    else:
        assert solution.residual > 1e-10


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12))
def test_ties_do_not_make_it_cycle(seed, n):
    """Few different numbers, many ties, a positive semidefinite and therefore solvable problem: q = -M x + y."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-1, 2, (n, max(1, n // 2))).astype(float)
    M = A @ A.T
    q = -M @ rng.integers(0, 2, n) + rng.integers(0, 2, n)
    code, pivots, z = run_kernel(M, q)
    assert code == SOLVED
    assert pivots <= 20 * n
    assert measure_lcp(M, q, z) <= 1e-9


def test_a_problem_without_solution_is_called_failed():
    M, q = -np.ones((1, 1)), -np.ones(1)
    assert run_kernel(M, q)[0] == RAY
    solution = solve_lcp(M, q)
    assert solution.status != "converged"
    assert not solution.z.any()


def test_the_fallback_reaches_what_a_ray_misses():
    """The first covering vector ends in a ray, though z = (0, 1, 0) solves the problem."""
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(400):
        M, q = rng.normal(size=(3, 3)), -rng.uniform(0.1, 1.0, 3)
        if run_kernel(M, q)[0] != SOLVED and find_all(M, q):
            missed += 1
            assert solve_lcp(M, q).status == "converged"
    assert missed >= 5


@pytest.mark.parametrize("seed", [68, 115, 141, 144, 156, 213])
def test_singular_problems_are_refined_to_the_last_digits(seed):
    """Regularisation alone leaves 1e-5 of these, where many contacts share few bodies."""
    M, q = make_pyramid_lcp(seed)
    found = solve_lcp(M, q)
    assert found.status == "converged"
    assert measure_lcp(M, q, found.z) < 1e-10
    assert found.z.min() >= 0.0


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    rng = np.random.default_rng(4)
    A = rng.normal(size=(20, 20))
    M, q = A @ A.T, rng.normal(size=20)
    D = scale ** rng.uniform(0.0, 1.0, 20)
    first, second = solve_lcp(M, q), solve_lcp(D[:, None] * M * D, D * q)
    assert second.status == "converged"
    np.testing.assert_allclose(second.z * D, first.z, rtol=1e-6, atol=1e-9 * first.z.max())


def test_what_is_not_finite_is_a_failure():
    assert solve_lcp(np.array([[np.nan]]), np.ones(1)).status == "failed"
    problem = stack_of_boxes(2).problem()
    problem.free[3, 0] = np.nan
    solution = solve(problem)
    assert (solution.status, solution.residual) == ("failed", math.inf)
    assert not solution.impulse.any()


def test_an_empty_problem_is_solved():
    assert solve_lcp(np.zeros((0, 0)), np.zeros(0)).status == "converged"
    assert solve(ConstraintProblem(4)).impulse.shape == (0, 3)


def check_pyramid(problem, impulse, directions, slack=1e-8):
    """Signorini, the pyramid, and that friction takes as much power as the pyramid allows."""
    u = row_velocities(problem, impulse)
    angle = 2.0 * np.pi * np.arange(directions) / directions
    for i in np.flatnonzero(problem.law == COULOMB):
        mu, (_, scale_t, scale_s) = problem.friction[i], problem.scale[i]
        D = np.column_stack([scale_t * np.cos(angle), scale_s * np.sin(angle)])
        (n, *T), (un, *uT) = impulse[i], u[i]
        assert n >= -slack
        assert un >= -slack
        assert abs(n * un) <= slack * (1.0 + n)
        assert np.dot(T, uT) == pytest.approx(-mu * n * (D @ uT).max(), abs=slack * (1.0 + n))
        inner = np.array([np.cos(angle + np.pi / directions), np.sin(angle + np.pi / directions)])
        scaled = np.array([t / s if s else 0.0 for t, s in zip(T, (scale_t, scale_s), strict=True)])
        assert (scaled @ inner).max() <= mu * n * np.cos(np.pi / directions) + slack * (1.0 + n)


@pytest.mark.parametrize("directions", [4, 8])
@pytest.mark.parametrize(
    "problem",
    [
        random_pile(3).problem(),
        random_pile(5, count=12, contacts=40, mass_ratio=1000.0).problem(),
        pinch(0),
        mixed_laws(2),
    ],
    ids=["pile", "ratio 1000", "pinch", "all laws"],
)
def test_the_law_of_the_pyramid_holds(problem, directions):
    solution = solve(problem, directions)
    assert solution.status == "converged"
    check_pyramid(problem, solution.impulse, directions)


@pytest.mark.parametrize("seed", range(5))
def test_rows_without_friction_are_exact(seed):
    """All laws but Coulomb's with mu = 0: then the pyramid is the cone."""
    problem = mixed_laws(seed, friction=0.0)
    solution = solve(problem)
    assert solution.status == "converged"
    assert natural_map_residual(problem, solution.impulse)[0] <= 1e-9


def test_bounded_rows_by_their_closed_forms():
    """Uncoupled rows with W = 2; only one side bounded, both, and none."""
    rows = [
        (UNILATERAL, -3.0, {}, 1.5),
        (BOUNDED, -3.0, {"lower": -1.0, "upper": 1.0}, 1.0),
        (BOUNDED, 3.0, {"lower": -1.0}, -1.0),
        (BOUNDED, -3.0, {"upper": 1.0}, 1.0),
        (BOUNDED, 3.0, {"upper": 1.0}, -1.5),
        (BOUNDED, 3.0, {}, -1.5),
        (COMPLIANT, -3.0, {"compliance": (4.0, 0.0, 0.0)}, 0.5),
        (COMPLIANT, -3.0, {"compliance": (4.0, 0.0, 0.0), "upper": 0.25}, 0.25),
    ]
    laws, free, given_settings, expected = zip(*rows, strict=True)
    solution = solve(make_problem(2.0 * np.eye(len(rows)), np.array(free), laws, given_settings))
    np.testing.assert_allclose(solution.impulse[:, 0], expected, rtol=1e-10)


@pytest.mark.parametrize(("directions", "angle"), [(4, 0.0), (8, 0.0), (8, math.pi / 4)])
def test_sliding_along_a_direction_is_braked_by_mu(directions, angle):
    """Along a direction of the pyramid its friction is that of the cone; contacts of a box have t = z, s = x."""
    push = (3.0 * math.sin(angle), 0.0, 3.0 * math.cos(angle))
    bodies = stack_of_boxes(1, friction=0.3, push=push)
    solution = solve(bodies.problem(), directions)
    brake = bodies.jacobian().T @ solution.impulse.ravel()
    expected = WEIGHT * np.array([-0.3 * push[0] / 3.0, 1.0, -0.3 * push[2] / 3.0])
    np.testing.assert_allclose(brake[:3], expected, atol=1e-9)


@pytest.mark.parametrize("directions", [4, 8])
def test_between_the_directions_friction_is_weaker(directions):
    half = math.pi / directions
    bodies = stack_of_boxes(1, friction=0.3, push=(3.0 * math.sin(half), 0.0, 3.0 * math.cos(half)))
    solution = solve(bodies.problem(), directions)
    brake = bodies.jacobian().T @ solution.impulse.ravel()
    along = -(brake[0] * math.sin(half) + brake[2] * math.cos(half))
    assert along == pytest.approx(0.3 * WEIGHT * math.cos(half), rel=1e-6)


def test_joints_of_a_chain_hold():
    bodies = hanging_chain(6)
    bodies.rows.pop()
    problem = bodies.problem()
    W = problem.W.to_dense(problem.size)
    np.testing.assert_allclose(
        solve(problem).impulse[:, 0], np.linalg.solve(W, -problem.free[:, 0]), rtol=1e-7
    )


def test_redundant_joints_are_no_obstacle():
    """The same joint twice: W is singular, the sum of both impulses is what one would carry."""
    bodies = hanging_chain(2)
    bodies.rows.pop()
    single = solve(bodies.problem())
    bodies.rows.extend(bodies.rows[:3])
    double = solve(bodies.problem(), tolerance=1e-8)
    assert double.status == "converged"
    both = double.impulse[:3, 0] + double.impulse[-3:, 0]
    np.testing.assert_allclose(both, single.impulse[:3, 0], rtol=1e-5, atol=1e-8)


def test_more_directions_come_nearer_to_the_cone():
    """The distance to the law of the cone shrinks with the angle between directions, on average."""
    total = dict.fromkeys((4, 8, 32), 0.0)
    for seed in range(12):
        problem = random_spheres(seed, friction=0.1).problem()
        for directions in total:
            total[directions] += natural_map_residual(problem, solve(problem, directions).impulse)[0]
    assert total[8] < 0.7 * total[4]
    assert total[32] < 0.4 * total[8]
