"""The Newton solver: its linearisation, an independent oracle for all laws, hard problems, and honest statuses."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.contact_problems import (
    STEP,
    contacts_only,
    hanging_chain,
    make_problem,
    random_pile,
    random_spheres,
    stack_of_boxes,
)
from solvers.hard_problems import brick_wall, mixed_laws, pinch
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple.mechanics.rows import BILATERAL, BOUNDED, COMPLIANT, COULOMB, UNILATERAL
from supple.mechanics.stored_problems import relative_residual
from supple.mechanics.sweeps import Sweeper
from supple_solve_newton import linear_step
from supple_solve_newton.linear_step import LinearStep
from supple_solve_newton.newton_method import NewtonMethod
from supple_solve_newton.proximal import solve_by_proximal_points
from supple_solve_newton.solver import Newton

WEIGHT = 9.81 * STEP  # impulse of gravity on 1 kg in one step [N s]


def make_solver(tolerance=1e-11, relative_tolerance=0.0, max_rounds=7, working_set=True):
    given_settings = SimpleNamespace(
        tolerance=tolerance,
        relative_tolerance=relative_tolerance,
        max_rounds=max_rounds,
        working_set=working_set,
    )
    return Newton(given_settings)


def solve(problem, warm=None, **given_settings):
    warm = np.zeros((problem.count, 3)) if warm is None else warm
    return make_solver(**given_settings).solve(problem, warm)


def dense_rows(problem):
    """W + E over the rows in use, and where each group begins."""
    used = np.arange(3)[None, :] < problem.size[:, None]
    W = problem.W.to_dense(problem.size) + np.diag(problem.compliance[used])
    return W, used, np.concatenate([[0], np.cumsum(problem.size)])


def impulse_range(problem, i):
    if problem.law[i] == BILATERAL:
        return -np.inf, np.inf
    if problem.law[i] == UNILATERAL:
        return 0.0, np.inf
    return problem.lower[i, 0], problem.upper[i, 0]


def uzawa(problem, iterations=4000):
    """Projected iteration with one global step and De Saxce's bias: slow, simple, nothing shared with the solver."""
    W, used, start = dense_rows(problem)
    free, r = problem.free[used], np.zeros(start[-1])
    rho = 1.0 / np.linalg.eigvalsh(W)[-1]
    for _ in range(iterations):
        x = r - rho * (W @ r + free)
        u = (r - x) / rho
        for i in range(problem.count):
            rows = slice(start[i], start[i + 1])
            if problem.law[i] != COULOMB:
                r[rows] = np.clip(x[rows], *impulse_range(problem, i))
                continue
            # In scaled variables with D: x = D^-1 r - rho D u, so the step is shorter where D < 1, never longer.
            mu, D = problem.friction[i], problem.scale[i, 1:]
            w = D * u[rows][1:]
            t = r[rows][1:] / D - rho * w
            n = r[rows][0] - rho * (u[rows][0] + mu * np.linalg.norm(w))
            length = np.linalg.norm(t)
            if length > mu * n:
                near = max(0.0, (n + mu * length) / (1.0 + mu * mu))
                n, t = near, mu * near * t / length
            r[rows] = [n, *(D * t)]
    out = np.zeros((problem.count, 3))
    out[used] = r
    return out


def alart_curnier(problem, impulse, rho):
    """The equations that the solver linearises, one group after the other, in scaled variables [N s]."""
    u = row_velocities(problem, impulse)
    F = np.zeros((problem.count, 3))
    for i in range(problem.count):
        if problem.law[i] != COULOMB:
            x = impulse[i, 0] - rho[i] * u[i, 0]
            F[i, 0] = impulse[i, 0] - np.clip(x, *impulse_range(problem, i))
            continue
        D = problem.scale[i, 1:]
        t = impulse[i, 1:] / D
        x = t - rho[i] * D * u[i, 1:]
        radius = problem.friction[i] * max(0.0, impulse[i, 0] - rho[i] * u[i, 0])
        F[i, 0] = impulse[i, 0] - max(0.0, impulse[i, 0] - rho[i] * u[i, 0])
        F[i, 1:] = t - x * min(1.0, radius / np.linalg.norm(x))
    return F


