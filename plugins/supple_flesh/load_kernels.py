"""What active vertices mean to their bones: inertias and forces after they were eliminated; README eq. (4) to (10).

Vectors of vertices are in the axes of the bone. Spatial velocities, accelerations and forces are those of the skeleton:
in world axes about O, the origin of the chain's root bone.
"""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import cross
from supple_bones.layout import ROOT
from supple_flesh.multiply_kernels import multiply_patches
from supple_flesh.tables import (
    MOVING,
    RESTING,
    ActiveVertices,
    BoneMotion,
    FreeFlesh,
    FreeScratch,
    Patches,
    Springs,
    VertexState,
)


@njit_inlined
def read_twist(bones, velocity, b):
    """Velocity of the origin of bone b and its spin, both in the bone's axes, from its spatial velocity.

    `bones` have bone, x and rotation: `BoneMotion`, or `BoneAxes`.
    """
    bone, x, rotation = bones.bone, bones.x, bones.rotation
    root = bone[b, ROOT]
    w0, w1, w2 = velocity[b, 3], velocity[b, 4], velocity[b, 5]
    sx, sy, sz = cross(w0, w1, w2, x[b, 0] - x[root, 0], x[b, 1] - x[root, 1], x[b, 2] - x[root, 2])
    ux, uy, uz = rotate_vector_back_at(
        rotation, b, velocity[b, 0] + sx, velocity[b, 1] + sy, velocity[b, 2] + sz
    )
    wx, wy, wz = rotate_vector_back_at(rotation, b, w0, w1, w2)
    return ux, uy, uz, wx, wy, wz


@njit
def set_twists(patch_bone, bones, velocity, twist_out):
    """Twists of the patches from spatial velocities of the bones; `bones` as in `read_twist`."""
    for p in range(patch_bone.shape[0]):
        ux, uy, uz, wx, wy, wz = read_twist(bones, velocity, patch_bone[p])
        twist_out[p, 0] = ux
        twist_out[p, 1] = uy
        twist_out[p, 2] = uz
        twist_out[p, 3] = wx
        twist_out[p, 4] = wy
        twist_out[p, 5] = wz


@njit
def add_wrench(bones: BoneMotion, b, f0, f1, f2, t0, t1, t2, force_out):
    """force_out[b] += force f and torque t about the bone's origin, both in the bone's axes."""
    bone, x, rotation = bones.bone, bones.x, bones.rotation
    root = bone[b, ROOT]
    fx, fy, fz = rotate_vector_at(rotation, b, f0, f1, f2)
    tx, ty, tz = rotate_vector_at(rotation, b, t0, t1, t2)
    sx, sy, sz = cross(x[b, 0] - x[root, 0], x[b, 1] - x[root, 1], x[b, 2] - x[root, 2], fx, fy, fz)
    force_out[b, 0] += fx
    force_out[b, 1] += fy
    force_out[b, 2] += fz
    force_out[b, 3] += tx + sx
    force_out[b, 4] += ty + sy
    force_out[b, 5] += tz + sz


@njit
def find_lag_moments(mass, local, active: ActiveVertices, right_out, product_out, moment_out):
    """moment_out [n, 3] = A_s^-1 (m x) of the active vertices, 0 of the others; README eq. (4)."""
    vertex, count = active.vertex, active.start[-1]
    for i in range(moment_out.shape[0]):
        for c in range(3):
            moment_out[i, c] = 0.0
    for k in range(count):
        for c in range(3):
            right_out[k, c] = mass[vertex[k]] * local[vertex[k], c]
    multiply_patches(active, right_out, product_out)
    for k in range(count):
        for c in range(3):
            moment_out[vertex[k], c] = product_out[c, k]


@njit
def add_moments(b, total, m, ax, ay, az, bx, by, bz, inertia_out):
    """Adds a mass `total`, first moments m b, and second moments m (a b^T + b a^T) / 2 to the inertia of bone b."""
    xx, yy, zz = m * ax * bx, m * ay * by, m * az * bz
    inertia_out[b, 0] += total
    inertia_out[b, 1] += m * bx
    inertia_out[b, 2] += m * by
    inertia_out[b, 3] += m * bz
    inertia_out[b, 4] += yy + zz
    inertia_out[b, 5] += xx + zz
    inertia_out[b, 6] += xx + yy
    inertia_out[b, 7] -= 0.5 * m * (ax * by + ay * bx)
    inertia_out[b, 8] -= 0.5 * m * (ax * bz + az * bx)
    inertia_out[b, 9] -= 0.5 * m * (ay * bz + az * by)


