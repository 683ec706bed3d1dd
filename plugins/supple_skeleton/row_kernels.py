"""Rows on bones: Jacobian blocks of points, and the Delassus operator; README eq. (16) and (26)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot
from supple.mechanics.block_matrix_kernels import find_block
from supple_skeleton.layout import DOF_PARENT, LAST_DOF, ROOT, ROW, TREE, WINDOW


@njit
def open_block(bone, i, group, used_out, group_out, unit_out, dof_out, values_out):
    """Appends a zero block for rows of `group` on bone i; returns its place."""
    block = used_out[0]
    group_out[block] = group
    unit_out[block] = bone[i, TREE]
    dof_out[block] = bone[i, WINDOW]
    for row in range(3):
        for column in range(values_out.shape[2]):
            values_out[block, row, column] = 0.0
    used_out[0] = block + 1
    return block


@njit
def add_point_blocks(
    bone, dof, axis, x, count, group, frame, sign, point, directions,
    used_out, group_out, unit_out, dof_out, values_out,
):  # fmt: skip
    """Blocks sign * directions @ (Jacobian of the point), dense over the rates of the skeleton."""
    for p in range(count):
        i = frame[p]
        block = open_block(bone, i, group[p], used_out, group_out, unit_out, dof_out, values_out)
        root = bone[i, ROOT]
        rx, ry, rz = point[p, 0] - x[root, 0], point[p, 1] - x[root, 1], point[p, 2] - x[root, 2]
        first = bone[i, WINDOW]
        k = bone[i, LAST_DOF]
        while k >= 0:
            sx, sy, sz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
            sx, sy, sz = sign[p] * (sx + axis[k, 0]), sign[p] * (sy + axis[k, 1]), sign[p] * (sz + axis[k, 2])
            for row in range(3):
                values_out[block, row, k - first] = (
                    directions[p, row, 0] * sx + directions[p, row, 1] * sy + directions[p, row, 2] * sz
                )
            k = dof[k, DOF_PARENT]


@njit
def add_turn_blocks(
    bone, dof, axis, count, group, frame, sign, directions,
    used_out, group_out, unit_out, dof_out, values_out,
):  # fmt: skip
    """Blocks sign * directions @ (Jacobian of the bone's rotation), dense over the rates of the skeleton."""
    for p in range(count):
        i = frame[p]
        block = open_block(bone, i, group[p], used_out, group_out, unit_out, dof_out, values_out)
        k = bone[i, LAST_DOF]
        while k >= 0:
            for row in range(3):
                along = dot(
                    directions[p, row, 0], directions[p, row, 1], directions[p, row, 2],
                    axis[k, 3], axis[k, 4], axis[k, 5],
                )  # fmt: skip
                values_out[block, row, k - bone[i, WINDOW]] = sign[p] * along
            k = dof[k, DOF_PARENT]


@njit
def add_weighted_blocks(
    bone, dof, axis, x, count, group, frame, weight, moment, directions,
    used_out, group_out, unit_out, dof_out, values_out,
):  # fmt: skip
    """Blocks directions @ (weight * velocity of the bone's origin + spin x moment); README eq. (30)."""
    for p in range(count):
        i = frame[p]
        block = open_block(bone, i, group[p], used_out, group_out, unit_out, dof_out, values_out)
        root = bone[i, ROOT]
        s = weight[p]
        rx = moment[p, 0] + s * (x[i, 0] - x[root, 0])
        ry = moment[p, 1] + s * (x[i, 1] - x[root, 1])
        rz = moment[p, 2] + s * (x[i, 2] - x[root, 2])
        first = bone[i, WINDOW]
        k = bone[i, LAST_DOF]
        while k >= 0:
            jx, jy, jz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
            jx, jy, jz = jx + s * axis[k, 0], jy + s * axis[k, 1], jz + s * axis[k, 2]
            for row in range(3):
                values_out[block, row, k - first] = dot(
                    directions[p, row, 0], directions[p, row, 1], directions[p, row, 2], jx, jy, jz
                )
            k = dof[k, DOF_PARENT]


@njit
def list_blocks(count, unit, first_out, next_out):
    """Chain the blocks of every skeleton in rising order: first_out[skeleton], then next_out[block], -1 at the end."""
    for tree in range(first_out.shape[0]):
        first_out[tree] = -1
    for block in range(count[0] - 1, -1, -1):
        next_out[block] = first_out[unit[block]]
        first_out[unit[block]] = block


@njit
def gather_rows(values, first, following, width, blocks_out, active_out, half_out):
    """The rows of all blocks of a skeleton side by side: half_out[c, 3 n + row]. Returns their number.

    active_out[c] says whether column c has any entry.
    """
    count = 0
    block = first
    while block >= 0:
        blocks_out[count] = block
        count += 1
        block = following[block]
    rows = 3 * count
    for c in range(width):
        active_out[c] = 0
    for n in range(count):
        block = blocks_out[n]
        for row in range(3):
            for c in range(width):
                entry = values[block, row, c]
                half_out[c, 3 * n + row] = entry
                if entry != 0.0:
                    active_out[c] = 1
    return rows


@njit
def halve_rows(dof, factor, window, width, rows, active_out, half_out):
    """half_out <- L^-T half_out for all rows at once. Columns off all chains are zero and stay so."""
    for c in range(width - 1, -1, -1):
        if active_out[c] == 0:
            continue
        place = dof[window + c, ROW]
        j = dof[window + c, DOF_PARENT]
        while j >= 0:
            place += 1
            ratio = factor[place]
            active_out[j - window] = 1
            for n in range(rows):
                half_out[j - window, n] -= ratio * half_out[c, n]
            j = dof[j, DOF_PARENT]


@njit
def multiply_rows(dof, factor, window, width, rows, n, active, half, product_out):
    """product_out[row, m] = sum half[3 n + row] half[m] / D: the three rows of block n with all rows.

    Loops over m begin at 0, though half of it would do: only so they become vector instructions.
    """
    for row in range(3):
        for m in range(rows):
            product_out[row, m] = 0.0
    for c in range(width):
        if active[c] == 0:
            continue
        inverse = factor[dof[window + c, ROW]]
        y0, y1, y2 = half[c, 3 * n] * inverse, half[c, 3 * n + 1] * inverse, half[c, 3 * n + 2] * inverse
        if y0 == 0.0 and y1 == 0.0 and y2 == 0.0:
            continue
        for m in range(rows):
            product_out[0, m] += y0 * half[c, m]
            product_out[1, m] += y1 * half[c, m]
            product_out[2, m] += y2 * half[c, m]


@njit
def find_near_block(indptr, indices, row, column, guess):
    """Position of block (row, column); `guess` is right when groups come in rising order."""
    if indptr[row] <= guess < indptr[row + 1] and indices[guess] == column:
        return guess
    return find_block(indptr, indices, row, column)


@njit
def add_bone_delassus(
    dof, factor, count, group, unit, window, values, indptr, indices,
    first_out, next_out, blocks_out, cursor_out, active_out, half_out, product_out, W_out,
):  # fmt: skip
    """W_out += J A^-1 J^T: blocks of one skeleton couple their groups; README eq. (26).

    All outputs but W_out are scratch.
    """
    width = values.shape[2]
    list_blocks(count, unit, first_out, next_out)
    for tree in range(first_out.shape[0]):
        if first_out[tree] < 0:
            continue
        start = window[first_out[tree]]
        rows = gather_rows(values, first_out[tree], next_out, width, blocks_out, active_out, half_out)
        halve_rows(dof, factor, start, width, rows, active_out, half_out)
        for n in range(rows // 3):
            cursor_out[n] = -1
        for n in range(rows // 3):
            multiply_rows(dof, factor, start, width, rows, n, active_out, half_out, product_out)
            own = group[blocks_out[n]]
            place = -1
            for m in range(n, rows // 3):
                other = group[blocks_out[m]]
                place = find_near_block(indptr, indices, own, other, place + 1)
                mirror = find_near_block(indptr, indices, other, own, cursor_out[m] + 1)
                cursor_out[m] = mirror
                for row in range(3):
                    for column in range(3):
                        entry = product_out[row, 3 * m + column]
                        W_out[place, row, column] += entry
                        if m != n:
                            W_out[mirror, column, row] += entry
