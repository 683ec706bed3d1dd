"""Accelerations that meet wishes level by level, and the torques that bring them about: README eq. (4) to (9)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.amend_kernels import keep_last_level, meet_joined
from supple_tasks.factor_kernels import (
    dot_row_vector,
    dot_rows,
    factor_columns,
    reflect,
    solve_back,
    solve_forward,
    turn_back,
    turn_forth,
)
from supple_tasks.force_kernels import limit_forces, limit_together
from supple_tasks.mass_kernels import factor_mass, multiply_mass, unwhiten, whiten_row
from supple_tasks.serve_kernels import serve_rows
from supple_tasks.tables import ROUND_OFF, Answer, Bounds, Choice, Limits, Motion, Room, Wishes

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
        bounds.joined[b] = 0
        wishes.wanted[bounds.row[b]] = 0.0
        for i in range(bounds.count[b]):
            wishes.J[bounds.row[b], bounds.rate[b] + i] = 0.0
    answer_out.supported[0] = meet_equations(motion, wishes, limits, rows, choice, room, answer_out)
    serve_levels(wishes, limits, choice, room, answer_out)
    last = keep_last_level(wishes, bounds, limits, answer_out, room)
    for _ in range(bounds.row.shape[0]):
        if not join_broken(bounds, wishes, answer_out.spent[0], room, answer_out.a):
            break
        if last >= 0 and meet_joined(bounds, answer_out.spent[last], choice, room):
            unwhiten(room.w, room, answer_out.a)
        else:
            last = -1
            serve_levels(wishes, limits, choice, room, answer_out)
    for row in range(rows):
        answer_out.left[row] = room.wanted[row]
        if room.size[row] > 0.0:
            answer_out.left[row] -= dot_row_vector(room.K, row, room.w, 0, room.w.shape[0])
    find_torques(motion, answer_out.supported[0], answer_out.spent[levels], room, answer_out)
    unwhiten(room.w, room, answer_out.a)


@njit
def join_broken(bounds: Bounds, wishes: Wishes, first, room: Room, a):
    """Make equations of bounds that accelerations break; whether there were any.

    A bound is as large as the equations leave it: an ankle is light, but not while its foot stands.
    """
    n, broken = room.w.shape[0], False
    for b in range(bounds.row.shape[0]):
        if bounds.joined[b] != 0 or not bounds.most[b] < math.inf:
            continue
        row, excess = bounds.row[b], -bounds.most[b]
        for i in range(bounds.count[b]):
            excess += bounds.way[b, i] * a[bounds.rate[b] + i]
        if excess > BROKEN * (1.0 + abs(bounds.most[b])):
            bounds.joined[b], wishes.wanted[row] = 1, bounds.most[b]
            for i in range(bounds.count[b]):
                wishes.J[row, bounds.rate[b] + i] = bounds.way[b, i]
            measure_row(wishes, row, room)
            square = 0.0
            for k in range(first, n):
                square += dot_rows(room.K, row, room.Z_first, k, 0, n) ** 2
            room.size[row] = square if square > ROUND_OFF * room.size[row] else 0.0
            broken = True
    return broken


@njit
def measure_row(wishes: Wishes, row, room: Room):
    """A row of the wishes by kinetic energy, and its square. Most are those of limits that nothing is near: zero."""
    room.wanted[row] = wishes.wanted[row]
    room.size[row] = whiten_row(wishes.J, row, room, room.K)


@njit
def meet_equations(
    motion: Motion, wishes: Wishes, limits: Limits, rows, choice: Choice, room: Room, answer_out: Answer
):
    """What comes before all levels: joints, force limits, passive rates. Returns how many of these are supported."""
    n = motion.h.shape[0]
    factor_mass(motion.M, room)
    for row in range(rows):
        measure_row(wishes, row, room)
    first = meet_joints(motion, room)
    for k in range(n):
        room.W[0, k] = motion.h[k]
        room.pull[k] = 0.0
    whiten_row(room.W, 0, room, room.W)
    for k in range(n):
        room.pull[k] = room.W[0, k]
    limit_forces(limits, first, rows, room)
    supported = factor_passive(motion, room)
    unsupported = add_unsupported(motion, supported, rows, room)
    first, _ = serve_rows(wishes, rows, rows + unsupported, first, True, choice, room)
    answer_out.spent[0] = first
    for k in range(n):
        room.w_first[k] = room.w[k]
        if k >= first:
            for i in range(n):
                room.Z_first[k, i] = room.Z[k, i]
    return supported


@njit
def serve_levels(wishes: Wishes, limits: Limits, choice: Choice, room: Room, answer_out: Answer):
    """Accelerations by levels, from what the equations left free; forces are limited within what is left of it."""
    n, first, start = room.w.shape[0], answer_out.spent[0], 0
    for k in range(n):
        room.w[k] = room.w_first[k]
        if k >= first:
            for i in range(n):
                room.Z[k, i] = room.Z_first[k, i]
    for level in range(wishes.end.shape[0]):
        end = wishes.end[level]
        limit_together(limits, start, end, first, first > answer_out.spent[0], room)
        first, answer_out.softened[level] = serve_rows(wishes, start, end, first, False, choice, room)
        answer_out.spent[level + 1] = first
        start = end
    unwhiten(room.w, room, answer_out.a)


@njit
def factor_passive(motion: Motion, room: Room):
    """L with the columns of passive rates first, and these made triangular; returns how many it can support."""
    n, rows, passive = motion.h.shape[0], motion.counts[0], motion.passive.shape[0]
    for c in range(rows):
        for i in range(passive):
            room.P[c, i] = motion.L[c, motion.passive[i]]
        for k in range(n - passive):
            room.P[c, passive + k] = motion.L[c, motion.actuated[k]]
    scale = 0.0
    for i in range(passive):
        square = 0.0
        for c in range(rows):
            square += room.P[c, i] * room.P[c, i]
        scale = max(scale, square)
    return factor_columns(
        room.P,
        passive,
        n,
        rows,
        ROUND_OFF * math.sqrt(scale),
        room.passive_order,
        room.U,
        room.squares,
    )


@njit
def meet_joints(motion: Motion, room: Room):
    """The least accelerations that obey the joints, and Z that spans what they leave: README eq. (5)."""
    n, rows = motion.h.shape[0], motion.counts[0]
    A, W, x = room.A, room.W, room.x
    for c in range(rows):
        square = whiten_row(motion.L, c, room, W)
        if square == 0.0:
            for k in range(n):
                W[c, k] = 0.0
        scale = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
        x[c] = -motion.drift[c] * scale
        for k in range(n):
            A[k, c] = W[c, k] * scale
    rank = factor_columns(A, rows, rows, n, ROUND_OFF, room.order, room.V, room.squares)
    for k in range(n):
        room.w[k] = 0.0
    solve_forward(A, room.order, rank, x, room.w)
    turn_back(room.V, rank, n, room.w)
    spread_basis(rank, room)
    return rank


@njit
def spread_basis(rank, room: Room):
    """Z from `rank` on: orthonormal rows on which what was factored does nothing, those of H_{r-1} ... H_0."""
    n, C, Z = room.w.shape[0], room.C, room.Z
    free = n - rank
    for k in range(n):
        for i in range(free):
            C[k, i] = 1.0 if k == rank + i else 0.0
    for back in range(rank):
        reflect(room.V, rank - 1 - back, 0, n, 0, free, C)
    for i in range(free):
        for k in range(n):
            Z[rank + i, k] = C[k, i]


@njit
def add_unsupported(motion: Motion, supported, rows, room: Room):
    """Sums of passive rows to which no constraint force contributes: their equations of motion hold without torques.

    They follow the wishes in room.K and room.wanted; returns their number. Row r of M, by kinetic energy, is
    column r of F times sqrt D.
    """
    n, passive = motion.h.shape[0], motion.passive.shape[0]
    K, P, F, order, y = room.K, room.P, room.F, room.passive_order, room.y
    for i in range(supported, passive):
        here = rows + i - supported
        for back in range(supported):
            k = supported - 1 - back
            left = P[k, i]
            for j in range(k + 1, supported):
                left -= P[k, j] * y[j]
            y[k] = left / P[k, k]
        rate = motion.passive[order[i]]
        right = -motion.h[rate]
        for k in range(n):
            K[here, k] = F[k, rate] * room.root[k]
        for j in range(supported):
            rate = motion.passive[order[j]]
            right += y[j] * motion.h[rate]
            for k in range(n):
                K[here, k] -= y[j] * F[k, rate] * room.root[k]
        norm = math.sqrt(dot_rows(K, here, K, here, 0, n))
        room.wanted[here], room.size[here] = right / norm, 1.0
        for k in range(n):
            K[here, k] /= norm
    return passive - supported


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
        x[k] = room.y[k]
    free, inner, scale = n - first, rows - supported, 0.0
    for j in range(free):
        for k in range(n):
            room.W[2, k] = Z[first + j, k]
        multiply_mass(room.W[2], room, 1)
        carry_passive(motion, supported, room, 1)
        square = 0.0
        for k in range(m):
            A[k, j] = room.y[k]
            square += room.y[k] * room.y[k]
        scale = max(scale, square)
    # Forces of joints that say the same twice cancel, and what is left of them is round-off: rows of L are the measure.
    for c in range(rows):
        scale = max(scale, dot_rows(motion.L, c, motion.L, c, 0, n))
    for t in range(inner):
        for k in range(m):
            A[k, free + t] = room.P[supported + t, n - m + k]
    rank = factor_columns(
        A, free + inner, free + inner, m, ROUND_OFF * math.sqrt(scale), order, room.V, room.squares
    )
    turn_forth(room.V, rank, m, x)
    if free > 0:
        for i in range(free + inner):
            z[i] = 0.0
        solve_back(A, order, rank, x, z)
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
    """room.y: the actuated part of room.W[row] less what carries its passive part: README eq. (8)."""
    m, passive = motion.actuated.shape[0], motion.passive.shape[0]
    W, P, y, right, force = room.W, room.P, room.y, room.squares, room.sums
    for i in range(passive):
        right[i] = W[row, motion.passive[i]]
    solve_forward(P, room.passive_order, supported, right, force)
    for k in range(m):
        y[k] = W[row, motion.actuated[k]]
    for j in range(supported):
        value = force[j]
        for k in range(m):
            y[k] -= value * P[j, passive + k]
