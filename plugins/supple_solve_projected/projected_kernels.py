"""Projected Gauss-Seidel over single rows; friction rows are bounded by mu times the normal impulse of the moment."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.residual_kernels import compute_row_velocities
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL
from supple.mechanics.sweep_kernels import change_impulse


@njit
def find_bounds(rows, i, row, impulse):
    """Least and greatest impulse of one row."""
    law = rows.law
    if law[i] == COULOMB:
        if row == 0:
            return 0.0, math.inf
        most = rows.friction[i] * rows.scale[i, row] * max(0.0, impulse[i, 0])
        return -most, most
    if law[i] == BILATERAL:
        return -math.inf, math.inf
    if law[i] == UNILATERAL:
        return 0.0, math.inf
    return rows.lower[i, 0], rows.upper[i, 0]


@njit
def measure_rows(rows, blocks, impulse, velocity):
    """Worst |r - P(r - u / W_ii)| W_ii of all rows [m/s], P the clamp to the bounds; nan where one is not finite."""
    compliance, diagonal, values = rows.compliance, blocks.diagonal, blocks.values
    worst = 0.0
    for i in range(rows.counts[0]):
        for row in range(rows.size[i]):
            own = values[diagonal[i], row, row] + compliance[i, row]
            if own == 0.0:
                continue
            low, high = find_bounds(rows, i, row, impulse)
            r = impulse[i, row]
            f = abs(r - min(max(r - velocity[i, row] / own, low), high)) * own
            if not math.isfinite(f):
                return math.nan
            worst = max(worst, f)
    return worst


@njit
def sweep_rows(rows, blocks, relaxation, impulse_out, velocity_out):
    """Solve every row once while the others stay, in rising order."""
    compliance = rows.compliance
    indptr, indices, diagonal, values = blocks.indptr, blocks.indices, blocks.diagonal, blocks.values
    for i in range(rows.counts[0]):
        for row in range(rows.size[i]):
            own = values[diagonal[i], row, row] + compliance[i, row]
            if own == 0.0:
                continue
            low, high = find_bounds(rows, i, row, impulse_out)
            r = impulse_out[i, row]
            d = min(max(r - relaxation * velocity_out[i, row] / own, low), high) - r
            if d != 0.0:
                change_impulse(
                    i, d if row == 0 else 0.0, d if row == 1 else 0.0, d if row == 2 else 0.0,
                    compliance, indptr, indices, values, impulse_out, velocity_out,
                )  # fmt: skip


@njit
def solve_rows(rows, blocks, tolerance, relaxation, iterations, impulse_out, velocity_out):
    """Sweep until the residual is at most the tolerance [m/s]: (sweeps, residual). impulse_out holds the warm start."""
    compute_row_velocities(rows, blocks, impulse_out, velocity_out)
    sweeps = 0
    while True:
        worst = measure_rows(rows, blocks, impulse_out, velocity_out)
        if not worst > tolerance or sweeps >= iterations:
            return sweeps, worst
        sweep_rows(rows, blocks, relaxation, impulse_out, velocity_out)
        sweeps += 1
