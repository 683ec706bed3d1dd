import copy
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import SimulationError, UserError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem, PartialProblem
from supple.mechanics.rows import BILATERAL, COULOMB, LAW_NAMES, ROWS_OF_LAW

ARRAYS = (
    "law", "size", "friction", "restitution", "scale", "lower", "upper", "compliance", "bias", "gap",
    "u_now", "key", "free",
)  # fmt: skip


def filled_problem():
    rng = np.random.default_rng(5)
    problem = ConstraintProblem(8, step=0.002)
    problem.reserve(5)
    for name in ARRAYS:
        array = getattr(problem, name)
        shape = array[:5].shape
        array[:5] = rng.integers(0, 3, shape) if array.dtype == np.int64 else rng.normal(size=shape)
    problem.size[:5] = [1, 3, 3, 1, 3]
    problem.upper[2] = np.inf
    dense = rng.normal(size=(11, 11))
    problem.W = BlockMatrix.from_dense(dense + dense.T, problem.size[:5])
    return problem


def test_every_law_has_a_name_and_a_size():
    assert len(LAW_NAMES) == len(ROWS_OF_LAW) == 5
    assert LAW_NAMES[COULOMB] == "coulomb"
    assert [ROWS_OF_LAW[law] for law in range(5)] == [1, 1, 3, 1, 1]


def test_reserve_hands_out_fresh_groups_until_the_capacity_is_used_up():
    problem = ConstraintProblem(256)
    assert problem.reserve(200) == 0
    problem.friction[:] = 9.0
    problem.lower[:] = 9.0
    assert problem.reserve(56) == 200
    assert problem.count == 256
    assert (problem.friction[200:] == 0.0).all()
    assert (problem.lower[200:] == -np.inf).all()
    assert (problem.scale[200:] == 1.0).all()
    assert (problem.law[200:] == BILATERAL).all()
    assert (problem.friction[:200] == 9.0).all()
    with pytest.raises(SimulationError) as raised:
        problem.reserve(1)
    assert str(raised.value) == "room for 256 groups of rows is used up; raise run.capacity.contacts"
    assert problem.count == 256
    problem.clear()
    assert problem.reserve(256) == 0
    assert (problem.friction == 0.0).all()


def test_save_and_load_give_the_same_problem(tmp_path):
    problem = filled_problem()
    problem.save(tmp_path / "problem.npz")
    loaded = ConstraintProblem.load(tmp_path / "problem.npz")
    assert (loaded.step, loaded.count, loaded.capacity) == (0.002, 5, 5)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(problem, name)[:5])
        assert getattr(loaded, name).dtype == getattr(problem, name).dtype
    np.testing.assert_array_equal(loaded.W.to_dense(loaded.size), problem.W.to_dense(problem.size))
    np.testing.assert_array_equal(loaded.W.diagonal, problem.W.diagonal[:5])


def test_load_refuses_other_files(tmp_path):
    np.savez(tmp_path / "other.npz", law=np.zeros(3))
    with pytest.raises(UserError, match="is not a constraint problem of format 1"):
        ConstraintProblem.load(tmp_path / "other.npz")


def test_trimmed_arrays_are_views_of_the_groups_in_use():
    problem = filled_problem()
    trimmed = problem.trimmed()
    assert trimmed.count == trimmed.capacity == 5
    assert trimmed.W is problem.W
    for name in ARRAYS:
        assert len(getattr(trimmed, name)) == 5
        assert np.shares_memory(getattr(trimmed, name), getattr(problem, name))
    assert len(problem.law) == 8


