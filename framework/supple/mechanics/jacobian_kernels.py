"""Products with one mechanism's part of the Jacobian; see `jacobian` for the layout."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def add_row_velocities(count, group, dof, values, v, u_out):
    """u_out += J v. v[dofs] generalised velocities, u_out[groups, 3] row velocities [m/s or rad/s]."""
    width = values.shape[2]
    for k in range(count[0]):
        i = group[k]
        first = dof[k]
        for row in range(3):
            total = 0.0
            for column in range(width):
                total += values[k, row, column] * v[first + column]
            u_out[i, row] += total


@njit
def add_transposed_impulses(count, group, dof, values, impulse, generalised_out):
    """generalised_out += J^T impulse. impulse[groups, 3] [N s or N m s], generalised_out[dofs]."""
    width = values.shape[2]
    for k in range(count[0]):
        i = group[k]
        first = dof[k]
        for column in range(width):
            total = 0.0
            for row in range(3):
                total += values[k, row, column] * impulse[i, row]
            generalised_out[first + column] += total
