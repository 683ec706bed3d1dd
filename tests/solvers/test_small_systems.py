"""Newton steps of small systems: a plain elimination instead of LAPACK, and the same watchdog around both."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.contact_problems import random_pile, random_spheres
from supple.math.strip_kernels import LANES
from supple_solve_newton import linear_step
from supple_solve_newton.newton_kernels import SLIPPING, STUCK
from supple_solve_newton.newton_method import NewtonMethod
from supple_solve_newton.small_step_kernels import (
    factor_rows,
    factor_symmetric,
    find_small_step,
    solve_symmetric,
    solve_transposed,
)


def widen(matrix):
    """With room behind every row, as the kernels want it; what stands there is of no use."""
    return np.pad(matrix, ((0, 0), (0, LANES)), constant_values=np.nan)


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_elimination_solves_the_transposed_system(size, seed):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(size, size))
    matrix[random.random((size, size)) < 0.3] = 0.0
    matrix += np.diag(np.where(random.random(size) < 0.5, 0.0, 3.0))  # pivots off the diagonal
    if abs(np.linalg.det(matrix)) < 1e-6:
        return
    factor, order, right = widen(matrix), np.zeros(size, np.int64), random.normal(size=size)
    assert factor_rows(size, factor, order)
    lower, upper = np.tril(factor[:, :size], -1) + np.eye(size), np.triu(factor[:, :size])
    np.testing.assert_allclose(lower @ upper, matrix[order], atol=1e-12 * np.linalg.norm(matrix))
    solution = np.zeros(size)
    solve_transposed(size, factor, order, right.copy(), solution)
    np.testing.assert_allclose(matrix.T @ solution, right, atol=1e-8 * np.linalg.cond(matrix))


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_symmetric_elimination_needs_the_upper_triangle_alone(size, seed):
    random = np.random.default_rng(seed)
    half = random.normal(size=(size, size))
    half[random.random((size, size)) < 0.3] = 0.0
    matrix = half @ half.T + 0.1 * np.eye(size)
    factor, right, solution = widen(np.triu(matrix)), random.normal(size=size), np.zeros(size)
    factor[np.tril_indices(size, -1)] = np.nan
    assert factor_symmetric(size, factor)
    lower, diagonal = np.tril(factor[:, :size], -1) + np.eye(size), np.diag(np.diag(factor[:, :size]))
    np.testing.assert_allclose(lower @ diagonal @ lower.T, matrix, atol=1e-12 * np.linalg.norm(matrix))
    solve_symmetric(size, factor, right.copy(), solution)
    np.testing.assert_allclose(matrix @ solution, right, atol=1e-10 * np.linalg.cond(matrix))


def test_a_matrix_that_is_not_positive_definite_is_refused():
    assert not factor_symmetric(2, widen(np.array([[1.0, 2.0], [2.0, 1.0]])))
    assert not factor_symmetric(2, widen(np.full((2, 2), np.nan)))


def find_step(problem, impulse, floor, refinements):
    """The step from these impulses, the modes of the groups, and the shares of the floor in their diagonals."""
    linear, n = linear_step.LinearStep(problem.count), problem.count
    method = NewtonMethod(linear, problem)
    size = find_small_step(
        problem.rows, problem.W.blocks, method.rho, floor, refinements, np.inf, impulse,
        method.look_at(impulse).velocity, linear.linear, linear.scratch,
    )  # fmt: skip
    assert 0 < size <= linear_step.SMALL_UNKNOWNS
    return linear.step[:n].copy(), linear.linear.mode[:n], floor / method.rho


@pytest.mark.parametrize("refinements", [0, 1, 2, 3])
def test_refinements_take_back_the_effect_of_the_floor(refinements):
    """Where all contacts stick, A is W and the step the beginning of the sum of README eq. (5)."""
    problem = random_pile(4).problem()
    problem.friction[:] = 1e6
    impulse = np.zeros((problem.count, 3))
    impulse[:, 0] = 1.0
    problem.free[:] = -problem.W.to_dense(problem.size).dot(impulse.ravel()).reshape(-1, 3)
    problem.free[:] += 0.01 * np.random.default_rng(5).normal(size=(problem.count, 3))
    step, mode, floors = find_step(problem, impulse, 1e-2, refinements)
    assert (mode == STUCK).all()
    W, F = problem.W.to_dense(problem.size), np.diag(np.repeat(floors, 3))
    right = -(W @ impulse.ravel() + problem.free.ravel())
    part = wanted = np.linalg.solve(W + F, right)
    for _ in range(refinements):
        part = np.linalg.solve(W + F, F @ part)
        wanted = wanted + part
    np.testing.assert_allclose(step.ravel(), wanted, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("seed", range(4))
def test_refinements_lead_to_the_step_without_a_floor(seed):
    problem = random_spheres(seed).problem()
    impulse = np.zeros((problem.count, 3))
    impulse[:, 0] = 0.1
    exact, mode, _ = find_step(problem, impulse, 1e-13, 0)
    assert (mode == SLIPPING).any()
    errors = [np.linalg.norm(find_step(problem, impulse, 1e-3, many)[0] - exact) for many in range(4)]
    assert errors[0] > errors[1] > errors[2] > errors[3]
    assert errors[3] < 0.05 * errors[0]


def test_a_singular_matrix_is_refused():
    assert not factor_rows(3, widen(np.ones((3, 3))), np.zeros(3, np.int64))
    assert not factor_rows(2, widen(np.full((2, 2), np.nan)), np.zeros(2, np.int64))


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
