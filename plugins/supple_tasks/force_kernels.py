"""Commands whose forces stay below their limits: README eq. (10), (11), (16), (21)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.amend_kernels import is_limited
from supple_tasks.factor_kernels import dot_row_vector, dot_rows, factor_columns, solve_back, solve_forward
from supple_tasks.tables import ROUND_OFF, Limits, Room


@njit
def limit_forces(limits: Limits, first, rows, room: Room):
    """Commands whose forces stay below their limits, as if there were no other tasks: README eq. (10), (11)."""
    tasks, bounded = limits.first.shape[0], False
    for t in range(tasks):
        limits.force[t], limits.share[t] = 0.0, 1.0
        bounded = bounded or limits.strongest[t] < math.inf
    if bounded:
        fall_freely(first, room)
        for t in range(tasks):
            if limits.load[t] > 0.0 and limits.size[t] > 0 and room.size[limits.first[t]] > 0.0:
                limit_load(limits, t, room)
            elif is_limited(limits, t, 0, rows, room):
                limit_force(limits, t, first, room)
    for t in range(tasks):
        limits.alone[t] = limits.share[t]
    for row in range(rows):
        room.wanted_alone[row] = room.wanted[row]


@njit
def limit_together(limits: Limits, start, end, first, is_below, room: Room):
    """The same for all limited tasks of a level at once, within what those above it leave: README eq. (21).

    One task alone, with nothing above it, has been looked at already.
    """
    count, tasks = 0, 0
    for t in range(limits.first.shape[0]):
        if is_limited(limits, t, start, end, room):
            limits.share[t] = limits.alone[t]
            tasks += 1
            for row in range(limits.first[t], limits.first[t] + limits.size[t]):
                room.wanted[row] = room.wanted_alone[row]
                room.other[count] = row
                count += 1
    if tasks == 0 or first == room.w.shape[0] or (tasks == 1 and not is_below):
        return
    find_forces_together(count, first, room)
    place, clipped = 0, False
    for t in range(limits.first.shape[0]):
        if is_limited(limits, t, start, end, room):
            size = math.sqrt(dot_rows(room.W, 2, room.W, 2, place, place + limits.size[t]))
            limits.force[t] = min(size, limits.strongest[t])
            if size > limits.strongest[t]:
                share, clipped = limits.strongest[t] / size, True
                limits.share[t] *= share
                for i in range(place, place + limits.size[t]):
                    room.W[2, i] *= share
            place += limits.size[t]
    if clipped:
        accelerate_together(count, first, room)


@njit
def find_forces_together(count, first, room: Room):
    """room.W[2]: the forces along the rows room.other that give all their commands; room.W[1] is without them."""
    n, A, T = room.w.shape[0], room.A, room.T
    free = n - first
    fall_freely(first, room)
    for i in range(count):
        row = room.other[i]
        unforced = dot_row_vector(room.K, row, room.w, 0, n)
        for j in range(free):
            A[j, i] = T[j, i] = dot_rows(room.K, row, room.Z, first + j, 0, n)
            unforced += A[j, i] * room.z[j]
        room.x[i] = room.wanted[row] - unforced
        room.W[1, i], room.W[2, i] = unforced, 0.0
    rank = factor_columns(A, count, count, free, ROUND_OFF, room.order, room.V, room.squares)
    solve_forward(A, room.order, rank, room.x, room.y)
    solve_back(A, room.order, rank, room.y, room.W[2])


@njit
def accelerate_together(count, first, room: Room):
    """room.wanted: what the forces room.W[2] give."""
    free, T = room.w.shape[0] - first, room.T
    for i in range(count):
        room.wanted[room.other[i]] = room.W[1, i]
    for j in range(free):
        driven = dot_rows(T, j, room.W, 2, 0, count)
        for i in range(count):
            room.wanted[room.other[i]] += driven * T[j, i]


@njit
def fall_freely(first, room: Room):
    """room.z: the acceleration that nobody drives, within the free rows of Z."""
    n = room.w.shape[0]
    for j in range(n - first):
        room.z[j] = -dot_row_vector(room.Z, first + j, room.pull, 0, n)


@njit
def limit_force(limits: Limits, t, first, room: Room):
    """One of them; room.z is the acceleration that nobody drives."""
    A, Z, x, y, z, n = room.A, room.Z, room.x, room.y, room.z, room.w.shape[0]
    count, free = limits.size[t], n - first
    for i in range(count):
        row = limits.first[t] + i
        unforced = dot_row_vector(room.K, row, room.w, 0, n)
        for j in range(free):
            A[j, i] = dot_rows(room.K, row, Z, first + j, 0, n)
            unforced += A[j, i] * z[j]
        x[i] = room.wanted[row] - unforced
        room.W[1, i] = unforced
    rank = factor_columns(A, count, count, free, ROUND_OFF, room.order, room.V, room.squares)
    solve_forward(A, room.order, rank, x, y)
    for i in range(count):
        room.W[2, i] = 0.0
    solve_back(A, room.order, rank, y, room.W[2])
    take_share(limits, t, math.sqrt(dot_rows(room.W, 2, room.W, 2, 0, count)), room)


@njit
def limit_load(limits: Limits, t, room: Room):
    """A body of which the force moves nothing else: README eq. (16)."""
    square = 0.0
    for i in range(limits.size[t]):
        row = limits.first[t] + i
        room.W[1, i] = limits.gravity[limits.axis[row]] - limits.drift[row]
        room.x[i] = room.wanted[row] - room.W[1, i]
        square += room.x[i] * room.x[i]
    take_share(limits, t, limits.load[t] * math.sqrt(square), room)


@njit
def take_share(limits: Limits, t, size, room: Room):
    """Of a force of this size, what the limit leaves: room.W[1] is the acceleration without it, room.x what it adds."""
    count, x = limits.size[t], room.x
    if size > limits.strongest[t]:
        share = limits.strongest[t] / size
        limits.share[t] *= share
        for i in range(count):
            room.wanted[limits.first[t] + i] = room.W[1, i] + share * x[i]
    limits.force[t] = min(size, limits.strongest[t])
