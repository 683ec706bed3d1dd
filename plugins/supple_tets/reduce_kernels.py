"""The factor of A without some of its vertices: the pattern of all, with their rows and columns left out.

What is eliminated in the same order without them has no more rows than before, so nothing has to be found anew: panels,
rows and runs of rows are counted without those that are held.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import IntArray
from supple.core.jit import njit
from supple_tets.tables import Factor, Matrix


class Reduced(NamedTuple):
    """The pattern without what is held, and how many of a panel's vertices come before each."""

    factor: Factor
    before: IntArray  # [vertices and rows of all panels, and one more for each] those left before it
    offset: IntArray  # [panels] where a panel begins in `before`


def make_reduced(factor: Factor) -> Reduced:
    """Room for it; the numbers are those of the whole factor."""
    panels = len(factor.panel) - 1
    sizes = np.diff(factor.panel) + np.diff(factor.below) + 1
    offset = np.zeros(panels, np.int64)
    offset[1:] = np.cumsum(sizes)[:-1]
    own = {name: np.zeros_like(array) for name, array in factor._asdict().items() if name != "numbers"}
    return Reduced(Factor(**own, numbers=factor.numbers), np.zeros(int(sizes.sum()), np.int64), offset)


@njit
def count_left(factor: Factor, holder, reduced_out: Reduced):
    """Places, panels and rows of what is left; vertices that are held come behind all panels."""
    small, before, offset = reduced_out.factor, reduced_out.before, reduced_out.offset
    n, panels = factor.place.shape[0], factor.panel.shape[0] - 1
    at = small.panel_of  # until the end whether a place is left
    for i in range(n):
        at[factor.place[i]] = 0 if holder[i] >= 0 else 1
    rows = 0
    small.panel[0] = small.home[0] = small.below[0] = 0
    for s in range(panels):
        first, width = factor.panel[s], factor.panel[s + 1] - factor.panel[s]
        count, begin = 0, offset[s]
        for k in range(width):
            before[begin + k] = count
            count += at[first + k]
        own = count
        for k in range(factor.below[s + 1] - factor.below[s]):
            before[begin + width + k] = count
            count += at[factor.row[factor.below[s] + k]]
        before[begin + width + factor.below[s + 1] - factor.below[s]] = count
        small.panel[s + 1] = small.panel[s] + own
        small.home[s + 1] = small.home[s] + 9 * own * count
        if own > 0:
            rows += count - own
        small.below[s + 1] = rows
    left, behind = 0, small.panel[panels]
    new = small.diagonal_home  # room for the new places
    for p in range(n):
        if at[p] == 1:
            new[p, 0] = left
            left += 1
        else:
            new[p, 0] = behind
            behind += 1
    for i in range(n):
        small.place[i] = new[factor.place[i], 0]
    for s in range(panels):
        k = small.below[s]
        for b in range(factor.below[s], factor.below[s + 1] if small.below[s + 1] > k else factor.below[s]):
            if at[factor.row[b]] == 1:
                small.row[k] = new[factor.row[b], 0]
                k += 1
    for s in range(panels):
        for p in range(small.panel[s], small.panel[s + 1]):
            at[p] = s


@njit
def meet_again(factor: Factor, reduced_out: Reduced):
    """Where the panels of what is left take from each other. Rows that follow each other still do."""
    small, before, offset = reduced_out.factor, reduced_out.before, reduced_out.offset
    meets, runs = 0, 0
    for s in range(factor.panel.shape[0] - 1):
        small.meet_start[s] = meets
        if small.panel[s + 1] == small.panel[s]:
            continue
        mine = offset[s] + factor.panel[s + 1] - factor.panel[s]
        own = before[mine]
        for k in range(factor.meet_start[s], factor.meet_start[s + 1]):
            t, first, last = (
                factor.meet[k, 0],
                before[mine + factor.meet[k, 1]],
                before[mine + factor.meet[k, 2]],
            )
            if first == last:
                continue
            small.meet[meets, 0], small.meet[meets, 1], small.meet[meets, 2] = t, first - own, last - own
            small.meet[meets, 3] = runs
            meets += 1
            for r in range(factor.meet[k, 3], factor.meet[k + 1, 3]):
                here, there, length = factor.run[r, 0], factor.run[r, 1], factor.run[r, 2]
                count = before[mine + here + length] - before[mine + here]
                if count > 0:
                    small.run[runs, 0], small.run[runs, 1] = (
                        before[mine + here] - own,
                        before[offset[t] + there],
                    )
                    small.run[runs, 2] = count
                    runs += 1
    small.meet_start[factor.panel.shape[0] - 1] = meets
    small.meet[meets, 3] = runs


@njit
def copy_left(factor: Factor, holder, ends, matrix: Matrix, reduced: Reduced):
    """The blocks of A that are left into the panels of its factor."""
    small, N = reduced.factor, reduced.factor.numbers
    for k in range(small.home[small.home.shape[0] - 1]):
        N[k] = 0.0
    for i in range(holder.shape[0]):
        if holder[i] < 0:
            D, p = matrix.matrix_diagonal[factor.place[i]], small.place[i]
            s = factor.panel_of[factor.place[i]]
            length = 3 * (small.panel[s + 1] - small.panel[s] + small.below[s + 1] - small.below[s])
            at = small.home[s] + 3 * (p - small.panel[s]) * (length + 1)
            for r in range(3):
                for c in range(r + 1):
                    N[at + c * length + r] = D[r, c]
    for k in range(ends.shape[0]):
        column, row = ends[k, 0], ends[k, 1]
        if holder[column] >= 0 or holder[row] >= 0:
            continue
        p = factor.place[column]
        s = factor.panel_of[p]
        within = (
            factor.lower_home[k, 0] - factor.home[s] - 3 * (p - factor.panel[s]) * factor.lower_home[k, 1]
        )
        length = 3 * (small.panel[s + 1] - small.panel[s] + small.below[s + 1] - small.below[s])
        at = small.home[s] + 3 * (small.place[column] - small.panel[s]) * length
        at += 3 * reduced.before[reduced.offset[s] + within // 3]
        L = matrix.matrix_lower[k]
        for c in range(3):
            for r in range(3):
                N[at + c * length + r] = L[r, c]
