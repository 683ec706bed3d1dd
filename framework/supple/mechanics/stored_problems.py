"""Problems in .npz files: contacts as plain arrays, whole constraint problems, and complementarity problems.

contact  `W` [3n, 3n], or its CSR arrays `W_data, W_indices, W_indptr, shape`; `q` [3n]; `mu` [n]: u = W r + q.
         Contact after contact, rows n, t, s.
whole    what `ConstraintProblem.save` writes.
LCP      `M` [n, n]; `q` [n]: w = M z + q.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from supple.core.archives import read_archive
from supple.core.arrays import FloatArray
from supple.errors import Problem, UserError, list_choices
from supple.mechanics import norm_kernels
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import row_velocities
from supple.mechanics.rows import COULOMB, ROWS_OF_LAW

GREATEST: Final = 1e100
"""Greater numbers are no quantities, and their squares are no numbers."""
Arrays = Mapping[str, NDArray[np.generic]]

SPARSE: Final = ("W_data", "W_indices", "W_indptr", "shape")
FORMATS: Final = (
    "it must hold W, q, mu (W dense, or W_data, W_indices, W_indptr, shape), or M, q, or be saved by supple"
)
# Larger than any round-off in the assembly of a symmetric matrix.
ASYMMETRY: Final = 1e-6


@dataclass(frozen=True)
class StoredLcp:
    """w = M z + q."""

    M: FloatArray
    q: FloatArray


def read_problem(path: Path, arrays: Arrays | None = None, others: str = "") -> ConstraintProblem | StoredLcp:
    """Read a file of any of the formats; whatever is wrong with it is an error of one line.

    `arrays` are those of the file if they are known already, `others` the forms that somebody else would have read.
    """
    arrays = read_arrays(path) if arrays is None else arrays
    if "law" in arrays:
        return _read_whole(path)
    if "M" in arrays and "q" in arrays:
        M, q = _numbers(path, arrays, "M"), _numbers(path, arrays, "q").ravel()
        if M.shape != (len(q), len(q)):
            raise _refuse(path, "M", f"has shape {M.shape}", f"q of length {len(q)} needs {(len(q), len(q))}")
        return StoredLcp(np.ascontiguousarray(M), np.ascontiguousarray(q))
    if "q" in arrays and "mu" in arrays and ("W" in arrays or all(name in arrays for name in SPARSE)):
        return _read_contacts(path, arrays)
    forms = f"{FORMATS}, or be one of: {others}" if others else FORMATS
    raise _refuse(path, "", f"holds {list_choices(arrays)}", forms)


def relative_residual(problem: ConstraintProblem, impulse: FloatArray) -> float:
    """Norm of the natural map of all groups over the norm of the free velocities (over 1 m/s if those are zero)."""
    n = problem.count
    rho = np.zeros(n)
    norm_kernels.compute_rho(problem.rows, problem.W.blocks, rho)
    total = norm_kernels.sum_squares(problem.rows, rho, impulse, row_velocities(problem, impulse))
    return float(np.sqrt(total)) / (float(np.linalg.norm(problem.free[:n])) or 1.0)


def _refuse(path: Path, key: str, what: str, remedy: str) -> UserError:
    return UserError(Problem(None, f"{path}: {key}" if key else str(path), what, remedy))


def read_arrays(path: Path) -> Arrays:
    """The arrays of an .npz file by name."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise _refuse(path, "", what, "name an .npz file")
    if not zipfile.is_zipfile(path):
        raise _refuse(path, "", "is not an .npz file of arrays", FORMATS)
    try:
        return read_archive(path)
    except Exception as error:  # zip archives fail in many ways
        # zipfile quotes names of damaged files at length.
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise _refuse(
            path, "", f"cannot be read: {reason}", "it must be an .npz file of plain arrays"
        ) from error


def _numbers(path: Path, arrays: Arrays, name: str) -> FloatArray:
    array = arrays[name]
    if array.dtype.kind not in "fiub":
        raise _refuse(path, name, f"has type {array.dtype}", "numbers are needed")
    values = np.asarray(array, np.float64)
    if not np.isfinite(values).all():
        first = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
        raise _refuse(path, name, f"is not finite at {first}", "all numbers must be finite")
    if not _are_small(values):
        raise _refuse(path, name, f"has a number greater than {GREATEST:g}", "choose other units")
    return values


def _are_small(values: FloatArray) -> bool:
    """Whether numbers are finite, and so are products of a few of them."""
    return bool((np.abs(values) <= GREATEST).all())


def _read_contacts(path: Path, arrays: Arrays) -> ConstraintProblem:
    q, mu = _numbers(path, arrays, "q").ravel(), _numbers(path, arrays, "mu").ravel()
    n = len(mu)
    if len(q) != 3 * n:
        raise _refuse(path, "q", f"has length {len(q)}", f"mu of length {n} needs {3 * n}")
    if (mu < 0.0).any():
        raise _refuse(path, "mu", f"is negative at {int(np.argmax(mu < 0.0))}", "friction is at least zero")
    matrix = _read_sparse(path, arrays) if "W" not in arrays else _numbers(path, arrays, "W")
    if matrix.shape != (3 * n, 3 * n):
        raise _refuse(path, "W", f"has shape {matrix.shape}", f"mu of length {n} needs {(3 * n, 3 * n)}")
    problem = ConstraintProblem(n)
    problem.reserve(n)
    problem.law[:], problem.size[:], problem.friction[:] = COULOMB, 3, mu
    problem.free[:] = q.reshape(n, 3)
    problem.W = _to_blocks(path, scipy.sparse.csr_matrix(matrix))
    return problem


