"""A quadratic program with complementarity constraints, as plain arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.errors import Problem, UserError

#: Larger than any round-off in making a symmetric matrix, as a share of its largest number.
ASYMMETRY: Final = 1e-9


@dataclass(frozen=True)
class Qpcc:
    """min 1/2 x'Px + c'x + c0 with G x <= h, A x = b, lb <= x <= ub, and 0 <= C x + d, E x + f >= 0, one of them zero.

    x [n]; P [n, n], symmetric and positive semidefinite (see `convexity`); bounds may be infinite; C, E [pairs, n]. The
    pairs are called a = C x + d and e = E x + f. Units are those of the caller; numbers near one are best. `factor`
    may say that P = diag(p) + B'B with p [n] above zero and few rows B [r, n], which saves time.
    """

    P: FloatArray
    c: FloatArray
    c0: float
    G: FloatArray
    h: FloatArray
    A: FloatArray
    b: FloatArray
    lb: FloatArray
    ub: FloatArray
    C: FloatArray
    d: FloatArray
    E: FloatArray
    f: FloatArray
    factor: tuple[FloatArray, FloatArray] | None = None

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.c)

    @property
    def pairs(self) -> int:
        """Number of complementary pairs."""
        return len(self.d)

    def evaluate(self, x: FloatArray) -> float:
        """The objective at x."""
        return float(0.5 * x @ (self.P @ x) + self.c @ x + self.c0)

    def find_pairs(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """a and e at x."""
        return self.C @ x + self.d, self.E @ x + self.f

    def measure(self, x: FloatArray) -> float:
        """The worst violation of any constraint, each as a share of 1 + the size of its terms."""
        a, e = self.find_pairs(x)
        size = np.abs(x)
        pairs = np.minimum(_size(self.C, self.d, size), _size(self.E, self.f, size))
        return max(
            _largest(np.maximum(self.G @ x - self.h, 0.0) / _size(self.G, self.h, size)),
            _largest(np.abs(self.A @ x - self.b) / _size(self.A, self.b, size)),
            _largest(np.maximum(np.maximum(self.lb - x, x - self.ub), 0.0) / (1.0 + size)),
            _largest(np.abs(np.minimum(a, e)) / pairs),
        )


def _largest(values: FloatArray) -> float:
    return float(values.max(initial=0.0))


def _size(matrix: FloatArray, constant: FloatArray, size: FloatArray) -> FloatArray:
    sizes: FloatArray = 1.0 + np.abs(constant) + np.abs(matrix) @ size
    return sizes


def make_qpcc(
    P: FloatArray,
    c: FloatArray,
    C: FloatArray,
    d: FloatArray,
    E: FloatArray,
    f: FloatArray,
    *,
    c0: float = 0.0,
    lb: FloatArray | None = None,
    ub: FloatArray | None = None,
    G: FloatArray | None = None,
    h: FloatArray | None = None,
    A: FloatArray | None = None,
    b: FloatArray | None = None,
    factor: tuple[FloatArray, FloatArray] | None = None,
) -> Qpcc:
    """A checked problem; what is left out does not bind. Raises UserError with a line for everything that is wrong."""
    n = np.size(c)
    none, no_rows = np.zeros(0), np.zeros((0, n))
    problem = Qpcc(
        _matrix(P), _vector(c), float(c0),
        _matrix(no_rows if G is None else G), _vector(none if h is None else h),
        _matrix(no_rows if A is None else A), _vector(none if b is None else b),
        _vector(np.full(n, -np.inf) if lb is None else lb), _vector(np.full(n, np.inf) if ub is None else ub),
        _matrix(C), _vector(d), _matrix(E), _vector(f), factor,
    )  # fmt: skip
    problems = list(find_faults(problem))
    if problems:
        raise UserError(problems)
    return problem


def find_faults(problem: Qpcc) -> Iterator[Problem]:
    """Everything that makes these arrays no problem, shapes first."""
    n, pairs = problem.size, problem.C.shape[0] if problem.C.ndim else 0
    shapes = {
        "P": (n, n), "c": (n,), "lb": (n,), "ub": (n,), "d": (pairs,), "f": (pairs,), "C": (pairs, n), "E": (pairs, n),
        "G": (problem.h.size, n), "h": (problem.h.size,), "A": (problem.b.size, n), "b": (problem.b.size,),
    }  # fmt: skip
    sound = True
    for name, shape in shapes.items():
        found = getattr(problem, name).shape
        if found != shape:
            sound = False
            yield Problem(None, name, f"has shape {found}", f"{n} variables and {pairs} pairs need {shape}")
    if not sound:
        return
    for name in (*shapes, "c0"):
        values = np.asarray(getattr(problem, name))
        bad = np.isnan(values) if name in ("lb", "ub") else ~np.isfinite(values)
        if bad.any():
            first = tuple(int(k) for k in np.argwhere(bad)[0])
            sound = False
            yield Problem(
                None, name, f"is not a number at {first}", "all numbers but lb and ub must be finite"
            )
    crossed = np.flatnonzero(problem.lb > problem.ub)
    if len(crossed):
        yield Problem(None, "lb", f"is above ub at {int(crossed[0])}", "swap them")
    if sound:
        yield from _find_skew(problem.P)


def _find_skew(P: FloatArray) -> Iterator[Problem]:
    largest = float(np.abs(P).max(initial=0.0))
    skew = np.abs(P - P.T)
    if skew.max(initial=0.0) > ASYMMETRY * largest:
        row, column = (int(k) for k in np.unravel_index(int(skew.argmax()), P.shape))
        yield Problem(None, "P", f"is not symmetric at ({row}, {column})", "give (P + P') / 2")


def _matrix(values: FloatArray) -> FloatArray:
    return np.ascontiguousarray(values, np.float64)


def _vector(values: FloatArray) -> FloatArray:
    return np.ascontiguousarray(values, np.float64).reshape(-1)
