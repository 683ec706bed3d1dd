"""Block Gauss-Seidel over groups of rows, each solved exactly.

The row velocities u belong to the impulses r at every moment: a group that changes by d adds W_ij^T d to all
its neighbours, and a group that does not change costs nothing more.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple.mechanics.anderson_kernels import (
    add_momentum,
    measure_step,
    mix_history,
    remember_differences,
)
from supple.mechanics.cone_kernels import factor_contact, solve_factored_contact
from supple.mechanics.residual_kernels import compute_row_velocities, find_worst_group
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL

# The residual costs about a quarter of a sweep: a warm start gets it after every sweep, later it is rarer.
ALWAYS_CHECKED = 8
CHECK_EVERY = 4
# Sweeps over which the rate of convergence is measured, to tell whether those that are left can be enough.
RATE_SWEEPS = 3
# Part of the velocities without impulses, below which a residual at the start is small.
NEAR = 0.05
# Of every PERIOD sweeps, the first are accelerated by mixing, the others by momentum.
PERIOD = 800
MIXED_SWEEPS = 200
# Square of the factor by which an iterate that was moved ahead may lengthen the step of a sweep: by mixing beyond the
# last one, by momentum beyond the shortest so far, for momentum can grow a little in every sweep without end.
MAX_GROWTH = 4.0


@njit
def prepare_groups(rows, blocks, factor_out, weight_out, impulse_out):
    """Factor the diagonal block of every group, and drop the impulse of groups that cannot move anything.

    factor_out[i] holds the result of `factor_contact` in scaled variables, or 1 / (W_ii + E) for one row.
    weight_out[i] is the mean of the diagonal of W_ii + E.
    """
    law, scale, compliance = rows.law, rows.scale, rows.compliance
    diagonal, values = blocks.diagonal, blocks.values
    for i in range(rows.counts[0]):
        p = diagonal[i]
        nn = values[p, 0, 0] + compliance[i, 0]
        weight_out[i] = nn
        if law[i] == COULOMB:
            t = scale[i, 1]
            s = scale[i, 2]
            tt = values[p, 1, 1] + compliance[i, 1]
            ss = values[p, 2, 2] + compliance[i, 2]
            weight_out[i] = (nn + tt + ss) / 3.0
            inverse_nn, g1, g2, s1, s2, cosine, sine = factor_contact(
                nn, t * values[p, 0, 1], s * values[p, 0, 2], t * t * tt, t * s * values[p, 1, 2], s * s * ss
            )
            factor_out[i, 0] = inverse_nn
            factor_out[i, 1] = g1
            factor_out[i, 2] = g2
            factor_out[i, 3] = s1
            factor_out[i, 4] = s2
            factor_out[i, 5] = cosine
            factor_out[i, 6] = sine
        else:
            factor_out[i, 0] = 0.0 if nn == 0.0 else 1.0 / nn
            impulse_out[i, 1] = 0.0
            impulse_out[i, 2] = 0.0
        if factor_out[i, 0] == 0.0:
            impulse_out[i, 0] = 0.0
            impulse_out[i, 1] = 0.0
            impulse_out[i, 2] = 0.0


@njit
def clamp_to_law(law, lower, upper, impulse):
    """The impulse of one row, moved to the nearest that its law allows."""
    if law == BILATERAL:
        return impulse
    if law == UNILATERAL:
        return max(impulse, 0.0)
    return min(max(impulse, lower), upper)


@njit_inlined
def solve_contact_group(i, friction, scale, compliance, diagonal, values, factor, impulse, velocity):
    """The impulse that meets Coulomb's law at group i while all others stay."""
    p = diagonal[i]
    r0 = impulse[i, 0]
    r1 = impulse[i, 1]
    r2 = impulse[i, 2]
    b0 = velocity[i, 0] - values[p, 0, 1] * r1 - values[p, 0, 2] * r2
    b1 = velocity[i, 1] - values[p, 1, 0] * r0 - values[p, 1, 2] * r2
    b2 = velocity[i, 2] - values[p, 2, 0] * r0 - values[p, 2, 1] * r1
    b0 -= (values[p, 0, 0] + compliance[i, 0]) * r0
    b1 -= (values[p, 1, 1] + compliance[i, 1]) * r1
    b2 -= (values[p, 2, 2] + compliance[i, 2]) * r2
    t = scale[i, 1]
    s = scale[i, 2]
    rn, rt, rs = solve_factored_contact(
        factor[i, 0], factor[i, 1], factor[i, 2], factor[i, 3], factor[i, 4], factor[i, 5], factor[i, 6],
        b0, t * b1, s * b2, friction[i],
    )  # fmt: skip
    return rn, t * rt, s * rs


