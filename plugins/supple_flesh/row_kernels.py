"""Rows of points on flesh: blocks of vertices and of bones, and the Delassus operator; README eq. (17) to (19)."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple_bones.row_kernels import find_near_block
from supple_flesh.tables import MOVING, ActiveVertices, DelassusScratch, HungVertices, WeightedSums


@njit_inlined
def open_weighted_row(points, p, frame, count, begin, rows_out: WeightedSums):
    """The entry of bone `frame` for point p among begin..count, a new one at `count` if there is none yet."""
    directions, moment_out, directions_out = points.directions, rows_out.moment, rows_out.directions
    for k in range(begin, count):
        if rows_out.frame[k] == frame:
            return k
    rows_out.group[count] = points.group[p]
    rows_out.frame[count] = frame
    rows_out.weight[count] = 0.0
    for axis in range(3):
        moment_out[count, axis] = 0.0
        for row in range(3):
            directions_out[count, row, axis] = directions[p, row, axis]
    return count


@njit_inlined
def add_vertex_block(points, p, factor, rotation, b, unit, i, blocks_out):
    """One more block: factor * directions of point p, in the axes of bone b, on the velocity of vertex i."""
    directions, values_out, block = points.directions, blocks_out.values, blocks_out.counts[0]
    blocks_out.group[block] = points.group[p]
    blocks_out.unit[block] = unit
    blocks_out.dof[block] = 3 * i
    blocks_out.counts[0] = block + 1
    for row in range(3):
        lx, ly, lz = rotate_vector_back_at(
            rotation, b, directions[p, row, 0], directions[p, row, 1], directions[p, row, 2]
        )
        values_out[block, row, 0] = factor * lx
        values_out[block, row, 1] = factor * ly
        values_out[block, row, 2] = factor * lz


@njit
def make_rows(hung: HungVertices, first_triangle, points, rows_out: WeightedSums, blocks_out):
    """Rows of points on the skin of one flesh; returns the number of rows on bones.

    The velocity of a point is the sum of those of the corners, with barycentric weights. Corners on one bone share a
    row there. points are `SurfacePoints`, blocks_out is a `Jacobian`.
    """
    patch_bone, patch_of, rotation, local = hung.patch_bone, hung.patch_of, hung.rotation, hung.x
    mask, lag, lag_moment, triangles = hung.mask, hung.lag, hung.lag_moment, hung.triangles
    element, weights, weight_out, moment_out = (
        points.element,
        points.weights,
        rows_out.weight,
        rows_out.moment,
    )
    rows = 0
    for p in range(points.span[0], points.span[1]):
        begin = rows
        for k in range(3):
            factor = points.sign[p] * weights[p, k]
            if factor == 0.0:
                continue
            i = triangles[first_triangle + element[p], k]
            b = patch_bone[patch_of[i]]
            place = open_weighted_row(points, p, b, rows, begin, rows_out)
            rows = max(rows, place + 1)
            mx, my, mz = rotate_vector_at(
                rotation, b,
                local[i, 0] - lag_moment[i, 0], local[i, 1] - lag_moment[i, 1], local[i, 2] - lag_moment[i, 2],
            )  # fmt: skip
            weight_out[place] += factor * (1.0 - lag[i])
            moment_out[place, 0] += factor * mx
            moment_out[place, 1] += factor * my
            moment_out[place, 2] += factor * mz
            if mask[i] == MOVING:
                add_vertex_block(points, p, factor, rotation, b, patch_of[i], i, blocks_out)
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
    active: ActiveVertices, patch, dof, values, first, last, other_first, other_last, product_out
):
    """product_out [3, 3] = sum over two runs of blocks on one patch of V_p (A_s^-1)_pq V_q^T; eq. (19).

    The sums are numbers of their own, which stay in registers.
    """
    slot, inverse, place = active.slot, active.inverse, active.inverse_start[patch]
    size = active.start[patch + 1] - active.start[patch]
    p00, p01, p02, p10, p11, p12, p20, p21, p22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(first, last):
        line, v = place + slot[dof[p] // 3] * size, values[p]
        for q in range(other_first, other_last):
            entry, w = inverse[line + slot[dof[q] // 3]], values[q]
            w00, w01, w02 = w[0, 0], w[0, 1], w[0, 2]
            w10, w11, w12 = w[1, 0], w[1, 1], w[1, 2]
            w20, w21, w22 = w[2, 0], w[2, 1], w[2, 2]
            v0, v1, v2 = entry * v[0, 0], entry * v[0, 1], entry * v[0, 2]
            p00 += v0 * w00 + v1 * w01 + v2 * w02
            p01 += v0 * w10 + v1 * w11 + v2 * w12
            p02 += v0 * w20 + v1 * w21 + v2 * w22
            v0, v1, v2 = entry * v[1, 0], entry * v[1, 1], entry * v[1, 2]
            p10 += v0 * w00 + v1 * w01 + v2 * w02
            p11 += v0 * w10 + v1 * w11 + v2 * w12
            p12 += v0 * w20 + v1 * w21 + v2 * w22
            v0, v1, v2 = entry * v[2, 0], entry * v[2, 1], entry * v[2, 2]
            p20 += v0 * w00 + v1 * w01 + v2 * w02
            p21 += v0 * w10 + v1 * w11 + v2 * w12
            p22 += v0 * w20 + v1 * w21 + v2 * w22
    product_out[0, 0], product_out[0, 1], product_out[0, 2] = p00, p01, p02
    product_out[1, 0], product_out[1, 1], product_out[1, 2] = p10, p11, p12
    product_out[2, 0], product_out[2, 1], product_out[2, 2] = p20, p21, p22


@njit_inlined
def list_runs(count, group, unit, start_out, following_out, head_out):
    """Where the runs of blocks begin, and rising chains of those of every patch; returns how many there are."""
    runs, first = 0, 0
    while first < count:
        start_out[runs] = first
        first = end_of_run(count, group, unit, first)
        runs += 1
    start_out[runs] = count
    for patch in range(head_out.size):
        head_out[patch] = -1
    for run in range(runs - 1, -1, -1):
        patch = unit[start_out[run]]
        following_out[run] = head_out[patch]
        head_out[patch] = run
    return runs


@njit
def add_flesh_delassus(active: ActiveVertices, jacobian, scratch: DelassusScratch, W_out):
    """W_out += J A_xx^-1 J^T: blocks on one patch couple their groups. jacobian is a `Jacobian`, W_out are `Blocks`."""
    group, unit, count = jacobian.group, jacobian.unit, jacobian.counts[0]
    indptr, indices, values = W_out.indptr, W_out.indices, W_out.values
    cursor, product, start, following = scratch.cursor, scratch.product, scratch.start, scratch.following
    runs = list_runs(count, group, unit, start, following, scratch.head)
    for run in range(runs):
        cursor[run] = -1
    for run in range(runs):
        first, last = start[run], start[run + 1]
        place, other = -1, run
        while other >= 0:
            begin = start[other]
            add_run_product(
                active,
                unit[first],
                jacobian.dof,
                jacobian.values,
                first,
                last,
                begin,
                start[other + 1],
                product,
            )
            place = find_near_block(indptr, indices, group[first], group[begin], place + 1)
            mirror = find_near_block(indptr, indices, group[begin], group[first], cursor[other] + 1)
            cursor[other] = mirror
            for row in range(3):
                for column in range(3):
                    values[place, row, column] += product[row, column]
                    if other != run:
                        values[mirror, column, row] += product[row, column]
            other = following[other]
