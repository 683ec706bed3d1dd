"""Problems in files: the formats, what is refused, and the relative residual against numpy."""

import numpy as np
import pytest
import scipy.sparse

from solvers.contact_problems import hanging_chain, random_pile, stack_of_boxes
from solvers.hard_problems import mixed_laws
from supple.errors import UserError
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import row_velocities
from supple.mechanics.rows import COULOMB
from supple.mechanics.stored_problems import StoredLcp, read_problem, relative_residual


def plain_arrays(problem):
    return {"W": problem.W.to_dense(problem.size), "q": problem.free.ravel(), "mu": problem.friction}


def sparse_arrays(problem):
    arrays = plain_arrays(problem)
    W = scipy.sparse.csr_matrix(arrays.pop("W"))
    return {
        **arrays,
        "W_data": W.data,
        "W_indices": W.indices,
        "W_indptr": W.indptr,
        "shape": np.array(W.shape),
    }


def assert_same_contacts(first, second):
    assert first.count == second.count
    for name in ("law", "size", "friction", "free"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(first.W.to_dense(first.size), second.W.to_dense(second.size))


@pytest.mark.parametrize("arrays_of", [plain_arrays, sparse_arrays])
def test_contact_problems_are_read(tmp_path, arrays_of):
    problem = random_pile(2).problem()
    np.savez(tmp_path / "pile.npz", **arrays_of(problem))
    read = read_problem(tmp_path / "pile.npz")
    assert_same_contacts(read, problem)
    x = np.random.default_rng(0).normal(size=(problem.count, 3))
    np.testing.assert_allclose(row_velocities(read, x), row_velocities(problem, x), rtol=1e-12, atol=1e-12)


def test_contacts_that_nothing_moves_have_a_diagonal_block(tmp_path):
    W = np.zeros((9, 9))
    W[3:6, 3:6] = np.eye(3)
    np.savez(tmp_path / "hung.npz", W=W, q=np.ones(9), mu=np.ones(3))
    read = read_problem(tmp_path / "hung.npz")
    np.testing.assert_array_equal(read.W.diagonal[:3], [0, 1, 2])
    np.testing.assert_array_equal(read.W.to_dense(read.size), W)


def test_whole_problems_are_read(tmp_path):
    problem = hanging_chain(3).problem()
    problem.save(tmp_path / "chain.npz")
    read = read_problem(tmp_path / "chain.npz")
    assert isinstance(read, ConstraintProblem)
    assert_same_contacts(read, problem)


def test_complementarity_problems_are_read(tmp_path):
    np.savez(tmp_path / "lcp.npz", M=np.arange(4).reshape(2, 2), q=[[1], [2]])
    read = read_problem(tmp_path / "lcp.npz")
    assert isinstance(read, StoredLcp)
    np.testing.assert_array_equal(read.q, [1.0, 2.0])
    assert read.M.dtype == np.float64


def spoil(arrays, **changes):
    return {**arrays, **changes}


GOOD = plain_arrays(stack_of_boxes(1).problem())
THIN = sparse_arrays(stack_of_boxes(1).problem())
SKEW = GOOD["W"] + np.triu(np.ones_like(GOOD["W"]), 1)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"a": np.ones(3)}, "holds a"),
        ({"M": np.eye(2)}, "holds M"),
        ({"M": np.eye(2), "q": np.ones(3)}, "M: has shape (2, 2)"),
        ({"M": np.ones(4), "q": np.ones(4)}, "M: has shape (4,)"),
        ({"M": np.full((2, 2), np.nan), "q": np.ones(2)}, "M: is not finite at (0, 0)"),
        (spoil(GOOD, q=np.ones(5)), "q: has length 5"),
        (spoil(GOOD, q=np.where(np.arange(12) == 7, np.inf, 0.0)), "q: is not finite at (7,)"),
        (spoil(GOOD, q=np.full(12, 1e300)), "q: has a number greater than 1e+100"),
        (spoil(GOOD, mu=-GOOD["mu"]), "mu: is negative at 0"),
        (spoil(GOOD, mu=np.array(["a", "b", "c", "d"])), "mu: has type <U1"),
        (spoil(GOOD, W=GOOD["W"][:-1]), "W: has shape (11, 12)"),
        (spoil(GOOD, W=-GOOD["W"]), "W: has a negative diagonal"),
        (spoil(GOOD, W=SKEW), "W: is not symmetric"),
        (spoil(THIN, W_indptr=THIN["W_indptr"][:-1]), "W_indptr: does not fit"),
        (spoil(THIN, W_indptr=THIN["W_indptr"][::-1].copy()), "W_indptr: does not fit"),
        (spoil(THIN, W_indices=THIN["W_indices"] + 100), "W_indices: leaves the 12 columns"),
        (spoil(THIN, W_indices=THIN["W_indices"].astype(float)), "W_indices: has type float64"),
        (spoil(THIN, shape=np.array([12])), "shape: is (12,)"),
        ({"law": np.ones(3), "format": np.array(1)}, "is not a whole constraint problem"),
        ({"law": np.ones(3)}, "is not a constraint problem of format 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_fit_is_refused_in_one_line(tmp_path, arrays, said):
    path = tmp_path / "bad.npz"
    np.savez(path, **arrays)
    with pytest.raises(UserError) as refused:
        read_problem(path)
    (problem,) = refused.value.problems
    assert said in str(problem)
    assert str(path) in str(problem)
    assert "\n" not in str(problem)


@pytest.mark.parametrize(
    ("name", "place", "value", "said"),
    [
        ("law", 0, 9, "law has an unknown code"),
        ("size", 0, 3, "size does not fit law"),
        ("W_indices", 1, 99, "W_indices leaves the matrix"),
        ("W_indptr", 1, 99, "not a whole constraint problem"),
        ("W_indices", slice(2, None), 0, "W_indices does not rise within a row"),
        ("free", (1, 0), np.nan, "free is not finite"),
        ("friction", 9, -1.0, "friction is negative"),
        ("W_values", (0, 0, 0), np.inf, "W_values is not finite"),
        ("lower", (0, 0), np.inf, "lower is above upper"),
    ],
)  # fmt: skip
def test_a_spoilt_whole_problem_is_refused(tmp_path, name, place, value, said):
    problem = hanging_chain(3).problem()
    problem.upper[0, 0] = 1.0
    problem.save(tmp_path / "good.npz")
    arrays = dict(np.load(tmp_path / "good.npz"))
    arrays[name][place] = value
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(UserError, match=said):
        read_problem(tmp_path / "bad.npz")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["W_values", "W_indices", "step"])