@njit_inlined
def change_impulse(i, d0, d1, d2, compliance, indptr, indices, values, impulse_out, velocity_out):
    """Add d to the impulse of group i, and what follows from it to the row velocities of its neighbours."""
    impulse_out[i, 0] += d0
    impulse_out[i, 1] += d1
    impulse_out[i, 2] += d2
    velocity_out[i, 0] += compliance[i, 0] * d0
    velocity_out[i, 1] += compliance[i, 1] * d1
    velocity_out[i, 2] += compliance[i, 2] * d2
    for p in range(indptr[i], indptr[i + 1]):
        j = indices[p]
        velocity_out[j, 0] += values[p, 0, 0] * d0 + values[p, 1, 0] * d1 + values[p, 2, 0] * d2
        velocity_out[j, 1] += values[p, 0, 1] * d0 + values[p, 1, 1] * d1 + values[p, 2, 1] * d2
        velocity_out[j, 2] += values[p, 0, 2] * d0 + values[p, 1, 2] * d1 + values[p, 2, 2] * d2


@njit
def sweep_groups(rows, blocks, factor, impulse_out, velocity_out):
    """Solve every group once, in rising order."""
    law, friction, scale, compliance = rows.law, rows.friction, rows.scale, rows.compliance
    lower, upper = rows.lower, rows.upper
    indptr, indices, diagonal, values = blocks.indptr, blocks.indices, blocks.diagonal, blocks.values
    for i in range(rows.counts[0]):
        if factor[i, 0] == 0.0:
            continue
        d1 = 0.0
        d2 = 0.0
        if law[i] == COULOMB:
            rn, rt, rs = solve_contact_group(
                i, friction, scale, compliance, diagonal, values, factor, impulse_out, velocity_out
            )
            d0 = rn - impulse_out[i, 0]
            d1 = rt - impulse_out[i, 1]
            d2 = rs - impulse_out[i, 2]
        else:
            wanted = impulse_out[i, 0] - velocity_out[i, 0] * factor[i, 0]
            d0 = clamp_to_law(law[i], lower[i, 0], upper[i, 0], wanted) - impulse_out[i, 0]
        if d0 != 0.0 or d1 != 0.0 or d2 != 0.0:
            change_impulse(i, d0, d1, d2, compliance, indptr, indices, values, impulse_out, velocity_out)


@njit
def copy_rows(source, group_count, target_out):
    """target_out = source."""
    for i in range(group_count):
        target_out[i, 0] = source[i, 0]
        target_out[i, 1] = source[i, 1]
        target_out[i, 2] = source[i, 2]


@njit
def keep_step(start, result, group_count, step_out, result_out):
    """Keep what a sweep did, for the differences to the next one."""
    for i in range(group_count):
        for k in range(3):
            step_out[i, k] = result[i, k] - start[i, k]
            result_out[i, k] = result[i, k]


@njit
def accelerate(weight, group_count, sweeps, columns, theta, history, last_step, impulse_out):
    """Move impulse_out ahead of the last sweep: (whether it moved, next theta of the momentum)."""
    if sweeps % PERIOD < MIXED_SWEEPS:
        return mix_history(weight, group_count, columns, history, last_step, impulse_out), 1.0
    return True, add_momentum(weight, group_count, columns, history.dg, last_step, theta, impulse_out)


