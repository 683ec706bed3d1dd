"""Which vertices are active, and what becomes of the momentum of those that no longer are; README eq. (14) to (16)."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import cross, dot
from supple_flesh.creep_kernels import is_creeper
from supple_flesh.load_kernels import add_wrench
from supple_flesh.tables import (
    ADAPTIVE,
    CREEPING,
    MOVING,
    RESTING,
    SOFT,
    BoneMotion,
    FreeFlesh,
    Patches,
    Skins,
    Softness,
    Springs,
    Touches,
    VertexMotion,
    VertexState,
)

FAR = 1 << 30

CREEPERS_REST = 0.1
"""Vertices that creep cost next to nothing, so they come to rest ten times nearer to their places than others."""


@njit
def forget_contacts(ring_out):
    """No vertex is near a contact."""
    for i in range(ring_out.shape[0]):
        ring_out[i] = FAR


@njit
def mark_touched(touches: Touches, skins: Skins, triangles, ring_out):
    """ring_out = 0 for the corners of the triangles that the skins are touched on."""
    surface, element = touches.surface, touches.element
    for part in range(skins.number.shape[0]):
        number, first_triangle = skins.number[part], skins.first_triangle[part]
        for c in range(touches.counts[0]):
            for side in range(2):
                if surface[c, side] == number:
                    for k in range(3):
                        ring_out[triangles[first_triangle + element[c, side], k]] = 0


@njit
def mark_held(held_surface, held_element, skins: Skins, triangles, ring_out):
    """ring_out = 0 for the corners of the triangles that the skins are held on."""
    for part in range(skins.number.shape[0]):
        number, first_triangle = skins.number[part], skins.first_triangle[part]
        for n in range(held_element.shape[0]):
            if held_surface[n] == number and held_element[n] >= 0:
                for k in range(3):
                    ring_out[triangles[first_triangle + held_element[n], k]] = 0


@njit
def spread_rings(most, first, neighbour, ring_out):
    """ring_out = number of edges to the nearest corner of a touched triangle, up to `most`."""
    for ring in range(most):
        reached = False
        for i in range(ring_out.shape[0]):
            if ring_out[i] == ring:
                reached = True
                for e in range(first[i], first[i + 1]):
                    if ring_out[neighbour[e]] > ring + 1:
                        ring_out[neighbour[e]] = ring + 1
        if not reached:
            return


@njit
def choose_active(
    rest_displacement, rest_speed, ahead, softness: Softness, springs: Springs, ring, vertices: VertexMotion, active,
    mask_out,
):  # fmt: skip
    """Soft flesh moves, and adaptive flesh within the rings; beyond them it creeps or moves until it is at rest.

    Springs and dampers look `ahead` [s].
    """
    state, rings, rest = softness.state, softness.rings, softness.rest
    local, relative = vertices.x, vertices.v
    for i in range(mask_out.shape[0]):
        mask_out[i] = RESTING
        if state[i] == SOFT or (state[i] == ADAPTIVE and ring[i] <= rings[i]):
            mask_out[i] = MOVING
        elif state[i] == ADAPTIVE and active[i] != RESTING:
            displacement, speed = 0.0, 0.0
            for c in range(3):
                displacement += (local[i, c] - rest[i, c]) ** 2
                speed += relative[i, c] ** 2
            creeps = is_creeper(ahead, softness.mass, springs, i)
            part = CREEPERS_REST**2 if creeps else 1.0
            if displacement > part * rest_displacement**2 or speed > part * rest_speed**2:
                mask_out[i] = CREEPING if creeps else MOVING


@njit
def leave_together(patch_of, active, stay, mask_inout):
    """Vertices of a patch go on moving until those that would creep from now on are as many as those that stay.

    Each change of those that move costs a new inverse, which takes longer than some steps with a few more of them.
    stay [patches] is scratch.
    """
    for p in range(stay.shape[0]):
        stay[p] = 0
    for i in range(mask_inout.shape[0]):
        if mask_inout[i] == MOVING:
            stay[patch_of[i]] += 1
        elif mask_inout[i] == CREEPING and active[i] == MOVING:
            stay[patch_of[i]] -= 1
    for i in range(mask_inout.shape[0]):
        if mask_inout[i] == CREEPING and active[i] == MOVING and stay[patch_of[i]] > 0:
            mask_inout[i] = MOVING


@njit_inlined
def find_elastic_energy(patches: Patches, springs: Springs, rotation, local, moving, i):
    """Energy of the springs of vertex i [J]; those to other vertices that move count half."""
    patch_bone, patch_of, rest = patches.patch_bone, patches.patch_of, patches.rest
    first, neighbour, edge_stiffness = springs.first, springs.neighbour, springs.edge_stiffness
    b = patch_bone[patch_of[i]]
    dx, dy, dz = local[i, 0] - rest[i, 0], local[i, 1] - rest[i, 1], local[i, 2] - rest[i, 2]
    energy = 0.5 * springs.vertex_stiffness[i] * dot(dx, dy, dz, dx, dy, dz)
    for e in range(first[i], first[i + 1]):
        j = neighbour[e]
        if moving[j] == 0:
            energy += 0.5 * edge_stiffness[e] * dot(dx, dy, dz, dx, dy, dz)
            continue
        ox, oy, oz = local[j, 0] - rest[j, 0], local[j, 1] - rest[j, 1], local[j, 2] - rest[j, 2]
        if patch_of[j] != patch_of[i]:
            ox, oy, oz = rotate_vector_at(rotation, patch_bone[patch_of[j]], ox, oy, oz)
            ox, oy, oz = rotate_vector_back_at(rotation, b, ox, oy, oz)
        ox, oy, oz = dx - ox, dy - oy, dz - oz
        energy += 0.25 * edge_stiffness[e] * dot(ox, oy, oz, ox, oy, oz)
    return energy


@njit_inlined
def find_moving_energy(gx, gy, gz, patches: Patches, twist, p, local, relative, i):
    """How much more kinetic energy and energy of gravity vertex i has than at rest on its bone [J], as two floats.

    g is the acceleration of gravity in the axes of the bone, twist[p] the bone's motion.
    """
    mass, rest = patches.mass, patches.rest
    w0, w1, w2 = twist[p, 3], twist[p, 4], twist[p, 5]
    sx, sy, sz = cross(w0, w1, w2, rest[i, 0], rest[i, 1], rest[i, 2])
    sx, sy, sz = sx + twist[p, 0], sy + twist[p, 1], sz + twist[p, 2]
    dx, dy, dz = local[i, 0] - rest[i, 0], local[i, 1] - rest[i, 1], local[i, 2] - rest[i, 2]
    ex, ey, ez = cross(w0, w1, w2, dx, dy, dz)
    ex, ey, ez = ex + relative[i, 0], ey + relative[i, 1], ez + relative[i, 2]
    kinetic = mass[i] * (dot(sx, sy, sz, ex, ey, ez) + 0.5 * dot(ex, ey, ez, ex, ey, ez))
    return kinetic, -mass[i] * dot(gx, gy, gz, dx, dy, dz)


@njit
def release_vertices(
    h, gravity, patches: Patches, springs: Springs, bones: BoneMotion, vertices: VertexState, free_out: FreeFlesh,
    force_out,
):  # fmt: skip
    """Hands the momentum of vertices that were active and no longer are to their bones; README eq. (15) and (16).

    Of every patch it leaves the impulse and its moment about the bone's origin, in the bone's axes, and the energy that
    goes with the motion against the bone and with the springs.
    """
    patch_bone, patch_of, mass, rest = patches.patch_bone, patches.patch_of, patches.mass, patches.rest
    local, relative, active, mask = vertices.x, vertices.v, vertices.active, vertices.mask
    twist, parting_out, loss_out, rotation = (
        free_out.twist,
        free_out.parting,
        free_out.loss_now,
        bones.rotation,
    )
    for p in range(parting_out.shape[0]):
        loss_out[p] = 0.0
        for c in range(6):
            parting_out[p, c] = 0.0
    for i in range(mask.shape[0]):
        if active[i] == 0 or mask[i] != 0:
            continue
        p = patch_of[i]
        m = mass[i]
        w0, w1, w2 = twist[p, 3], twist[p, 4], twist[p, 5]
        dx, dy, dz = local[i, 0] - rest[i, 0], local[i, 1] - rest[i, 1], local[i, 2] - rest[i, 2]
        sx, sy, sz = cross(w0, w1, w2, rest[i, 0], rest[i, 1], rest[i, 2])
        sx, sy, sz = sx + twist[p, 0], sy + twist[p, 1], sz + twist[p, 2]
        ex, ey, ez = cross(w0, w1, w2, dx, dy, dz)
        ex, ey, ez = ex + relative[i, 0], ey + relative[i, 1], ez + relative[i, 2]
        # x v - rest v_rest, with v = v_rest + e: all that turns the bone beyond what the vertex does at rest.
        ax, ay, az = cross(local[i, 0], local[i, 1], local[i, 2], ex, ey, ez)
        bx, by, bz = cross(dx, dy, dz, sx, sy, sz)
        tx, ty, tz = m * (ax + bx), m * (ay + by), m * (az + bz)
        parting_out[p, 0] += m * ex
        parting_out[p, 1] += m * ey
        parting_out[p, 2] += m * ez
        parting_out[p, 3] += tx
        parting_out[p, 4] += ty
        parting_out[p, 5] += tz
        gx, gy, gz = rotate_vector_back_at(rotation, patch_bone[p], gravity[0], gravity[1], gravity[2])
        kinetic, weight = find_moving_energy(gx, gy, gz, patches, twist, p, local, relative, i)
        carried = m * (ex * twist[p, 0] + ey * twist[p, 1] + ez * twist[p, 2]) + tx * w0 + ty * w1 + tz * w2
        loss_out[p] += kinetic + weight - carried
        loss_out[p] += find_elastic_energy(patches, springs, rotation, local, active, i)
    for p in range(parting_out.shape[0]):
        add_wrench(
            bones, patch_bone[p],
            -parting_out[p, 0] / h, -parting_out[p, 1] / h, -parting_out[p, 2] / h,
            -parting_out[p, 3] / h, -parting_out[p, 4] / h, -parting_out[p, 5] / h, force_out,
        )  # fmt: skip
