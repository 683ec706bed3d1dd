"""A step in which the vertices that touch are held, without W: README eq. (7)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit, njit_inlined
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.jacobian_kernels import add_transposed_impulses
from supple.mechanics.rows import COULOMB
from supple.mechanics.solution import BEGUN_HOLD, HELD
from supple.mechanics.warm_start_kernels import find_key
from supple_tets.factor_kernels import factorise, solve_one
from supple_tets.product_kernels import ROOM
from supple_tets.reduce_kernels import Reduced, copy_left, count_left, meet_again
from supple_tets.tables import Factor, Matrix

WITHIN, WELL_WITHIN = 0.999999, 0.9
"""Friction impulses above this part of what friction can give are not taken for sticking; the second where some slide,
since what does so changes then."""
MOST_LEFT = 0.7
"""Part of the groups up to which it is worth holding the others."""
SQUARE = 1e-12
"""By so much the rows of a contact may miss being unit vectors at right angles, squared and summed."""


class Holds(NamedTuple):
    """Who is held, and room to work."""

    group: IntArray  # [n] the group that holds a vertex; -1
    block: IntArray  # [groups] the only block of a group; -1
    slides: IntArray  # [1] groups that are left to a solver; 0 if all stick or open, or if too many are left
    right: FloatArray  # [n, 3] right side, then what A v - b is at vertices that are held [N s]
    scratch: FloatArray  # [2 n, 3]
    sums: FloatArray  # [3 ROOM]


def make_holds(vertices: int, groups: int) -> Holds:
    """Room for so many."""
    return Holds(
        group=np.zeros(vertices, np.int64), block=np.zeros(groups, np.int64),
        slides=np.zeros(1, np.int64), right=np.zeros((vertices, 3)),
        scratch=np.zeros((2 * vertices, 3)), sums=np.zeros(3 * ROOM),
    )  # fmt: skip


@njit
def is_frame(B):
    """Whether the rows are unit vectors at right angles: a contact of one vertex, with what stands still."""
    missed = 0.0
    for r in range(3):
        for c in range(r + 1):
            dot = B[r, 0] * B[c, 0] + B[r, 1] * B[c, 1] + B[r, 2] * B[c, 2]
            missed += (dot - (1.0 if r == c else 0.0)) ** 2
    return missed < SQUARE


@njit
def guess_holds(rows, key, struck, jacobian: Jacobian, last, fixed, holds_out: Holds):
    """Who sticks if all goes on as in the last step; False if somebody slides, or is no contact of one vertex."""
    n, block = rows.counts[0], holds_out.block
    if n == 0 or struck[0] != 0 or last.counts[0] == 0:
        return False
    for g in range(n):
        block[g] = -1
    for b in range(jacobian.counts[0]):
        g = jacobian.group[b]
        if block[g] >= 0 or not is_frame(jacobian.values[b]):
            return False
        block[g] = b
    for g in range(n):
        stretched = rows.scale[g, 1] != 1.0 or rows.scale[g, 2] != 1.0
        if block[g] < 0 or rows.law[g] != COULOMB or stretched or fixed[jacobian.dof[block[g]] // 3] != 0:
            return False
        if rows.compliance[g, 0] != 0.0 or rows.compliance[g, 1] != 0.0 or rows.compliance[g, 2] != 0.0:
            return False
    left, slides, twice = mark_holds(rows, key, jacobian, last, WITHIN, holds_out)
    if slides > 0:
        left, _, twice = mark_holds(rows, key, jacobian, last, WELL_WITHIN, holds_out)
    holds_out.slides[0] = left if slides > 0 else 0
    return not twice and left < n and (slides == 0 or left <= MOST_LEFT * n)


@njit
def mark_holds(rows, key, jacobian: Jacobian, last, part, holds_out: Holds):
    """Groups hold their vertices whose friction was below this part; says how many do not, how many of these pushed,
    and whether two want the same vertex.
    """
    holder, left, slides, twice = holds_out.group, 0, 0, False
    for i in range(holder.shape[0]):
        holder[i] = -1
    for g in range(rows.counts[0]):
        i, place = jacobian.dof[holds_out.block[g]] // 3, find_key(key, g, last.counts, last.key)
        if place < 0 or last.impulse[place, 0] <= 0.0:
            left += 1
            continue
        most = part * rows.friction[g] * last.impulse[place, 0]
        if last.impulse[place, 1] ** 2 + last.impulse[place, 2] ** 2 >= most * most:
            left, slides = left + 1, slides + 1
            continue
        twice |= holder[i] >= 0
        holder[i] = g
    return left, slides, twice


@njit_inlined
def add_block_product(L, v, i, j, sign, out):
    """out[i] += sign L v[j]."""
    for r in range(3):
        out[i, r] += sign * (L[r, 0] * v[j, 0] + L[r, 1] * v[j, 1] + L[r, 2] * v[j, 2])


@njit_inlined
def add_transposed_product(L, v, i, j, sign, out):
    """out[i] += sign L^T v[j]."""
    for r in range(3):
        out[i, r] += sign * (L[0, r] * v[j, 0] + L[1, r] * v[j, 1] + L[2, r] * v[j, 2])


@njit
def move_to_the_right(holds: Holds, jacobian: Jacobian, bias, matrix: Matrix, ends, right, b_out, v_out):
    """v_out: velocities of held vertices, at which J v + bias is zero; b_out what they leave to the others.

    At vertices that are held b_out is their velocity.
    """
    holder = holds.group
    for i in range(holder.shape[0]):
        g = holder[i]
        for r in range(3):
            b_out[i, r] = right[i, r]
        if g >= 0:
            B = jacobian.values[holds.block[g]]
            for r in range(3):
                v_out[i, r] = -(B[0, r] * bias[g, 0] + B[1, r] * bias[g, 1] + B[2, r] * bias[g, 2])
                b_out[i, r] = v_out[i, r]
    for k in range(ends.shape[0]):
        column, row = ends[k, 0], ends[k, 1]
        if holder[column] >= 0 and holder[row] < 0:
            add_block_product(matrix.matrix_lower[k], v_out, row, column, -1.0, b_out)
        elif holder[row] >= 0 and holder[column] < 0:
            add_transposed_product(matrix.matrix_lower[k], v_out, column, row, -1.0, b_out)


@njit
def find_pushes(holds: Holds, matrix: Matrix, place, ends, right, v, push_out):
    """push_out [n, 3]: A v - b at the vertices that are held, what the contacts give them [N s]."""
    holder = holds.group
    for i in range(holder.shape[0]):
        if holder[i] >= 0:
            D = matrix.matrix_diagonal[place[i]]
            x, y, z = v[i, 0], v[i, 1], v[i, 2]
            push_out[i, 0] = D[0, 0] * x + D[1, 0] * y + D[2, 0] * z - right[i, 0]
            push_out[i, 1] = D[1, 0] * x + D[1, 1] * y + D[2, 1] * z - right[i, 1]
            push_out[i, 2] = D[2, 0] * x + D[2, 1] * y + D[2, 2] * z - right[i, 2]
    for k in range(ends.shape[0]):
        column, row = ends[k, 0], ends[k, 1]
        if holder[row] >= 0:
            add_block_product(matrix.matrix_lower[k], v, row, column, 1.0, push_out)
        if holder[column] >= 0:
            add_transposed_product(matrix.matrix_lower[k], v, column, row, 1.0, push_out)


@njit
def read_impulses(rows, holds_inout: Holds, jacobian: Jacobian, bias, push, v, approach, impulse_out):
    """Impulses of the groups that are held [groups, 3], and none of others; whether that breaks no law.

    What leaves its cone is held no longer, and others may not approach, if that is asked.
    """
    right = True
    for g in range(rows.counts[0]):
        B, i = jacobian.values[holds_inout.block[g]], jacobian.dof[holds_inout.block[g]] // 3
        if holds_inout.group[i] != g:
            if approach:
                for r in range(3):
                    impulse_out[g, r] = 0.0
                right &= B[0, 0] * v[i, 0] + B[0, 1] * v[i, 1] + B[0, 2] * v[i, 2] + bias[g, 0] >= 0.0
            continue
        for r in range(3):
            impulse_out[g, r] = B[r, 0] * push[i, 0] + B[r, 1] * push[i, 1] + B[r, 2] * push[i, 2]
        most = rows.friction[g] * impulse_out[g, 0]
        if not (most >= 0.0 and impulse_out[g, 1] ** 2 + impulse_out[g, 2] ** 2 <= most * most):
            holds_inout.group[i] = -1
            right = False
    return right


@njit
def count_rest(rows, jacobian: Jacobian, holds_inout: Holds):
    """How many are not held becomes `slides`, or 0 where these are too many to go on."""
    left, n = 0, rows.counts[0]
    for g in range(n):
        left += holds_inout.group[jacobian.dof[holds_inout.block[g]] // 3] != g
    holds_inout.slides[0] = left if left <= MOST_LEFT * n else 0
    return holds_inout.slides[0] > 0


@njit
def leave_alone(
    rows_out, holds: Holds, jacobian: Jacobian, bias, matrix: Matrix, place, v, impulse, blocks_out, sizes
):
    """The problem of every group by itself: W is what its vertex alone would give, and `free` what it then must be."""
    n = rows_out.counts[0]
    for g in range(n):
        B, i = jacobian.values[holds.block[g]], jacobian.dof[holds.block[g]] // 3
        D = matrix.matrix_diagonal[place[i]]
        w = 3.0 / (D[0, 0] + D[1, 1] + D[2, 2])
        blocks_out.indptr[g], blocks_out.indices[g], blocks_out.diagonal[g] = g, g, g
        for r in range(3):
            u = B[r, 0] * v[i, 0] + B[r, 1] * v[i, 1] + B[r, 2] * v[i, 2] + bias[g, r]
            rows_out.free[g, r] = u - w * impulse[g, r]
            for c in range(3):
                blocks_out.values[g, r, c] = w if r == c else 0.0
    blocks_out.indptr[n] = n
    sizes[0], sizes[1] = n, n


@njit
def take_rest(rows_out, holds: Holds, jacobian: Jacobian, bias, v, rest_out: Jacobian):
    """The blocks of what is not held, and `free` of all groups: what is held pushes nobody, for the time being."""
    rest_out.counts[0] = 0
    for g in range(rows_out.counts[0]):
        b = holds.block[g]
        B, i = jacobian.values[b], jacobian.dof[b] // 3
        if holds.group[i] == g:
            rows_out.free[g, 0], rows_out.free[g, 1], rows_out.free[g, 2] = 1.0, 0.0, 0.0
            continue
        k = rest_out.counts[0]
        rest_out.counts[0] = k + 1
        rest_out.group[k], rest_out.unit[k], rest_out.dof[k] = g, 0, jacobian.dof[b]
        for r in range(3):
            rows_out.free[g, r] = B[r, 0] * v[i, 0] + B[r, 1] * v[i, 1] + B[r, 2] * v[i, 2] + bias[g, r]
            for c in range(3):
                rest_out.values[k, r, c] = B[r, c]


@njit
def set_alone(
    rows, holds: Holds, jacobian: Jacobian, matrix: Matrix, place, blocks_out, impulse_inout, kept_out
):
    """W of the groups that are held, by themselves; impulses to begin with are kept, and zero for these."""
    for g in range(rows.counts[0]):
        i = jacobian.dof[holds.block[g]] // 3
        for r in range(3):
            kept_out[g, r] = impulse_inout[g, r]
        if holds.group[i] != g:
            continue
        D = matrix.matrix_diagonal[place[i]]
        for r in range(3):
            impulse_inout[g, r] = 0.0
            blocks_out.values[blocks_out.diagonal[g], r, r] = 3.0 / (D[0, 0] + D[1, 1] + D[2, 2])


@njit
def solve_left(
    jacobian: Jacobian,
    bias,
    ends,
    matrix: Matrix,
    factor: Factor,
    right,
    holds: Holds,
    reduced: Reduced,
    v_out,
):
    """v_out: velocities if what is held is held, and nobody else pushes."""
    move_to_the_right(holds, jacobian, bias, matrix, ends, right, holds.right, v_out)
    count_left(factor, holds.group, reduced)
    meet_again(factor, reduced)
    copy_left(factor, holds.group, ends, matrix, reduced)
    factorise(reduced.factor, holds.sums)
    solve_one(reduced.factor, holds.right, holds.scratch, v_out)


@njit
def end_hold(
    rows, bias, jacobian: Jacobian, matrix: Matrix, factor: Factor, ends, right, holds: Holds, reduced: Reduced,
    rest: Jacobian, blocks, held_out, outcome_inout, v_inout,
):  # fmt: skip
    """Velocities and impulses of all from those of the groups that are not held; whether what is held may be so.

    If not, what left its cone is no longer held, and v is again what it is without the others.
    """
    holder, x, impulse = holds.group, holds.right, outcome_inout.impulse
    for i in range(holder.shape[0]):
        for r in range(3):
            x[i, r] = 0.0
    add_transposed_impulses(rest, impulse, x.reshape(-1))
    solve_one(reduced.factor, x, holds.scratch, x)
    for i in range(holder.shape[0]):
        if holder[i] < 0:
            for r in range(3):
                v_inout[i, r] += x[i, r]
    find_pushes(holds, matrix, factor.place, ends, right, v_inout, holds.right)
    if not read_impulses(rows, holds, jacobian, bias, holds.right, v_inout, False, impulse):
        if count_rest(rows, jacobian, holds):
            solve_left(jacobian, bias, ends, matrix, factor, right, holds, reduced, v_inout)
        return False
    for g in range(rows.counts[0]):
        B, i = jacobian.values[holds.block[g]], jacobian.dof[holds.block[g]] // 3
        if holder[i] == g:
            for r in range(3):
                u = B[r, 0] * v_inout[i, 0] + B[r, 1] * v_inout[i, 1] + B[r, 2] * v_inout[i, 2] + bias[g, r]
                rows.free[g, r] = u - blocks.values[blocks.diagonal[g], r, r] * impulse[g, r]
    held_out.state[0] = HELD
    return True


@njit
def hold_contacts(
    rows, origin, struck, jacobian: Jacobian, last, fixed, ends, matrix: Matrix, factor: Factor, right, holds: Holds,
    reduced: Reduced, blocks, sizes, held_out, v_out,
):  # fmt: skip
    """Hold the vertices that stuck in the last step; returns whether that does not solve it. See `holding.Held`."""
    held_out.state[0] = 0
    bias, impulse = origin.bias, held_out.impulse
    if not guess_holds(rows, origin.key, struck, jacobian, last, fixed, holds):
        return True
    solve_left(jacobian, bias, ends, matrix, factor, right, holds, reduced, v_out)
    if holds.slides[0] == 0:
        find_pushes(holds, matrix, factor.place, ends, right, v_out, holds.right)
        if read_impulses(rows, holds, jacobian, bias, holds.right, v_out, True, impulse):
            leave_alone(rows, holds, jacobian, bias, matrix, factor.place, v_out, impulse, blocks, sizes)
            held_out.state[0] = HELD
            return False
        if not count_rest(rows, jacobian, holds):
            return True
        solve_left(jacobian, bias, ends, matrix, factor, right, holds, reduced, v_out)
    held_out.state[0] = BEGUN_HOLD
    return True
