"""Newton steps of small systems: a plain elimination instead of LAPACK, and the same watchdog around both."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.contact_problems import random_pile, random_spheres
from supple_solve_newton import linear_step
from supple_solve_newton.newton_method import NewtonMethod
from supple_solve_newton.small_step_kernels import factor_rows, solve_transposed


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_elimination_solves_the_transposed_system(size, seed):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(size, size))
    matrix[random.random((size, size)) < 0.3] = 0.0
    matrix += np.diag(np.where(random.random(size) < 0.5, 0.0, 3.0))  # pivots off the diagonal
    if abs(np.linalg.det(matrix)) < 1e-6:
        return
    factor, order, right = matrix.copy(), np.zeros(size, np.int64), random.normal(size=size)
    assert factor_rows(size, factor, order)
    lower, upper = np.tril(factor, -1) + np.eye(size), np.triu(factor)
    np.testing.assert_allclose(lower @ upper, matrix[order], atol=1e-12 * np.linalg.norm(matrix))
    solution = np.zeros(size)
    solve_transposed(size, factor, order, right.copy(), solution)
    np.testing.assert_allclose(matrix.T @ solution, right, atol=1e-8 * np.linalg.cond(matrix))


def test_a_singular_matrix_is_refused():
    assert not factor_rows(3, np.ones((3, 3)), np.zeros(3, np.int64))
    assert not factor_rows(2, np.full((2, 2), np.nan), np.zeros(2, np.int64))


@pytest.mark.parametrize("seed", range(6))
def test_small_and_large_systems_take_the_same_way(seed, monkeypatch):
    problem = (random_pile if seed % 2 else random_spheres)(seed).problem()
    start = np.zeros((problem.count, 3))
    start[:, 0] = 0.1
    found = []
    for room in (60, 0):
        monkeypatch.setattr(linear_step, "SMALL_UNKNOWNS", room)
        method = NewtonMethod(linear_step.LinearStep(problem.count), problem)
        found.append((*method.improve(start, 1e-10, 20, 1e-6), method.effort))
    (small, small_steps, small_effort), (large, large_steps, large_effort) = found
    assert small_steps == large_steps > 0
    assert small_effort == pytest.approx(large_effort)
    np.testing.assert_allclose(small.impulse, large.impulse, atol=1e-7)
    assert small.residual == pytest.approx(large.residual, abs=1e-9)


def test_effort_limits_the_search():
    problem = random_pile(0).problem()
    method = NewtonMethod(linear_step.LinearStep(problem.count), problem, max_effort=1.0)
    _, steps = method.improve(np.ones((problem.count, 3)), 1e-14, 20, 1e-6)
    assert steps == 1
    assert method.effort >= 1.0
