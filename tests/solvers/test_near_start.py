"""Newton's method straight from a start near the solution: what it takes on, and where it gets."""

import numpy as np
import pytest

from solvers.contact_problems import random_pile, random_spheres, stack_of_boxes
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple_solve_newton import near_start
from supple_solve_newton.components import NewtonSettings
from supple_solve_newton.linear_step import LinearStep
from supple_solve_newton.near_start import NearStart
from supple_solve_newton.newton_kernels import SLIPPING, STUCK
from supple_solve_newton.solver import Newton
from supple_solve_newton.watchdog_kernels import NEAR_EDGE

TOLERANCE = 1e-10


def make(seed):
    return (random_pile if seed % 2 else random_spheres)(seed).problem()


def solve(problem, start=None):
    start = np.zeros((problem.count, 3)) if start is None else start
    return Newton(NewtonSettings(tolerance=TOLERANCE)).solve(problem, start)


def search(problem, start, few_active=1000):
    near = NearStart(LinearStep(problem.count))
    return near.improve(problem, start, TOLERANCE, few_active), near


@pytest.mark.parametrize("seed", range(10))
def test_a_slightly_changed_problem_is_solved_from_the_last_solution(seed):
    problem = make(seed)
    last = solve(problem).impulse
    problem.free[:] *= 1.001
    took_on, near = search(problem, last)
    assert took_on
    assert near.residual <= TOLERANCE
    found = near.copy_impulse(problem.count)
    residual, _ = natural_map_residual(problem, found)
    assert residual == pytest.approx(near.residual, rel=1e-6, abs=1e-14)
    other = solve(problem)
    # Impulses need not be unique, but what moves is.
    np.testing.assert_allclose(
        row_velocities(problem, found), row_velocities(problem, other.impulse), atol=1e-7
    )


def test_a_solution_costs_no_step():
    problem = make(1)
    _, near = search(problem, solve(problem).impulse)
    assert near.steps == 0
    assert near.residual <= TOLERANCE


def test_nothing_is_tried_from_afar_or_with_too_much_at_work():
    problem = make(1)
    solution = solve(problem).impulse
    assert not search(problem, np.zeros((problem.count, 3)))[0]
    assert not search(problem, 3.0 * solution)[0]
    active = int((solution[:, 0] != 0.0).sum())
    problem.free[:] *= 1.001
    took_on, near = search(problem, solution, active - 1)
    assert not took_on
    assert near.steps == 0
    assert near.residual == np.inf
    assert search(problem, solution, active)[0]


@pytest.mark.parametrize(
    ("share", "mode"), [(1.0, SLIPPING), (0.5 * (1.0 + NEAR_EDGE), SLIPPING), (0.9, STUCK)]
)
def test_a_contact_at_the_edge_of_its_cone_slips_on_in_the_first_step(share, mode, monkeypatch):
    """A wrong velocity against the friction would say that it sticks; well inside the cone it does."""
    monkeypatch.setattr(near_start, "MAX_STEPS", 1)
    problem = stack_of_boxes(1).problem()
    impulse = solve(problem).impulse
    impulse[:, 1], impulse[:, 2] = share * problem.friction * impulse[:, 0], 0.0
    problem.free[:] -= row_velocities(problem, impulse)
    problem.free[:, 1] += 1e-6
    linear = LinearStep(problem.count)
    near = NearStart(linear)
    near.improve(problem, impulse, TOLERANCE, problem.count)
    assert near.steps == 1
    assert (linear.linear.mode[: problem.count] == mode).all()
