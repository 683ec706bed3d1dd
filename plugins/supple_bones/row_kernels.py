"""Rows on bones: Jacobian blocks of points; README eq. (16). `delassus_kernels` has what they are coupled by."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross, dot
from supple.mechanics.block_matrix_kernels import find_block
from supple_bones.layout import (
    DOF_PARENT,
    FOLLOWS,
    LAST_DOF,
    ROOT,
    ROW_COUNT,
    ROW_FIRST,
    TREE,
    V_FIRST,
    WINDOW,
)
from supple_bones.tables import RowActs


@njit_inlined
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


@njit_inlined
def append_block(bone, i, group, blocks_out):
    """`open_block` of a mechanism's blocks."""
    return open_block(
        bone,
        i,
        group,
        blocks_out.counts,
        blocks_out.group,
        blocks_out.unit,
        blocks_out.dof,
        blocks_out.values,
    )


@njit
def note_block(i, block, weight, mx, my, mz, directions, acts_out: RowActs):
    """Where a block acts."""
    acts_out.frame[block] = i
    acts_out.weight[block] = weight
    acts_out.moment[block, 0], acts_out.moment[block, 1], acts_out.moment[block, 2] = mx, my, mz
    for row in range(3):
        for c in range(3):
            acts_out.directions[block, row, c] = directions[row, c]


@njit
def add_point_blocks(
    bone, dof, axis, x, acts_out: RowActs, group, frame, sign, point, directions, blocks_out, count,
):  # fmt: skip
    """Blocks sign * directions @ (Jacobian of the first `count` points), dense over the rates of the tree."""
    values_out, noted = blocks_out.values, acts_out.frame.shape[0] > 0
    for p in range(count):
        i = frame[p]
        block = append_block(bone, i, group[p], blocks_out)
        if noted:
            rx, ry, rz = point[p, 0] - x[i, 0], point[p, 1] - x[i, 1], point[p, 2] - x[i, 2]
            note_block(i, block, sign[p], sign[p] * rx, sign[p] * ry, sign[p] * rz, directions[p], acts_out)
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
def append_point_blocks(counts, bone, dof, axis, x, acts_out: RowActs, points, blocks_out):
    """`add_point_blocks` of the first counts[0] points, if there is room; returns whether there is none."""
    if blocks_out.counts[0] + counts[0] > blocks_out.group.shape[0]:
        return True
    add_point_blocks(
        bone, dof, axis, x, acts_out, points.group, points.frame, points.sign, points.point, points.directions,
        blocks_out, counts[0],
    )  # fmt: skip
    return False


@njit
def forget_blocks(count_out, frame_out):
    """Forget all blocks, and where they act."""
    for k in range(count_out[0]):
        frame_out[k] = -1
    count_out[0] = 0


@njit
def add_turn_blocks(bone, dof, axis, group, frame, sign, directions, blocks_out, count):
    """Blocks sign * directions @ (Jacobian of the bone's rotation), dense over the rates of the tree."""
    values_out = blocks_out.values
    for p in range(count):
        i = frame[p]
        block = append_block(bone, i, group[p], blocks_out)
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
def append_turn_blocks(counts, bone, dof, axis, points, blocks_out):
    """`add_turn_blocks` of the first counts[0] entries, if there is room; returns whether there is none."""
    if blocks_out.counts[0] + counts[0] > blocks_out.group.shape[0]:
        return True
    add_turn_blocks(
        bone, dof, axis, points.group, points.frame, points.sign, points.directions, blocks_out, counts[0]
    )
    return False


@njit_inlined
def set_weighted_column(axis, k, s, rx, ry, rz, p, directions, block, column, values_out):
    """Column of a block: directions @ (s * sliding + turning x r) of the axis in row k."""
    jx, jy, jz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
    jx, jy, jz = jx + s * axis[k, 0], jy + s * axis[k, 1], jz + s * axis[k, 2]
    for row in range(3):
        values_out[block, row, column] = dot(
            directions[p, row, 0], directions[p, row, 1], directions[p, row, 2], jx, jy, jz
        )


@njit
def add_weighted_blocks(
    bone, dof, axis, x, acts_out: RowActs, group, frame, weight, moment, directions, blocks_out, count
):  # fmt: skip
    """Blocks directions @ (weight * velocity of the bone's origin + spin x moment); README eq. (22)."""
    values_out, noted = blocks_out.values, acts_out.frame.shape[0] > 0
    for p in range(count):
        i = frame[p]
        block = append_block(bone, i, group[p], blocks_out)
        if noted:
            note_block(i, block, weight[p], moment[p, 0], moment[p, 1], moment[p, 2], directions[p], acts_out)
        root = bone[i, ROOT]
        s = weight[p]
        rx = moment[p, 0] + s * (x[i, 0] - x[root, 0])
        ry = moment[p, 1] + s * (x[i, 1] - x[root, 1])
        rz = moment[p, 2] + s * (x[i, 2] - x[root, 2])
        first = bone[i, WINDOW]
        k = bone[i, LAST_DOF]
        while k >= 0:
            set_weighted_column(axis, k, s, rx, ry, rz, p, directions, block, k - first, values_out)
            k = dof[k, DOF_PARENT]
        if bone[i, FOLLOWS] >= 0:
            for local in range(bone[i, ROW_COUNT]):
                column = bone[i, V_FIRST] + local - first
                row = bone[i, ROW_FIRST] + local
                set_weighted_column(axis, row, s, rx, ry, rz, p, directions, block, column, values_out)


@njit_inlined
def find_near_block(indptr, indices, row, column, guess):
    """Position of block (row, column); `guess` is right when groups come in rising order.

    If it is not, the next guess is right where the row has no gaps.
    """
    first, end = indptr[row], indptr[row + 1]
    if first <= guess < end and indices[guess] == column:
        return guess
    guess = first + column - indices[first]
    if first <= guess < end and indices[guess] == column:
        return guess
    return find_block(indptr, indices, row, column)
