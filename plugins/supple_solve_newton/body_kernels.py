"""The matrix of a Newton step in the space of the bodies.

With B = J A^(-1/2), so that W = B B^T, and D what stands on the diagonal besides W, the system of README eq. (3),

    (L^T B B^T C + D) y = f,    is    (1 + B^T C D^-1 L^T B) z = B^T C D^-1 f,    y = D^-1 (f - L^T B z),       (1)

with six unknowns z a body, however many contacts it has. D has a block for every group and must be regular.
"""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.strip_kernels import add_three_sixes
from supple_solve_newton.body_state import BodyMatrix, Incidence, Middle
from supple_solve_newton.newton_kernels import FIXED


@njit
def list_incidences(group_count, roots, next_out, incidence_out: Incidence):
    """Sort the blocks of B by groups; next_out [groups] is scratch."""
    start = incidence_out.start
    for i in range(group_count + 1):
        start[i] = 0
    for k in range(roots.counts[0]):
        start[roots.group[k] + 1] += 1
    for i in range(group_count):
        start[i + 1] += start[i]
        next_out[i] = start[i]
    for k in range(roots.counts[0]):
        i = roots.group[k]
        p = next_out[i]
        next_out[i] += 1
        incidence_out.body[p] = roots.unit[k]
        for row in range(3):
            for c in range(6):
                incidence_out.root[p, row, c] = roots.values[k, row, c]


@njit_inlined
def invert_block(added, i, mode, inverse_out):
    """inverse_out[i] = added[i]^-1 of its first `mode` rows and columns, by elimination; False where it is singular."""
    for a in range(mode):
        for b in range(mode):
            inverse_out[i, a, b] = added[i, a, b]
    for k in range(mode):
        pivot = inverse_out[i, k, k]
        if not abs(pivot) > 0.0:
            return False
        inverse_out[i, k, k] = 1.0
        for b in range(mode):
            inverse_out[i, k, b] /= pivot
        for a in range(mode):
            if a != k:
                ratio = inverse_out[i, a, k]
                inverse_out[i, a, k] = 0.0
                for b in range(mode):
                    inverse_out[i, a, b] -= ratio * inverse_out[i, k, b]
    return True


@njit
def invert_added(group_count, linear, added, middle_out: Middle):
    """D^-1 and C D^-1 L^T of all groups; False where a block of D is singular."""
    inverse, product = middle_out.inverse, middle_out.product
    for i in range(group_count):
        mode = linear.mode[i]
        if mode == FIXED:
            continue
        if not invert_block(added, i, mode, inverse):
            return False
        for k in range(3):
            for m in range(3):
                total = 0.0
                for a in range(mode):
                    for b in range(mode):
                        total += linear.right[i, a, k] * inverse[i, a, b] * linear.left[i, b, m]
                product[i, k, m] = total
    return True


