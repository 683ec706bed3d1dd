import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import SimulationError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.block_matrix_kernels import find_block, mark_movable
from supple.mechanics.jacobian import JacobianBlocks


@st.composite
def incidences(draw):
    groups, units = draw(st.integers(1, 12)), draw(st.integers(1, 8))
    pairs = draw(st.lists(st.tuples(st.integers(0, groups - 1), st.integers(0, units - 1)), max_size=40))
    return groups, units, np.array(pairs, np.int64).reshape(-1, 2)


def used_pattern(matrix):
    n = matrix.group_count
    rows = [matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]].tolist() for i in range(n)]
    return rows, matrix.diagonal[:n].tolist()


@given(incidences())
@settings(max_examples=100, deadline=None)
def test_pattern_is_that_of_common_units(case):
    groups, units, pairs = case
    touch = np.zeros((groups, units), int)
    touch[pairs[:, 0], pairs[:, 1]] = 1
    coupled = (touch @ touch.T + np.eye(groups, dtype=int)) > 0
    matrix = BlockMatrix(groups=1, blocks=1)
    matrix.values[:] = 7.0
    matrix.set_pattern(pairs[:, 0].copy(), pairs[:, 1].copy(), groups, units)
    rows, diagonal = used_pattern(matrix)
    assert rows == [np.flatnonzero(row).tolist() for row in coupled]
    assert [matrix.indices[p] for p in diagonal] == list(range(groups))
    assert matrix.block_count == coupled.sum()
    assert not matrix.values[: matrix.block_count].any()
    for i in range(groups):
        for j in range(groups):
            p = find_block(matrix.indptr, matrix.indices, i, j)
            assert (p >= 0) == coupled[i, j]
            assert p < 0 or (matrix.indices[p] == j and matrix.indptr[i] <= p < matrix.indptr[i + 1])


def test_buffers_stay_the_same_once_they_are_large_enough():
    rng = np.random.default_rng(0)
    matrix = BlockMatrix(groups=2, blocks=2)
    sets = [(rng.integers(0, 20, 50), rng.integers(0, 15, 50)) for _ in range(5)]
    for group, unit in sets:
        matrix.set_pattern(group, unit, 20, 15)
    before = (matrix.indptr, matrix.indices, matrix.values, matrix.diagonal)
    for group, unit in sets:
        matrix.set_pattern(group[:30], unit[:30], 20, 15)
    after = (matrix.indptr, matrix.indices, matrix.values, matrix.diagonal)
    assert all(a is b for a, b in zip(after, before, strict=True))


@given(
    st.lists(st.tuples(incidences(), st.booleans()), min_size=2, max_size=3),
    st.lists(st.integers(0, 2), max_size=8),
)
@settings(max_examples=60, deadline=None)
def test_patterns_that_come_again_are_those_of_a_new_matrix(cases, order):
    matrix = BlockMatrix(groups=1, blocks=1)
    for number in order:
        (groups, units, pairs), spoil = cases[number % len(cases)]
        group, unit = pairs[:, 0].copy(), pairs[:, 1].copy()
        fresh = BlockMatrix()
        for each in (matrix, fresh):
            each.set_pattern(group, unit, groups, units)
        assert used_pattern(matrix) == used_pattern(fresh)
        assert not matrix.values[: matrix.block_count].any()
        matrix.values[:] = 7.0
        if spoil:  # as somebody who makes every group stand alone
            matrix.indptr[: groups + 1], matrix.indices[:groups] = np.arange(groups + 1), np.arange(groups)
            matrix.diagonal[:groups] = np.arange(groups)


@given(st.lists(st.sampled_from([1, 3]), min_size=1, max_size=8), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_dense_round_trip_and_product(sizes, seed):
    rng = np.random.default_rng(seed)
    size = np.array(sizes, np.int64)
    owner = np.repeat(np.arange(len(size)), size)
    kept = rng.random((len(size), len(size))) < 0.4
    dense = rng.normal(size=(len(owner), len(owner))) * (kept | kept.T)[owner][:, owner]
    dense = dense + dense.T
    matrix = BlockMatrix.from_dense(dense, size)
    np.testing.assert_array_equal(matrix.to_dense(size), dense)
    x, y = rng.normal(size=(len(size), 3)), np.full((len(size), 3), np.nan)
    used = np.arange(3)[None, :] < size[:, None]
    x[~used] = 0.0
    matrix.multiply(x, y)
    np.testing.assert_allclose(y[used], dense @ x[used], rtol=1e-13, atol=1e-13)
    assert not y[~used].any()


def test_jacobian_products_are_those_of_the_dense_matrix():
    rng = np.random.default_rng(3)
    groups, dofs, width = 5, 14, 4
    blocks = JacobianBlocks(capacity=10, width=width)
    first = blocks.reserve(8)
    assert first == 0
    dense = np.zeros((groups, 3, dofs))
    for k in range(8):
        blocks.group[k], blocks.dof[k] = rng.integers(groups), rng.integers(dofs - width + 1)
        blocks.values[k] = rng.normal(size=(3, width))
        dense[blocks.group[k], :, blocks.dof[k] : blocks.dof[k] + width] += blocks.values[k]
    v, impulse = rng.normal(size=dofs), rng.normal(size=(groups, 3))
    u, generalised = np.ones((groups, 3)), np.ones(dofs)
    blocks.add_row_velocities(v, u)
    blocks.add_transposed_impulses(impulse, generalised)
    np.testing.assert_allclose(u, 1.0 + dense @ v, rtol=1e-13)
    np.testing.assert_allclose(generalised, 1.0 + np.einsum("gkd,gk->d", dense, impulse), rtol=1e-13)
    with pytest.raises(SimulationError, match="capacity of 10 Jacobian blocks is used up"):
        blocks.reserve(3)
    blocks.clear()
    blocks.add_row_velocities(v, u)
    np.testing.assert_allclose(u, 1.0 + dense @ v, rtol=1e-13)


def test_groups_that_nothing_can_move_are_taken_out() -> None:
    dense = np.array([[2.0, 0.5, 1e-17], [0.5, 1.0, 3e-17], [1e-17, 3e-17, 1e-16]])
    size = np.array([1, 1, 1])
    matrix = BlockMatrix.from_dense(dense, size)
    matrix.clear_immovable_groups(np.array([1, 1, 1]))
    assert (matrix.to_dense(size) == dense).all(), "it is small, and yet no round-off: a heavy body"
    matrix.clear_immovable_groups(np.array([0, 0, -1]))
    expected = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert (matrix.to_dense(size) == expected).all()


def test_rows_between_a_thing_and_itself_are_not_movable() -> None:
    group, unit = np.array([0, 0, 1, 1, 2, 9]), np.array([3, 4, 4, 4, 0, 9])
    movable = np.zeros(10, np.int64)
    mark_movable(np.array([5]), group, unit, movable)
    assert (movable > 0).tolist() == [True, False, True] + 7 * [False]
