"""Factors of a matrix of bodies that is not symmetric but for its pattern, front by front."""

from __future__ import annotations

from supple.core.jit import njit
from supple_solve_newton.body_state import BodyMatrix
from supple_solve_newton.fronts import Factor, Fronts


@njit
def gather_bodies(matrix: BodyMatrix, fronts: Fronts, k, size, factor: Factor):
    """The blocks in the rows and columns of the pivots of front k."""
    front, place = factor.front, factor.place
    for q in range(fronts.start[k], fronts.start[k + 1]):
        place[fronts.group[q]] = 6 * (q - fronts.start[k])
    for a in range(size * size):
        front[a] = 0.0
    for q in range(fronts.start[k], fronts.start[k] + fronts.pivots[k]):
        i = fronts.group[q]
        for p in range(matrix.indptr[i], matrix.indptr[i + 1]):
            j = matrix.indices[p]
            if fronts.eliminated[j] < k:
                continue
            for a in range(6):
                row = (place[i] + a) * size + place[j]
                for b in range(6):
                    front[row + b] = matrix.values[p, a, b]
            if fronts.eliminated[j] == k:
                continue
            low, high = matrix.indptr[j], matrix.indptr[j + 1] - 1
            while low < high:
                middle = (low + high) // 2
                if matrix.indices[middle] < i:
                    low = middle + 1
                else:
                    high = middle
            for a in range(6):
                row = (place[j] + a) * size + place[i]
                for b in range(6):
                    front[row + b] = matrix.values[low, a, b]


@njit
def add_bodies_rest(fronts: Fronts, below, rest_size, begin, size, factor: Factor):
    """Add what the front `below` has left to the one at work."""
    first = fronts.start[below] + fronts.pivots[below]
    bodies = fronts.start[below + 1] - first
    for i in range(bodies):
        to_i = factor.place[fronts.group[first + i]]
        for j in range(bodies):
            to_j = factor.place[fronts.group[first + j]]
            for a in range(6):
                source, target = begin + (6 * i + a) * rest_size + 6 * j, (to_i + a) * size + to_j
                for b in range(6):
                    factor.front[target + b] += factor.rest[source + b]


@njit
def eliminate_six(size, first, front):
    """Eliminate six pivots from all rows behind them, which keep the ratios; False where one is zero."""
    for k in range(first, first + 6):
        if not abs(front[k * size + k]) > 0.0:
            return False
        inverse = 1.0 / front[k * size + k]
        for i in range(k + 1, first + 6):
            ratio = front[i * size + k] * inverse
            front[i * size + k] = ratio
            if ratio != 0.0:
                top, line = front[k * size + k + 1 : (k + 1) * size], front[i * size + k + 1 : (i + 1) * size]
                for j in range(line.size):
                    line[j] -= ratio * top[j]
    end = first + 6
    t0, t1 = (
        front[first * size + end : (first + 1) * size],
        front[(first + 1) * size + end : (first + 2) * size],
    )
    t2, t3 = (
        front[(first + 2) * size + end : (first + 3) * size],
        front[(first + 3) * size + end : (first + 4) * size],
    )
    t4, t5 = (
        front[(first + 4) * size + end : (first + 5) * size],
        front[(first + 5) * size + end : (first + 6) * size],
    )
    for i in range(end, size):
        row = i * size + first
        for k in range(6):
            total = front[row + k]
            for m in range(k):
                total -= front[row + m] * front[(first + m) * size + first + k]
            front[row + k] = total / front[(first + k) * size + first + k]
        a0, a1, a2 = front[row], front[row + 1], front[row + 2]
        a3, a4, a5 = front[row + 3], front[row + 4], front[row + 5]
        if a0 == 0.0 and a1 == 0.0 and a2 == 0.0 and a3 == 0.0 and a4 == 0.0 and a5 == 0.0:
            continue
        line = front[i * size + end : (i + 1) * size]
        for j in range(line.size):
            line[j] -= a0 * t0[j] + a1 * t1[j] + a2 * t2[j] + a3 * t3[j] + a4 * t4[j] + a5 * t5[j]
    return True


@njit
def factor_bodies(matrix: BodyMatrix, fronts: Fronts, factor: Factor):
    """Factors of the matrix; returns the number of multiplications, or -1 where a pivot is zero."""
    front, rest, values = factor.front, factor.rest, factor.values
    used, depth, top, work = 0, 0, 0, 0
    for k in range(fronts.counts[0]):
        size, pivots = 6 * (fronts.start[k + 1] - fronts.start[k]), 6 * fronts.pivots[k]
        gather_bodies(matrix, fronts, k, size, factor)
        for _ in range(fronts.children[k]):
            depth -= 1
            left_size = factor.sizes[depth]
            top -= left_size * left_size
            add_bodies_rest(fronts, factor.waiting[depth], left_size, top, size, factor)
        for first in range(0, pivots, 6):
            if not eliminate_six(size, first, front):
                return -1
        work += pivots * size * size
        factor.begin[k] = used
        for a in range(pivots * size):
            values[used + a] = front[a]
        used += pivots * size
        left_size = size - pivots
        for i in range(left_size):
            for a in range(pivots):
                values[used + a] = front[(pivots + i) * size + a]
            used += pivots
        if left_size > 0:
            for i in range(left_size):
                for j in range(left_size):
                    rest[top + i * left_size + j] = front[(pivots + i) * size + pivots + j]
            top += left_size * left_size
            factor.sizes[depth], factor.waiting[depth] = left_size, k
            depth += 1
    return work


@njit
def solve_bodies(fronts: Fronts, factor: Factor, unknown_inout):
    """The right-hand side in `unknown_inout` [6 bodies] becomes the solution."""
    values, local = factor.values, factor.local
    for k in range(fronts.counts[0]):
        first, bodies = fronts.start[k], fronts.start[k + 1] - fronts.start[k]
        size, pivots = 6 * bodies, 6 * fronts.pivots[k]
        begin = factor.begin[k]
        for q in range(bodies):
            for a in range(6):
                local[6 * q + a] = unknown_inout[6 * fronts.group[first + q] + a]
        for i in range(pivots):
            total = local[i]
            line = values[begin + i * size : begin + i * size + i]
            for j in range(line.size):
                total -= line[j] * local[j]
            local[i] = total
        begin += pivots * size
        for i in range(pivots, size):
            total = local[i]
            line = values[begin : begin + pivots]
            for j in range(line.size):
                total -= line[j] * local[j]
            local[i] = total
            begin += pivots
        for q in range(bodies):
            for a in range(6):
                unknown_inout[6 * fronts.group[first + q] + a] = local[6 * q + a]
    for k in range(fronts.counts[0] - 1, -1, -1):
        first, bodies = fronts.start[k], fronts.start[k + 1] - fronts.start[k]
        size, pivots = 6 * bodies, 6 * fronts.pivots[k]
        begin = factor.begin[k]
        for q in range(bodies):
            for a in range(6):
                local[6 * q + a] = unknown_inout[6 * fronts.group[first + q] + a]
        for i in range(pivots - 1, -1, -1):
            total = local[i]
            line = values[begin + i * size : begin + (i + 1) * size]
            for j in range(i + 1, size):
                total -= line[j] * local[j]
            local[i] = total / line[i]
        for q in range(fronts.pivots[k]):
            for a in range(6):
                unknown_inout[6 * fronts.group[first + q] + a] = local[6 * q + a]