def _read_sparse(path: Path, arrays: Arrays) -> scipy.sparse.csr_matrix:
    data = _numbers(path, arrays, "W_data").ravel()
    for name in SPARSE[1:]:
        if arrays[name].dtype.kind not in "iu":
            raise _refuse(path, name, f"has type {arrays[name].dtype}", "integers are needed")
    shape = tuple(int(k) for k in arrays["shape"].ravel())
    indices, indptr = (arrays[name].ravel().astype(np.int64) for name in ("W_indices", "W_indptr"))
    if len(shape) != 2 or min(shape) < 0:
        raise _refuse(path, "shape", f"is {shape}", "two numbers are needed")
    fits = len(indptr) == shape[0] + 1 and indptr[0] == 0 and indptr[-1] == len(data) == len(indices)
    if not fits or (np.diff(indptr) < 0).any():
        raise _refuse(
            path, "W_indptr", "does not fit shape, W_data and W_indices", "give the arrays of one CSR matrix"
        )
    if len(indices) and not (indices.min() >= 0 and indices.max() < shape[1]):
        raise _refuse(
            path, "W_indices", f"leaves the {shape[1]} columns", "give the arrays of one CSR matrix"
        )
    return scipy.sparse.csr_matrix((data, indices, indptr), shape=shape)


def _to_blocks(path: Path, matrix: scipy.sparse.csr_matrix) -> BlockMatrix:
    """Blocks of 3 x 3, columns sorted, every diagonal block present."""
    n = matrix.shape[0] // 3
    difference = abs(matrix - matrix.T)
    if difference.nnz and difference.max() > ASYMMETRY * abs(matrix).max():
        raise _refuse(path, "W", "is not symmetric", "W = J A^-1 J^T of a contact problem is")
    if (matrix.diagonal() < 0.0).any():
        worst = int(np.argmin(matrix.diagonal()))
        raise _refuse(path, "W", f"has a negative diagonal in row {worst}", "W must be positive semidefinite")
    blocks = ((matrix + matrix.T) * 0.5).tobsr(blocksize=(3, 3))
    row = np.repeat(np.arange(n), np.diff(blocks.indptr))
    missing = np.setdiff1d(np.arange(n), row[row == blocks.indices])
    rows, columns = np.concatenate([row, missing]), np.concatenate([blocks.indices, missing])
    values = np.concatenate([blocks.data.reshape(-1, 3, 3), np.zeros((len(missing), 3, 3))])
    order = np.lexsort((columns, rows))
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return BlockMatrix.from_arrays(start, columns[order], values[order])


def _read_whole(path: Path) -> ConstraintProblem:
    try:
        problem = ConstraintProblem.load(path)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise _refuse(path, "", f"is not a whole constraint problem: {reason}", "save it again") from error
    # Kernels do not look at the bounds of arrays, so nothing wrong may reach them.
    for what, holds in _check_whole(problem):
        if not holds:
            raise _refuse(path, "", f"is not a whole constraint problem: {what}", "save it again")
    return problem


def _check_whole(problem: ConstraintProblem) -> Iterator[tuple[str, bool]]:
    """What would be wrong, and whether it is right."""
    n, W, law = problem.count, problem.W, problem.law
    known = bool(((law >= 0) & (law < len(ROWS_OF_LAW))).all())
    yield "law has an unknown code", known
    yield "size does not fit law", known and bool((problem.size == np.array(ROWS_OF_LAW)[law]).all())
    yield "W has not one row for each group", W.group_count == n and len(W.diagonal) == n
    columns = W.indices[: W.block_count]
    yield "W_indices leaves the matrix", not len(columns) or bool(columns.min() >= 0 and columns.max() < n)
    yield "W_indptr falls", bool((np.diff(W.indptr[: n + 1]) >= 0).all())
    row = np.repeat(np.arange(n), np.diff(W.indptr[: n + 1]))
    yield "W_indptr does not fit W_indices", len(row) == len(columns)
    place = row * n + columns
    yield "W_indices does not rise within a row", bool((np.diff(place) > 0).all())
    yield "W lacks a block of its diagonal", bool(np.isin(np.arange(n) * (n + 1), place).all())
    yield "W has a block and not its mirror image", bool(np.isin(columns * n + row, place).all())
    for name in ("free", "friction", "scale", "compliance"):
        values = getattr(problem, name)
        yield f"{name} is not finite, or too great", _are_small(values)
        yield f"{name} is negative", name == "free" or bool((values >= 0.0).all())
    yield "W_values is not finite, or too great", _are_small(W.values[: W.block_count])
    yield "lower is above upper", bool((problem.lower <= problem.upper).all())
