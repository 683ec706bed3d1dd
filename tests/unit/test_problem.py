import numpy as np
import pytest

from supple.errors import SimulationError, UserError
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
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
