"""Sizes of groups and norms over all of them, for solvers and judges."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.residual_kernels import evaluate_coulomb_group, evaluate_scalar_group
from supple.mechanics.rows import COULOMB


@njit
def compute_rho(rows, blocks, rho_out):
    """rows / trace(W_ii + E_ii) of every group [N s / (m/s)], zero where nothing can move."""
    law, compliance, diagonal, values = rows.law, rows.compliance, blocks.diagonal, blocks.values
    for i in range(rows.counts[0]):
        p = diagonal[i]
        trace = values[p, 0, 0] + compliance[i, 0]
        if law[i] == COULOMB:
            trace += values[p, 1, 1] + values[p, 2, 2] + compliance[i, 1] + compliance[i, 2]
        rho_out[i] = rows.size[i] / trace if trace > 0.0 else 0.0


@njit
def sum_squares(rows, rho, impulse, velocity):
    """Sum of |F|^2 of the natural map over all groups [(m/s)^2]."""
    law, friction, scale = rows.law, rows.friction, rows.scale
    total = 0.0
    for i in range(rows.counts[0]):
        if rho[i] == 0.0:
            continue
        if law[i] == COULOMB:
            f = evaluate_coulomb_group(
                friction[i], scale[i, 1], scale[i, 2], rho[i],
                impulse[i, 0], impulse[i, 1], impulse[i, 2], velocity[i, 0], velocity[i, 1], velocity[i, 2],
            )  # fmt: skip
        else:
            f = evaluate_scalar_group(
                law[i], rows.lower[i, 0], rows.upper[i, 0], rho[i], impulse[i, 0], velocity[i, 0]
            )
        total += f * f
    return total
