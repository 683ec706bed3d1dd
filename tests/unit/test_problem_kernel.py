"""Kernels bound to a problem: the same as an ordinary call, also after arrays of the problem were replaced."""

import copy

import numpy as np

from solvers.contact_problems import random_pile
from supple.core.jit import bind_first_arguments, njit
from supple.mechanics.problem_kernel import ProblemKernel

NAMES = ("free", "compliance", "friction", "W.values")


@njit
def sum_first_columns(free, compliance, friction, values, work_out, count, factor):
    """factor times the sum of all free velocities, compliances and frictions, and of W_00[n, n]; also in work_out."""
    total = values[0, 0, 0]
    for i in range(count):
        total += free[i, 0] + compliance[i, 0] + friction[i]
    work_out[0] = factor * total
    return work_out[0]


def expected(problem, factor):
    parts = problem.free[:, 0], problem.compliance[:, 0], problem.friction
    return factor * (problem.W.values[0, 0, 0] + sum(part.sum() for part in parts))


def test_a_problem_that_comes_again_is_read_as_it_is_then():
    problem, work = random_pile(1).problem(), np.zeros(1)
    kernel = ProblemKernel(sum_first_columns, NAMES, work)
    for factor in (1.0, 2.0, 3.0):
        problem.free[:, 0] += factor
        assert kernel(problem, problem.count, factor) == work[0]
        np.testing.assert_allclose(work[0], expected(problem, factor), rtol=1e-14)


def test_replaced_arrays_and_other_problems_are_noticed():
    problem, other, work = random_pile(1).problem(), random_pile(2).problem(), np.zeros(1)
    kernel = ProblemKernel(sum_first_columns, NAMES, work)
    near = copy.copy(problem)
    for _ in range(2):
        for _ in range(3):
            np.testing.assert_allclose(kernel(near, near.count, 1.0), expected(near, 1.0), rtol=1e-14)
        near.compliance = near.compliance + 1.0
        np.testing.assert_allclose(kernel(near, near.count, 1.0), expected(near, 1.0), rtol=1e-14)
        near.free = 2.0 * near.free
        np.testing.assert_allclose(kernel(near, near.count, 1.0), expected(near, 1.0), rtol=1e-14)
        near.friction = near.friction + 1.0
        np.testing.assert_allclose(kernel(near, near.count, 1.0), expected(near, 1.0), rtol=1e-14)
        near.W = copy.copy(near.W)
        near.W.values = near.W.values + 1.0
        np.testing.assert_allclose(kernel(near, near.count, 1.0), expected(near, 1.0), rtol=1e-14)
        np.testing.assert_allclose(kernel(other, other.count, 1.0), expected(other, 1.0), rtol=1e-14)


def test_plain_functions_take_what_changes_too():
    arrays = (np.ones((2, 3)), np.ones((2, 3)), np.ones(2), np.ones((1, 3, 3)), np.zeros(1))
    assert bind_first_arguments(sum_first_columns.py_func, arrays, (2, 1.0))(2, 3.0) == 21.0
