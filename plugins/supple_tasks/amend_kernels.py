"""Bounds that joined are met without another pass: README eq. (20).

Where all levels above the last one are met, and the last one takes what they leave, it is the same whether joined
bounds come before them or just before the last one: there is one acceleration that meets all and is best for the last.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.factor_kernels import bound_smallest_value, dot_row_vector, dot_rows
from supple_tasks.tables import Answer, Bounds, Choice, Limits, Room, Wishes

# Part of a wish by which it may be missed and counts as met.
MET = 1e-9


@njit
def keep_last_level(wishes: Wishes, bounds: Bounds, limits: Limits, answer: Answer, room: Room):
    """The level that took all that those above it left, if these are met and no bounds are its own; else -1.

    Nor where forces are limited within what bounds leave, for they then are known only after them.

    Its triangle stays in room.A, and the accelerations in room.w_served.
    """
    n, last = room.w.shape[0], -1
    for level in range(wishes.end.shape[0]):
        if answer.spent[level + 1] > answer.spent[level]:
            last = level
        if answer.softened[level] != 0:
            return -1
    if last < 1 or answer.spent[last + 1] < n or bounds.row.shape[0] == 0:
        return -1
    start, count = wishes.end[last - 1], 0
    for row in range(start, wishes.end[last]):
        count += room.size[row] > 0.0
    if count <= n - answer.spent[last]:
        return -1  # not by least squares, so that there is no triangle
    for t in range(limits.first.shape[0]):
        if is_limited(limits, t, 0, start, room):
            return -1
    for row in range(start):
        if room.size[row] > 0.0:
            left = room.wanted[row] - dot_row_vector(room.K, row, room.w, 0, n)
            if abs(left) > MET * (1.0 + abs(room.wanted[row])):
                return -1
    for b in range(bounds.row.shape[0]):
        if bounds.row[b] >= start:
            return -1
    for k in range(n):
        room.w_served[k] = room.w[k]
    return last


@njit
def is_limited(limits: Limits, t, start, end, room: Room):
    """Whether a task among these rows is active, and its force limited by what higher levels leave."""
    if not limits.strongest[t] < math.inf or limits.load[t] > 0.0 or limits.size[t] == 0:
        return False
    return start <= limits.first[t] < end and room.size[limits.first[t]] > 0.0


@njit
def meet_joined(bounds: Bounds, first, choice: Choice, room: Room):
    """Accelerations that meet all joined bounds and are the best for the last level, within what is free from `first`.

    False, and nothing changed, if bounds depend on each other or on what the levels took.
    """
    n, w = room.w.shape[0], room.w
    free, count = n - first, fill_joined(bounds, first, choice, room)
    if count < 0 or count > free:
        return False
    # Rows of room.W are those of the bounds by the triangle; their products are made triangular and solved.
    V, P, x, y, z = room.W, room.C, room.x, room.y, room.z
    for i in range(count):
        for j in range(i + 1):
            P[i, j] = dot_rows(V, i, V, j, 0, free)
        for j in range(i + 1):
            for k in range(j):
                P[i, j] -= P[i, k] * P[j, k]
            P[i, j] = math.sqrt(P[i, i]) if i == j else P[i, j] / P[j, j]
        for k in range(i):
            x[i] -= P[i, k] * x[k]
        x[i] /= P[i, i]
    for back in range(count):
        i = count - 1 - back
        for k in range(i + 1, count):
            x[i] -= P[k, i] * x[k]
        x[i] /= P[i, i]
    for j in range(free):
        y[j] = 0.0
        for i in range(count):
            y[j] += x[i] * V[i, j]
    for back in range(free):
        i = free - 1 - back
        for k in range(i + 1, free):
            y[i] -= room.A[i, k] * y[k]
        y[i] /= room.A[i, i]
        z[room.order[i]] = y[i]
    for k in range(n):
        w[k] = room.w_served[k]
    for j in range(free):
        row = room.Z[first + j]
        for k in range(n):
            w[k] += z[j] * row[k]
    return True


@njit
def fill_joined(bounds: Bounds, first, choice: Choice, room: Room):
    """Rows of joined bounds in what is free, by the triangle of the last level, into room.W; what is left into room.x.

    Returns their number, -1 if in some direction less is free than what counts as small.
    """
    n, count, least = room.w.shape[0], 0, math.inf
    free, V, C, T, order = n - first, room.W, room.C, room.A, room.order
    for b in range(bounds.row.shape[0]):
        row = bounds.row[b]
        if bounds.joined[b] == 0 or room.size[row] == 0.0:
            continue
        if count == free:
            return -1
        least = min(least, room.size[row])
        room.x[count] = room.wanted[row] - dot_row_vector(room.K, row, room.w_served, 0, n)
        for i in range(free):
            C[count, i] = dot_rows(room.K, row, room.Z, first + order[i], 0, n)
        for i in range(free):
            left = C[count, i]
            for k in range(i):
                left -= T[k, i] * V[count, k]
            V[count, i] = left / T[i, i]
        count += 1
    small = math.sqrt(least) * choice.threshold[0]
    return count if count == 0 or find_least_value(count, free, room) > small else -1


@njit
def find_least_value(count, free, room: Room):
    """A lower bound of the singular values of the rows of room.C, which are lost; zero if they depend on each other."""
    C, A = room.C, room.V
    for i in range(count):
        for j in range(i):
            part = dot_rows(C, i, C, j, 0, free)
            A[j, i] = part
            for k in range(free):
                C[i, k] -= part * C[j, k]
        norm = math.sqrt(dot_rows(C, i, C, i, 0, free))
        A[i, i] = norm
        if norm == 0.0:
            return 0.0
        for k in range(free):
            C[i, k] /= norm
    return bound_smallest_value(A, count, room.y)