@pytest.mark.parametrize("seed", range(12))
def test_the_step_solves_the_linearised_equations(seed):
    """F(r + t step) = (1 - t) F(r) + O(t^2): all laws, whatever mode the groups are in."""
    problem = mixed_laws(seed, friction=0.8)
    rng = np.random.default_rng(seed)
    impulse = 0.3 * rng.normal(size=(problem.count, 3))
    impulse[:, 0] = np.abs(impulse[:, 0])
    impulse[problem.size == 1, 1:] = 0.0
    linear = LinearStep(problem.count)
    method = NewtonMethod(linear, problem)
    point = method.look_at(impulse)
    assert linear.find(problem, method.rho, point.impulse, point.velocity, 0.0)
    F = alart_curnier(problem, impulse, method.rho)
    t = 1e-6
    ahead = alart_curnier(problem, impulse + t * linear.step, method.rho)
    np.testing.assert_allclose((ahead - F) / t, -F, atol=2e-4 * max(1.0, np.abs(linear.step).max() ** 2))
    assert np.abs(F).max() > 1e-2
    assert point.merit == pytest.approx((np.square(F).sum(axis=1) / method.rho**2).sum(), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_sparse_and_dense_factorisations_give_one_step(seed, monkeypatch):
    problem = random_pile(seed, count=20, contacts=50).problem()
    impulse = np.zeros((problem.count, 3))
    Sweeper().sweep(problem, impulse, 1e-12, 5)
    steps = []
    for unknowns in (0, 10**6):
        monkeypatch.setattr(linear_step, "SPARSE_UNKNOWNS", unknowns)
        linear = LinearStep(problem.count)
        method = NewtonMethod(linear, problem)
        point = method.look_at(impulse)
        assert linear.find(problem, method.rho, point.impulse, point.velocity, 1e-9)
        steps.append(linear.step)
    np.testing.assert_allclose(steps[0], steps[1], rtol=1e-7, atol=1e-9 * np.abs(steps[1]).max())
    assert np.abs(steps[0]).max() > 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_all_laws_together_agree_with_an_independent_iteration(seed):
    problem = mixed_laws(seed)
    solution = solve(problem)
    expected = uzawa(problem)
    assert natural_map_residual(problem, expected)[0] <= 1e-7
    assert solution.status == "converged"
    assert natural_map_residual(problem, solution.impulse)[0] <= 1e-11
    np.testing.assert_allclose(solution.impulse, expected, atol=1e-6)


def test_one_row_laws_by_their_closed_forms():
    """Uncoupled rows with W = 2: u = 2 r + E r + free."""
    rows = [
        (BILATERAL, -3.0, {}, 1.5),
        (UNILATERAL, -3.0, {}, 1.5),
        (UNILATERAL, 3.0, {}, 0.0),
        (BOUNDED, -3.0, {"lower": -1.0, "upper": 1.0}, 1.0),
        (BOUNDED, 3.0, {"lower": -1.0, "upper": 1.0}, -1.0),
        (COMPLIANT, -3.0, {"compliance": (4.0, 0.0, 0.0)}, 0.5),
        (COMPLIANT, -3.0, {"compliance": (4.0, 0.0, 0.0), "upper": 0.25}, 0.25),
    ]
    laws, free, given_settings, expected = zip(*rows, strict=True)
    solution = solve(make_problem(2.0 * np.eye(len(rows)), np.array(free), laws, given_settings))
    np.testing.assert_allclose(solution.impulse[:, 0], expected, rtol=1e-14)


@pytest.mark.parametrize("count", [1, 3, 10])
def test_a_stack_at_rest_carries_its_weight(count):
    """W is singular here, so only sums are unique."""
    problem = stack_of_boxes(count).problem()
    solution = solve(problem)
    assert solution.status == "converged"
    carried = solution.impulse[:, 0].reshape(count, 4).sum(axis=1)
    np.testing.assert_allclose(carried, WEIGHT * np.arange(count, 0, -1), rtol=1e-8)


def test_a_scale_of_zero_is_a_skate():
    settings_ = [{"friction": 0.8, "scale": (1.0, 1.0, 0.0)}, {"friction": 0.5}]
    W = np.eye(6) + 0.1
    problem = make_problem(W, np.array([-1.0, 0.5, 3.0, -1.0, 0.0, 0.1]), [COULOMB] * 2, settings_)
    solution = solve(problem, warm=np.full((2, 3), 0.3))
    assert solution.status == "converged"
    assert solution.impulse[0, 2] == 0.0
    assert abs(row_velocities(problem, solution.impulse)[0, 1]) <= 1e-11


@pytest.mark.parametrize(
    "problem",
    [
        random_pile(73, count=5, contacts=9, mass_ratio=100.0, friction=0.5).problem(),
        random_pile(6, count=12, contacts=40, mass_ratio=1000.0, friction=1.0).problem(),
        random_pile(2, count=30, contacts=100, mass_ratio=1000.0, friction=0.8).problem(),
        stack_of_boxes(10, mass=lambda level: 100.0 if level == 9 else 1.0).problem(),
        stack_of_boxes(10, push=(0.3, 0.0, 0.1)).problem(),
        pinch(0),
        pinch(3, vertices=20),
        hanging_chain(20).problem(),
        brick_wall(4, 4).problem(),
        brick_wall(6, 6, top_mass=100.0).problem(),
    ],
    ids=[
        "pile 73",
        "ratio 1000",
        "30 bodies",
        "heavy top",
        "pushed",
        "pinch",
        "larger pinch",
        "chain",
        "wall",
        "loaded",
    ],
)
def test_hard_problems_are_solved_to_the_last_digits(problem):
    solution = solve(problem, tolerance=1e-10)
    assert solution.status == "converged"
    assert natural_map_residual(problem, solution.impulse)[0] <= 1e-10
    assert solution.residual == pytest.approx(natural_map_residual(problem, solution.impulse)[0], abs=1e-14)


def test_newton_solves_what_sweeps_do_not():
    """The pile on which accelerated sweeps stall for ever."""
    problem = random_pile(73, count=5, contacts=9, mass_ratio=100.0, friction=0.5).problem()
    impulse = np.zeros((problem.count, 3))
    _, residual = Sweeper().sweep(problem, impulse, 1e-10, 3000)
    assert residual > 1e-2
    assert solve(problem).iterations < 100


@pytest.mark.parametrize("seed", range(5))
def test_proximal_points_find_the_solution_alone(seed):
    problem = random_pile(seed, count=6, contacts=12).problem()
    start = np.zeros((problem.count, 3))
    point, _, effort = solve_by_proximal_points(
        problem, start, 1e-10, 1e9, Sweeper(), LinearStep(problem.count)
    )
    assert natural_map_residual(problem, point.impulse)[0] <= 1e-10
    assert effort > 0.0


def test_the_last_steps_converge_quadratically():
    problem = mixed_laws(3)
    exact = solve(problem, tolerance=1e-14, max_rounds=1).impulse
    method = NewtonMethod(LinearStep(problem.count), problem)
    start = exact * (1.0 + 1e-4 * np.random.default_rng(0).normal(size=exact.shape))
    residuals = [method.improve(start, 1e-15, steps, 1e-10)[0].residual for steps in range(4)]
    assert residuals[0] > 1e-6
    assert residuals[2] <= 100.0 * residuals[1] ** 2 + 1e-12
    assert residuals[3] <= 1e-13


def test_the_exact_solution_as_warm_start_needs_no_step():
    problem = stack_of_boxes(5).problem()
    cold = solve(problem, tolerance=1e-10)
    warm = solve(problem, tolerance=1e-10, warm=cold.impulse)
    assert cold.iterations > 0
    assert warm.iterations == 0
    np.testing.assert_array_equal(warm.impulse, cold.impulse)


def test_results_repeat_bit_for_bit_and_do_not_depend_on_earlier_problems():
    problem = random_pile(73, count=5, contacts=9, mass_ratio=100.0, friction=0.5).problem()
    before = {name: getattr(problem, name).copy() for name in ("free", "compliance", "friction")}
    solver, zeros = make_solver(), np.zeros((100, 3))
    first = solver.solve(problem, zeros)
    solver.solve(brick_wall(3, 3).problem(), zeros)
    again = solver.solve(problem, zeros)
    np.testing.assert_array_equal(first.impulse, again.impulse)
    assert first.iterations == again.iterations
    assert not zeros.any()
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(problem, name), value)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_permuting_contacts_permutes_the_solution(seed, data):
    bodies = random_spheres(seed)
    order = data.draw(st.permutations(range(len(bodies.rows))))
    first = solve(bodies.problem(), tolerance=1e-12)
    bodies.rows = [bodies.rows[k] for k in order]
    second = solve(bodies.problem(), tolerance=1e-12)
    assert first.status == second.status == "converged"
    np.testing.assert_allclose(second.impulse, first.impulse[list(order)], atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), mass=st.floats(0.01, 100.0), speed=st.floats(0.01, 100.0))
