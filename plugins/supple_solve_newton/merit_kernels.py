"""How far impulses are from the laws as one smooth-as-possible number, for the search along a step."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.mechanics.residual_kernels import (
    compute_row_velocities,
    evaluate_coulomb_group,
    evaluate_scalar_group,
)
from supple.mechanics.rows import COULOMB


@njit_inlined
def evaluate_alart_curnier(mu, scale_t, scale_s, rho, rn, rt, rs, un, ut, us):
    """Square of |F| [m/s] with the friction disk of radius mu max(0, r_n - rho u_n)."""
    total = 0.0
    if scale_t > 0.0:
        rt /= scale_t
    else:
        total += (rt / rho) ** 2
        rt = 0.0
    if scale_s > 0.0:
        rs /= scale_s
    else:
        total += (rs / rho) ** 2
        rs = 0.0
    xn = max(0.0, rn - rho * un)
    xt = rt - rho * scale_t * ut
    xs = rs - rho * scale_s * us
    length = math.sqrt(xt * xt + xs * xs)
    if length > mu * xn:
        xt *= mu * xn / length
        xs *= mu * xn / length
    total += ((rn - xn) ** 2 + (rt - xt) ** 2 + (rs - xs) ** 2) / (rho * rho)
    return total


@njit
def measure_groups(rows, rho, impulse, velocity):
    """(worst |F| of the natural map, sum of the squares of |F| of Alart and Curnier), m/s.

    Both are infinite where one is not finite.
    """
    law, friction, scale = rows.law, rows.friction, rows.scale
    worst = 0.0
    total = 0.0
    for i in range(rows.counts[0]):
        if rho[i] == 0.0:
            continue
        if law[i] == COULOMB:
            f = evaluate_coulomb_group(
                friction[i], scale[i, 1], scale[i, 2], rho[i],
                impulse[i, 0], impulse[i, 1], impulse[i, 2], velocity[i, 0], velocity[i, 1], velocity[i, 2],
            )  # fmt: skip
            total += evaluate_alart_curnier(
                friction[i], scale[i, 1], scale[i, 2], rho[i],
                impulse[i, 0], impulse[i, 1], impulse[i, 2], velocity[i, 0], velocity[i, 1], velocity[i, 2],
            )  # fmt: skip
        else:
            f = evaluate_scalar_group(
                law[i], rows.lower[i, 0], rows.upper[i, 0], rho[i], impulse[i, 0], velocity[i, 0]
            )
            total += f * f
        if not math.isfinite(f):
            return math.inf, math.inf
        worst = max(worst, f)
    return worst, total


@njit
def try_step(rows, blocks, rho, impulse, step, fraction, impulse_out, velocity_out):
    """Go a fraction of the step; returns the two figures of `measure_groups` there."""
    for i in range(rows.counts[0]):
        for k in range(3):
            impulse_out[i, k] = impulse[i, k] + fraction * step[i, k]
    compute_row_velocities(rows, blocks, impulse_out, velocity_out)
    return measure_groups(rows, rho, impulse_out, velocity_out)
