"""How far one group is from its law, and the worst of all groups."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.mechanics.cone_kernels import project_on_cone
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL


@njit_inlined
def evaluate_coulomb_group(mu, scale_t, scale_s, rho, rn, rt, rs, un, ut, us):
    """|F| [m/s] of the natural map of a Coulomb group, in the scaled variables of `rows`."""
    stray = 0.0  # impulse along an axis without friction has no scaled counterpart
    if scale_t > 0.0:
        rt /= scale_t
    else:
        stray += (rt / rho) ** 2
        rt = 0.0
    if scale_s > 0.0:
        rs /= scale_s
    else:
        stray += (rs / rho) ** 2
        rs = 0.0
    ut *= scale_t
    us *= scale_s
    un += mu * math.sqrt(ut * ut + us * us)
    pn, pt, ps = project_on_cone(rn - rho * un, rt - rho * ut, rs - rho * us, mu)
    fn = (rn - pn) / rho
    ft = (rt - pt) / rho
    fs = (rs - ps) / rho
    return math.sqrt(fn * fn + ft * ft + fs * fs + stray)


@njit_inlined
def evaluate_scalar_group(law, lower, upper, rho, r, u):
    """|F| [m/s] of the natural map of a group of one row."""
    if law == BILATERAL:
        return abs(u)
    if law == UNILATERAL:
        lower = 0.0
        upper = math.inf
    z = r - rho * u
    if z < lower:
        z = lower
    elif z > upper:
        z = upper
    elif r >= lower and r <= upper:
        return abs(u)  # the same number as below, without the cancellation in r - (r - rho u)
    return abs(r - z) / rho


@njit
def find_worst_group(rows, blocks, impulse, velocity):
    """(|F| [m/s], index) of the group that is furthest from its law; (nan, index) if one is not finite.

    `velocity` is the row velocity u that belongs to `impulse`. Groups with zero diagonal are left out: they
    touch nothing that can move, and no impulse changes anything.
    """
    law, friction, scale, compliance = rows.law, rows.friction, rows.scale, rows.compliance
    diagonal, values = blocks.diagonal, blocks.values
    worst = 0.0
    worst_group = -1
    for i in range(rows.counts[0]):
        p = diagonal[i]
        if law[i] == COULOMB:
            trace = values[p, 0, 0] + values[p, 1, 1] + values[p, 2, 2]
            trace += compliance[i, 0] + compliance[i, 1] + compliance[i, 2]
        else:
            trace = values[p, 0, 0] + compliance[i, 0]
        if trace == 0.0:
            continue
        rho = rows.size[i] / trace
        if law[i] == COULOMB:
            f = evaluate_coulomb_group(
                friction[i], scale[i, 1], scale[i, 2], rho,
                impulse[i, 0], impulse[i, 1], impulse[i, 2], velocity[i, 0], velocity[i, 1], velocity[i, 2],
            )  # fmt: skip
        else:
            f = evaluate_scalar_group(
                law[i], rows.lower[i, 0], rows.upper[i, 0], rho, impulse[i, 0], velocity[i, 0]
            )
        if not math.isfinite(f):
            return math.nan, i
        if f > worst:
            worst = f
            worst_group = i
    return worst, worst_group


@njit
def compute_row_velocities(rows, blocks, impulse, velocity_out):
    """velocity_out = W impulse + E impulse + free [m/s].

    W is symmetric, so every impulse is spread along its row, and those that are zero, often most, cost nothing. Of the
    blocks between two groups of one row, one number of nine is in use.
    """
    group_count, compliance, free = rows.counts[0], rows.compliance, rows.free
    indptr, indices, values = blocks.indptr, blocks.indices, blocks.values
    for i in range(group_count):
        for k in range(3):
            velocity_out[i, k] = free[i, k] + compliance[i, k] * impulse[i, k]
    for j in range(group_count):
        r0 = impulse[j, 0]
        r1 = impulse[j, 1]
        r2 = impulse[j, 2]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        alone = rows.size[j] == 1
        for p in range(indptr[j], indptr[j + 1]):
            i = indices[p]
            if alone and rows.size[i] == 1:
                velocity_out[i, 0] += values[p, 0, 0] * r0
                continue
            velocity_out[i, 0] += values[p, 0, 0] * r0 + values[p, 1, 0] * r1 + values[p, 2, 0] * r2
            velocity_out[i, 1] += values[p, 0, 1] * r0 + values[p, 1, 1] * r1 + values[p, 2, 1] * r2
            velocity_out[i, 2] += values[p, 0, 2] * r0 + values[p, 1, 2] * r1 + values[p, 2, 2] * r2