@njit
def add_patch_inertias(
    patches: Patches, local, active: ActiveVertices, lag, lag_moment, rigid_out, effective_out
):
    """Takes the active vertices out of their bones, and puts into A what is left of them; README eq. (5)."""
    patch_bone, patch_of, mass, rest = patches.patch_bone, patches.patch_of, patches.mass, patches.rest
    vertex = active.vertex
    for k in range(active.start[-1]):
        i = vertex[k]
        b = patch_bone[patch_of[i]]
        m = mass[i]
        ax, ay, az = rest[i, 0], rest[i, 1], rest[i, 2]
        add_moments(b, -m, -m, ax, ay, az, ax, ay, az, rigid_out)
        add_moments(b, -m, -m, ax, ay, az, ax, ay, az, effective_out)
        ax, ay, az = local[i, 0], local[i, 1], local[i, 2]
        bx, by, bz = ax - lag_moment[i, 0], ay - lag_moment[i, 1], az - lag_moment[i, 2]
        add_moments(b, m * (1.0 - lag[i]), m, ax, ay, az, bx, by, bz, effective_out)


@njit_inlined
def read_velocities(
    patches: Patches, bones: BoneMotion, relative, active: ActiveVertices, free_out: FreeFlesh
):
    """Twists of the patches, and y = x' + lag u + spin x lag moment of the active vertices; README eq. (6)."""
    patch_of, vertex = patches.patch_of, active.vertex
    lag, lag_moment, twist_out, y_out = free_out.lag, free_out.lag_moment, free_out.twist, free_out.y
    set_twists(patches.patch_bone, bones, bones.spatial_velocity, twist_out)
    for i in range(y_out.shape[0]):
        for c in range(3):
            y_out[i, c] = 0.0
    for k in range(active.start[-1]):
        i = vertex[k]
        lx, ly, lz = find_lag(twist_out, patch_of[i], lag[i], lag_moment, i)
        y_out[i, 0] = relative[i, 0] + lx
        y_out[i, 1] = relative[i, 1] + ly
        y_out[i, 2] = relative[i, 2] + lz


@njit_inlined
def find_lag(twist, p, lag, lag_moment, i):
    """(A_xx^-1 A_xr r) of vertex i: lag u + spin x lag moment."""
    sx, sy, sz = cross(
        twist[p, 3], twist[p, 4], twist[p, 5], lag_moment[i, 0], lag_moment[i, 1], lag_moment[i, 2]
    )
    return lag * twist[p, 0] + sx, lag * twist[p, 1] + sy, lag * twist[p, 2] + sz


@njit_inlined
def find_origin_acceleration(bones: BoneMotion, acceleration, b, c0, c1, c2):
    """Acceleration of the bone's origin with the centripetal part c [world], and angular acceleration; bone's axes."""
    bone, x, rotation = bones.bone, bones.x, bones.rotation
    root = bone[b, ROOT]
    a3, a4, a5 = acceleration[b, 3], acceleration[b, 4], acceleration[b, 5]
    sx, sy, sz = cross(a3, a4, a5, x[b, 0] - x[root, 0], x[b, 1] - x[root, 1], x[b, 2] - x[root, 2])
    ax, ay, az = rotate_vector_back_at(
        rotation, b, acceleration[b, 0] + sx + c0, acceleration[b, 1] + sy + c1, acceleration[b, 2] + sz + c2
    )
    tx, ty, tz = rotate_vector_back_at(rotation, b, a3, a4, a5)
    return ax, ay, az, tx, ty, tz


@njit_inlined
def find_mixed_acceleration(origin, p, twist_a, twist_b, local, i, da0, da1, da2, db0, db1, db2):
    """Acceleration of vertex i in the bone's axes, in two parts: README eq. (8); d are velocities against the bone."""
    lx, ly, lz = local[i, 0], local[i, 1], local[i, 2]
    a0, a1, a2 = twist_a[p, 3], twist_a[p, 4], twist_a[p, 5]
    b0, b1, b2 = twist_b[p, 3], twist_b[p, 4], twist_b[p, 5]
    ex, ey, ez = cross(origin[p, 3], origin[p, 4], origin[p, 5], lx, ly, lz)
    sx, sy, sz = cross(b0, b1, b2, lx, ly, lz)
    fx, fy, fz = cross(a0, a1, a2, sx + 2.0 * db0, sy + 2.0 * db1, sz + 2.0 * db2)
    sx, sy, sz = cross(a0, a1, a2, lx, ly, lz)
    gx, gy, gz = cross(b0, b1, b2, sx + 2.0 * da0, sy + 2.0 * da1, sz + 2.0 * da2)
    return origin[p, 0] + ex, origin[p, 1] + ey, origin[p, 2] + ez, fx + gx, fy + gy, fz + gz


