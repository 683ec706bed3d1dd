"""Kernels bound to a problem: the same as an ordinary call, also after arrays of the problem were replaced."""

import copy

import numpy as np

from solvers.contact_problems import random_pile
from supple.core.jit import bind_first_arguments, njit
from supple.mechanics.block_matrix import Blocks
from supple.mechanics.problem import Rows
from supple.mechanics.problem_call import ProblemCall


@njit
def sum_first_columns(rows, blocks, work_out, factor):
    """factor times the sum of all free velocities, compliances and frictions, and of W_00[n, n]; also in work_out."""
    total = blocks.values[0, 0, 0]
    for i in range(rows.counts[0]):
        total += rows.free[i, 0] + rows.compliance[i, 0] + rows.friction[i]
    work_out[0] = factor * total
    return work_out[0]


def expected(problem, factor):
    parts = problem.free[:, 0], problem.compliance[:, 0], problem.friction
    return factor * (problem.W.values[0, 0, 0] + sum(part.sum() for part in parts))


def test_a_problem_that_comes_again_is_read_as_it_is_then():
    problem, work = random_pile(1).problem(), np.zeros(1)
    call = ProblemCall(sum_first_columns, work)
    for factor in (1.0, 2.0, 3.0):
        problem.free[:, 0] += factor
        assert call(problem, factor) == work[0]
        np.testing.assert_allclose(work[0], expected(problem, factor), rtol=1e-14)


def test_replaced_arrays_and_other_problems_are_noticed():
    problem, other, work = random_pile(1).problem(), random_pile(2).problem(), np.zeros(1)
    call = ProblemCall(sum_first_columns, work)
    near = copy.copy(problem)
    for _ in range(2):
        for _ in range(3):
            np.testing.assert_allclose(call(near, 1.0), expected(near, 1.0), rtol=1e-14)
        near.compliance = near.compliance + 1.0
        np.testing.assert_allclose(call(near, 1.0), expected(near, 1.0), rtol=1e-14)
        near.free = 2.0 * near.free
        np.testing.assert_allclose(call(near, 1.0), expected(near, 1.0), rtol=1e-14)
        near.friction = near.friction + 1.0
        np.testing.assert_allclose(call(near, 1.0), expected(near, 1.0), rtol=1e-14)
        near.W = copy.copy(near.W)
        near.W.values = near.W.values + 1.0
        np.testing.assert_allclose(call(near, 1.0), expected(near, 1.0), rtol=1e-14)
        np.testing.assert_allclose(call(other, 1.0), expected(other, 1.0), rtol=1e-14)


def test_the_tuples_are_kept_until_an_array_is_replaced():
    problem = random_pile(1).problem()
    for owner, tuple_name, fields in (
        (problem, "rows", Rows._fields[1:]),
        (problem.W, "blocks", Blocks._fields),
    ):
        for name in fields:
            before = getattr(owner, tuple_name)
            assert getattr(owner, tuple_name) is before
            setattr(owner, name, getattr(owner, name).copy())
            after = getattr(owner, tuple_name)
            assert after is not before
            assert getattr(after, name) is getattr(owner, name)
            assert all(a is b for a, b, f in zip(after, before, after._fields, strict=True) if f != name)


def test_plain_functions_take_what_changes_too():
    rows = (
        random_pile(1)
        .problem()
        .rows._replace(
            counts=np.array([2]), free=np.ones((2, 3)), compliance=np.ones((2, 3)), friction=np.ones(2)
        )
    )
    blocks = Blocks(*np.zeros((3, 1), np.int64), np.ones((1, 3, 3)))
    assert bind_first_arguments(sum_first_columns.py_func, (rows, blocks, np.zeros(1)), (1.0,))(3.0) == 21.0
