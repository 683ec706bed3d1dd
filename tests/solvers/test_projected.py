"""Projected Gauss-Seidel: closed forms, agreement where the box is the cone, its own residual and statuses."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from solvers.contact_problems import STEP, contacts_only, make_problem, random_pile, stack_of_boxes
from solvers.hard_problems import mixed_laws
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple.mechanics.rows import BILATERAL, BOUNDED, COMPLIANT, COULOMB, UNILATERAL
from supple_solve_projected.solver import ProjectedGaussSeidel

WEIGHT = 9.81 * STEP


def solve(problem, tolerance=1e-11, iterations=20000, relaxation=1.0, warm=None):
    chosen = SimpleNamespace(tolerance=tolerance, iterations=iterations, relaxation=relaxation)
    warm = np.zeros((problem.count, 3)) if warm is None else warm
    return ProjectedGaussSeidel(chosen).solve(problem, warm)


def box_residual(problem, impulse):
    """README eq. (3) in numpy, by other means: distance to the nearest point of the box, row by row."""
    u = row_velocities(problem, impulse)
    worst = 0.0
    for i in range(problem.count):
        block = problem.W.values[problem.W.diagonal[i]]
        for row in range(problem.size[i]):
            own = block[row, row] + problem.compliance[i, row]
            low, high = {BILATERAL: (-np.inf, np.inf), UNILATERAL: (0.0, np.inf)}.get(
                int(problem.law[i]), (problem.lower[i, 0], problem.upper[i, 0])
            )
            if problem.law[i] == COULOMB:
                most = problem.friction[i] * problem.scale[i, row] * impulse[i, 0]
                low, high = (0.0, np.inf) if row == 0 else (-most, most)
            worst = max(
                worst, abs(impulse[i, row] - np.clip(impulse[i, row] - u[i, row] / own, low, high)) * own
            )
    return worst


def test_one_row_laws_by_their_closed_forms():
    rows = [
        (BILATERAL, -3.0, {}, 1.5),
        (UNILATERAL, 3.0, {}, 0.0),
        (BOUNDED, -3.0, {"lower": -1.0, "upper": 1.0}, 1.0),
        (BOUNDED, 3.0, {"lower": -1.0, "upper": 1.0}, -1.0),
        (COMPLIANT, -3.0, {"compliance": (4.0, 0.0, 0.0)}, 0.5),
    ]
    laws, free, given_settings, expected = zip(*rows, strict=True)
    solution = solve(make_problem(2.0 * np.eye(len(rows)), np.array(free), laws, given_settings))
    np.testing.assert_allclose(solution.impulse[:, 0], expected, rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_all_laws_together_meet_the_law_of_the_box(seed):
    problem = mixed_laws(seed)
    solution = solve(problem)
    assert solution.status == "converged"
    assert box_residual(problem, solution.impulse) <= 1.1e-11
    rough = solve(problem, iterations=2)
    assert rough.residual == pytest.approx(box_residual(problem, rough.impulse), rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_without_friction_the_box_is_the_cone(seed):
    problem = mixed_laws(seed, friction=0.0)
    assert natural_map_residual(problem, solve(problem).impulse)[0] <= 2e-11


@pytest.mark.parametrize(("push", "factor"), [((3.0, 0.0, 0.0), 1.0), ((3.0, 0.0, 3.0), math.sqrt(2.0))])
def test_the_diagonal_is_braked_harder_than_an_axis(push, factor):
    """A box with edges along t and s: mu along the axes, sqrt(2) mu along the diagonal."""
    bodies = stack_of_boxes(1, friction=0.3, push=push)
    brake = bodies.jacobian().T @ solve(bodies.problem()).impulse.ravel()
    assert math.hypot(brake[0], brake[2]) == pytest.approx(factor * 0.3 * WEIGHT, rel=1e-6)


def test_friction_scales_make_the_box_oblong():
    settings = [{"friction": 0.5, "scale": (1.0, 1.0, 0.25)}]
    problem = make_problem(np.eye(3), np.array([-1.0, 4.0, 3.0]), [COULOMB], settings)
    np.testing.assert_allclose(solve(problem).impulse[0], [1.0, -0.5, -0.125], rtol=1e-14)


def test_the_exact_solution_as_warm_start_needs_no_sweep():
    problem = random_pile(3).problem()
    cold = solve(problem, tolerance=1e-9)
    warm = solve(problem, tolerance=1e-9, warm=cold.impulse)
    assert (cold.status, cold.iterations > 0, warm.iterations) == ("converged", True, 0)


def test_over_relaxation_reaches_the_same_solution_sooner():
    problem = stack_of_boxes(6).problem()
    plain, ahead = solve(problem, tolerance=1e-8), solve(problem, tolerance=1e-8, relaxation=1.3)
    assert plain.status == ahead.status == "converged"
    assert ahead.iterations < plain.iterations
    carried = [s.impulse[:, 0].reshape(6, 4).sum(axis=1) for s in (plain, ahead)]
    np.testing.assert_allclose(carried[0], carried[1], rtol=1e-5)


def test_too_few_iterations_are_called_stalled():
    solution = solve(stack_of_boxes(10).problem(), iterations=5)
    assert (solution.status, solution.iterations) == ("stalled", 5)
    assert solution.residual > 1e-4


def test_what_is_not_finite_is_a_failure():
    problem = stack_of_boxes(2).problem()
    problem.free[3, 0] = np.nan
    solution = solve(problem)
    assert (solution.status, solution.residual, solution.impulse.any()) == ("failed", math.inf, np.False_)


def test_empty_problems_and_groups_that_nothing_moves():
    assert solve(ConstraintProblem(4)).impulse.shape == (0, 3)
    W = np.zeros((6, 6))
    W[3:, 3:] = np.eye(3)
    solution = solve(contacts_only(W, np.array([-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]), [0.5, 0.5]))
    assert solution.status == "converged"
    np.testing.assert_array_equal(solution.impulse, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
