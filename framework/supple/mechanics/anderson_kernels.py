"""Acceleration of an iteration r -> G(r) that converges slowly: Anderson's mixing, and momentum.

Let f = G(r) - r be the step from each iterate. From the last few iterates, the combination is taken whose
steps cancel best, and the combined G(r) is the next iterate: with DF and DG the differences of f and G
between consecutive iterates,

    c = argmin |f - DF c|,    r_next = G(r) - DG c.

It is by far the fastest where no group changes between open, stuck and slipping, and easily misled where many
do. Momentum (Nesterov's, restarted whenever it points against the step) is slower but steady there:

    r_next = G(r) + beta (G(r) - last G),   beta rising from 0 to 1.

Norms weigh every group by the mean of its diagonal in W: they are an energy, the same in all units. The history is
the `History` of `sweeps`: df and dg [depth, groups, 3], gram = DF^T DF [depth, depth], its factor, and c.
"""

from __future__ import annotations

import math

from supple.core.jit import njit

# Fraction of the trace that is added to the normal equations: columns of the history become nearly parallel.
REGULARISATION = 1e-10


@njit
def measure_step(weight, group_count, start, result):
    """Square of the weighted norm of result - start."""
    total = 0.0
    for i in range(group_count):
        d0 = result[i, 0] - start[i, 0]
        d1 = result[i, 1] - start[i, 1]
        d2 = result[i, 2] - start[i, 2]
        total += weight[i] * (d0 * d0 + d1 * d1 + d2 * d2)
    return total


@njit
def remember_differences(weight, group_count, columns, start, result, last_step, last_result, history_out):
    """Put the newest differences into the history, over the oldest; returns the new column count."""
    df_out, dg_out, gram_out = history_out.df, history_out.dg, history_out.gram
    depth = df_out.shape[0]
    slot = columns % depth
    for i in range(group_count):
        for k in range(3):
            df_out[slot, i, k] = result[i, k] - start[i, k] - last_step[i, k]
            dg_out[slot, i, k] = result[i, k] - last_result[i, k]
    for a in range(min(columns + 1, depth)):
        total = 0.0
        for i in range(group_count):
            row = df_out[slot, i, 0] * df_out[a, i, 0]
            row += df_out[slot, i, 1] * df_out[a, i, 1]
            row += df_out[slot, i, 2] * df_out[a, i, 2]
            total += weight[i] * row
        gram_out[slot, a] = total
        gram_out[a, slot] = total
    return columns + 1


@njit
def solve_normal_equations(gram, used, factor_out, c_out):
    """c_out = (gram + regularisation)^-1 c_out by L D L^T; False where the matrix is zero or not finite."""
    trace = 0.0
    for a in range(used):
        trace += gram[a, a]
    if not trace > 0.0:
        return False
    for a in range(used):
        for b in range(a + 1):
            total = gram[a, b]
            if a == b:
                total += REGULARISATION * trace
            for k in range(b):
                total -= factor_out[a, k] * factor_out[b, k] * factor_out[k, k]
            if a == b:
                if not total > 0.0:
                    return False
                factor_out[a, a] = total
            else:
                factor_out[a, b] = total / factor_out[b, b]
    for a in range(used):
        for k in range(a):
            c_out[a] -= factor_out[a, k] * c_out[k]
    for a in range(used - 1, -1, -1):
        c_out[a] /= factor_out[a, a]
        for k in range(a + 1, used):
            c_out[a] -= factor_out[k, a] * c_out[k]
    return True


@njit
def mix_history(weight, group_count, columns, history, last_step, impulse_out):
    """Replace G(r) in impulse_out by the mixed iterate; False, and no change, without usable history."""
    df, dg, c_out = history.df, history.dg, history.c
    used = min(columns, df.shape[0])
    for a in range(used):
        total = 0.0
        for i in range(group_count):
            row = df[a, i, 0] * last_step[i, 0]
            row += df[a, i, 1] * last_step[i, 1]
            row += df[a, i, 2] * last_step[i, 2]
            total += weight[i] * row
        c_out[a] = total
    if not solve_normal_equations(history.gram, used, history.gram_factor, c_out):
        return False
    for a in range(used):
        for i in range(group_count):
            for k in range(3):
                impulse_out[i, k] -= c_out[a] * dg[a, i, k]
    return True


@njit
def add_momentum(weight, group_count, columns, dg, last_step, theta, impulse_out):
    """Replace G(r) in impulse_out by the iterate with momentum; returns the next theta, 1 at first."""
    slot = (columns - 1) % dg.shape[0]
    along = 0.0
    for i in range(group_count):
        row = last_step[i, 0] * dg[slot, i, 0] + last_step[i, 1] * dg[slot, i, 1]
        along += weight[i] * (row + last_step[i, 2] * dg[slot, i, 2])
    if along < 0.0:
        theta = 1.0
    next_theta = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta))
    beta = (theta - 1.0) / next_theta
    for i in range(group_count):
        for k in range(3):
            impulse_out[i, k] += beta * dg[slot, i, k]
    return next_theta
