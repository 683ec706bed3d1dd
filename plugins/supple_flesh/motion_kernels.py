"""Where vertices are in the world, and how they advance; README eq. (1) and (20)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross
from supple_bones.kinematics_kernels import move_bones
from supple_flesh.creep_kernels import advance_creeping, set_surges
from supple_flesh.load_kernels import find_lag, set_twists
from supple_flesh.multiply_kernels import multiply_patches
from supple_flesh.tables import (
    ActiveVertices,
    AdvancedVertices,
    AdvanceScratch,
    BoneAxes,
    BoneFrames,
    FreeMotion,
    Lag,
    Patches,
    PlacedVertices,
    VertexMotion,
)


@njit
def place_vertices(patches: Patches, bones: BoneFrames, vertices: VertexMotion, placed_out: PlacedVertices):
    """Positions and velocities of all vertices in the world; README eq. (1)."""
    patch_bone, patch_of = patches.patch_bone, patches.patch_of
    x, rotation, twist = bones.x, bones.rotation, bones.twist
    local, relative = vertices.x, vertices.v
    points_out, speeds_out = placed_out.position, placed_out.velocity
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
    h, patches: Patches, bones: BoneAxes, v_next, vertices: VertexMotion, mask, lagging: Lag, free: FreeMotion, impulse,
    active: ActiveVertices, scratch: AdvanceScratch, advanced_out: AdvancedVertices,
):  # fmt: skip
    """Velocities against the bones from y and their new rates v_next, and places with them; README eq. (20)."""
    patch_of, rest, vertex, count = patches.patch_of, patches.rest, active.vertex, active.start[-1]
    lag, lag_moment, right, product = lagging.lag, lagging.lag_moment, scratch.right, scratch.product
    twist_out, y_out, active_out = advanced_out.twist_next, advanced_out.y_next, advanced_out.active
    local_out, relative_out, local, v_free = advanced_out.x, advanced_out.v, vertices.x, free.v_free
    move_bones(bones.bone, bones.dof, bones.axis, v_next, scratch.velocity, scratch.axis_rate)
    set_twists(patches.patch_bone, bones, scratch.velocity, twist_out)
    set_surges(h, free.twist, twist_out, advanced_out.surge)
    for i in range(mask.shape[0]):
        active_out[i] = mask[i]
        for c in range(3):
            y_out[i, c] = 0.0
            local_out[i, c] = rest[i, c]
            relative_out[i, c] = 0.0
    for k in range(count):
        for c in range(3):
            right[k, c] = impulse[vertex[k], c]
    multiply_patches(active, right, product)
    for k in range(count):
        i = vertex[k]
        lx, ly, lz = find_lag(twist_out, patch_of[i], lag[i], lag_moment, i)
        y_out[i, 0] = v_free[i, 0] + product[0, k]
        y_out[i, 1] = v_free[i, 1] + product[1, k]
        y_out[i, 2] = v_free[i, 2] + product[2, k]
        relative_out[i, 0] = y_out[i, 0] - lx
        relative_out[i, 1] = y_out[i, 1] - ly
        relative_out[i, 2] = y_out[i, 2] - lz
        for c in range(3):
            local_out[i, c] = local[i, c] + h * relative_out[i, c]
    advance_creeping(h, mask, free.creep, local, vertices.v, local_out, relative_out)
