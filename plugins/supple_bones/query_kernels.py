"""Queries about one tree of bones at the state of the moment; equations are numbered in README.md.

Every query first looks whether coordinates or rates differ from those seen last, and only then follows them. That
costs less than the call itself, and whoever changes the state need not tell.
"""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross
from supple_bones.chain_kernels import multiply_chain
from supple_bones.force_kernels import find_gravity_force, find_inverse_dynamics, set_inertial_forces
from supple_bones.inertia_kernels import make_mass_matrix, spread_chain_matrix
from supple_bones.kinematics_kernels import move_bones, place_bones
from supple_bones.layout import DOF_PARENT, FOLLOWS, LAST_DOF, PARENT, ROOT, ROW_COUNT, ROW_FIRST, V_FIRST
from supple_bones.spatial_kernels import apply_inertia


class TreeTables(NamedTuple):
    """What is constant of one tree; see `layout` for the columns. Rows count within the tree."""

    bone: IntArray
    dof: IntArray
    frame: FloatArray
    inertia: FloatArray
    armature: FloatArray


class TreeMotion(NamedTuple):
    """State of one tree, the state that was seen last, and what follows from that."""

    gravity: FloatArray  # [3] m/s^2
    q: FloatArray
    v: FloatArray
    seen_q: FloatArray
    seen_v: FloatArray
    known: IntArray  # [1] 0: nothing was seen yet
    x: FloatArray  # [bones, 3] and
    rotation: FloatArray  # [bones, 4] poses in the world
    axis: FloatArray  # [rows, 6] README eq. (2)
    axis_rate: FloatArray  # [rows, 6] eq. (4)
    velocity: FloatArray  # [bones, 6] eq. (3)
    acceleration: FloatArray  # [bones, 6] spatial, while no rate changes
    own: FloatArray  # [bones, 10] eq. (6)
    composite: FloatArray  # [bones, 10] eq. (8)
    matrix: FloatArray  # mass matrix as a chain matrix, eq. (9)
    work: FloatArray  # [2, bones, 6] scratch
    zero: FloatArray  # [rates or 3] zeros


@njit
def notice_change(now, seen_out):
    """Whether numbers differ from those seen last, which they now are."""
    changed = False
    for i in range(now.shape[0]):
        if now[i] != seen_out[i]:
            changed = True
            seen_out[i] = now[i]
    return changed


@njit
def set_drifts(bone, axis_rate, v, acceleration_out):
    """Spatial accelerations of all bones if no rate changes: the sums in README eq. (17), followers included."""
    for i in range(bone.shape[0]):
        parent = bone[i, PARENT]
        for c in range(6):
            acceleration_out[i, c] = acceleration_out[parent, c] if parent >= 0 else 0.0
        rates = bone[i, V_FIRST] - bone[i, ROW_FIRST]
        for k in range(bone[i, ROW_FIRST], bone[i, ROW_FIRST] + bone[i, ROW_COUNT]):
            for c in range(6):
                acceleration_out[i, c] += axis_rate[k, c] * v[rates + k]


@njit
def follow_tree(tree, motion):
    """Everything that queries share, unless it is that of the present state already."""
    q_changed, v_changed = notice_change(motion.q, motion.seen_q), notice_change(motion.v, motion.seen_v)
    if motion.known[0] != 0 and not q_changed and not v_changed:
        return
    place_bones(tree.bone, tree.frame, motion.q, motion.x, motion.rotation, motion.axis)
    move_bones(tree.bone, tree.dof, motion.axis, motion.v, motion.velocity, motion.axis_rate)
    set_drifts(tree.bone, motion.axis_rate, motion.v, motion.acceleration)
    make_mass_matrix(
        tree.bone, tree.dof, tree.inertia, tree.armature, motion.x, motion.rotation, motion.axis,
        motion.own, motion.composite, motion.matrix,
    )  # fmt: skip
    motion.known[0] = 1


@njit
def query_mass_matrix(tree, motion, dense_out):
    """M [n, n]; entries off the chains are left alone, for they are zero."""
    follow_tree(tree, motion)
    spread_chain_matrix(tree.dof, motion.matrix, dense_out)


@njit
def query_inverse_dynamics(tree, motion, gravity, acceleration, tau_out):
    """M a + bias + the force of this gravity: README eq. (12)."""
    follow_tree(tree, motion)
    find_inverse_dynamics(
        tree.bone, tree.armature, gravity, motion.own, motion.axis, motion.axis_rate, motion.velocity,
        motion.v, acceleration, motion.work, tau_out,
    )  # fmt: skip


