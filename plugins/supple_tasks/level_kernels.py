"""Accelerations that meet wishes level by level, and the torques that bring them about: README eq. (4) to (9)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.factor_kernels import (
    decompose,
    dot_row_vector,
    dot_rows,
    factor_rows,
    solve_columns,
    solve_rows,
    turn_back,
    turn_forth,
)
from supple_tasks.mass_kernels import factor_mass, multiply_mass, unwhiten, whiten_row
from supple_tasks.tables import TRUNCATED, Answer, Bounds, Choice, Limits, Motion, Room, Wishes

# What is left of a row when less than this part of it is, is round-off: the row depends on others.
ROUND_OFF = 1e-10
# Part of a bound by which an acceleration may exceed it before the bound becomes an equation.
BROKEN = 1e-6


@njit
def prioritise(
    motion: Motion,
    wishes: Wishes,
    bounds: Bounds,
    limits: Limits,
    choice: Choice,
    room: Room,
    answer_out: Answer,
):
    """Fill the answer. Bounds that accelerations break become equations, until none is broken."""
    levels = wishes.end.shape[0]
    rows = wishes.end[levels - 1] if levels > 0 else 0
    for b in range(bounds.row.shape[0]):
        wishes.J[bounds.row[b], bounds.rate[b]] = wishes.wanted[bounds.row[b]] = 0.0
    supported = meet_equations(motion, wishes, limits, rows, choice, room, answer_out)
    for _ in range(1 + bounds.row.shape[0]):
        serve_levels(wishes, rows, choice, room, answer_out)
        if not join_broken(bounds, wishes, room, answer_out.a):
            break
    find_torques(motion, supported, answer_out.spent[levels], room, answer_out)
    unwhiten(room, answer_out.a)


@njit
def join_broken(bounds: Bounds, wishes: Wishes, room: Room, a):
    """Make equations of bounds that accelerations break; whether there were any."""
    broken = False
    for b in range(bounds.row.shape[0]):
        row, rate = bounds.row[b], bounds.rate[b]
        excess = bounds.sign[b] * a[rate] - bounds.most[b]
        if wishes.J[row, rate] == 0.0 and excess > BROKEN * (1.0 + abs(bounds.most[b])):
            wishes.J[row, rate], wishes.wanted[row] = 1.0, bounds.sign[b] * bounds.most[b]
            whiten_row(wishes.J, row, room, room.K)
            room.wanted[row] = wishes.wanted[row]
            broken = True
    return broken


@njit
def meet_equations(
    motion: Motion, wishes: Wishes, limits: Limits, rows, choice: Choice, room: Room, answer_out: Answer
):
    """What comes before all levels: joints, force limits, passive rates. Returns how many of these are supported."""
    n = motion.h.shape[0]
    factor_mass(motion.M, room)
    for row in range(rows):
        whiten_row(wishes.J, row, room, room.K)
        room.wanted[row] = wishes.wanted[row]
    first = meet_joints(motion, room)
    limit_forces(motion, limits, first, room)
    supported = factor_passive(motion, room)
    unsupported = add_unsupported(motion, supported, rows, room)
    first, _ = serve_rows(rows, rows + unsupported, first, True, choice, room)
    answer_out.spent[0] = first
    for k in range(n):
        room.w_first[k] = room.w[k]
        if k >= first:
            for i in range(n):
                room.Z_first[k, i] = room.Z[k, i]
    return supported


@njit
def serve_levels(wishes: Wishes, rows, choice: Choice, room: Room, answer_out: Answer):
    """Accelerations by levels, from what the equations left free."""
    n, first, start = room.w.shape[0], answer_out.spent[0], 0
    for k in range(n):
        room.w[k] = room.w_first[k]
        if k >= first:
            for i in range(n):
                room.Z[k, i] = room.Z_first[k, i]
    for level in range(wishes.end.shape[0]):
        end = wishes.end[level]
        first, answer_out.softened[level] = serve_rows(start, end, first, False, choice, room)
        answer_out.spent[level + 1] = first
        start = end
    for row in range(rows):
        answer_out.left[row] = room.wanted[row] - dot_row_vector(room.K, row, room.w, 0, n)
    unwhiten(room, answer_out.a)


@njit
def factor_passive(motion: Motion, room: Room):
    """Rows of L^T for passive rates, made triangular; returns how many the constraints can support."""
    rows, passive, scale = motion.counts[0], motion.passive.shape[0], 0.0
    for i in range(passive):
        for c in range(rows):
            room.B[i, c] = motion.L[c, motion.passive[i]]
        scale = max(scale, dot_rows(room.B, i, room.B, i, 0, rows))
    return factor_rows(room.B, passive, rows, ROUND_OFF * math.sqrt(scale), room.passive_order, room.U)


@njit
def meet_joints(motion: Motion, room: Room):
    """The least accelerations that obey the joints, and Z that spans what they leave: README eq. (5)."""
    n, rows = motion.h.shape[0], motion.counts[0]
    A, x = room.A, room.x
    for c in range(rows):
        whiten_row(motion.L, c, room, A)
        norm = math.sqrt(dot_rows(A, c, A, c, 0, n))
        scale = 1.0 / norm if norm > 0.0 else 0.0
        x[c] = -motion.drift[c] * scale
        for k in range(n):
            A[c, k] *= scale
    rank = factor_rows(A, rows, n, ROUND_OFF, room.order, room.V)
    for k in range(n):
        room.w[k] = 0.0
    solve_rows(A, room.order, rank, x, room.w)
    turn_back(room.V, rank, n, room.w)
    spread_basis(room.V, rank, n, room.Z)
    return rank


@njit
def add_unsupported(motion: Motion, supported, rows, room: Room):
    """Sums of passive rows to which no constraint force contributes: their equations of motion hold without torques.

    They follow the wishes in room.K and room.wanted; returns their number. Row r of M, by kinetic energy, is
    column r of F times sqrt D.
    """
    n, passive = motion.h.shape[0], motion.passive.shape[0]
    K, B, F, order, y = room.K, room.B, room.F, room.passive_order, room.y
    for i in range(supported, passive):
        here, row = rows + i - supported, order[i]
        for back in range(supported):
            k = supported - 1 - back
            left = B[row, k]
            for j in range(k + 1, supported):
                left -= B[order[j], k] * y[j]
            y[k] = left / B[order[k], k]
        rate = motion.passive[row]
        right = -motion.h[rate]
        for k in range(n):
            K[here, k] = F[k, rate] * room.root[k]
        for j in range(supported):
            rate = motion.passive[order[j]]
            right += y[j] * motion.h[rate]
            for k in range(n):
                K[here, k] -= y[j] * F[k, rate] * room.root[k]
        norm = math.sqrt(dot_rows(K, here, K, here, 0, n))
        room.wanted[here] = right / norm
        for k in range(n):
            K[here, k] /= norm
    return passive - supported


@njit
def limit_forces(motion: Motion, limits: Limits, first, room: Room):
    """Commands whose forces stay below their limits: README eq. (10), (11)."""
    n, tasks = motion.h.shape[0], limits.first.shape[0]
    free, A, Z, x, y, z = n - first, room.A, room.Z, room.x, room.y, room.z
    bounded = False
    for t in range(tasks):
        bounded = bounded or limits.strongest[t] < math.inf
    if not bounded:
        return
    # z is the acceleration that nobody drives, within what the joints leave.
    for k in range(n):
        room.W[0, k] = motion.h[k]
    whiten_row(room.W, 0, room, room.W)
    for j in range(free):
        z[j] = -dot_rows(Z, first + j, room.W, 0, 0, n)
    for t in range(tasks):
        limits.force[t], limits.share[t] = 0.0, 1.0
        if not limits.strongest[t] < math.inf or limits.size[t] == 0:
            continue
        count = limits.size[t]
        for i in range(count):
            row, unforced = limits.first[t] + i, dot_row_vector(room.K, limits.first[t] + i, room.w, 0, n)
            for j in range(free):
                A[i, j] = dot_rows(room.K, row, Z, first + j, 0, n)
                unforced += A[i, j] * z[j]
            x[i] = room.wanted[row] - unforced
            room.W[1, i] = unforced
        rank = factor_rows(A, count, free, ROUND_OFF, room.order, room.V)
        solve_rows(A, room.order, rank, x, y)
        for i in range(count):
            room.W[2, i] = 0.0
        solve_columns(A, room.order, rank, y, room.W[2])
        size = math.sqrt(dot_rows(room.W, 2, room.W, 2, 0, count))
        if size > limits.strongest[t]:
            limits.share[t] = limits.strongest[t] / size
            for i in range(count):
                room.wanted[limits.first[t] + i] = room.W[1, i] + limits.share[t] * x[i]
        limits.force[t] = min(size, limits.strongest[t])


@njit
def spread_basis(V, rank, n, Z_out):
    """Rows rank to n of H_{r-1} ... H_0: orthonormal vectors on which the factored rows do nothing."""
    for i in range(rank, n):
        for k in range(n):
            Z_out[i, k] = 1.0 if i == k else 0.0
        for back in range(rank):
            j = rank - 1 - back
            part = dot_rows(V, j, Z_out, i, j, n)
            for k in range(j, n):
                Z_out[i, k] -= part * V[j, k]


@njit
def serve_rows(start, end, first, exact, choice: Choice, room: Room):
    """Wishes within what is free: README eq. (6). Returns the freedoms spent, and how many directions are softened."""
    n = room.Z.shape[0]
    free, count, scale, least = n - first, 0, 0.0, math.inf
    if free == 0:
        return first, 0
    A, K, Z, x, z, w = room.A, room.K, room.Z, room.x, room.z, room.w
    for row in range(start, end):
        square = dot_rows(K, row, K, row, 0, n)
        if square == 0.0:
            continue  # a task that is not active, or a bound that nothing breaks
        scale, least = max(scale, square), min(least, square)
        for j in range(free):
            A[count, j] = dot_rows(K, row, Z, first + j, 0, n)
        x[count] = room.wanted[row] - dot_row_vector(K, row, w, 0, n)
        count += 1
    if count == 0:
        return first, 0
    scale = math.sqrt(scale)
    rank = factor_rows(A, count, free, ROUND_OFF * scale, room.order, room.V)
    small = 0.0 if exact else math.sqrt(least) * choice.threshold[0]
    softened = solve_softly(count, rank, choice, small, room)
    for j in range(rank, free):
        z[j] = 0.0
    turn_back(room.V, rank, free, z)
    for j in range(free):
        for k in range(n):
            w[k] += z[j] * Z[first + j, k]
    if rank < free:
        turn_basis(room.V, rank, free, first, Z, x)
    return first + rank, softened


@njit
def turn_basis(V, rank, free, first, Z_out, sum_out):
    """The free rows of Z become those that the level has spent, then those that it leaves."""
    n = Z_out.shape[0]
    for j in range(rank):
        for k in range(n):
            sum_out[k] = 0.0
        for i in range(j, free):
            weight = V[j, i]
            for k in range(n):
                sum_out[k] += weight * Z_out[first + i, k]
        for i in range(j, free):
            weight = V[j, i]
            for k in range(n):
                Z_out[first + i, k] -= weight * sum_out[k]


@njit
def solve_softly(count, rank, choice: Choice, small, room: Room):
    """Least squares of the factored rows in room.A for room.x, into room.z [rank]; returns the directions softened.

    Where no pivot is small, all singular values are taken as they are; else small ones are damped or left out.
    """
    A, T, W, x, y, z, order, other = room.A, room.T, room.W, room.x, room.y, room.z, room.order, room.other
    if count == rank:
        for i in range(rank):
            y[i] = x[order[i]]
            other[i] = i
            for k in range(rank):
                T[k, i] = A[order[i], k] if k <= i else 0.0
    else:
        # Columns of the trapezoid as rows, made triangular once more; x turns along.
        for k in range(rank):
            for i in range(count):
                T[k, i] = A[order[i], k] if k <= i else 0.0
        for i in range(count):
            y[i] = x[order[i]]
        factor_rows(T, rank, count, 0.0, other, W)
        turn_forth(W, rank, count, y)
    least = math.inf
    for i in range(rank):
        least = min(least, abs(T[other[i], i]))
    # A pivot is at most sqrt(rank) times the smallest singular value's bound; look closely before it matters.
    if least > small * (1.0 + rank):
        if count == rank:
            solve_lower(T, rank, y, z)
        else:
            solve_columns(T, other, rank, y, z)
        return 0
    decompose(T, W, rank)
    return filter_values(T, W, rank, choice, small, y, z)


@njit
def solve_lower(T, rank, right, y_out):
    """Forward substitution with the transposed of T, whose rows are columns."""
    for i in range(rank):
        y_out[i] = right[i]
    for k in range(rank):
        y_out[k] /= T[k, k]
        value = y_out[k]
        for i in range(k + 1, rank):
            y_out[i] -= T[k, i] * value


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


@njit
def find_torques(motion: Motion, supported, first, room: Room, answer_out: Answer):
    """The smallest torques that give the accelerations, and use what freedom is left: README eq. (8), (9)."""
    n, m, rows = motion.h.shape[0], motion.actuated.shape[0], motion.counts[0]
    A, Z, order, x, z, w = room.A, room.Z, room.order, room.x, room.z, room.w
    multiply_mass(w, room, 0)
    for k in range(n):
        room.W[0, k] += motion.h[k]
    carry_passive(motion, supported, room, 0)
    for k in range(m):
        x[k] = room.W[0, motion.actuated[k]]
    free, inner = n - first, rows - supported
    for j in range(free):
        for k in range(n):
            room.y[k] = Z[first + j, k]
        multiply_mass(room.y, room, 1)
        carry_passive(motion, supported, room, 1)
        for k in range(m):
            A[j, k] = room.W[1, motion.actuated[k]]
    scale = span_inner_forces(motion, supported, free, room)
    for j in range(free):
        scale = max(scale, dot_rows(A, j, A, j, 0, m))
    rank = factor_rows(A, free + inner, m, ROUND_OFF * math.sqrt(scale), order, room.V)
    turn_forth(room.V, rank, m, x)
    if free > 0:
        for i in range(free + inner):
            z[i] = 0.0
        solve_columns(A, order, rank, x, z)
        for j in range(free):
            for k in range(n):
                w[k] -= z[j] * Z[first + j, k]
    for i in range(rank):
        x[i] = 0.0
    turn_back(room.V, rank, m, x)
    for k in range(n):
        answer_out.tau[k] = 0.0
    for k in range(m):
        answer_out.tau[motion.actuated[k]] = x[k]


@njit
def carry_passive(motion: Motion, supported, room: Room, row):
    """Constraint forces that carry the passive part of room.W[row] are taken off it: README eq. (8)."""
    n, rows, passive = motion.h.shape[0], motion.counts[0], motion.passive.shape[0]
    W, z, right = room.W, room.z, room.y
    for i in range(passive):
        right[i] = W[row, motion.passive[i]]
    for c in range(rows):
        z[c] = 0.0
    solve_rows(room.B, room.passive_order, supported, right, z)
    turn_back(room.U, supported, rows, z)
    for c in range(rows):
        for k in range(n):
            W[row, k] -= z[c] * motion.L[c, k]


@njit
def span_inner_forces(motion: Motion, supported, place, room: Room):
    """Rows `place` and on of room.A: torques of constraint forces that leave passive rates alone.

    Returns the square that they are measured by, that of the largest row of L: forces of joints that say the same twice
    cancel, and what is left of them is round-off.
    """
    m, n, rows = motion.actuated.shape[0], motion.h.shape[0], motion.counts[0]
    A, z, y, scale = room.A, room.z, room.y, 0.0
    for c in range(rows):
        scale = max(scale, dot_rows(motion.L, c, motion.L, c, 0, n))
    for t in range(supported, rows):
        for c in range(rows):
            z[c] = 1.0 if c == t else 0.0
        turn_back(room.U, supported, rows, z)
        here = place + t - supported
        for k in range(n):
            y[k] = 0.0
        for c in range(rows):
            value = z[c]
            if value != 0.0:
                for k in range(n):
                    y[k] += value * motion.L[c, k]
        for k in range(m):
            A[here, k] = y[motion.actuated[k]]
    return scale
