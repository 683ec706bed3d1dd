"""Matrices of the active vertices of every patch: A_s, and products with its inverse; README eq. (3) and (4).

Active vertices are numbered patch by patch: those of patch p are vertex[start[p]] to vertex[start[p + 1] - 1]. slot[i]
is the place of vertex i among those of its patch, -1 if it is not active. The inverse of patch p is a dense matrix,
row by row from inverse_start[p] on, where there is room for that of all its vertices that may move.
"""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.strip_kernels import LANES, sum_one_even, sum_two_even
from supple_flesh.tables import MOVING, ActiveVertices, FreeScratch, Springs


@njit
def fill_patch_matrix(patch_of, mass, springs: Springs, active: ActiveVertices, h, p, matrix_out):
    """matrix_out [m, m] = A_s of the active vertices of patch p; README eq. (3)."""
    first, neighbour, edge_stiffness = springs.first, springs.neighbour, springs.edge_stiffness
    vertex, slot, begin, end = active.vertex, active.slot, active.start[p], active.start[p + 1]
    for k in range(end - begin):
        for other in range(end - begin):
            matrix_out[k, other] = 0.0
    for k in range(begin, end):
        i = vertex[k]
        total = springs.vertex_stiffness[i]
        for e in range(first[i], first[i + 1]):
            j = neighbour[e]
            total += edge_stiffness[e]
            if slot[j] >= 0 and patch_of[j] == patch_of[i]:
                matrix_out[k - begin, slot[j]] -= h * h * edge_stiffness[e]
        matrix_out[k - begin, k - begin] += mass[i] + h * springs.damping[i] + h * h * total


@njit
def multiply_patches(active: ActiveVertices, right, product_out):
    """product_out [3, n] = A_s^-1 right [n, 3] patch by patch, over the active vertices.

    Rows of the product are longer than is used: what is written behind a patch belongs to the next one or to nobody.
    """
    start, inverse_start = active.start, active.inverse_start
    for p in range(start.shape[0] - 1):
        begin = start[p]
        size = start[p + 1] - begin
        rows, weights, sums = active.inverse[inverse_start[p] :], right[begin:], product_out[0, begin:]
        m = 0
        while m < size:
            if size - m > LANES:
                sum_two_even(rows, size, weights, size, m, sums, product_out.shape[1])
                m += 2 * LANES
            else:
                sum_one_even(rows, size, weights, size, m, sums, product_out.shape[1])
                m += LANES


@njit
def multiply_columns(active: ActiveVertices, columns, out):
    """out[c] = A_s^-1 columns[c], both [columns, 3 n] over all vertices, three numbers each; 0 where not active."""
    vertex, start, inverse_start, inverse = active.vertex, active.start, active.inverse_start, active.inverse
    for c in range(columns.shape[0]):
        for k in range(columns.shape[1]):
            out[c, k] = 0.0
        for p in range(start.shape[0] - 1):
            begin = start[p]
            size = start[p + 1] - begin
            for j in range(size):
                place = 3 * vertex[begin + j]
                r0, r1, r2 = columns[c, place], columns[c, place + 1], columns[c, place + 2]
                if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
                    continue
                row = inverse[inverse_start[p] + j * size : inverse_start[p] + (j + 1) * size]
                for k in range(size):
                    to = 3 * vertex[begin + k]
                    out[c, to] += row[k] * r0
                    out[c, to + 1] += row[k] * r1
                    out[c, to + 2] += row[k] * r2


@njit
def find_push(h, force, active: ActiveVertices, scratch_out: FreeScratch):
    """push = h A_s^-1 force over the active vertices, in the scratch; where all force is zero it only says so."""
    vertex, right_out = active.vertex, scratch_out.right
    pushes = False
    for k in range(active.start[-1]):
        for c in range(3):
            right_out[k, c] = h * force[vertex[k], c]
            pushes |= right_out[k, c] != 0.0
    scratch_out.pushes[0] = pushes
    if pushes:
        multiply_patches(active, right_out, scratch_out.push)


@njit
def list_active(member, member_start, last_mask_inout, changed_out, active_out: ActiveVertices, mask):
    """Lists of the active vertices of all patches, and which patches have others than under the last mask.

    The vertices of patch p are member[member_start[p]] to member[member_start[p + 1] - 1]. Returns whether the mask is
    another than the last.
    """
    vertex_out, slot_out, start_out = active_out.vertex, active_out.slot, active_out.start
    same = True
    for i in range(mask.shape[0]):
        same &= (1 if mask[i] == MOVING else 0) == last_mask_inout[i]
    if same:
        return False
    start_out[0] = 0
    for p in range(changed_out.shape[0]):
        changed_out[p] = 0
        used = start_out[p]
        for k in range(member_start[p], member_start[p + 1]):
            i = member[k]
            slot_out[i] = -1
            moves = 1 if mask[i] == MOVING else 0
            if moves != last_mask_inout[i]:
                changed_out[p] = 1
            if moves != 0:
                slot_out[i] = used - start_out[p]
                vertex_out[used] = i
                used += 1
            last_mask_inout[i] = moves
        start_out[p + 1] = used
    return True


@njit
def mirror_upper(matrix_out):
    """Copies the upper triangle to the lower one."""
    for i in range(matrix_out.shape[0]):
        for j in range(i):
            matrix_out[i, j] = matrix_out[j, i]


@njit
def find_lags(mass, active: ActiveVertices, lag_out):
    """lag_out [n] = A_s^-1 m of the active vertices, 0 of the others; README eq. (4)."""
    vertex, start, inverse_start, inverse = active.vertex, active.start, active.inverse_start, active.inverse
    for i in range(lag_out.shape[0]):
        lag_out[i] = 0.0
    for p in range(start.shape[0] - 1):
        size = start[p + 1] - start[p]
        for k in range(size):
            place = inverse_start[p] + k * size
            total = 0.0
            for j in range(size):
                total += inverse[place + j] * mass[vertex[start[p] + j]]
            lag_out[vertex[start[p] + k]] = total
