"""Objectives that curve down, made convex by terms that are zero wherever a point is feasible.

a e = 0 for every pair, and |A x - b|^2 = 0; any multiple may be added to the objective. A product of the variables of
a pair vanishes in this way, and so does what curves down only across the equalities.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple.errors import Problem, UserError
from supple_qpcc.problem import Qpcc

#: An eigenvalue below minus this share of the largest number is negative.
NEGATIVE: Final = 1e-9


def make_convex(problem: Qpcc) -> Qpcc:
    """The problem itself or an equal one with convex objective; UserError if neither way leads there."""
    smallest = find_curvature(problem.P)
    if smallest >= 0.0:
        return problem
    for changed in (
        _drop_products(problem),
        _add_equalities(problem),
        _add_equalities(_drop_products(problem)),
    ):
        if find_curvature(changed.P) >= 0.0:
            return changed
    what = f"is not convex: its smallest eigenvalue is {smallest:.3g}"
    raise UserError(Problem(None, "P", what, "only convex objectives are solved"))


def find_curvature(P: FloatArray) -> float:
    """The smallest eigenvalue, zero where round-off would explain it."""
    largest = float(np.abs(P).max(initial=0.0))
    smallest = float(np.linalg.eigvalsh(P)[0]) if len(P) else 0.0
    return smallest if smallest < -NEGATIVE * largest else max(smallest, 0.0)


def _drop_products(problem: Qpcc) -> Qpcc:
    """Without x_j x_k where s x_j + d and t x_k + f are a pair."""
    P, c, c0 = problem.P.copy(), problem.c.copy(), problem.c0
    for pair in range(problem.pairs):
        own, other = np.flatnonzero(problem.C[pair]), np.flatnonzero(problem.E[pair])
        if len(own) != 1 or len(other) != 1 or own[0] == other[0]:
            continue
        j, k = own[0], other[0]
        s, t, d, f = problem.C[pair, j], problem.E[pair, k], problem.d[pair], problem.f[pair]
        share = -P[j, k] / (s * t)
        P[j, k] = P[k, j] = 0.0
        c[j] += share * s * f
        c[k] += share * t * d
        c0 += share * d * f
    return replace(problem, P=P, c=c, c0=float(c0), factor=None)


def _add_equalities(problem: Qpcc) -> Qpcc:
    A, b = problem.A, problem.b
    size = float(np.abs(A).max(initial=0.0))
    weight = 1e3 * float(np.abs(problem.P).max(initial=0.0)) / size**2 if size else 0.0
    P, c = problem.P + weight * A.T @ A, problem.c - weight * A.T @ b
    return replace(problem, P=P, c=c, c0=problem.c0 + 0.5 * weight * float(b @ b), factor=None)
