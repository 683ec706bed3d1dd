"""Units in which the numbers of a problem are near one, so that tolerances mean the same for all of them.

Variables x = s w and rows get factors such that the largest number of every row and column of

    | P  K' |
    | K  0  |,    K = (C, E, G, A)

comes near one (Ruiz). All factors are powers of two: nothing is rounded, and the objective stays what it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple_qpcc.problem import Qpcc

ROUNDS: Final = 10
#: Good enough: the largest number of every row and column is between one over this and this.
NEAR_ONE: Final = 64.0


def scale_problem(problem: Qpcc) -> tuple[Qpcc, FloatArray]:
    """The same problem for w, and s [n] of x = s w."""
    P = np.abs(problem.P)
    K = np.abs(np.concatenate([problem.C, problem.E, problem.G, problem.A]))
    s, r = np.ones(len(P)), np.ones(len(K))
    for _ in range(ROUNDS):
        scaled = (K * s) * r[:, None]
        across = np.maximum((P * s).max(axis=1, initial=0.0) * s, scaled.max(axis=0, initial=0.0))
        along = scaled.max(axis=1, initial=0.0)
        sizes = np.concatenate([across, along])
        sizes = sizes[sizes > 0.0]
        if not len(sizes) or (sizes.max() <= NEAR_ONE and sizes.min() >= 1.0 / NEAR_ONE):
            break
        s, r = s * _find_factor(across), r * _find_factor(along)
    return _apply(problem, s, r), s


def _find_factor(size: FloatArray) -> FloatArray:
    """The power of two nearest to size^-1/2; one where there is nothing."""
    factor: FloatArray = np.exp2(np.round(-0.5 * np.log2(np.where(size > 0.0, size, 1.0))))
    return factor


def _apply(problem: Qpcc, s: FloatArray, r: FloatArray) -> Qpcc:
    ends = np.cumsum([problem.pairs, problem.pairs, len(problem.h)])
    own, other, below, equal = np.split(r, ends)
    return replace(
        problem,
        P=problem.P * np.outer(s, s), c=problem.c * s, lb=problem.lb / s, ub=problem.ub / s,
        C=problem.C * own[:, None] * s, d=problem.d * own, E=problem.E * other[:, None] * s, f=problem.f * other,
        G=problem.G * below[:, None] * s, h=problem.h * below, A=problem.A * equal[:, None] * s, b=problem.b * equal,
    )  # fmt: skip