@given(st.lists(st.sampled_from([1, 3]), min_size=1, max_size=9), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_cut_has_the_rows_and_columns_of_its_groups(sizes, seed):
    rng = np.random.default_rng(seed)
    size, n = np.array(sizes, np.int64), len(sizes)
    whole = ConstraintProblem(n + 2, step=0.003)
    whole.reserve(n)
    for name in ARRAYS:
        array = getattr(whole, name)
        shape = array[:n].shape
        array[:n] = rng.integers(0, 3, shape) if array.dtype == np.int64 else rng.normal(size=shape)
    whole.size[:n] = size
    owner = np.repeat(np.arange(n), size)
    kept = rng.random((n, n)) < 0.5
    dense = (
        rng.normal(size=(len(owner), len(owner))) * (kept | kept.T | np.eye(n, dtype=bool))[owner][:, owner]
    )
    dense = dense + dense.T
    whole.W = BlockMatrix.from_dense(dense, size)
    reused = PartialProblem(n, whole.capacity)
    for _ in range(3):
        groups = np.flatnonzero(rng.random(n) < 0.6)
        part = whole.cut(groups, into=reused)
        assert part is reused
        assert (part.count, part.step) == (len(groups), 0.003)
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(part, name)[: part.count], getattr(whole, name)[groups])
        np.testing.assert_array_equal(part.groups[: part.count], groups)
        np.testing.assert_array_equal(part.place[groups], np.arange(len(groups)))
        assert (part.place[:n] >= 0).sum() == len(groups)
        mine = np.isin(owner, groups)
        np.testing.assert_array_equal(part.W.to_dense(part.size), dense[mine][:, mine])
        assert [part.W.indices[p] for p in part.W.diagonal[: part.count]] == list(range(len(groups)))
        fresh = whole.cut(groups)
        assert fresh is not reused
        np.testing.assert_array_equal(fresh.W.to_dense(fresh.size), dense[mine][:, mine])


def test_a_cut_is_a_copy_and_its_buffers_stay():
    whole = filled_problem()
    part = PartialProblem(8, 8)
    whole.cut(np.arange(5), into=part)
    buffers = (*part.rows, *part.origin, *part.W.blocks)
    rows, blocks = part.rows, part.W.blocks
    part.free[:] = 7.0
    assert not (whole.free == 7.0).any()
    groups = np.array([0, 2, 4])
    tracemalloc.start()
    for _ in range(3):
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        whole.cut(groups, into=part)
        peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert peak < 4000  # views and numbers, no arrays
    assert part.rows is rows
    assert part.W.blocks is blocks
    assert all(a is b for a, b in zip((*part.rows, *part.origin, *part.W.blocks), buffers, strict=True))


def test_a_part_that_is_too_small_is_refused():
    with pytest.raises(SimulationError, match="a part with room for 2 of 8 groups is to take 3 of 5"):
        filled_problem().cut(np.arange(3), into=PartialProblem(2, 8))


def test_the_tuples_are_kept_until_an_array_is_replaced():
    problem = filled_problem()
    for owner, tuple_name in ((problem, "rows"), (problem, "origin"), (problem.W, "blocks")):
        for name in getattr(owner, tuple_name)._fields:
            before = getattr(owner, tuple_name)
            assert getattr(owner, tuple_name) is before
            setattr(owner, name, getattr(owner, name).copy())
            after = getattr(owner, tuple_name)
            assert after is not before
            assert getattr(after, name) is getattr(owner, name)
            assert all(a is b for a, b, f in zip(after, before, after._fields, strict=True) if f != name)


def test_copies_have_tuples_of_their_own():
    problem = filled_problem()
    before = problem.rows
    near = copy.copy(problem)
    near.compliance = near.compliance + 1.0
    assert problem.rows is before
    assert near.rows.compliance is near.compliance
    assert near.rows.free is problem.free


def test_arrays_keep_their_types_whatever_is_assigned():
    """Kernels that look at types once would misread others."""
    problem = filled_problem()
    problem.free = np.asfortranarray(np.arange(24).reshape(8, 3))
    problem.law = np.zeros(16, np.int32)[::2]
    problem.W.indices = problem.W.indices.astype(np.int32)
    for array, dtype in ((problem.free, np.float64), (problem.law, np.int64), (problem.W.indices, np.int64)):
        assert array.dtype == dtype
        assert array.flags.c_contiguous
    assert problem.rows.free[1, 2] == 5.0