@njit
def query_gravity(tree, motion, tau_out):
    """README eq. (14)."""
    follow_tree(tree, motion)
    find_gravity_force(tree.bone, motion.gravity, motion.axis, motion.composite, tau_out)


@njit_inlined
def set_column(axis, k, rx, ry, rz, column, jacobian_out):
    """What a unit of the axis in row k does to the point O + r, and to the rotation."""
    ax, ay, az = axis[k, 3], axis[k, 4], axis[k, 5]
    sx, sy, sz = cross(ax, ay, az, rx, ry, rz)
    jacobian_out[0, column] = axis[k, 0] + sx
    jacobian_out[1, column] = axis[k, 1] + sy
    jacobian_out[2, column] = axis[k, 2] + sz
    jacobian_out[3, column] = ax
    jacobian_out[4, column] = ay
    jacobian_out[5, column] = az


@njit
def fill_jacobian(bone, dof, motion, i, px, py, pz, jacobian_out):
    """jacobian_out [6, n] of the point p of bone or follower i, and of its rotation: README eq. (16)."""
    axis, x, root = motion.axis, motion.x, bone[i, ROOT]
    for c in range(6):
        for k in range(jacobian_out.shape[1]):
            jacobian_out[c, k] = 0.0
    rx, ry, rz = rotate_vector_at(motion.rotation, i, px, py, pz)
    rx, ry, rz = rx + x[i, 0] - x[root, 0], ry + x[i, 1] - x[root, 1], rz + x[i, 2] - x[root, 2]
    k = bone[i, LAST_DOF]
    while k >= 0:
        set_column(axis, k, rx, ry, rz, k, jacobian_out)
        k = dof[k, DOF_PARENT]
    if bone[i, FOLLOWS] >= 0:
        for local in range(bone[i, ROW_COUNT]):
            set_column(axis, bone[i, ROW_FIRST] + local, rx, ry, rz, bone[i, V_FIRST] + local, jacobian_out)


@njit
def query_jacobian(tree, motion, jacobian_out, i, px, py, pz):
    """The Jacobian of a point p [m, in the bone's frame] and of the rotation."""
    follow_tree(tree, motion)
    fill_jacobian(tree.bone, tree.dof, motion, i, px, py, pz, jacobian_out)


@njit
def fill_motion(bone, motion, i, px, py, pz, motion_out):
    """motion_out [19]: the point in the world, rotation, velocity, spin, drift of both; README eq. (17)."""
    x, rotation, velocity, acceleration = motion.x, motion.rotation, motion.velocity, motion.acceleration
    root = bone[i, ROOT]
    rx, ry, rz = rotate_vector_at(rotation, i, px, py, pz)
    rx, ry, rz = rx + x[i, 0], ry + x[i, 1], rz + x[i, 2]
    motion_out[0], motion_out[1], motion_out[2] = rx, ry, rz
    for c in range(4):
        motion_out[3 + c] = rotation[i, c]
    rx, ry, rz = rx - x[root, 0], ry - x[root, 1], rz - x[root, 2]
    w0, w1, w2 = velocity[i, 3], velocity[i, 4], velocity[i, 5]
    sx, sy, sz = cross(w0, w1, w2, rx, ry, rz)
    ux, uy, uz = velocity[i, 0] + sx, velocity[i, 1] + sy, velocity[i, 2] + sz
    motion_out[7], motion_out[8], motion_out[9] = ux, uy, uz
    motion_out[10], motion_out[11], motion_out[12] = w0, w1, w2
    a3, a4, a5 = acceleration[i, 3], acceleration[i, 4], acceleration[i, 5]
    tx, ty, tz = cross(a3, a4, a5, rx, ry, rz)
    cx, cy, cz = cross(w0, w1, w2, ux, uy, uz)
    motion_out[13] = acceleration[i, 0] + tx + cx
    motion_out[14] = acceleration[i, 1] + ty + cy
    motion_out[15] = acceleration[i, 2] + tz + cz
    motion_out[16], motion_out[17], motion_out[18] = a3, a4, a5


@njit
def query_motion(tree, motion, motion_out, i, px, py, pz):
    """Pose, velocity and drift of a point p [m, in the bone's frame]."""
    follow_tree(tree, motion)
    fill_motion(tree.bone, motion, i, px, py, pz, motion_out)


@njit_inlined
def add_momentum(dx, dy, dz, f0, f1, f2, f3, f4, f5, sum_out):
    """Adds a spatial momentum or force about O to one about the place O - d, [6]."""
    tx, ty, tz = cross(dx, dy, dz, f0, f1, f2)
    sum_out[0] += f0
    sum_out[1] += f1
    sum_out[2] += f2
    sum_out[3] += f3 + tx
    sum_out[4] += f4 + ty
    sum_out[5] += f5 + tz