def test_numbers_of_a_whole_problem_are_real(tmp_path, name):
    hanging_chain(3).problem().save(tmp_path / "good.npz")
    arrays = dict(np.load(tmp_path / "good.npz"))
    arrays[name] = arrays[name].astype(complex)
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(UserError, match=f"{name} has type complex128"):
        read_problem(tmp_path / "bad.npz")


def test_files_that_are_no_archives_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("W = 1")
    (tmp_path / "empty.npz").write_bytes(b"")
    np.save(tmp_path / "single.npy", np.ones(3))
    np.savez(tmp_path / "objects.npz", M=np.array([{}], dtype=object), q=np.ones(1))
    for name, said in (
        ("text.npz", "is not an .npz file"),
        ("empty.npz", "is not an .npz file"),
        ("single.npy", "is not an .npz file"),
        ("objects.npz", "cannot be read"),
        ("none.npz", "no such file"),
        (".", "is a folder"),
    ):
        with pytest.raises(UserError, match=said):
            read_problem(tmp_path / name)


def project(x, mu):
    """Nearest point of the cone by its boundary ray."""
    length = np.hypot(x[1], x[2])
    if length <= mu * x[0]:
        return x
    ray = np.array([1.0, *(mu * x[1:] / length)]) / np.sqrt(1.0 + mu * mu)
    return max(0.0, ray @ x) * ray


def test_the_relative_residual_is_that_of_the_natural_map():
    """|F| / |q| with F = (r - P(r - rho u)) / rho, rho = 3 / trace W_ii, by dense algebra."""
    problem = random_pile(4).problem()
    r = np.random.default_rng(1).normal(size=(problem.count, 3))
    W = problem.W.to_dense(problem.size)
    u = (W @ r.ravel() + problem.free.ravel()).reshape(-1, 3)
    F = np.zeros_like(r)
    for i, mu in enumerate(problem.friction):
        rho = 3.0 / np.trace(W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3])
        bent = u[i] + [mu * np.hypot(u[i, 1], u[i, 2]), 0.0, 0.0]
        F[i] = (r[i] - project(r[i] - rho * bent, mu)) / rho
    expected = np.linalg.norm(F) / np.linalg.norm(problem.free)
    assert relative_residual(problem, r) == pytest.approx(expected, rel=1e-12)


def test_the_relative_residual_has_no_unit():
    problem, other = mixed_laws(1), mixed_laws(1)
    r = np.random.default_rng(1).normal(size=(problem.count, 3))
    r[problem.law != COULOMB, 1:] = 0.0
    other.free *= 7.0
    other.lower *= 7.0
    other.upper *= 7.0
    assert relative_residual(other, 7.0 * r) == pytest.approx(relative_residual(problem, r), rel=1e-12)
