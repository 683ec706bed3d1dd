"""One level: least squares within what is still free, small singular values softened; README eq. (6), (7)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.factor_kernels import (
    bound_smallest_value,
    decompose,
    dot_row_vector,
    dot_rows,
    factor_columns,
    reflect,
    turn_forth,
)
from supple_tasks.mass_kernels import unwhiten_basis
from supple_tasks.tables import ROUND_OFF, TRUNCATED, Choice, Room, Wishes

# From this many rows on it is cheaper to have the basis in rates, where most rows of J have one number.
MANY_ROWS = 16


@njit
def serve_rows(wishes: Wishes, start, end, first, exact, choice: Choice, room: Room):
    """Wishes within what is free: README eq. (6). Returns the freedoms spent, and how many directions are softened."""
    n = room.w.shape[0]
    free, scale, least, count = n - first, 0.0, math.inf, 0
    if free == 0:
        return first, 0
    for row in range(start, end):
        square = room.size[row]
        if square == 0.0:
            continue  # a task that is not active, or a bound that nothing breaks
        scale, least = max(scale, square), min(least, square)
        room.other[count] = row
        room.x[count] = room.wanted[row] - dot_row_vector(room.K, row, room.w, 0, n)
        count += 1
    if count == 0:
        return first, 0
    tolerance = ROUND_OFF * math.sqrt(scale)
    small = 0.0 if exact else math.sqrt(least) * choice.threshold[0]
    if count > free:
        fill_tall(wishes, count, first, room)
        rank = factor_columns(room.A, free, free, count, tolerance, room.order, room.V, room.squares)
        if rank == free:
            softened = solve_tall(rank, count, choice, small, room)
            add_basis(free, first, room)
            return n, softened
    fill_wide(count, first, room)
    rank = factor_columns(room.A, count, count, free, tolerance, room.order, room.V, room.squares)
    for j in range(rank):
        # Before V is used again: the free rows of Z become those that the level spends, then those that it leaves.
        reflect(room.V, j, first, free, 0, n, room.Z)
    softened = solve_square(rank, choice, small, room) if rank == count else solve_rest(
        rank, count, choice, small, room
    )  # fmt: skip
    add_basis(rank, first, room)
    return first + rank, softened


@njit
def add_basis(count, first, room: Room):
    """w += the sum of the rows of Z from `first` on, each room.z times."""
    n, w = room.w.shape[0], room.w
    for j in range(count):
        value, row = room.z[j], room.Z[first + j]
        for k in range(n):
            w[k] += value * row[k]


@njit
def fill_wide(count, first, room: Room):
    """room.A [free, count]: the rows room.other of K, as columns, in the basis of what is free."""
    n, A = room.w.shape[0], room.A
    for i in range(count):
        row = room.other[i]
        for j in range(n - first):
            A[j, i] = dot_rows(room.K, row, room.Z, first + j, 0, n)


@njit
def fill_tall(wishes: Wishes, count, first, room: Room):
    """room.A [count, free]: the rows room.other in the basis of what is free."""
    n, A, C = room.w.shape[0], room.A, room.C
    free = n - first
    if count < MANY_ROWS:
        for i in range(count):
            for j in range(free):
                A[i, j] = dot_rows(room.K, room.other[i], room.Z, first + j, 0, n)
        return
    unwhiten_basis(first, room)
    for i in range(count):
        row, out = room.other[i], A[i]
        for j in range(free):
            out[j] = 0.0
        for k in range(n):
            value, basis = wishes.J[row, k], C[k]
            if value != 0.0:
                for j in range(free):
                    out[j] += value * basis[j]


@njit
def solve_square(rank, choice: Choice, small, room: Room):
    """As many wishes as directions, factored in room.A, into room.z; returns the directions softened.

    Where no singular value can be small, all are taken as they are; else small ones are damped or left out.
    """
    A, T, x, y, z, order = room.A, room.T, room.x, room.y, room.z, room.order
    for i in range(rank):
        y[i] = x[order[i]]
        for k in range(i + 1):
            T[k, i] = A[k, i]
    if bound_smallest_value(T, rank, z) > small:
        for i in range(rank):
            left = y[i]
            for k in range(i):
                left -= T[k, i] * z[k]
            z[i] = left / T[i, i]
        return 0
    for i in range(rank):
        for k in range(i):
            T[i, k] = 0.0
    decompose(T, room.W, rank)
    return filter_values(T, room.W, rank, choice, small, y, z)


@njit
def solve_rest(rank, count, choice: Choice, small, room: Room):
    """More wishes than directions, factored as columns of room.A: their triangle is made tall, and solved as such."""
    A, T, x, y, order = room.A, room.T, room.x, room.y, room.order
    for i in range(count):
        y[i] = x[order[i]]
        for k in range(rank):
            T[i, k] = A[k, i] if k <= i else 0.0
    for i in range(count):
        x[i] = y[i]
        for k in range(rank):
            A[i, k] = T[i, k]
    factor_columns(A, rank, rank, count, 0.0, order, room.V, room.squares)
    return solve_tall(rank, count, choice, small, room)


@njit
def solve_tall(rank, count, choice: Choice, small, room: Room):
    """Least squares of `rank` columns, factored in room.A, into room.z by their numbers; returns those softened."""
    A, T, W, x, y, z, order = room.A, room.T, room.W, room.x, room.y, room.z, room.order
    turn_forth(room.V, rank, count, x)
    for i in range(rank):
        for k in range(i + 1):
            T[k, i] = A[k, i]
    softened = 0
    if bound_smallest_value(T, rank, z) > small:
        for back in range(rank):
            i = rank - 1 - back
            left = x[i]
            for j in range(i + 1, rank):
                left -= T[i, j] * y[j]
            y[i] = left / T[i, i]
    else:
        for i in range(rank):
            for k in range(i):
                T[i, k], T[k, i] = T[k, i], 0.0
        decompose(T, W, rank)
        softened = filter_values(T, W, rank, choice, small, x, y)
    for i in range(rank):
        z[order[i]] = y[i]
    return softened


@njit
def filter_values(B, W, rank, choice: Choice, small, right, z_out):
    """Sum over singular directions, small ones softened: README eq. (7). Returns how many were."""
    softened = 0
    for i in range(rank):
        z_out[i] = 0.0
    for j in range(rank):
        square, factor = dot_rows(B, j, B, j, 0, rank), 0.0
        if square < small * small:
            softened += 1
            if choice.inverse[0] != TRUNCATED:
                factor = 1.0 / small / small
        elif square > 0.0:
            factor = 1.0 / square
        part = factor * dot_row_vector(B, j, right, 0, rank)
        for i in range(rank):
            z_out[i] += part * W[j, i]
    return softened
