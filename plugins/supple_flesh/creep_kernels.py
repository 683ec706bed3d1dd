"""Vertices that creep: no unknowns of the coupled step, they relax by themselves on their bones; README eq. (24), (25).

A vertex creeps where its damper leaves nothing of its momentum within a step. Its motion against the bone is then known
before that of the bone is, and the bone carries it where it is.
"""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross
from supple_flesh.load_kernels import add_moments, add_wrench, find_mixed_acceleration, find_spring_force
from supple_flesh.tables import CREEPING, BoneMotion, FreeFlesh, Patches, Springs, VertexState

MOMENTUM_LEFT = 0.01
"""The greatest part of its velocity that a damper may leave in a step to a vertex that creeps."""


@njit_inlined
def is_creeper(ahead, mass, springs: Springs, i):
    """Whether the damper of vertex i outweighs its mass and its springs within a step; README eq. (24)."""
    first, damper = springs.first, ahead * springs.damping[i]
    if mass[i] >= MOMENTUM_LEFT * damper:
        return False
    total = springs.vertex_stiffness[i]
    for e in range(first[i], first[i + 1]):
        total += springs.edge_stiffness[e]
    return ahead * ahead * total < damper


@njit
def weigh_creeping(patches: Patches, vertices: VertexState, rigid_out, effective_out):
    """Bones carry creeping vertices where they are, no longer at their places of rest."""
    patch_bone, patch_of, mass, rest = patches.patch_bone, patches.patch_of, patches.mass, patches.rest
    local, mask = vertices.x, vertices.mask
    for i in range(mask.shape[0]):
        if mask[i] != CREEPING:
            continue
        b, m = patch_bone[patch_of[i]], mass[i]
        ax, ay, az = rest[i, 0], rest[i, 1], rest[i, 2]
        bx, by, bz = local[i, 0], local[i, 1], local[i, 2]
        add_moments(b, -m, -m, ax, ay, az, ax, ay, az, rigid_out)
        add_moments(b, m, m, bx, by, bz, bx, by, bz, rigid_out)
        add_moments(b, -m, -m, ax, ay, az, ax, ay, az, effective_out)
        add_moments(b, m, m, bx, by, bz, bx, by, bz, effective_out)


@njit
def set_creep_forces(
    h, ahead, patches: Patches, springs: Springs, rotation, vertices: VertexState, twist, origin, creep_out
):  # fmt: skip
    """creep_out = b_x of the creeping vertices, with the acceleration that their bones had in the last step."""
    patch_of, mass, damping, surge = patches.patch_of, patches.mass, springs.damping, vertices.surge
    local, relative, mask = vertices.x, vertices.v, vertices.mask
    for i in range(mask.shape[0]):
        if mask[i] != CREEPING:
            continue
        p, m = patch_of[i], mass[i]
        ax, ay, az, cx, cy, cz = find_mixed_acceleration(
            origin, p, twist, twist, local, i, relative[i, 0], relative[i, 1], relative[i, 2],
            relative[i, 0], relative[i, 1], relative[i, 2],
        )  # fmt: skip
        ex, ey, ez = cross(surge[p, 3], surge[p, 4], surge[p, 5], local[i, 0], local[i, 1], local[i, 2])
        ax, ay, az = ax + surge[p, 0] + ex, ay + surge[p, 1] + ey, az + surge[p, 2] + ez
        sx, sy, sz, _, _, _ = find_spring_force(
            ahead, patches, springs, rotation, local, relative, mask, mask[i], i
        )
        creep_out[i, 0] = -h * (m * (ax + 0.5 * cx) + sx + damping[i] * relative[i, 0])
        creep_out[i, 1] = -h * (m * (ay + 0.5 * cy) + sy + damping[i] * relative[i, 1])
        creep_out[i, 2] = -h * (m * (az + 0.5 * cz) + sz + damping[i] * relative[i, 2])


