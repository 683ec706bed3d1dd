"""Factors of a matrix of bodies that is not symmetric but for its pattern, front by front."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.strip_kernels import LANES, add_six, copy_six, subtract_row, update_two_by_six
from supple_solve_newton.body_state import BodyMatrix
from supple_solve_newton.fronts import Factor, Fronts


@njit
def gather_bodies(matrix: BodyMatrix, fronts: Fronts, k, size, stride, factor: Factor):
    """The blocks in the rows and columns of the pivots of front k, whose rows begin `stride` numbers apart."""
    front, place = factor.front, factor.place
    for q in range(fronts.start[k], fronts.start[k + 1]):
        place[fronts.group[q]] = 6 * (q - fronts.start[k])
    for a in range(size * stride):
        front[a] = 0.0
    for q in range(fronts.start[k], fronts.start[k] + fronts.pivots[k]):
        i = fronts.group[q]
        for p in range(matrix.indptr[i], matrix.indptr[i + 1]):
            j = matrix.indices[p]
            if fronts.eliminated[j] < k:
                continue
            for a in range(6):
                copy_six(front, (place[i] + a) * stride + place[j], matrix.values, 36 * p + 6 * a)
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
                copy_six(front, (place[j] + a) * stride + place[i], matrix.values, 36 * low + 6 * a)


@njit
def add_bodies_rest(fronts: Fronts, below, rest_size, begin, stride, factor: Factor):
    """Add what the front `below` has left to the one at work."""
    first = fronts.start[below] + fronts.pivots[below]
    bodies = fronts.start[below + 1] - first
    for i in range(bodies):
        to_i = factor.place[fronts.group[first + i]]
        for j in range(bodies):
            to_j = factor.place[fronts.group[first + j]]
            for a in range(6):
                source, target = begin + (6 * i + a) * rest_size + 6 * j, (to_i + a) * stride + to_j
                add_six(factor.front, target, factor.rest, source)


@njit
def eliminate_six(size, stride, first, front):
    """Eliminate six pivots from all rows behind them, which keep the ratios; False where one is zero."""
    for k in range(first, first + 6):
        if not abs(front[k * stride + k]) > 0.0:
            return False
        inverse = 1.0 / front[k * stride + k]
        for i in range(k + 1, first + 6):
            ratio = front[i * stride + k] * inverse
            front[i * stride + k] = ratio
            if ratio != 0.0:
                subtract_row(front, i * stride + k + 1, k * stride + k + 1, size - k - 1, ratio)
    find_six_ratios(size, stride, first, front)
    end, source = first + 6, first * stride + first + 6
    for i in range(end, size, 2):  # bodies have an even number of rows
        target = i * stride + end
        if any_of_six(front, target - 6) or any_of_six(front, target - 6 + stride):
            update_two_by_six(front, target, stride, source, stride, size - end)
    return True


@njit_inlined
def find_six_ratios(size, stride, first, front_inout):
    """How often every row behind six pivots takes these.

    All rows before anything else is done with them: so divisions overlap that wait for each other within a row.
    """
    for i in range(first + 6, size):
        row = i * stride + first
        for k in range(6):
            total = front_inout[row + k]
            for m in range(k):
                total -= front_inout[row + m] * front_inout[(first + m) * stride + first + k]
            front_inout[row + k] = total / front_inout[(first + k) * stride + first + k]


@njit_inlined
def any_of_six(numbers, start):
    """Whether one of six numbers is not zero."""
    found = False
    for k in range(start, start + 6):
        found = found or numbers[k] != 0.0
    return found


@njit_inlined
def copy_row(numbers, start, others_out, target, count):
    """others_out[target + i] = numbers[start + i], of a multiple of six numbers."""
    for i in range(0, count, 6):
        copy_six(others_out, target + i, numbers, start + i)


@njit
def factor_bodies(matrix: BodyMatrix, fronts: Fronts, factor: Factor):
    """Factors of the matrix; returns the number of multiplications, or -1 where a pivot is zero."""
    front, rest, values = factor.front, factor.rest, factor.values
    used, depth, top, work = 0, 0, 0, 0
    for k in range(fronts.counts[0]):
        size, pivots = 6 * (fronts.start[k + 1] - fronts.start[k]), 6 * fronts.pivots[k]
        stride = size + LANES  # whole vectors may reach behind the end of a row
        gather_bodies(matrix, fronts, k, size, stride, factor)
        for _ in range(fronts.children[k]):
            depth -= 1
            left_size = factor.sizes[depth]
            top -= left_size * left_size
            add_bodies_rest(fronts, factor.waiting[depth], left_size, top, stride, factor)
        for first in range(0, pivots, 6):
            if not eliminate_six(size, stride, first, front):
                return -1
        work += pivots * size * size
        factor.begin[k] = used
        for i in range(pivots):
            copy_row(front, i * stride, values, used, size)
            used += size
        left_size = size - pivots
        for i in range(pivots, size):
            copy_row(front, i * stride, values, used, pivots)
            used += pivots
        if left_size > 0:
            for i in range(left_size):
                copy_row(front, (pivots + i) * stride + pivots, rest, top + i * left_size, left_size)
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