@njit
def set_origin_accelerations(
    patch_bone, bones: BoneMotion, velocity_a, velocity_b, acceleration, part, origin_out
):
    """origin_out [patches, 6]: accelerations of the origins, part * (spin_a x v_b + spin_b x v_a) being centripetal."""
    bone, x = bones.bone, bones.x
    for p in range(patch_bone.shape[0]):
        b = patch_bone[p]
        root = bone[b, ROOT]
        rx, ry, rz = x[b, 0] - x[root, 0], x[b, 1] - x[root, 1], x[b, 2] - x[root, 2]
        a0, a1, a2 = velocity_a[b, 3], velocity_a[b, 4], velocity_a[b, 5]
        b0, b1, b2 = velocity_b[b, 3], velocity_b[b, 4], velocity_b[b, 5]
        sx, sy, sz = cross(b0, b1, b2, rx, ry, rz)
        cx, cy, cz = cross(a0, a1, a2, velocity_b[b, 0] + sx, velocity_b[b, 1] + sy, velocity_b[b, 2] + sz)
        sx, sy, sz = cross(a0, a1, a2, rx, ry, rz)
        dx, dy, dz = cross(b0, b1, b2, velocity_a[b, 0] + sx, velocity_a[b, 1] + sy, velocity_a[b, 2] + sz)
        ax, ay, az, tx, ty, tz = find_origin_acceleration(
            bones, acceleration, b, part * (cx + dx), part * (cy + dy), part * (cz + dz)
        )
        origin_out[p, 0] = ax
        origin_out[p, 1] = ay
        origin_out[p, 2] = az
        origin_out[p, 3] = tx
        origin_out[p, 4] = ty
        origin_out[p, 5] = tz


@njit_inlined
def find_spring_force(ahead, patches: Patches, springs: Springs, rotation, local, relative, mask, kind, i):
    """Resistance of the springs of vertex i at the end of the step, and the torque of those across bones on its bone.

    Six floats in the bone's axes. Springs between vertices of one patch and one `kind`, moving or creeping, see the
    displacements d + h x' that the present velocities lead to; others only the vertex' own, and the other end is taken
    as it is: README eq. (9), (13). The time `ahead` is h, or 0 for springs as they are at the start of the step.
    """
    patch_bone, patch_of, rest = patches.patch_bone, patches.patch_of, patches.rest
    first, neighbour, edge_stiffness = springs.first, springs.neighbour, springs.edge_stiffness
    b = patch_bone[patch_of[i]]
    dx, dy, dz = local[i, 0] - rest[i, 0], local[i, 1] - rest[i, 1], local[i, 2] - rest[i, 2]
    total = springs.vertex_stiffness[i]
    fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for e in range(first[i], first[i + 1]):
        j = neighbour[e]
        stiffness = edge_stiffness[e]
        total += stiffness
        if mask[j] == RESTING:
            continue
        ox, oy, oz = local[j, 0] - rest[j, 0], local[j, 1] - rest[j, 1], local[j, 2] - rest[j, 2]
        if patch_of[j] == patch_of[i] and mask[j] == kind:
            ox, oy, oz = ox + ahead * relative[j, 0], oy + ahead * relative[j, 1], oz + ahead * relative[j, 2]
        elif patch_of[j] != patch_of[i]:
            ox, oy, oz = rotate_vector_at(rotation, patch_bone[patch_of[j]], ox, oy, oz)
            ox, oy, oz = rotate_vector_back_at(rotation, b, ox, oy, oz)
            cx, cy, cz = cross(dx, dy, dz, ox, oy, oz)
            tx, ty, tz = tx + stiffness * cx, ty + stiffness * cy, tz + stiffness * cz
        fx, fy, fz = fx - stiffness * ox, fy - stiffness * oy, fz - stiffness * oz
    return (
        fx + total * (dx + ahead * relative[i, 0]),
        fy + total * (dy + ahead * relative[i, 1]),
        fz + total * (dz + ahead * relative[i, 2]),
        tx,
        ty,
        tz,
    )


