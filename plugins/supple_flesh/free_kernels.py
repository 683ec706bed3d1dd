"""The three questions that a skeleton asks its flesh in a step, each answered in one call."""

from __future__ import annotations

from supple.core.jit import njit
from supple_flesh.load_kernels import (
    add_mixed_vertex_forces,
    add_patch_inertias,
    add_vertex_forces,
    find_lag_moments,
    read_velocities,
    set_free_velocities,
    set_origin_accelerations,
    set_twists,
)
from supple_flesh.release_kernels import release_vertices


@njit
def weigh_flesh(
    patch_bone, patch_of, mass, rest, local, lag, vertex, start, inverse_start, inverse,
    right_out, product_out, lag_out, lag_moment_out, rigid_out, effective_out,
):  # fmt: skip
    """Lag and its moment of every vertex, and inertias of the bones; README eq. (4) and (5)."""
    for i in range(lag.shape[0]):
        lag_out[i] = lag[i]
    find_lag_moments(
        mass, local, vertex, start, inverse_start, inverse, right_out, product_out, lag_moment_out
    )
    add_patch_inertias(
        patch_bone, patch_of, mass, rest, local, vertex, start[-1], lag_out, lag_moment_out, rigid_out, effective_out
    )  # fmt: skip


@njit
def push_bones(
    h, gravity, patch_bone, patch_of, mass, rest, vertex_stiffness, damping, first, neighbour, edge_stiffness,
    bone, x, rotation, local, relative, active, mask, vertex, slot, start, inverse_start, inverse,
    lag, lag_moment, velocity, acceleration,
    origin_out, right_out, product_out, change_out, latest_out,
    twist_out, y_out, v_free_out, parting_out, loss_out, force_out,
):  # fmt: skip
    """Velocities y, forces on the bones, free velocities without corrections, and releases; README eq. (6) to (11)."""
    count = start[-1]
    read_velocities(
        patch_bone, patch_of, bone, x, rotation, velocity, vertex, count, lag, lag_moment, relative,
        twist_out, y_out,
    )  # fmt: skip
    set_origin_accelerations(patch_bone, bone, x, rotation, velocity, velocity, acceleration, 0.5, origin_out)
    add_vertex_forces(
        h, patch_bone, patch_of, mass, vertex_stiffness, damping, first, neighbour, edge_stiffness, rest,
        bone, x, rotation, local, relative, vertex, slot, start, inverse_start, inverse, lag, lag_moment, twist_out,
        origin_out, right_out, product_out, change_out, force_out,
    )  # fmt: skip
    for k in range(count):
        for c in range(3):
            latest_out[c, k] = change_out[c, k]
    set_free_velocities(y_out, vertex, count, latest_out, v_free_out)
    release_vertices(
        h, gravity, patch_bone, patch_of, mass, vertex_stiffness, first, neighbour, edge_stiffness, rest,
        bone, x, rotation, local, relative, active, mask, twist_out, parting_out, loss_out, force_out,
    )  # fmt: skip


@njit
def correct_bones(
    share, patch_bone, patch_of, mass, bone, x, rotation, local, relative, vertex, start, inverse_start, inverse,
    lag, lag_moment, twist, y, change, velocity, change_velocity, acceleration,
    change_twist_out, origin_out, right_out, product_out, latest_out, v_free_out, force_out,
):  # fmt: skip
    """One lagged correction: forces on the bones and free velocities; README eq. (12)."""
    set_twists(patch_bone, bone, x, rotation, change_velocity, change_twist_out)
    set_origin_accelerations(
        patch_bone, bone, x, rotation, velocity, change_velocity, acceleration, 1.0, origin_out
    )
    add_mixed_vertex_forces(
        share, patch_bone, patch_of, mass, bone, x, rotation, local, relative, vertex, start, inverse_start, inverse,
        lag, lag_moment, twist, change_twist_out, origin_out, change,
        right_out, product_out, latest_out, force_out,
    )  # fmt: skip
    set_free_velocities(y, vertex, start[-1], latest_out, v_free_out)
