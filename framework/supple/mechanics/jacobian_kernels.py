"""Products with one mechanism's part of the Jacobian; see `jacobian` for the layout."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def add_row_velocities(jacobian, v, u_out):
    """u_out += J v. v[dofs] generalised velocities, u_out[groups, 3] row velocities [m/s or rad/s]."""
    group, dof, values = jacobian.group, jacobian.dof, jacobian.values
    width = values.shape[2]
    for k in range(jacobian.counts[0]):
        i = group[k]
        first = dof[k]
        u0, u1, u2 = 0.0, 0.0, 0.0  # side by side, for each sum waits for its last addition
        for column in range(width):
            rate = v[first + column]
            u0 += values[k, 0, column] * rate
            u1 += values[k, 1, column] * rate
            u2 += values[k, 2, column] * rate
        u_out[i, 0] += u0
        u_out[i, 1] += u1
        u_out[i, 2] += u2


@njit
def add_transposed_impulses(jacobian, impulse, generalised_out):
    """generalised_out += J^T impulse. impulse[groups, 3] [N s or N m s], generalised_out[dofs]."""
    group, dof, values = jacobian.group, jacobian.dof, jacobian.values
    width = values.shape[2]
    for k in range(jacobian.counts[0]):
        r0, r1, r2 = impulse[group[k], 0], impulse[group[k], 1], impulse[group[k], 2]
        if r0 == 0.0 and r1 == 0.0 and r2 == 0.0:
            continue
        first = dof[k]
        for column in range(width):
            change = values[k, 0, column] * r0 + values[k, 1, column] * r1 + values[k, 2, column] * r2
            generalised_out[first + column] += change


@njit
def add_late_impulses(before, jacobian, impulse, generalised_out):
    """`add_transposed_impulses` of the blocks from `before` on only."""
    group, dof, values = jacobian.group, jacobian.dof, jacobian.values
    for k in range(before, jacobian.counts[0]):
        i, first = group[k], dof[k]
        for column in range(values.shape[2]):
            change = 0.0
            for row in range(3):
                change += values[k, row, column] * impulse[i, row]
            generalised_out[first + column] += change