@njit_inlined
def relax_vertex(ahead, patches: Patches, springs: Springs, mask, i, way, creep_out):
    """One row of half a sweep: the neighbours before vertex i (way = 1), or after it (-1), are up to date."""
    patch_of, first, neighbour = patches.patch_of, springs.first, springs.neighbour
    total, x, y, z = springs.vertex_stiffness[i], 0.0, 0.0, 0.0
    for e in range(first[i], first[i + 1]):
        j, stiffness = neighbour[e], springs.edge_stiffness[e]
        total += stiffness
        if mask[j] == CREEPING and way * (i - j) > 0 and patch_of[j] == patch_of[i]:
            x, y, z = (
                x + stiffness * creep_out[j, 0],
                y + stiffness * creep_out[j, 1],
                z + stiffness * creep_out[j, 2],
            )
    squared = ahead * ahead
    diagonal = patches.mass[i] + ahead * springs.damping[i] + squared * total
    # Forward it solves (D - L) z = b. Backward (D - L^T) x = D z, of which z is there already.
    part = 1.0 if way < 0 else 1.0 / diagonal
    creep_out[i, 0] = part * creep_out[i, 0] + squared * x / diagonal
    creep_out[i, 1] = part * creep_out[i, 1] + squared * y / diagonal
    creep_out[i, 2] = part * creep_out[i, 2] + squared * z / diagonal


@njit
def relax_creeping(ahead, patches: Patches, springs: Springs, mask, creep_inout):
    """From b_x to the change of velocity, by one symmetric sweep of Gauss-Seidel; README eq. (25)."""
    count = mask.shape[0]
    for i in range(count):
        if mask[i] == CREEPING:
            relax_vertex(ahead, patches, springs, mask, i, 1, creep_inout)
    for i in range(count - 1, -1, -1):
        if mask[i] == CREEPING:
            relax_vertex(ahead, patches, springs, mask, i, -1, creep_inout)


@njit
def push_back(h, patches: Patches, bones: BoneMotion, vertices: VertexState, free: FreeFlesh, force_out):
    """What the motion of creeping vertices against their bones does to these: m (2 spin x x' + change of x' / h)."""
    patch_of, patch_bone, mass, twist, creep = (
        patches.patch_of,
        patches.patch_bone,
        patches.mass,
        free.twist,
        free.creep,
    )
    local, relative, mask = vertices.x, vertices.v, vertices.mask
    for i in range(mask.shape[0]):
        if mask[i] != CREEPING:
            continue
        p, m = patch_of[i], mass[i]
        sx, sy, sz = cross(
            twist[p, 3], twist[p, 4], twist[p, 5], relative[i, 0], relative[i, 1], relative[i, 2]
        )
        fx, fy, fz = (
            m * (2.0 * sx + creep[i, 0] / h),
            m * (2.0 * sy + creep[i, 1] / h),
            m * (2.0 * sz + creep[i, 2] / h),
        )
        tx, ty, tz = cross(local[i, 0], local[i, 1], local[i, 2], fx, fy, fz)
        add_wrench(bones, patch_bone[p], fx, fy, fz, tx, ty, tz, force_out)


@njit
def creep_along(
    h, ahead, patches: Patches, springs: Springs, bones: BoneMotion, vertices: VertexState, origin, free_out: FreeFlesh,
    force_out,
):  # fmt: skip
    """How creeping vertices change their velocities in this step, and what their bones feel of it."""
    mask = vertices.mask
    any_creeps = False
    for i in range(mask.shape[0]):
        any_creeps |= mask[i] == CREEPING
    if not any_creeps:
        return
    set_creep_forces(
        h, ahead, patches, springs, bones.rotation, vertices, free_out.twist, origin, free_out.creep
    )
    relax_creeping(ahead, patches, springs, mask, free_out.creep)
    push_back(h, patches, bones, vertices, free_out, force_out)


@njit
def advance_creeping(h, mask, creep, local, relative, local_out, relative_out):
    """Velocities and places of the creeping vertices after the step."""
    for i in range(mask.shape[0]):
        if mask[i] == CREEPING:
            for c in range(3):
                relative_out[i, c] = relative[i, c] + creep[i, c]
                local_out[i, c] = local[i, c] + h * relative_out[i, c]


@njit
def set_surges(h, twist, twist_next, surge_out):
    """How fast the motion of the bones changed in this step, in their axes [patches, 6]."""
    for p in range(twist.shape[0]):
        for c in range(6):
            surge_out[p, c] = (twist_next[p, c] - twist[p, c]) / h