def test_impulses_scale_with_masses_and_speeds(seed, mass, speed):
    """W / mass and free * speed: the impulses are multiplied by mass * speed."""
    problem = random_spheres(seed).problem()
    scaled = random_spheres(seed).problem()
    scaled.W.values /= mass
    scaled.free *= speed
    first, second = solve(problem, tolerance=1e-12), solve(scaled, tolerance=1e-12 * speed)
    assert first.status == second.status == "converged"
    np.testing.assert_allclose(second.impulse, mass * speed * first.impulse, atol=1e-8 * mass * speed)


def test_the_relative_tolerance_bounds_the_norm_of_the_residual():
    problem = pinch(1)
    loose = solve(problem, tolerance=1e-30, relative_tolerance=1e-4)
    tight = solve(problem, tolerance=1e-30, relative_tolerance=1e-11)
    assert loose.status == tight.status == "converged"
    assert relative_residual(problem, loose.impulse) <= 1e-4
    assert relative_residual(problem, tight.impulse) <= 1e-11
    assert loose.iterations < tight.iterations


def test_contradictory_rows_are_called_stalled():
    W = np.ones((2, 2))
    solution = solve(make_problem(W, np.array([1.0, -1.0]), [BILATERAL] * 2, [{}, {}]), max_rounds=2)
    assert solution.status == "stalled"
    assert solution.residual >= 0.5
    assert np.isfinite(solution.impulse).all()