@njit
def add_vertex_forces(
    h, ahead, patches: Patches, springs: Springs, bones: BoneMotion, vertices: VertexState, active: ActiveVertices,
    free: FreeFlesh, scratch_out: FreeScratch, force_out,
):  # fmt: skip
    """Forces on the bones and the change A_xx^-1 b_x of y, README eq. (7) to (10), which is left in the scratch."""
    patch_bone, patch_of, mass, damping = patches.patch_bone, patches.patch_of, patches.mass, springs.damping
    local, relative, mask, rotation = vertices.x, vertices.v, vertices.mask, bones.rotation
    vertex, count = active.vertex, active.start[-1]
    lag, lag_moment, twist, origin = free.lag, free.lag_moment, free.twist, scratch_out.origin
    right_out, product_out, change_out = scratch_out.right, scratch_out.product, scratch_out.change
    for k in range(count):
        i = vertex[k]
        p = patch_of[i]
        ax, ay, az, cx, cy, cz = find_mixed_acceleration(
            origin, p, twist, twist, local, i, relative[i, 0], relative[i, 1], relative[i, 2],
            relative[i, 0], relative[i, 1], relative[i, 2],
        )  # fmt: skip
        m = mass[i]
        fx, fy, fz = m * (ax + 0.5 * cx), m * (ay + 0.5 * cy), m * (az + 0.5 * cz)
        sx, sy, sz, tx, ty, tz = find_spring_force(
            ahead, patches, springs, rotation, local, relative, mask, MOVING, i
        )
        rx = -(fx + sx + damping[i] * relative[i, 0])
        ry = -(fy + sy + damping[i] * relative[i, 1])
        rz = -(fz + sz + damping[i] * relative[i, 2])
        right_out[k, 0] = h * rx
        right_out[k, 1] = h * ry
        right_out[k, 2] = h * rz
        ux, uy, uz = cross(local[i, 0], local[i, 1], local[i, 2], fx, fy, fz)
        vx, vy, vz = cross(lag_moment[i, 0], lag_moment[i, 1], lag_moment[i, 2], rx, ry, rz)
        add_wrench(
            bones, patch_bone[p], fx + lag[i] * rx, fy + lag[i] * ry, fz + lag[i] * rz,
            ux + vx - tx, uy + vy - ty, uz + vz - tz, force_out,
        )  # fmt: skip
    multiply_patches(active, right_out, product_out)
    for k in range(count):
        for c in range(3):
            change_out[c, k] = product_out[c, k]


@njit
def set_free_velocities(y, active: ActiveVertices, scratch: FreeScratch, y_free_out):
    """y after the step if nothing touched; 0 of vertices that are not active."""
    vertex, count, latest, push = active.vertex, active.start[-1], scratch.latest, scratch.push
    for i in range(y.shape[0]):
        for c in range(3):
            y_free_out[i, c] = 0.0
    for k in range(count):
        for c in range(3):
            y_free_out[vertex[k], c] = y[vertex[k], c] + latest[c, k]
    if scratch.pushes[0] != 0:
        for k in range(count):
            for c in range(3):
                y_free_out[vertex[k], c] += push[c, k]


@njit
def add_mixed_vertex_forces(
    share, patches: Patches, bones: BoneMotion, vertices: VertexState, active: ActiveVertices, free: FreeFlesh,
    scratch_out: FreeScratch, force_out,
):  # fmt: skip
    """The lagged correction, README eq. (12): forces of 2 B(v, change), and the change of y less `share` of it.

    The latest change of y, from which the change of the relative velocity follows, is in the scratch.
    """
    patch_bone, patch_of, mass = patches.patch_bone, patches.patch_of, patches.mass
    local, relative, vertex, count = vertices.x, vertices.v, active.vertex, active.start[-1]
    lag, lag_moment, twist = free.lag, free.lag_moment, free.twist
    origin, change_twist, change = scratch_out.origin, scratch_out.change_twist, scratch_out.change
    right_out, product_out, latest_out = scratch_out.right, scratch_out.product, scratch_out.latest
    for k in range(count):
        i = vertex[k]
        p = patch_of[i]
        lx, ly, lz = find_lag(change_twist, p, lag[i], lag_moment, i)
        ax, ay, az, cx, cy, cz = find_mixed_acceleration(
            origin, p, twist, change_twist, local, i, relative[i, 0], relative[i, 1], relative[i, 2],
            latest_out[0, k] - lx, latest_out[1, k] - ly, latest_out[2, k] - lz,
        )  # fmt: skip
        m = mass[i]
        fx, fy, fz = m * (ax + cx), m * (ay + cy), m * (az + cz)
        right_out[k, 0] = fx
        right_out[k, 1] = fy
        right_out[k, 2] = fz
        part = 1.0 - lag[i]
        tx, ty, tz = cross(
            local[i, 0] - lag_moment[i, 0], local[i, 1] - lag_moment[i, 1], local[i, 2] - lag_moment[i, 2],
            fx, fy, fz,
        )  # fmt: skip
        add_wrench(bones, patch_bone[p], part * fx, part * fy, part * fz, tx, ty, tz, force_out)
    multiply_patches(active, right_out, product_out)
    for k in range(count):
        for c in range(3):
            latest_out[c, k] = change[c, k] - share * product_out[c, k]
