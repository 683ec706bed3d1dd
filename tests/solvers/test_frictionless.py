"""Contacts without friction: they push, never pull, and open without ado."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from solvers.contact_problems import contacts_only
from solvers.test_newton import solve
from supple.mechanics.residual import natural_map_residual, row_velocities

SCENE = """
format = 1
[run]
step = 0.004
duration = 0.1
[run.collide]
margin = 0.02
[[entity]]
name = "floor"
plane = { friction = 0 }
[[entity]]
name = "ball"
pose = { position = [0, 0.11, 0] }
sphere = { radius = 0.1 }
body = { velocity = [0, 1, 0] }
"""


def test_a_contact_that_pulls_is_no_solution():
    problem = contacts_only(np.eye(3), np.array([1.0, 0.0, 0.0]), [0.0])
    residual, group = natural_map_residual(problem, np.array([[-1.0, 0.0, 0.0]]))
    assert residual == pytest.approx(1.0)
    assert group == 0


def test_an_open_contact_needs_no_impulse():
    problem = contacts_only(np.eye(3), np.array([2.5, 0.0, 0.0]), [0.0])
    assert natural_map_residual(problem, np.zeros((1, 3)))[0] == 0.0
    solution = solve(problem)
    assert solution.status == "converged"
    assert not solution.impulse.any()


def test_a_ball_that_leaves_a_frictionless_floor_is_solved(load_text):
    world = load_text(SCENE)
    world.step(3)
    assert world.metrics()["run.solver_failures"] == 0
    assert world.metrics()["run.residual_worst"] == 0.0
    assert world["ball"].velocity[1] == pytest.approx(1.0 - 3 * 0.004 * 9.81, rel=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    contacts=st.integers(1, 12),
    freedoms=st.integers(3, 24),
    sliding=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_frictionless_problems_agree_with_least_squares(seed, contacts, freedoms, sliding):
    """0 <= r _|_ W r + b >= 0 are the conditions of min |L^T r + L^-1 b| over r >= 0, if W = L L^T over the normals."""
    random = np.random.default_rng(seed)
    J = random.normal(size=(3 * contacts, freedoms))
    v_free = random.normal(size=freedoms)
    if not sliding:
        J[1::3] = J[2::3] = 0.0
    free = J @ v_free + np.where(np.arange(3 * contacts) % 3 == 0, random.uniform(0, 2, 3 * contacts), 0.0)
    problem = contacts_only(J @ J.T, free, [0.0] * contacts)
    solution = solve(problem, tolerance=1e-10)
    assert solution.status == "converged"
    assert natural_map_residual(problem, solution.impulse)[0] <= 1e-10
    assert not solution.impulse[:, 1:].any()
    # The velocities of the bodies are unique, even where the impulses are not.
    gap = free[::3] - J[::3] @ v_free
    v = v_free + J[::3].T @ solution.impulse[:, 0]
    best = _nearest_allowed(J[::3], gap, v_free)
    np.testing.assert_allclose(v, best, atol=1e-7)
    assert row_velocities(problem, solution.impulse)[:, 0].min() >= -1e-9


def _nearest_allowed(N, gap, v_free):
    """The velocity nearest to v_free with N v + gap >= 0, by the dual as non-negative least squares."""
    # With E = [N^T; (N v_free + gap)^T] and f = (0, ..., 0, -1), the residual of min |E y - f| over y >= 0 gives v.
    E = np.vstack([N.T, -(N @ v_free + gap)])
    y, _ = nnls(E, np.append(np.zeros(N.shape[1]), 1.0))
    rest = E @ y - np.append(np.zeros(N.shape[1]), 1.0)
    if abs(rest[-1]) < 1e-12:
        return v_free
    return v_free + rest[:-1] / -rest[-1]
