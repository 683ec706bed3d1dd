"""The linear system of one Newton step, over the unknowns that the laws leave free.

All in the scaled variables of `supple.mechanics.rows`: r_T = lambda_T / D and w = D u_T. With x = r - rho u, every
group is in one of four modes, and its step is dr = shift + C y with as many unknowns y as C has columns:

FIXED       an open contact or a row at its bound: dr is known.
FREE        one row without bound in reach, or a contact without friction: one unknown, equation du = -u.
STUCK       three unknowns, du = -u.
SLIPPING    e = x_T / |x_T| is the direction of the friction impulse and f is across it. The next impulse lies on
            the cone, e . r_T = mu r_n, which leaves dr_n and f . dr_T, with the equations
                du_n = -u_n,    f . du_T + (1 - g) / (g rho) f . dr_T = -f . u_T / g,    g = mu x_n / |x_T|.

With rows L the whole system is (L^T W C + diagonal) y = right. All that belongs to a group is kept in a `Linearisation`
(`linear_step`):

mode, first  [n] mode; index of the first unknown. The mode is also the number of unknowns
left, right  [n, 3, 3] row a is the equation (column of L) or the unknown (column of C) number a
shift        [n, 3] what is known of the step, N s
extra        [n, 3] what is added to the diagonal
right_side   [n, 3] right-hand sides, still without the effect of the shifts
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL

FIXED = 0
FREE = 1
SLIPPING = 2
STUCK = 3


@njit_inlined
def clear_group(i, linear_out):
    """Everything of group i that a mode does not set is zero."""
    left_out, right_out, shift_out = linear_out.left, linear_out.right, linear_out.shift
    extra_out, right_side_out = linear_out.extra, linear_out.right_side
    for a in range(3):
        extra_out[i, a] = 0.0
        right_side_out[i, a] = 0.0
        shift_out[i, a] = 0.0
        for k in range(3):
            left_out[i, a, k] = 0.0
            right_out[i, a, k] = 0.0


@njit
def shift_to(i, impulse, target_n, target_t, target_s, shift_out):
    """Group i goes straight to the target."""
    shift_out[i, 0] = target_n - impulse[i, 0]
    shift_out[i, 1] = target_t - impulse[i, 1]
    shift_out[i, 2] = target_s - impulse[i, 2]


@njit
def linearise_row(i, law, lower, upper, rho, impulse, velocity, linear_out):
    """Mode of a group of one row."""
    low = -math.inf if law == BILATERAL else (0.0 if law == UNILATERAL else lower)
    high = math.inf if law in (BILATERAL, UNILATERAL) else upper
    x = impulse[i, 0] - rho * velocity[i, 0]
    if x <= low or x >= high:
        shift_to(i, impulse, low if x <= low else high, 0.0, 0.0, linear_out.shift)
        return FIXED
    linear_out.left[i, 0, 0] = 1.0
    linear_out.right[i, 0, 0] = 1.0
    linear_out.right_side[i, 0] = -velocity[i, 0]
    return FREE


@njit
def linearise_contact(i, mu, scale_t, scale_s, rho, edge, impulse, velocity, linear_out):
    """Mode of a Coulomb group."""
    left_out, right_out, shift_out = linear_out.left, linear_out.right, linear_out.shift
    right_side_out = linear_out.right_side
    xn = impulse[i, 0] - rho * velocity[i, 0]
    if xn <= 0.0:
        shift_to(i, impulse, 0.0, 0.0, 0.0, shift_out)
        return FIXED
    left_out[i, 0, 0] = 1.0
    right_out[i, 0, 0] = 1.0
    right_side_out[i, 0] = -velocity[i, 0]
    if mu == 0.0 or (scale_t == 0.0 and scale_s == 0.0):
        shift_to(i, impulse, impulse[i, 0], 0.0, 0.0, shift_out)
        return FREE
    rt = impulse[i, 1] / scale_t if scale_t > 0.0 else 0.0
    rs = impulse[i, 2] / scale_s if scale_s > 0.0 else 0.0
    wt = scale_t * velocity[i, 1]
    ws = scale_s * velocity[i, 2]
    xt = rt - rho * wt
    xs = rs - rho * ws
    length = math.sqrt(xt * xt + xs * xs)
    at_edge = edge < math.inf and rt * rt + rs * rs > (edge * mu * impulse[i, 0]) ** 2
    if length <= mu * xn and (length == 0.0 or not at_edge):
        left_out[i, 1, 1] = right_out[i, 1, 1] = scale_t
        left_out[i, 2, 2] = right_out[i, 2, 2] = scale_s
        right_side_out[i, 1] = -wt
        right_side_out[i, 2] = -ws
        return STUCK
    et = xt / length
    es = xs / length
    g = min(mu * xn / length, 1.0)
    onto_cone = mu * impulse[i, 0] - et * rt - es * rs
    shift_out[i, 1] = scale_t * et * onto_cone
    shift_out[i, 2] = scale_s * es * onto_cone
    right_out[i, 0, 1] = scale_t * mu * et
    right_out[i, 0, 2] = scale_s * mu * es
    left_out[i, 1, 1] = right_out[i, 1, 1] = -scale_t * es
    left_out[i, 1, 2] = right_out[i, 1, 2] = scale_s * et
    linear_out.extra[i, 1] = (1.0 - g) / (g * rho)
    right_side_out[i, 1] = (es * wt - et * ws) / g
    return SLIPPING


@njit
def linearise_groups(rows, rho, edge, impulse, velocity, linear_out):
    """Modes of all groups around the impulses; returns the number of unknowns."""
    law, friction, scale, lower, upper = rows.law, rows.friction, rows.scale, rows.lower, rows.upper
    unknowns = 0
    for i in range(rows.counts[0]):
        clear_group(i, linear_out)
        if rho[i] == 0.0:
            mode = FIXED
            shift_to(i, impulse, 0.0, 0.0, 0.0, linear_out.shift)
        elif law[i] == COULOMB:
            mode = linearise_contact(
                i, friction[i], scale[i, 1], scale[i, 2], rho[i], edge, impulse, velocity, linear_out
            )
        else:
            mode = linearise_row(i, law[i], lower[i, 0], upper[i, 0], rho[i], impulse, velocity, linear_out)
        linear_out.mode[i] = mode
        linear_out.first[i] = unknowns
        unknowns += mode
    return unknowns


@njit
def project_block(block, left, right, rows, columns, part_out):
    """part_out = left block right^T for the first rows of left and right; block is 3 x 3."""
    for b in range(columns):
        p0 = block[0, 0] * right[b, 0] + block[0, 1] * right[b, 1] + block[0, 2] * right[b, 2]
        p1 = block[1, 0] * right[b, 0] + block[1, 1] * right[b, 1] + block[1, 2] * right[b, 2]
        p2 = block[2, 0] * right[b, 0] + block[2, 1] * right[b, 1] + block[2, 2] * right[b, 2]
        for a in range(rows):
            part_out[a, b] = left[a, 0] * p0 + left[a, 1] * p1 + left[a, 2] * p2


@njit
def project_compliance(compliance, left, right, rows, extra, floors, part_out):
    """Add to a diagonal block the compliance, the extra diagonal, and the floor that keeps it regular."""
    for a in range(rows):
        for b in range(rows):
            part_out[a, b] += (
                left[a, 0] * compliance[0] * right[b, 0]
                + left[a, 1] * compliance[1] * right[b, 1]
                + left[a, 2] * compliance[2] * right[b, 2]
            )
        part_out[a, a] += extra[a] + floors[a]


@njit
def list_floors(group_count, linear, rho, floor, floors_out):
    """floors_out [unknowns]: what keeps the diagonal of the matrix regular, the share `floor` of 1 / rho."""
    mode, first = linear.mode, linear.first
    for i in range(group_count):
        for a in range(mode[i]):
            floors_out[first[i] + a] = floor / rho[i]


@njit
def assemble_dense(rows, blocks, linear, floors, transposed_out):
    """The matrix of the step, transposed: LAPACK reads columns."""
    compliance, indptr, indices, values = rows.compliance, blocks.indptr, blocks.indices, blocks.values
    mode, first, left, right, extra = linear.mode, linear.first, linear.left, linear.right, linear.extra
    for i in range(rows.counts[0]):
        if mode[i] == FIXED:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if mode[j] == FIXED:
                continue
            # `project_block` in place: handing over parts of arrays takes longer than their product.
            for b in range(mode[j]):
                r0, r1, r2 = right[j, b, 0], right[j, b, 1], right[j, b, 2]
                p0 = values[p, 0, 0] * r0 + values[p, 0, 1] * r1 + values[p, 0, 2] * r2
                p1 = values[p, 1, 0] * r0 + values[p, 1, 1] * r1 + values[p, 1, 2] * r2
                p2 = values[p, 2, 0] * r0 + values[p, 2, 1] * r1 + values[p, 2, 2] * r2
                for a in range(mode[i]):
                    entry = left[i, a, 0] * p0 + left[i, a, 1] * p1 + left[i, a, 2] * p2
                    transposed_out[first[j] + b, first[i] + a] = entry
        for a in range(mode[i]):
            k = first[i] + a
            for b in range(mode[i]):
                stiff = left[i, a, 0] * compliance[i, 0] * right[i, b, 0]
                stiff += left[i, a, 1] * compliance[i, 1] * right[i, b, 1]
                stiff += left[i, a, 2] * compliance[i, 2] * right[i, b, 2]
                transposed_out[first[i] + b, k] += stiff
            transposed_out[k, k] += extra[i, a] + floors[k]


@njit
def is_any_shifted(group_count, shift):
    """Whether anything is known of the step beforehand."""
    shifted = 0
    for i in range(group_count):
        for k in range(3):
            shifted += shift[i, k] != 0.0
    return shifted > 0


@njit
def finish_right_side(rows, blocks, linear, right_side_out):
    """right_side_out [unknowns] = right_side - L^T (W + E) shift."""
    compliance, indptr, indices, values = rows.compliance, blocks.indptr, blocks.indices, blocks.values
    mode, first, left, shift = linear.mode, linear.first, linear.left, linear.shift
    shifted = is_any_shifted(rows.counts[0], shift)
    for i in range(rows.counts[0]):
        if mode[i] == FIXED:
            continue
        u0 = compliance[i, 0] * shift[i, 0]
        u1 = compliance[i, 1] * shift[i, 1]
        u2 = compliance[i, 2] * shift[i, 2]
        for p in range(indptr[i], indptr[i + 1] if shifted else indptr[i]):
            j = indices[p]
            s0 = shift[j, 0]
            s1 = shift[j, 1]
            s2 = shift[j, 2]
            if s0 == 0.0 and s1 == 0.0 and s2 == 0.0:
                continue
            u0 += values[p, 0, 0] * s0 + values[p, 0, 1] * s1 + values[p, 0, 2] * s2
            u1 += values[p, 1, 0] * s0 + values[p, 1, 1] * s1 + values[p, 1, 2] * s2
            u2 += values[p, 2, 0] * s0 + values[p, 2, 1] * s1 + values[p, 2, 2] * s2
        for a in range(mode[i]):
            effect = left[i, a, 0] * u0 + left[i, a, 1] * u1 + left[i, a, 2] * u2
            right_side_out[first[i] + a] = linear.right_side[i, a] - effect


@njit
def expand_step(group_count, linear, unknown, step_out):
    """step_out = shift + C y, [n, 3] N s."""
    mode, first, right, shift = linear.mode, linear.first, linear.right, linear.shift
    for i in range(group_count):
        for k in range(3):
            total = shift[i, k]
            for a in range(mode[i]):
                total += right[i, a, k] * unknown[first[i] + a]
            step_out[i, k] = total


@njit
def count_columns(rows, blocks, linear, column_start_out):
    """Column starts of the sparse matrix of the step; returns the number of entries."""
    indptr, indices, mode, first = blocks.indptr, blocks.indices, linear.mode, linear.first
    entries = 0
    for j in range(rows.counts[0]):
        if mode[j] == FIXED:
            continue
        length = 0
        for p in range(indptr[j], indptr[j + 1]):
            length += mode[indices[p]]
        for b in range(mode[j]):
            column_start_out[first[j] + b] = entries
            entries += length
        column_start_out[first[j] + mode[j]] = entries
    return entries


@njit
def assemble_sparse(rows, blocks, linear, floors, column_start, part_out, row_out, entry_out):
    """The matrix of the step by compressed columns; block (i, j) of W is block (j, i) transposed."""
    compliance, indptr, indices, values = rows.compliance, blocks.indptr, blocks.indices, blocks.values
    mode, first, left, right, extra = linear.mode, linear.first, linear.left, linear.right, linear.extra
    for j in range(rows.counts[0]):
        done = 0
        for p in range(indptr[j], indptr[j + 1]):
            i = indices[p]
            if mode[i] == FIXED or mode[j] == FIXED:
                continue
            project_block(values[p], right[j], left[i], mode[j], mode[i], part_out)
            if i == j:
                project_compliance(
                    compliance[j], right[j], left[j], mode[j], extra[j], floors[first[j] :], part_out
                )
            for b in range(mode[j]):
                start = column_start[first[j] + b] + done
                for a in range(mode[i]):
                    row_out[start + a] = first[i] + a
                    entry_out[start + a] = part_out[b, a]
            done += mode[i]