@njit
def count_active(group_count, impulse):
    """The number of groups with an impulse along their first row."""
    active = 0
    for i in range(group_count):
        active += impulse[i, 0] != 0.0
    return active


@njit
def is_near(group_count, free, impulse, worst):
    """Whether the residual `worst` [m/s] is far below the velocities that the groups at work would have without it."""
    fastest = 0.0
    for i in range(group_count):
        if impulse[i, 0] != 0.0:
            fastest = max(fastest, abs(free[i, 0]))
    return worst <= NEAR * fastest


@njit
def converges_too_slowly(worst, before, sweeps, max_sweeps, tolerance):
    """Whether the sweeps that are left will not do at the rate of the last RATE_SWEEPS."""
    rate = worst / before
    return worst * rate ** ((max_sweeps - sweeps) / RATE_SWEEPS) > tolerance


@njit
def solve_groups(rows, blocks, scratch, history, impulse_out, tolerance, max_sweeps, few_active):
    """Sweep until the worst natural-map residual is at most the tolerance [m/s]: (sweeps, residual).

    impulse_out holds the warm start and receives the impulses. The residual is nan where something is not
    finite. Scratch and history are work arrays. From a start near the solution with at most `few_active` groups at
    work, it also ends when it foresees that max_sweeps will not be enough. An iterate that was moved ahead and makes
    its sweep much longer is taken back: neither mixing nor momentum knows of the kinks where contacts open or slip.
    """
    group_count, weight, velocity_out = rows.counts[0], scratch.weight, scratch.velocity
    start, last_step, last_result = scratch.start, scratch.last_step, scratch.last_result
    prepare_groups(rows, blocks, scratch.factor, weight, impulse_out)
    none = np.int64(0)  # a literal zero would compile the kernels that take `columns` twice
    sweeps, columns, theta, last_length, taken_back, gives_up = 0, none, 1.0, 0.0, False, False
    least_length = math.inf
    worst, worst_1, worst_2, worst_3 = (
        math.inf,
        math.inf,
        math.inf,
        math.inf,
    )  # now, and one to three sweeps before
    while True:
        if sweeps == 0 or taken_back:
            compute_row_velocities(rows, blocks, impulse_out, velocity_out)
        if sweeps < ALWAYS_CHECKED or sweeps % CHECK_EVERY == 0 or sweeps >= max_sweeps:
            worst_1, worst_2, worst_3 = worst, worst_1, worst_2
            worst, _ = find_worst_group(rows, blocks, impulse_out, velocity_out)
            if not worst > tolerance or sweeps >= max_sweeps:
                return sweeps, worst
            if sweeps == 0:
                gives_up = count_active(group_count, impulse_out) <= few_active
                gives_up = gives_up and is_near(group_count, rows.free, impulse_out, worst)
            rated = gives_up and RATE_SWEEPS <= sweeps < ALWAYS_CHECKED
            if rated and converges_too_slowly(worst, worst_3, sweeps, max_sweeps, tolerance):
                return sweeps, worst
        ahead, mixed = False, False
        if columns > 0:
            mixed = sweeps % PERIOD < MIXED_SWEEPS
            ahead, theta = accelerate(
                weight, group_count, sweeps, columns, theta, history, last_step, impulse_out
            )
            compute_row_velocities(rows, blocks, impulse_out, velocity_out)
        copy_rows(impulse_out, group_count, start)
        sweep_groups(rows, blocks, scratch.factor, impulse_out, velocity_out)
        sweeps += 1
        length = measure_step(weight, group_count, start, impulse_out)
        limit = last_length if mixed else least_length
        taken_back = ahead and not length <= MAX_GROWTH * limit
        least_length = min(length, least_length)
        if taken_back:
            copy_rows(last_result, group_count, impulse_out)
            columns, theta = none, 1.0
            continue
        if sweeps > 1:
            columns = remember_differences(
                weight, group_count, columns, start, impulse_out, last_step, last_result, history
            )
        keep_step(start, impulse_out, group_count, last_step, last_result)
        last_length = length