@njit
def move_to_centre(cx, cy, cz, sum_out):
    """A spatial momentum or force about a place, about the place + c."""
    tx, ty, tz = cross(cx, cy, cz, sum_out[0], sum_out[1], sum_out[2])
    sum_out[3] -= tx
    sum_out[4] -= ty
    sum_out[5] -= tz


@njit
def add_whole(bone, x, own, velocity, force, whole_out):
    """Mass times centre as seen from the first bone, momentum and its drift about that bone's origin; the mass."""
    mass = 0.0
    for c in range(whole_out.shape[0]):
        whole_out[c] = 0.0
    for i in range(bone.shape[0]):
        root = bone[i, ROOT]
        dx, dy, dz = x[root, 0] - x[0, 0], x[root, 1] - x[0, 1], x[root, 2] - x[0, 2]
        p = apply_inertia(
            own, i,
            velocity[i, 0], velocity[i, 1], velocity[i, 2], velocity[i, 3], velocity[i, 4], velocity[i, 5],
        )  # fmt: skip
        mass += own[i, 0]
        whole_out[0] += own[i, 1] + own[i, 0] * dx
        whole_out[1] += own[i, 2] + own[i, 0] * dy
        whole_out[2] += own[i, 3] + own[i, 0] * dz
        add_momentum(dx, dy, dz, p[0], p[1], p[2], p[3], p[4], p[5], whole_out[3:9])
        f = force[i]
        add_momentum(dx, dy, dz, f[0], f[1], f[2], f[3], f[4], f[5], whole_out[9:15])
    return mass


@njit
def finish_whole(x, mass, whole_out):
    """From sums about the origin of the first bone to the centre of mass."""
    cx, cy, cz = whole_out[0] / mass, whole_out[1] / mass, whole_out[2] / mass
    move_to_centre(cx, cy, cz, whole_out[3:9])
    move_to_centre(cx, cy, cz, whole_out[9:15])
    whole_out[0], whole_out[1], whole_out[2] = cx + x[0, 0], cy + x[0, 1], cz + x[0, 2]


@njit
def query_whole(tree, motion, whole_out):
    """whole_out [15]: centre of mass, momentum and angular momentum about it, and the drift of both."""
    follow_tree(tree, motion)
    zero = motion.zero
    set_inertial_forces(
        tree.bone,
        zero,
        motion.own,
        motion.axis,
        motion.axis_rate,
        motion.velocity,
        motion.v,
        zero,
        motion.work,
    )
    mass = add_whole(tree.bone, motion.x, motion.own, motion.velocity, motion.work[1], whole_out)
    finish_whole(motion.x, mass, whole_out)


@njit
def fill_momentum_matrix(bone, x, axis, composite, cx, cy, cz, matrix_out):
    """matrix_out [6, n]: momentum and angular momentum about the place c, by a unit of every rate: README eq. (24)."""
    for c in range(6):
        for k in range(matrix_out.shape[1]):
            matrix_out[c, k] = 0.0
    for i in range(bone.shape[0]):
        root = bone[i, ROOT]
        dx, dy, dz = x[root, 0] - cx, x[root, 1] - cy, x[root, 2] - cz
        rates = bone[i, V_FIRST] - bone[i, ROW_FIRST]
        for k in range(bone[i, ROW_FIRST], bone[i, ROW_FIRST] + bone[i, ROW_COUNT]):
            p = apply_inertia(
                composite, i, axis[k, 0], axis[k, 1], axis[k, 2], axis[k, 3], axis[k, 4], axis[k, 5]
            )
            add_momentum(dx, dy, dz, p[0], p[1], p[2], p[3], p[4], p[5], matrix_out[:, rates + k])


@njit
def query_momentum_matrix(tree, motion, whole_out, matrix_out):
    """matrix_out [6, n] about the centre of mass, which is found on the way."""
    query_whole(tree, motion, whole_out)
    fill_momentum_matrix(
        tree.bone,
        motion.x,
        motion.axis,
        motion.composite,
        whole_out[0],
        whole_out[1],
        whole_out[2],
        matrix_out,
    )


@njit
def query_kinetic_energy(tree, motion, momentum_out):
    """v^T M v / 2 with the armature; momentum_out [n] is scratch."""
    follow_tree(tree, motion)
    multiply_chain(tree.dof, motion.matrix, motion.v, momentum_out)
    total = 0.0
    for k in range(motion.v.shape[0]):
        total += motion.v[k] * momentum_out[k]
    return 0.5 * total
