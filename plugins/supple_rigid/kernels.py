"""Kernels of free bodies; equations are numbered in README.md, arrays are grouped as in `layout`."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import (
    exponentiate_rotation_vector,
    multiply_quaternions,
    normalise_quaternion,
    rotate_vector_at,
    rotate_vector_back_at,
)
from supple.math.vector_kernels import cross
from supple_rigid.layout import Ended, Turning
from supple_rigid.turning_kernels import find_free_spin, is_fast, multiply_at, turn_fast


@njit
def move_freely(h, bodies, gravity, motion, applied, tie, work, turning_out: Turning, v_free_out):
    """v_free_out: velocities after h under gravity, applied wrenches and forces; README eq. (1), (2), (6), (9).

    work [4, 3, 3] is scratch.
    """
    mass = bodies.mass
    v, wrench, force = motion.v, applied.wrench, applied.force
    for i in range(mass.shape[0]):
        for k in range(3):
            v_free_out[i, k] = v[i, k] + h * (gravity[k] + (wrench[i, k] + force[i, k]) / mass[i])
        tx, ty, tz = rotate_vector_back_at(motion.q, i, wrench[i, 3], wrench[i, 4], wrench[i, 5])
        tx, ty, tz = tx + force[i, 3], ty + force[i, 4], tz + force[i, 5]
        wx, wy, wz = find_free_spin(h, bodies, motion, tie, i, tx, ty, tz, work, turning_out)
        v_free_out[i, 3] = wx
        v_free_out[i, 4] = wy
        v_free_out[i, 5] = wz
        fast = is_fast(h, bodies.inertia, v, i)
        for k in range(3, 6):
            # Impacts see all of a slow turn, and nothing of a fast one: that comes after them, README eq. (8).
            if fast:
                turning_out.turned[i, k] = 0.5 * (v[i, k] + v_free_out[i, k]) - turning_out.middle[i, k - 3]
            else:
                turning_out.turned[i, k] = 0.5 * (v_free_out[i, k] - v[i, k])


@njit
def apply_inverse_mass(bodies, x, y_out):
    """y_out = M^-1 x."""
    for i in range(bodies.mass.shape[0]):
        for k in range(3):
            y_out[i, k] = x[i, k] / bodies.mass[i]
        ax, ay, az = multiply_at(bodies.inverse_inertia, i, x[i, 3], x[i, 4], x[i, 5])
        y_out[i, 3] = ax
        y_out[i, 4] = ay
        y_out[i, 5] = az


@njit
def apply_inverse_mass_to_columns(bodies, columns, out):
    """out[k] = M^-1 columns[k], both [columns, 6 bodies]."""
    for k in range(columns.shape[0]):
        for i in range(bodies.mass.shape[0]):
            x, y = columns[k, 6 * i : 6 * i + 6], out[k, 6 * i : 6 * i + 6]
            for c in range(3):
                y[c] = x[c] / bodies.mass[i]
            ax, ay, az = multiply_at(bodies.inverse_inertia, i, x[3], x[4], x[5])
            y[3] = ax
            y[4] = ay
            y[5] = az


@njit
def advance_bodies(
    h, bodies, response, motion, turning: Turning, v_free, impulse, work, ended_out: Ended, next_out
):
    """v = v_free + A^-1 J^T lambda, then positions with the new velocities: README eq. (3), (7), (8).

    work [3, 3] is scratch.
    """
    x, q = motion.x, motion.q
    x_out, q_out, v_out = next_out.x, next_out.q, next_out.v
    apply_inverse_mass(response, impulse, v_out)
    for i in range(bodies.mass.shape[0]):
        for k in range(6):
            v_out[i, k] += v_free[i, k]
            ended_out.v_rows[i, k] = v_out[i, k]
            ended_out.v_worked[i, k] = v_out[i, k]
        if is_fast(h, bodies.inertia, motion.v, i):
            for k in range(3):
                ended_out.v_worked[i, 3 + k] += motion.v[i, 3 + k] - turning.middle[i, k]
            w, a, b, c, v_out[i, 3], v_out[i, 4], v_out[i, 5] = turn_fast(
                h, bodies, motion, turning.middle, i, v_out[i, 3], v_out[i, 4], v_out[i, 5], work
            )
        else:
            dw, dx, dy, dz = exponentiate_rotation_vector(h * v_out[i, 3], h * v_out[i, 4], h * v_out[i, 5])
            w, a, b, c = multiply_quaternions(q[i, 0], q[i, 1], q[i, 2], q[i, 3], dw, dx, dy, dz)
            w, a, b, c = normalise_quaternion(w, a, b, c)
        for k in range(3):
            x_out[i, k] = x[i, k] + h * v_out[i, k]
        q_out[i, 0] = w
        q_out[i, 1] = a
        q_out[i, 2] = b
        q_out[i, 3] = c


@njit
def take_back_lag(lagging, jacobian, lag, response, work, next_inout):
    """Bodies go on as before until late impulses strike them: README eq. (3a). work [2, bodies, 6] is scratch."""
    if lagging[0] == 0:
        return
    late, way, x, q = work[0], work[1], next_inout.x, next_inout.q
    for i in range(late.shape[0]):
        for k in range(6):
            late[i, k] = 0.0
    for block in range(jacobian.counts[0]):
        i, g = jacobian.unit[block], jacobian.group[block]
        for row in range(3):
            for k in range(6):
                late[i, k] += jacobian.values[block, row, k] * lag[g, row]
    apply_inverse_mass(response, late, way)
    for i in range(late.shape[0]):
        for k in range(3):
            x[i, k] -= way[i, k]
        dw, dx, dy, dz = exponentiate_rotation_vector(-way[i, 3], -way[i, 4], -way[i, 5])
        w, a, b, c = multiply_quaternions(q[i, 0], q[i, 1], q[i, 2], q[i, 3], dw, dx, dy, dz)
        q[i, 0], q[i, 1], q[i, 2], q[i, 3] = normalise_quaternion(w, a, b, c)


@njit
def add_point_blocks(motion, count, group, frame, sign, point, directions, lever_out, jacobian_out):
    """Blocks d . [1, -[r]x R] of points at x + r: README eq. (4); angular velocities are in the body frame.

    lever_out [blocks, 3] has r of each.
    """
    x, q, values_out = motion.x, motion.q, jacobian_out.values
    for k in range(count):
        block = jacobian_out.counts[0] + k
        i = frame[k]
        jacobian_out.group[block] = group[k]
        jacobian_out.unit[block] = i
        jacobian_out.dof[block] = 6 * i
        rx, ry, rz = point[k, 0] - x[i, 0], point[k, 1] - x[i, 1], point[k, 2] - x[i, 2]
        lever_out[block, 0] = rx
        lever_out[block, 1] = ry
        lever_out[block, 2] = rz
        for row in range(3):
            dx = sign[k] * directions[k, row, 0]
            dy = sign[k] * directions[k, row, 1]
            dz = sign[k] * directions[k, row, 2]
            tx, ty, tz = cross(rx, ry, rz, dx, dy, dz)
            bx, by, bz = rotate_vector_back_at(q, i, tx, ty, tz)
            values_out[block, row, 0] = dx
            values_out[block, row, 1] = dy
            values_out[block, row, 2] = dz
            values_out[block, row, 3] = bx
            values_out[block, row, 4] = by
            values_out[block, row, 5] = bz
    jacobian_out.counts[0] += count


@njit
def add_turn_blocks(motion, count, group, frame, sign, directions, jacobian_out):
    """Blocks d . [0, R] of angular velocities in the world: README eq. (5)."""
    q, values_out = motion.q, jacobian_out.values
    for k in range(count):
        block = jacobian_out.counts[0] + k
        i = frame[k]
        jacobian_out.group[block] = group[k]
        jacobian_out.unit[block] = i
        jacobian_out.dof[block] = 6 * i
        for row in range(3):
            dx, dy, dz = directions[k, row, 0], directions[k, row, 1], directions[k, row, 2]
            bx, by, bz = rotate_vector_back_at(q, i, dx, dy, dz)
            for column in range(3):
                values_out[block, row, column] = 0.0
            values_out[block, row, 3] = sign[k] * bx
            values_out[block, row, 4] = sign[k] * by
            values_out[block, row, 5] = sign[k] * bz
    jacobian_out.counts[0] += count


@njit
def append_point_blocks(counts, motion, points, lever_out, jacobian_out):
    """`add_point_blocks` of the first counts[0] entries, if there is room; returns whether there is none."""
    if jacobian_out.counts[0] + counts[0] > jacobian_out.group.shape[0]:
        return True
    add_point_blocks(
        motion, counts[0], points.group, points.frame, points.sign, points.point, points.directions, lever_out,
        jacobian_out,
    )  # fmt: skip
    return False


@njit
def append_turn_blocks(counts, motion, points, jacobian_out):
    """The same with `add_turn_blocks`."""
    if jacobian_out.counts[0] + counts[0] > jacobian_out.group.shape[0]:
        return True
    add_turn_blocks(
        motion, counts[0], points.group, points.frame, points.sign, points.directions, jacobian_out
    )
    return False


@njit
def list_blocks_by_body(count, unit, first_out, next_out):
    """Chain the blocks of every body: first_out[body], then next_out[block], -1 at the end."""
    for i in range(first_out.shape[0]):
        first_out[i] = -1
    for block in range(count[0] - 1, -1, -1):
        next_out[block] = first_out[unit[block]]
        first_out[unit[block]] = block


@njit
def list_responses(bodies, jacobian, moved_out, single_out):
    """moved_out [blocks, 3, 6] = M^-1 J^T, the motion that a unit impulse of every row gives its body.

    single_out is 1 for blocks whose second and third rows are zero, as those of groups of one row.
    """
    mass, inverse_inertia, values = bodies.mass, bodies.inverse_inertia, jacobian.values
    for b in range(jacobian.counts[0]):
        i = jacobian.unit[b]
        single = 1
        for row in range(3):
            for k in range(3):
                moved_out[b, row, k] = values[b, row, k] / mass[i]
            ax, ay, az = multiply_at(
                inverse_inertia, i, values[b, row, 3], values[b, row, 4], values[b, row, 5]
            )
            moved_out[b, row, 3], moved_out[b, row, 4], moved_out[b, row, 5] = ax, ay, az
            for k in range(6):
                if row > 0 and values[b, row, k] != 0.0:
                    single = 0
        single_out[b] = single


@njit_inlined
def multiply_rows(values, a, row, moved, b, column):
    """Row of J of block a times the motion that a row of block b gives."""
    return (
        values[a, row, 0] * moved[b, column, 0] + values[a, row, 1] * moved[b, column, 1]
        + values[a, row, 2] * moved[b, column, 2] + values[a, row, 3] * moved[b, column, 3]
        + values[a, row, 4] * moved[b, column, 4] + values[a, row, 5] * moved[b, column, 5]
    )  # fmt: skip


@njit
def add_body_delassus(bodies, jacobian, chain, moved_out, blocks_out):
    """W += J M^-1 J^T: the blocks of one body couple their groups. `chain` and moved_out are scratch.

    Blocks of a body mostly come in the order of their groups, and so do the columns of a row: one is found by going on
    from the last. Of blocks of groups of one row, as those of joints, only the numbers in use are made.
    """
    group, unit, values = jacobian.group, jacobian.unit, jacobian.values
    indptr, indices, W_out = blocks_out.indptr, blocks_out.indices, blocks_out.values
    first, following, single = chain.first, chain.following, chain.single
    list_blocks_by_body(jacobian.counts, unit, first, following)
    list_responses(bodies, jacobian, moved_out, single)
    for a in range(jacobian.counts[0]):
        place = indptr[group[a]]
        b = first[unit[a]]
        while b >= 0:
            if indices[place] > group[b]:
                place = indptr[group[a]]
            while indices[place] != group[b]:
                place += 1
            if single[a] != 0 and single[b] != 0:
                W_out[place, 0, 0] += multiply_rows(values, a, 0, moved_out, b, 0)
            elif single[a] != 0:
                for column in range(3):
                    W_out[place, 0, column] += multiply_rows(values, a, 0, moved_out, b, column)
            elif single[b] != 0:
                for row in range(3):
                    W_out[place, row, 0] += multiply_rows(values, a, row, moved_out, b, 0)
            else:
                for row in range(3):
                    for column in range(3):
                        W_out[place, row, column] += multiply_rows(values, a, row, moved_out, b, column)
            b = following[b]


@njit
def list_body_roots(bodies, jacobian, roots_out):
    """Blocks J L with A^-1 = L L^T, so that W = (J L) (J L)^T."""
    mass, inverse = bodies.mass, bodies.inverse_inertia
    roots_out.counts[0] = jacobian.counts[0]
    for b in range(jacobian.counts[0]):
        i = jacobian.unit[b]
        roots_out.group[b], roots_out.unit[b] = jacobian.group[b], i
        light = 1.0 / math.sqrt(mass[i])
        l00 = math.sqrt(inverse[i, 0, 0])
        l10, l20 = inverse[i, 1, 0] / l00, inverse[i, 2, 0] / l00
        l11 = math.sqrt(inverse[i, 1, 1] - l10 * l10)
        l21 = (inverse[i, 2, 1] - l20 * l10) / l11
        l22 = math.sqrt(inverse[i, 2, 2] - l20 * l20 - l21 * l21)
        for row in range(3):
            for k in range(3):
                roots_out.values[b, row, k] = light * jacobian.values[b, row, k]
            x, y, z = jacobian.values[b, row, 3], jacobian.values[b, row, 4], jacobian.values[b, row, 5]
            roots_out.values[b, row, 3] = x * l00 + y * l10 + z * l20
            roots_out.values[b, row, 4] = y * l11 + z * l21
            roots_out.values[b, row, 5] = z * l22


@njit
def kinetic_energy(mass, inertia, v, i):
    """Kinetic energy of body i [J]."""
    lx, ly, lz = multiply_at(inertia, i, v[i, 3], v[i, 4], v[i, 5])
    linear = mass[i] * (v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
    return 0.5 * (linear + v[i, 3] * lx + v[i, 4] * ly + v[i, 5] * lz)


@njit
def distance(a, b, i):
    """Distance between rows i of a and b."""
    return math.sqrt((a[i, 0] - b[i, 0]) ** 2 + (a[i, 1] - b[i, 1]) ** 2 + (a[i, 2] - b[i, 2]) ** 2)


@njit
def observe_bodies(
    h, half_time, bodies, x_start, gravity, step, motion, x_half, given, after, seen_out, x_half_out
):
    """Energies, work of what is applied, and the metrics in the order that `Body` declares them."""
    mass, inertia, wrench, force = bodies.mass, bodies.inertia, given.wrench, given.force
    x, q, v, x_next, v_next = motion.x, motion.q, motion.v, after.x, after.v
    observed_out = seen_out.observed
    for i in range(mass.shape[0]):
        weight_now = 0.0
        weight_next = 0.0
        work = 0.0
        for k in range(3):
            # Velocities belong to the middle of a step, half of it before the position: README eq. (10).
            weight_now -= mass[i] * gravity[k] * (x[i, k] - 0.5 * h * v[i, k])
            weight_next -= mass[i] * gravity[k] * (x_next[i, k] - 0.5 * h * v_next[i, k])
            work += 0.5 * h * (wrench[i, k] + force[i, k]) * (v[i, k] + v_next[i, k])
        tx, ty, tz = rotate_vector_at(
            q, i, v[i, 3] + v_next[i, 3], v[i, 4] + v_next[i, 4], v[i, 5] + v_next[i, 5]
        )
        work += 0.5 * h * (wrench[i, 3] * tx + wrench[i, 4] * ty + wrench[i, 5] * tz)
        for k in range(3, 6):
            work += 0.5 * h * force[i, k] * (v[i, k] + v_next[i, k])
        seen_out.before[0] += kinetic_energy(mass, inertia, v, i) + weight_now
        seen_out.kinetic[0] += kinetic_energy(mass, inertia, v_next, i)
        seen_out.potential[0] += weight_next
        seen_out.applied[0] += work
        first_half = step[0] < half_time
        if first_half:
            for k in range(3):
                x_half_out[i, k] = x_next[i, k]
        speed = math.sqrt(v_next[i, 0] ** 2 + v_next[i, 1] ** 2 + v_next[i, 2] ** 2)
        observed_out[i, 0] = x_next[i, 1]
        observed_out[i, 1] = speed
        observed_out[i, 2] = distance(x_next, x_start, i)
        observed_out[i, 3] = distance(v_next, v, i) / h
        observed_out[i, 4] = speed
        observed_out[i, 5] = 0.0 if first_half else distance(x_next, x_half, i)