def test_a_tolerance_below_round_off_is_called_stalled_at_round_off():
    problem = random_pile(3).problem()
    solution = solve(problem, tolerance=1e-30)
    assert solution.status == "stalled"
    assert natural_map_residual(problem, solution.impulse)[0] <= 1e-14


def test_an_empty_problem_is_solved():
    solution = solve(ConstraintProblem(4), relative_tolerance=1e-8)
    assert (solution.status, solution.iterations, solution.residual) == ("converged", 0, 0.0)
    assert solution.impulse.shape == (0, 3)


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


@pytest.mark.parametrize("where", ["free", "matrix"])
def test_what_is_not_finite_is_a_failure(where):
    problem = stack_of_boxes(2).problem()
    if where == "free":
        problem.free[3, 0] = np.nan
    else:
        problem.W.values[problem.W.diagonal[3], 0, 0] = np.inf
    solution = solve(problem)
    assert (solution.status, solution.residual) == ("failed", math.inf)
    assert not solution.impulse.any()


def test_frictionless_contacts_need_no_tangents():
    W = np.diag([1.0, 1.0, 1.0, 2.0, 1.0, 1.0]) + 0.1
    solution = solve(contacts_only(W, np.array([-1.0, 2.0, 0.0, -1.0, 0.0, 3.0]), [0.0, 0.0]))
    normal = np.linalg.solve(W[np.ix_([0, 3], [0, 3])], [1.0, 1.0])
    np.testing.assert_allclose(solution.impulse[:, 0], normal, rtol=1e-12)
    assert not solution.impulse[:, 1:].any()
