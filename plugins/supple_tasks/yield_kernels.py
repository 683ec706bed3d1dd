"""Programs for accelerations and forces that give way: README eq. (13) to (15) in what is still free.

Unknowns are y, along the free rows of Z, and forces u that passive rates do not feel, both counted from the answer of
the levels and its smallest forces. So no equations are left, and programs are as small as what may give way.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.carry_kernels import FORCE_UNIT, INSCRIBED
from supple_tasks.factor_kernels import dot_row_vector, dot_rows, reflect, turn_back
from supple_tasks.level_kernels import carry_passive
from supple_tasks.mass_kernels import multiply_mass, unwhiten
from supple_tasks.records import Footholds, Program
from supple_tasks.tables import Answer, Bounds, Motion, Room, Wishes

# A joint of which a unit of free accelerations moves less than this is not free any more.
NOTHING = 1e-9


@njit
def fill_yielding(
    motion: Motion, holds: Footholds, bounds: Bounds, room: Room, program_out: Program, supported, first
):
    """lower <= A x <= upper for x = (y, u): torques, cones, then joints near their limits. Returns the rows.

    Rows of Z from `first` on are free.
    """
    n, passive = motion.h.shape[0], motion.passive.shape[0]
    free, inner = n - first, motion.counts[0] - supported
    size, A = free + inner, program_out.A
    for j in range(free):
        multiply_mass(room.Z[first + j], room, 0)
        find_forces(motion, supported, room)
        unwhiten(room.Z[first + j], room, room.x)
        set_column(motion, holds, bounds, room, j, size, A)
    for k in range(n):
        room.x[k] = 0.0
    spread_inner_forces(motion.counts[0], supported, room)
    for i in range(inner):
        for k in range(n - passive):
            room.y[k] = -FORCE_UNIT * room.P[supported + i, passive + k]
        for c in range(motion.counts[0]):
            room.z[c] = room.A[c, i]
        set_column(motion, holds, bounds, room, free + i, size, A)
    multiply_mass(room.w, room, 0)
    for k in range(n):
        room.W[0, k] += motion.h[k]
    find_forces(motion, supported, room)
    unwhiten(room.w, room, room.x)
    rows = set_column(motion, holds, bounds, room, 0, 1, program_out.here)
    set_bounds(motion, holds, bounds, rows, size, program_out)
    return rows


@njit
def spread_inner_forces(rows, supported, room: Room):
    """Columns of room.A: units of forces that passive rates do not feel."""
    for c in range(rows):
        for i in range(rows - supported):
            room.A[c, i] = FORCE_UNIT if c == supported + i else 0.0
    for back in range(supported):
        reflect(room.U, supported - 1 - back, 0, rows, 0, rows - supported, room.A)


@njit
def find_forces(motion: Motion, supported, room: Room):
    """Torques room.y and the smallest forces room.z that go with M a of room.W[0]."""
    carry_passive(motion, supported, room, 0)
    for c in range(motion.counts[0]):
        room.z[c] = room.sums[c] if c < supported else 0.0
    turn_back(room.U, supported, motion.counts[0], room.z)


@njit
def set_column(motion: Motion, holds: Footholds, bounds: Bounds, room: Room, column, size, A_out):
    """Torques room.y, forces room.z and accelerations room.x as a column of a program of so many; returns its rows."""
    row, torque, force, a = column, room.y, room.z, room.x
    for i in range(motion.actuated.shape[0]):
        if holds.lower[i] > -math.inf or holds.upper[i] < math.inf:
            A_out[row] = torque[i]
            row += size
    for k in range(holds.counts[1]):
        normal = holds.counts[0] + 3 * k
        edge = INSCRIBED * holds.friction[k] * force[normal]
        for tangent in range(normal + 1, normal + 3):
            A_out[row] = force[tangent] - edge
            A_out[row + size] = -force[tangent] - edge
            row += 2 * size
    for b in range(bounds.row.shape[0]):
        if bounds.most[b] < math.inf:
            A_out[row] = 0.0
            for i in range(bounds.count[b]):
                A_out[row] += bounds.way[b, i] * a[bounds.rate[b] + i]
            row += size
    return (row - column) // size


@njit
def set_bounds(motion: Motion, holds: Footholds, bounds: Bounds, rows, size, program_out: Program):
    """Bounds of the rows of a program. What has no freedom left is not asked again: it is as the levels found it."""
    lower, upper, here, row = program_out.lower, program_out.upper, program_out.here, 0
    infinite = program_out.infinite
    for r in range(rows):
        lower[r], upper[r] = -infinite, infinite
    for i in range(motion.actuated.shape[0]):
        if holds.lower[i] > -math.inf or holds.upper[i] < math.inf:
            lower[row] = max(holds.lower[i] - here[row], -infinite)
            upper[row] = min(holds.upper[i] - here[row], infinite)
            row += 1
    for _ in range(4 * holds.counts[1]):
        upper[row] = -here[row]
        row += 1
    for b in range(bounds.row.shape[0]):
        if bounds.most[b] < math.inf:
            square = 0.0
            for k in range(row * size, row * size + size):
                square += program_out.A[k] * program_out.A[k]
            if square > NOTHING * NOTHING:
                upper[row] = max(bounds.most[b] - here[row], 0.0)
            row += 1


@njit
def fill_level(wishes: Wishes, bounds: Bounds, room: Room, A_out, wanted_out, level, first):
    """Rows of a level in the free rows of Z, and what is left of their wishes; limits are bounds. Returns the rows."""
    n, row = room.w.shape[0], 0
    start = wishes.end[level - 1] if level > 0 else 0
    for wish in range(start, wishes.end[level]):
        if room.size[wish] == 0.0 or is_bound(bounds, wish):
            continue
        wanted_out[row] = room.wanted[wish] - dot_row_vector(room.K, wish, room.w, 0, n)
        for j in range(n - first):
            A_out[row, j] = dot_rows(room.K, wish, room.Z, first + j, 0, n)
        row += 1
    return row


@njit
def is_bound(bounds: Bounds, wish):
    """Whether a wish is that of a joint limit."""
    for b in range(bounds.row.shape[0]):  # noqa: SIM110, which would be a generator
        if bounds.row[b] == wish:
            return True
    return False


@njit
def take_yielding(
    motion: Motion, wishes: Wishes, room: Room, x, force_out, answer_out: Answer, supported, first
):
    """Accelerations, what they leave of wishes, and forces, from the unknowns of a program."""
    n, rows, free = motion.h.shape[0], motion.counts[0], motion.h.shape[0] - first
    for j in range(free):
        row = room.Z[first + j]
        for k in range(n):
            room.w[k] += x[j] * row[k]
    unwhiten(room.w, room, answer_out.a)
    for wish in range(wishes.wanted.shape[0]):
        answer_out.left[wish] = 0.0
        if room.size[wish] > 0.0:
            answer_out.left[wish] = room.wanted[wish] - dot_row_vector(room.K, wish, room.w, 0, n)
    multiply_mass(room.w, room, 0)
    for k in range(n):
        room.W[0, k] += motion.h[k]
    carry_passive(motion, supported, room, 0)
    for c in range(rows):
        force_out[c] = room.sums[c] / FORCE_UNIT if c < supported else x[free + c - supported]
    turn_back(room.U, supported, rows, force_out)
