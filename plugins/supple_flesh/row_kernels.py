"""Rows of points on flesh: blocks of vertices and of bones, and the Delassus operator; README eq. (17) to (19)."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple_bones.row_kernels import find_near_block


@njit_inlined
def open_weighted_row(group, frame, directions, c, count, begin, group_out, frame_out, weight_out, moment_out,
                      directions_out):  # fmt: skip
    """The entry of bone `frame` among begin..count, a new one at `count` if there is none yet."""
    for k in range(begin, count):
        if frame_out[k] == frame:
            return k
    group_out[count] = group
    frame_out[count] = frame
    weight_out[count] = 0.0
    for axis in range(3):
        moment_out[count, axis] = 0.0
        for row in range(3):
            directions_out[count, row, axis] = directions[c, row, axis]
    return count


@njit_inlined
def add_vertex_block(
    group, unit, i, factor, rotation, b, directions, c, block, group_out, unit_out, dof_out, values_out
):
    """Block `block`: factor * directions, in the axes of bone b, on the velocity of vertex i."""
    group_out[block] = group
    unit_out[block] = unit
    dof_out[block] = 3 * i
    for row in range(3):
        lx, ly, lz = rotate_vector_back_at(
            rotation, b, directions[c, row, 0], directions[c, row, 1], directions[c, row, 2]
        )
        values_out[block, row, 0] = factor * lx
        values_out[block, row, 1] = factor * ly
        values_out[block, row, 2] = factor * lz


@njit
def make_rows(
    hung, first_triangle, points,
    row_group_out, row_frame_out, row_weight_out, row_moment_out, row_directions_out,
    used_out, group_out, unit_out, dof_out, values_out,
):  # fmt: skip
    """Rows of points on the skin of one flesh; returns the number of rows on bones. `hung` is a `Hung`.

    The velocity of a point is the sum of those of the corners, with barycentric weights. Corners on one bone share a
    row there.
    """
    patch_bone, patch_of, rotation, local = hung.patch_bone, hung.patch_of, hung.rotation, hung.x
    mask, lag, lag_moment, triangles = hung.mask, hung.lag, hung.lag_moment, hung.triangles
    group, element, weights, directions = points.group, points.element, points.weights, points.directions
    rows = 0
    for p in range(points.span[0], points.span[1]):
        begin = rows
        for k in range(3):
            factor = points.sign[p] * weights[p, k]
            if factor == 0.0:
                continue
            i = triangles[first_triangle + element[p], k]
            b = patch_bone[patch_of[i]]
            place = open_weighted_row(
                group[p], b, directions, p, rows, begin,
                row_group_out, row_frame_out, row_weight_out, row_moment_out, row_directions_out,
            )  # fmt: skip
            rows = max(rows, place + 1)
            mx, my, mz = rotate_vector_at(
                rotation, b,
                local[i, 0] - lag_moment[i, 0], local[i, 1] - lag_moment[i, 1], local[i, 2] - lag_moment[i, 2],
            )  # fmt: skip
            row_weight_out[place] += factor * (1.0 - lag[i])
            row_moment_out[place, 0] += factor * mx
            row_moment_out[place, 1] += factor * my
            row_moment_out[place, 2] += factor * mz
            if mask[i] != 0:
                add_vertex_block(
                    group[p], patch_of[i], i, factor, rotation, b, directions, p, used_out[0],
                    group_out, unit_out, dof_out, values_out,
                )  # fmt: skip
                used_out[0] += 1
    return rows


@njit_inlined
def end_of_run(count, group, unit, first):
    """The end of the blocks from `first` on that belong to the same group and unit."""
    last = first + 1
    while last < count and group[last] == group[first] and unit[last] == unit[first]:
        last += 1
    return last


@njit_inlined
def add_run_product(
    inverse, place, size, slot, dof, values, first, last, other_first, other_last, product_out
):
    """product_out [3, 3] = sum over two runs of blocks of V_p (A_s^-1)_pq V_q^T; eq. (19)."""
    for row in range(3):
        for column in range(3):
            product_out[row, column] = 0.0
    for p in range(first, last):
        line = place + slot[dof[p] // 3] * size
        for q in range(other_first, other_last):
            entry = inverse[line + slot[dof[q] // 3]]
            for row in range(3):
                v0, v1, v2 = entry * values[p, row, 0], entry * values[p, row, 1], entry * values[p, row, 2]
                for column in range(3):
                    product_out[row, column] += (
                        v0 * values[q, column, 0] + v1 * values[q, column, 1] + v2 * values[q, column, 2]
                    )


@njit
def add_flesh_delassus(
    start, inverse_start, inverse, slot, count, group, unit, dof, values, indptr, indices,
    cursor_out, product_out, W_out,
):  # fmt: skip
    """W_out += J A_xx^-1 J^T: blocks on one patch couple their groups.

    cursor_out [blocks] and product_out [3, 3] are scratch; the cursors remember where in W the last block of a run was.
    """
    for k in range(count[0]):
        cursor_out[k] = -1
    first = 0
    while first < count[0]:
        last = end_of_run(count[0], group, unit, first)
        patch = unit[first]
        size = start[patch + 1] - start[patch]
        place = -1
        other = first
        while other < count[0]:
            other_last = end_of_run(count[0], group, unit, other)
            if unit[other] == patch:
                add_run_product(
                    inverse, inverse_start[patch], size, slot, dof, values, first, last, other, other_last,
                    product_out,
                )  # fmt: skip
                place = find_near_block(indptr, indices, group[first], group[other], place + 1)
                mirror = find_near_block(indptr, indices, group[other], group[first], cursor_out[other] + 1)
                cursor_out[other] = mirror
                for row in range(3):
                    for column in range(3):
                        W_out[place, row, column] += product_out[row, column]
                        if other != first:
                            W_out[mirror, column, row] += product_out[row, column]
            other = other_last
        first = last