@njit_inlined
def find_block(matrix: BodyMatrix, i, j):
    """Where block (i, j) is."""
    low, high = matrix.indptr[i], matrix.indptr[i + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if matrix.indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def assemble_bodies(group_count, mode, incidence: Incidence, middle: Middle, matrix_out: BodyMatrix):
    """1 + B^T P B with the product P of every group that is not fixed."""
    values, root, product = matrix_out.values, incidence.root, middle.product
    bodies = matrix_out.diagonal.shape[0]
    for p in range(matrix_out.indptr[bodies]):
        for a in range(6):
            for c in range(6):
                values[p, a, c] = 0.0
    for b in range(bodies):
        for a in range(6):
            values[matrix_out.diagonal[b], a, a] = 1.0
    for i in range(group_count):
        if mode[i] == FIXED:
            continue
        for q in range(incidence.start[i], incidence.start[i + 1]):
            for p in range(incidence.start[i], incidence.start[i + 1]):
                place = find_block(matrix_out, incidence.body[p], incidence.body[q])
                for a in range(6):
                    b0, b1, b2 = root[p, 0, a], root[p, 1, a], root[p, 2, a]
                    h0 = b0 * product[i, 0, 0] + b1 * product[i, 1, 0] + b2 * product[i, 2, 0]
                    h1 = b0 * product[i, 0, 1] + b1 * product[i, 1, 1] + b2 * product[i, 2, 1]
                    h2 = b0 * product[i, 0, 2] + b1 * product[i, 1, 2] + b2 * product[i, 2, 2]
                    add_three_sixes(values, 36 * place + 6 * a, root, 18 * q, h0, h1, h2)


@njit_inlined
def spread_group(incidence: Incidence, i, r0, r1, r2, z_out):
    """z_out += B^T r of group i alone."""
    root = incidence.root
    if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
        return
    for p in range(incidence.start[i], incidence.start[i + 1]):
        body = 6 * incidence.body[p]
        for c in range(6):
            z_out[body + c] += root[p, 0, c] * r0 + root[p, 1, c] * r1 + root[p, 2, c] * r2


@njit_inlined
def gather_group(incidence: Incidence, i, z):
    """B z of group i alone."""
    root, u0, u1, u2 = incidence.root, 0.0, 0.0, 0.0
    for p in range(incidence.start[i], incidence.start[i + 1]):
        body = 6 * incidence.body[p]
        for c in range(6):
            u0 += root[p, 0, c] * z[body + c]
            u1 += root[p, 1, c] * z[body + c]
            u2 += root[p, 2, c] * z[body + c]
    return u0, u1, u2


@njit
def spread_right_side(group_count, linear, incidence: Incidence, middle: Middle, right_side, z_out):
    """z_out = B^T C D^-1 f."""
    inverse = middle.inverse
    for k in range(z_out.shape[0]):
        z_out[k] = 0.0
    for i in range(group_count):
        mode, first = linear.mode[i], linear.first[i]
        r0, r1, r2 = 0.0, 0.0, 0.0
        for a in range(mode):
            total = 0.0
            for b in range(mode):
                total += inverse[i, a, b] * right_side[first + b]
            r0 += linear.right[i, a, 0] * total
            r1 += linear.right[i, a, 1] * total
            r2 += linear.right[i, a, 2] * total
        spread_group(incidence, i, r0, r1, r2, z_out)


@njit
def gather_unknowns(group_count, linear, incidence: Incidence, middle: Middle, z, unknown_inout):
    """unknown_inout: f becomes D^-1 (f - L^T B z)."""
    inverse = middle.inverse
    for i in range(group_count):
        mode, first = linear.mode[i], linear.first[i]
        if mode == FIXED:
            continue
        u0, u1, u2 = gather_group(incidence, i, z)
        left = linear.left
        for a in range(mode):
            unknown_inout[first + a] -= left[i, a, 0] * u0 + left[i, a, 1] * u1 + left[i, a, 2] * u2
        y0, y1, y2 = 0.0, 0.0, 0.0
        for b in range(mode):
            f = unknown_inout[first + b]
            y0 += inverse[i, 0, b] * f
            if mode > 1:
                y1 += inverse[i, 1, b] * f
            if mode > 2:
                y2 += inverse[i, 2, b] * f
        unknown_inout[first] = y0
        if mode > 1:
            unknown_inout[first + 1] = y1
        if mode > 2:
            unknown_inout[first + 2] = y2


@njit
def spread_unknowns(group_count, linear, incidence: Incidence, unknown, z_out):
    """z_out = B^T C y."""
    for k in range(z_out.shape[0]):
        z_out[k] = 0.0
    for i in range(group_count):
        r0, r1, r2 = 0.0, 0.0, 0.0
        for a in range(linear.mode[i]):
            y = unknown[linear.first[i] + a]
            r0 += linear.right[i, a, 0] * y
            r1 += linear.right[i, a, 1] * y
            r2 += linear.right[i, a, 2] * y
        spread_group(incidence, i, r0, r1, r2, z_out)


@njit
def find_body_remainder(
    group_count, linear, added, incidence: Incidence, z, right_side, unknown, remainder_out
):
    """remainder_out = f - (L^T B B^T C + D) y, with z = B^T C y: (the greatest of it, the greatest of f)."""
    left = linear.left
    worst, greatest = 0.0, 0.0
    for i in range(group_count):
        mode, first = linear.mode[i], linear.first[i]
        if mode == FIXED:
            continue
        u0, u1, u2 = gather_group(incidence, i, z)
        for a in range(mode):
            effect = left[i, a, 0] * u0 + left[i, a, 1] * u1 + left[i, a, 2] * u2
            for b in range(mode):
                effect += added[i, a, b] * unknown[first + b]
            remainder_out[first + a] = right_side[first + a] - effect
            worst = max(worst, abs(remainder_out[first + a]))
            greatest = max(greatest, abs(right_side[first + a]))
    return worst, greatest
