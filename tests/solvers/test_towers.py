"""Towers that shake, with far more contacts than freedoms: sweeps do not diverge, damped steps end, all are solved."""

import math

import numpy as np
import pytest

from solvers.contact_problems import contacts_only, random_pile
from solvers.hard_problems import brick_wall, crossed_tower
from supple.mechanics.residual import natural_map_residual
from supple.mechanics.sweeps import Sweeper
from supple_solve_newton import linear_step
from supple_solve_newton.components import NewtonSettings
from supple_solve_newton.linear_step import LinearStep
from supple_solve_newton.merit_kernels import measure_groups
from supple_solve_newton.newton_kernels import STUCK, linearise_groups
from supple_solve_newton.newton_method import NewtonMethod
from supple_solve_newton.solver import Newton


def sweep(problem, sweeps):
    impulse = np.zeros((problem.count, 3))
    Sweeper().sweep(problem, impulse, 1e-12, sweeps)
    return impulse


def small_enough(problem):
    """The residual of every group [m/s] that makes the norm of all 1e-8 of that of the free velocities."""
    return 1e-8 * np.linalg.norm(problem.free) / math.sqrt(problem.count)


@pytest.mark.parametrize(("levels", "friction", "shake"), [(8, 0.6, 0.03), (8, 1.0, 0.3), (12, 0.3, 0.03)])
def test_more_sweeps_leave_no_more_to_do(levels, friction, shake):
    problem = crossed_tower(levels, friction, shake, seed=1).problem()
    few, many = (natural_map_residual(problem, sweep(problem, sweeps))[0] for sweeps in (100, 800))
    assert many <= 0.1 * few


@pytest.mark.parametrize("friction", [0.1, 0.5])
@pytest.mark.parametrize("levels", [4, 6])
def test_damped_steps_end_where_full_steps_do_not(levels, friction):
    problem = crossed_tower(levels, friction, shake=0.3).problem()
    start, tolerance = sweep(problem, 50), small_enough(problem)
    method = NewtonMethod(LinearStep(problem.count), problem)
    full, _ = method.improve(start, tolerance, 25, 1e-4)
    found, steps = method.improve_damped(start, tolerance, 100, math.inf)
    assert full.residual > 1e4 * tolerance
    assert found.residual <= tolerance
    np.testing.assert_allclose(natural_map_residual(problem, found.impulse)[0], found.residual, rtol=1e-6)
    assert steps < 100


def test_damped_steps_of_small_systems_are_those_of_large_ones(monkeypatch):
    problem = random_pile(3, count=5, contacts=6).problem()
    start, tolerance = sweep(problem, 3), 1e-11
    found, steps = NewtonMethod(LinearStep(problem.count), problem).improve_damped(
        start, tolerance, 60, math.inf
    )
    monkeypatch.setattr(linear_step, "SMALL_UNKNOWNS", 0)
    large, large_steps = NewtonMethod(LinearStep(problem.count), problem).improve_damped(
        start, tolerance, 60, math.inf
    )
    assert found.residual <= tolerance
    assert steps == large_steps
    np.testing.assert_allclose(found.impulse, large.impulse, atol=1e-9)


@pytest.mark.parametrize(
    "bodies",
    [
        crossed_tower(10, 0.1, 0.1),
        crossed_tower(12, 0.6, 0.3, seed=1),
        crossed_tower(14, 0.3, 0.03, seed=1),
        brick_wall(5, 6, 0.5, 100.0),
    ],
)
def test_towers_and_walls_are_solved_again_and_again_alike(bodies):
    problem = bodies.problem()
    tolerance = small_enough(problem)
    solver = Newton(NewtonSettings(tolerance=tolerance))
    first, second = (solver.solve(problem, np.zeros((problem.count, 3))) for _ in range(2))
    assert first.status == "converged"
    assert natural_map_residual(problem, first.impulse)[0] <= tolerance
    assert np.array_equal(first.impulse, second.impulse)


def test_what_is_not_finite_is_infinitely_far_from_the_laws():
    problem = contacts_only(np.eye(6), np.ones(6), [0.5, 0.5])
    velocity = np.ones((2, 3))
    impulse = np.array([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    assert measure_groups(problem.rows, np.ones(2), impulse, velocity) == (math.inf, math.inf)


def test_a_contact_that_begins_to_touch_without_sliding_is_to_stick():
    """No impulse yet, and no velocity along the surface: no direction in which it could slip."""
    problem = contacts_only(np.eye(3), np.array([-1.0, 0.0, 0.0]), [0.5])
    linear = LinearStep(1).linear
    for edge in (math.inf, 0.9999):
        linearise_groups(problem.rows, np.ones(1), edge, np.zeros((1, 3)), problem.free, linear)
        assert linear.mode[0] == STUCK
        assert np.isfinite(linear.left).all()
        assert np.isfinite(linear.right_side).all()
