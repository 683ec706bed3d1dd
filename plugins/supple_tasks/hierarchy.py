"""Least squares level by level under inequalities: each level as well as those above it and the inequalities allow.

Every level is a quadratic program for daqp. What it found stays: the directions in which it has a wish are taken from
the next, so that programs get smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import daqp
import numpy as np

from supple.core.arrays import BoolArray, FloatArray

Level = tuple[FloatArray, FloatArray]
"""A [rows, n] and b [rows]: A x should be b."""
INFINITE: Final = 1e30
EQUAL: Final = 5
SOLVED: Final = 0  # and above
# Part of the largest singular value below which rows depend on each other.
DEPENDENT: Final = 1e-10
# The Hessian is zero for what a level has no wish about: daqp then adds a distance from its last iterate.
SETTINGS: Final = {"primal_tol": 1e-8, "dual_tol": 1e-9, "iter_limit": 3000}
PROXIMAL: Final = {"eps_prox": 1e-3, "eta_prox": 1e-9}


@dataclass(frozen=True)
class Inequalities:
    """lower <= G x <= upper."""

    G: FloatArray
    lower: FloatArray
    upper: FloatArray

    def find_binding(self, x: FloatArray, tolerance: float = 1e-6) -> BoolArray:
        """Which hold with equality, to part of the size of their bounds."""
        values = self.G @ x
        below = values <= self.lower + tolerance * (1.0 + np.abs(self.lower))
        above = values >= self.upper - tolerance * (1.0 + np.abs(self.upper))
        found: BoolArray = below | above
        return found


def find_least(inequalities: Inequalities, E: FloatArray, e: FloatArray) -> FloatArray | None:
    """The smallest x with E x = e that the inequalities allow; None if there is none."""
    n = inequalities.G.shape[1]
    A = np.ascontiguousarray(np.concatenate([E, inequalities.G]))
    upper = np.minimum(np.concatenate([e, inequalities.upper]), INFINITE)
    lower = np.maximum(np.concatenate([e, inequalities.lower]), -INFINITE)
    sense = np.zeros(len(upper), np.intc)
    sense[: len(e)] = EQUAL
    x, _, flag, _ = daqp.solve(np.eye(n), np.zeros(n), A, upper, lower, sense, **SETTINGS)
    return np.array(x) if flag > SOLVED else None


def solve_hierarchy(
    inequalities: Inequalities, E: FloatArray, e: FloatArray, levels: Sequence[Level], small: Sequence[float]
) -> FloatArray | None:
    """x [n] with E x = e that serves the levels in turn; None if the inequalities allow nothing.

    A level leaves directions alone whose singular values are below its number in `small`, and so do those after it.
    """
    x = find_least(inequalities, E, e)
    if x is None:
        return None
    N = _find_rest(E, 0.0)[1]
    for (A, b), least in zip(levels, small, strict=True):
        if N.shape[1] == 0:
            break
        kept, rest, turned = _split(A @ N, least)
        wanted = kept[1] @ (b - A @ x)
        step = _step(inequalities, x, N @ turned, kept[0], wanted)
        if step is not None:  # x is allowed, to rounding: so is the step of zero
            x = x + N @ (turned @ step)
        N = N @ turned[:, rest:]
    return x


def solve_levels_of_some(
    inequalities: Inequalities, levels: Sequence[Level], small: Sequence[float]
) -> FloatArray | None:
    """The same without equations; levels are about the first numbers of x alone, and x = 0 need not be allowed."""
    free, x = levels[0][0].shape[1], np.zeros(inequalities.G.shape[1])
    N, others, allowed = np.eye(free), np.eye(len(x) - free), False
    for (A, b), least in zip(levels, small, strict=True):
        kept, rest, turned = _split(A @ N, least)
        basis = np.zeros((len(x), N.shape[1] + len(others)))
        basis[:free, : N.shape[1]], basis[free:, N.shape[1] :] = N @ turned, others
        step = _step(inequalities, x, basis, kept[0], kept[1] @ (b - A @ x[:free]), allowed)
        if step is not None:
            x = x + basis @ step
        elif not allowed:
            return None
        allowed, N = True, N @ turned[:, rest:]
        if N.shape[1] == 0:
            break
    return x


def _find_rest(A: FloatArray, least: float) -> tuple[int, FloatArray]:
    """Rank of A, and orthonormal columns on which it does nothing."""
    if not len(A):
        return 0, np.eye(A.shape[1])
    _, values, right = np.linalg.svd(A)
    rank = int((values > max(DEPENDENT * values.max(initial=0.0), least)).sum())
    return rank, right[rank:].T


def _split(A: FloatArray, least: float) -> tuple[tuple[FloatArray, FloatArray], int, FloatArray]:
    """Singular values with left vectors as rows, of those that are not small; the rank; and all right vectors."""
    # Of left vectors only those are needed that have a value, of right ones all.
    left, values, right = np.linalg.svd(A, full_matrices=len(A) < A.shape[1])
    scale = DEPENDENT * values.max(initial=0.0)
    rank, count = int((values > max(scale, 1e-300)).sum()), int((values > max(scale, least, 1e-300)).sum())
    return (values[:count], left[:, :count].T), rank, right.T


def _step(
    inequalities: Inequalities, x: FloatArray, basis: FloatArray, values: FloatArray, wanted: FloatArray,
    allowed: bool = True,
) -> FloatArray | None:  # fmt: skip
    """The step in the basis that brings its first numbers, times the singular values, nearest to what is wanted.

    None if there is no such step; if x is `allowed`, that of zero is one.
    """
    n, count = basis.shape[1], len(values)
    if not count and allowed:
        return np.zeros(n)
    scale = np.ones(n)
    scale[:count] = 1.0 / values
    free = np.zeros(n)
    free[:count] = wanted
    here = inequalities.G @ x
    upper, lower = inequalities.upper - here, inequalities.lower - here
    A = np.ascontiguousarray(inequalities.G @ basis * scale)
    values_there = A @ free
    if (values_there <= upper + 1e-12).all() and (values_there >= lower - 1e-12).all():
        return scale * free  # the wish itself is allowed
    H, f = np.zeros((n, n)), np.zeros(n)
    H[range(count), range(count)], f[:count] = 1.0, -wanted
    if allowed:
        upper, lower = np.maximum(upper, 0.0), np.minimum(lower, 0.0)
    upper, lower = np.minimum(upper, INFINITE), np.maximum(lower, -INFINITE)
    found, _, flag, _ = daqp.solve(
        H, f, A, upper, lower, np.zeros(len(upper), np.intc), **SETTINGS, **PROXIMAL
    )
    return scale * np.array(found) if flag > SOLVED else None
