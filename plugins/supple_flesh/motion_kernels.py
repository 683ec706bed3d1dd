"""Where vertices are in the world, and how they advance; README eq. (1) and (20)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross
from supple_bones.kinematics_kernels import move_bones
from supple_flesh.load_kernels import find_lag, set_twists
from supple_flesh.multiply_kernels import multiply_patches


@njit
def place_vertices(patch_bone, patch_of, x, rotation, twist, local, relative, points_out, speeds_out):
    """Positions and velocities of all vertices in the world; twist [bones, 6] is the carriers'."""
    for i in range(points_out.shape[0]):
        b = patch_bone[patch_of[i]]
        px, py, pz = rotate_vector_at(rotation, b, local[i, 0], local[i, 1], local[i, 2])
        points_out[i, 0] = x[b, 0] + px
        points_out[i, 1] = x[b, 1] + py
        points_out[i, 2] = x[b, 2] + pz
        sx, sy, sz = cross(twist[b, 3], twist[b, 4], twist[b, 5], local[i, 0], local[i, 1], local[i, 2])
        sx, sy, sz = rotate_vector_at(
            rotation, b, sx + relative[i, 0], sy + relative[i, 1], sz + relative[i, 2]
        )
        speeds_out[i, 0] = twist[b, 0] + sx
        speeds_out[i, 1] = twist[b, 1] + sy
        speeds_out[i, 2] = twist[b, 2] + sz


@njit
def advance_vertices(
    h, patch_bone, patch_of, rest, bone, dof, x, rotation, axis, v_next, local, mask, lag, lag_moment, v_free,
    impulse, vertex, start, inverse_start, inverse,
    velocity_out, axis_rate_out, right_out, product_out,
    twist_out, y_out, local_out, relative_out, active_out,
):  # fmt: skip
    """Velocities against the bones from y and the new rates, and places with them; README eq. (20).

    Outputs up to product_out are scratch.
    """
    move_bones(bone, dof, axis, v_next, velocity_out, axis_rate_out)
    set_twists(patch_bone, bone, x, rotation, velocity_out, twist_out)
    for i in range(mask.shape[0]):
        active_out[i] = mask[i]
        for c in range(3):
            y_out[i, c] = 0.0
            local_out[i, c] = rest[i, c]
            relative_out[i, c] = 0.0
    for k in range(start[-1]):
        for c in range(3):
            right_out[c, k] = impulse[vertex[k], c]
    multiply_patches(start, inverse_start, inverse, right_out, product_out)
    for k in range(start[-1]):
        i = vertex[k]
        lx, ly, lz = find_lag(twist_out, patch_of[i], lag[i], lag_moment, i)
        y_out[i, 0] = v_free[i, 0] + product_out[0, k]
        y_out[i, 1] = v_free[i, 1] + product_out[1, k]
        y_out[i, 2] = v_free[i, 2] + product_out[2, k]
        relative_out[i, 0] = y_out[i, 0] - lx
        relative_out[i, 1] = y_out[i, 1] - ly
        relative_out[i, 2] = y_out[i, 2] - lz
        for c in range(3):
            local_out[i, c] = local[i, c] + h * relative_out[i, c]
