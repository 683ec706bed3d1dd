"""The three questions that a skeleton asks its flesh in a step, each answered in one call."""

from __future__ import annotations

from supple.core.jit import njit
from supple_flesh.creep_kernels import creep_along, weigh_creeping
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
from supple_flesh.multiply_kernels import find_push
from supple_flesh.release_kernels import release_vertices
from supple_flesh.tables import (
    ActiveVertices,
    BoneMotion,
    FreeFlesh,
    FreeScratch,
    Patches,
    Springs,
    VertexState,
)


@njit
def weigh_flesh(
    patches: Patches, vertices: VertexState, active: ActiveVertices, lag, scratch: FreeScratch, free_out: FreeFlesh,
    rigid_out, effective_out,
):  # fmt: skip
    """Lag and its moment of every vertex, and inertias of the bones; README eq. (4) and (5)."""
    lag_out = free_out.lag
    for i in range(lag.shape[0]):
        lag_out[i] = lag[i]
    find_lag_moments(patches.mass, vertices.x, active, scratch.right, scratch.product, free_out.lag_moment)
    add_patch_inertias(patches, vertices.x, active, lag_out, free_out.lag_moment, rigid_out, effective_out)
    weigh_creeping(patches, vertices, rigid_out, effective_out)


@njit
def push_bones(
    h, ahead, gravity, patches: Patches, springs: Springs, bones: BoneMotion, vertices: VertexState,
    active: ActiveVertices, scratch: FreeScratch, free_out: FreeFlesh, acceleration, force_out,
):  # fmt: skip
    """Velocities y, forces on the bones, free velocities without corrections, and releases; README eq. (6) to (11).

    Springs and dampers look `ahead` [s]. What actuators push is added to the free velocities: forces on the bones
    know nothing of it.
    """
    velocity, change, latest = bones.spatial_velocity, scratch.change, scratch.latest
    read_velocities(patches, bones, vertices.v, active, free_out)
    set_origin_accelerations(patches.patch_bone, bones, velocity, velocity, acceleration, 0.5, scratch.origin)
    add_vertex_forces(h, ahead, patches, springs, bones, vertices, active, free_out, scratch, force_out)
    for k in range(active.start[-1]):
        for c in range(3):
            latest[c, k] = change[c, k]
    find_push(h, vertices.applied, active, scratch)
    set_free_velocities(free_out.y, active, scratch, free_out.v_free)
    creep_along(h, ahead, patches, springs, bones, vertices, scratch.origin, free_out, force_out)
    release_vertices(h, gravity, patches, springs, bones, vertices, free_out, force_out)


@njit
def correct_bones(
    patches: Patches, bones: BoneMotion, vertices: VertexState, active: ActiveVertices, scratch: FreeScratch,
    free_out: FreeFlesh, share, velocity, acceleration, force_out,
):  # fmt: skip
    """One lagged correction: forces on the bones and free velocities; README eq. (12).

    `velocity` and `acceleration` are those of the change of the rates, as in `BoneLoad.add_mixed_forces`.
    """
    set_twists(patches.patch_bone, bones, velocity, scratch.change_twist)
    set_origin_accelerations(
        patches.patch_bone, bones, bones.spatial_velocity, velocity, acceleration, 1.0, scratch.origin
    )
    add_mixed_vertex_forces(share, patches, bones, vertices, active, free_out, scratch, force_out)
    set_free_velocities(free_out.y, active, scratch, free_out.v_free)
