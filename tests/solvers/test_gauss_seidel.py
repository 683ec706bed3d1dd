"""Block Gauss-Seidel: closed forms, its numpy twin, hard problems, and what must not break it."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from solvers.contact_problems import (
    FLOOR,
    STEP,
    UP,
    Bodies,
    contacts_only,
    hanging_chain,
    make_problem,
    random_pile,
    stack_of_boxes,
)
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple.mechanics.rows import BILATERAL, BOUNDED, COMPLIANT, COULOMB, UNILATERAL
from supple_solve_gauss_seidel import oracle
from supple_solve_gauss_seidel.solver import GaussSeidel

WEIGHT = 9.81 * STEP  # impulse of gravity on 1 kg in one step [N s]


def solve(problem, tolerance=1e-11, max_sweeps=20000, warm=None):
    warm = np.zeros((problem.count, 3)) if warm is None else warm
    return GaussSeidel(SimpleNamespace(tolerance=tolerance, max_sweeps=max_sweeps)).solve(problem, warm)


def mixed_laws(seed):
    """All five laws in one matrix, coupled with each other."""
    rng = np.random.default_rng(seed)
    laws = [COULOMB, BILATERAL, UNILATERAL, BOUNDED, COMPLIANT, COULOMB, UNILATERAL, COMPLIANT]
    rows = sum(3 if law == COULOMB else 1 for law in laws)
    J = rng.normal(size=(rows, rows + 4))
    settings = [{} for _ in laws]
    for i in (0, 5):
        settings[i] = {"friction": rng.uniform(0.1, 0.8)}
    for i in (3, 4, 7):
        settings[i] = {"lower": -rng.uniform(0.0, 0.3), "upper": rng.uniform(0.0, 0.3)}
    for i in (4, 7):
        settings[i]["compliance"] = (rng.uniform(0.1, 2.0), 0.0, 0.0)
    return make_problem(J @ J.T / rows, rng.normal(size=rows), laws, settings)


def test_one_row_laws_by_their_closed_forms():
    """Uncoupled rows with W = 2: u = 2 r + E r + free."""
    rows = [
        (BILATERAL, -3.0, {}, 1.5),
        (BILATERAL, 3.0, {}, -1.5),
        (UNILATERAL, -3.0, {}, 1.5),
        (UNILATERAL, 3.0, {}, 0.0),
        (BOUNDED, -3.0, {"lower": -1.0, "upper": 1.0}, 1.0),
        (BOUNDED, 3.0, {"lower": -1.0, "upper": 1.0}, -1.0),
        (BOUNDED, 1.0, {"lower": -1.0, "upper": 1.0}, -0.5),
        (COMPLIANT, -3.0, {"compliance": (4.0, 0.0, 0.0)}, 0.5),
        (COMPLIANT, -3.0, {"compliance": (4.0, 0.0, 0.0), "upper": 0.25}, 0.25),
    ]
    laws, free, given_settings, expected = zip(*rows, strict=True)
    problem = make_problem(2.0 * np.eye(len(rows)), np.array(free), laws, given_settings)
    solution = solve(problem)
    assert solution.status == "converged"
    np.testing.assert_allclose(solution.impulse[:, 0], expected, rtol=1e-15)
    assert not solution.impulse[:, 1:].any()


@pytest.mark.parametrize("count", [1, 3, 10])
def test_a_stack_at_rest_carries_its_weight(count):
    """Each level carries all boxes above it, and nothing moves; W is singular, so only sums are unique."""
    problem = stack_of_boxes(count).problem()
    solution = solve(problem)
    assert solution.status == "converged"
    carried = solution.impulse[:, 0].reshape(count, 4).sum(axis=1)
    np.testing.assert_allclose(carried, WEIGHT * np.arange(count, 0, -1), rtol=1e-8)
    assert np.abs(row_velocities(problem, solution.impulse)).max() <= 1e-10


def test_a_sliding_box_is_braked_by_mu_times_its_weight():
    bodies = stack_of_boxes(1, friction=0.3, push=(3.0, 0.0, 4.0))
    solution = solve(bodies.problem())
    generalised = bodies.jacobian().T @ solution.impulse.ravel()
    np.testing.assert_allclose(generalised[:3], WEIGHT * np.array([-0.3 * 0.6, 1.0, -0.3 * 0.8]), rtol=1e-9)


def test_friction_scale_gives_an_ellipse():
    """A point mass that slides along t and s with scales a, b: D u is antiparallel to D^-1 r."""
    mu, a, b = 0.5, 1.0, 0.25
    settings = [{"friction": mu, "scale": (1.0, a, b)}]
    problem = make_problem(np.eye(3), np.array([-1.0, 4.0, 3.0]), [COULOMB], settings)
    solution = solve(problem)
    n, t, s = solution.impulse[0]
    u = row_velocities(problem, solution.impulse)[0]
    assert n == pytest.approx(1.0, rel=1e-14)
    assert math.hypot(t / a, s / b) == pytest.approx(mu, rel=1e-13)
    assert (a * u[1]) * (s / b) - (b * u[2]) * (t / a) == pytest.approx(0.0, abs=1e-13)
    assert t * u[1] + s * u[2] < 0.0


def test_a_scale_of_zero_is_a_skate():
    settings = [{"friction": 0.8, "scale": (1.0, 1.0, 0.0)}]
    problem = make_problem(np.eye(3), np.array([-1.0, 0.5, 3.0]), [COULOMB], settings)
    solution = solve(problem)
    assert solution.status == "converged"
    np.testing.assert_allclose(solution.impulse[0], [1.0, -0.5, 0.0], rtol=1e-14)
    wrong = solution.impulse + np.array([0.0, 0.0, 0.1])
    assert natural_map_residual(problem, wrong)[0] == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_kernels_agree_with_their_numpy_twins(seed):
    problem = mixed_laws(seed)
    impulse = np.random.default_rng(seed).normal(size=(problem.count, 3))
    impulse[problem.size == 1, 1:] = 0.0
    expected = oracle.natural_map(problem, impulse)
    worst, group = natural_map_residual(problem, impulse)
    assert worst == pytest.approx(expected.max(), rel=1e-12)
    assert group == expected.argmax()
    swept = solve(problem, tolerance=0.0, max_sweeps=1, warm=impulse)
    np.testing.assert_allclose(swept.impulse, oracle.sweep(problem, impulse), atol=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_all_laws_together_are_solved(seed):
    problem = mixed_laws(seed)
    solution = solve(problem)
    assert solution.status == "converged"
    assert oracle.natural_map(problem, solution.impulse).max() <= 1e-10


@pytest.mark.parametrize(
    "bodies",
    [
        stack_of_boxes(10, mass=lambda level: 10.0 if level == 9 else 1.0),
        stack_of_boxes(10, push=(0.3, 0.0, 0.1)),
        random_pile(1, count=10, contacts=40, mass_ratio=1000.0),
        hanging_chain(20),
    ],
    ids=["heavy top", "pushed stack", "mass ratio 1000", "chain"],
)
def test_hard_problems_converge(bodies):
    problem = bodies.problem()
    solution = solve(problem, tolerance=1e-9)
    assert solution.status == "converged"
    assert solution.residual == pytest.approx(natural_map_residual(problem, solution.impulse)[0], abs=1e-12)
    assert oracle.natural_map(problem, solution.impulse).max() <= 1.001e-9


def test_joints_of_a_chain_hold():
    """Bilateral rows against the direct solution of the dense system (the contact is left out)."""
    bodies = hanging_chain(6)
    bodies.rows.pop()
    problem = bodies.problem()
    solution = solve(problem, tolerance=1e-12)
    W = problem.W.to_dense(problem.size)
    np.testing.assert_allclose(solution.impulse[:, 0], np.linalg.solve(W, -problem.free[:, 0]), rtol=1e-8)


def test_the_exact_solution_as_warm_start_needs_no_sweep():
    problem = stack_of_boxes(5).problem()
    cold = solve(problem, tolerance=1e-10)
    warm = solve(problem, tolerance=1e-10, warm=cold.impulse)
    assert cold.iterations > 0
    assert warm.iterations == 0
    np.testing.assert_array_equal(warm.impulse, cold.impulse)


def test_results_repeat_bit_for_bit_and_do_not_depend_on_earlier_problems():
    problem = random_pile(3).problem()
    solver = GaussSeidel(SimpleNamespace(tolerance=1e-10, max_sweeps=1000))
    zeros = np.zeros((100, 3))
    first = solver.solve(problem, zeros)
    solver.solve(stack_of_boxes(8).problem(), zeros)
    again = solver.solve(problem, zeros)
    np.testing.assert_array_equal(first.impulse, again.impulse)
    assert first.iterations == again.iterations
    assert not zeros.any()


def test_groups_that_touch_nothing_movable_are_left_alone():
    W = np.zeros((7, 7))
    W[3:6, 3:6] = np.eye(3)
    free = np.array([-1.0, 1.0, 0.0, -1.0, 0.0, 0.0, -1.0])
    problem = make_problem(
        W, free, [COULOMB, COULOMB, UNILATERAL], [{"friction": 0.5}, {"friction": 0.5}, {}]
    )
    solution = solve(problem, warm=np.ones((3, 3)))
    assert solution.status == "converged"
    np.testing.assert_array_equal(solution.impulse, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_an_empty_problem_is_solved():
    solution = solve(ConstraintProblem(4))
    assert (solution.status, solution.iterations, solution.residual) == ("converged", 0, 0.0)
    assert solution.impulse.shape == (0, 3)


def test_too_few_sweeps_are_called_stalled_and_leave_impulses_in_the_cone():
    problem = stack_of_boxes(10).problem()
    solution = solve(problem, tolerance=1e-12, max_sweeps=20)
    assert solution.status == "stalled"
    assert solution.iterations == 20
    assert solution.residual == pytest.approx(natural_map_residual(problem, solution.impulse)[0], rel=1e-6)
    r = solution.impulse
    assert (np.hypot(r[:, 1], r[:, 2]) <= 0.5 * r[:, 0] + 1e-14).all()


@pytest.mark.parametrize("where", ["free", "matrix"])
def test_what_is_not_finite_is_a_failure(where):
    problem = stack_of_boxes(2).problem()
    if where == "free":
        problem.free[3, 0] = np.nan
    else:
        problem.W.values[problem.W.diagonal[3], 0, 0] = np.inf
    solution = solve(problem)
    assert solution.status == "failed"
    assert not solution.impulse.any()
    assert solution.residual == np.inf


def test_restitution_as_bias_throws_a_ball_back():
    """u_n = -e u_now is what the bias e u_now asks for."""
    bodies = Bodies()
    ball = bodies.add_body(2.0, 0.1 * np.eye(3), (0.0, 0.1, 0.0), (0.0, -3.0, 0.0, 0.0, 0.0, 0.0))
    bodies.add_contact(ball, FLOOR, np.zeros(3), UP, 0.4, restitution=0.5, bias=(0.5 * -3.0, 0.0, 0.0))
    solution = solve(bodies.problem())
    assert solution.impulse[0, 0] == pytest.approx(2.0 * (3.0 + 1.5) + 2.0 * WEIGHT, rel=1e-14)


def test_contacts_without_coupling_are_solved_in_one_sweep():
    W = np.diag(np.repeat([1.0, 2.0, 4.0], 3))
    free = np.tile([-1.0, 0.2, 0.0], 3)
    solution = solve(contacts_only(W, free, [0.5, 0.1, 0.0]))
    assert solution.iterations == 1
    expected = [[1.0, -0.2, 0.0], [0.5, -0.05, 0.0], [0.25, 0.0, 0.0]]
    np.testing.assert_allclose(solution.impulse, expected, rtol=1e-14)
