"""Queries about one skeleton and the vertices that move on it, as one system (r, x'); equations in README.md.

Kernels of the bones do their part with `whole`, the inertias with active vertices where they are, and with `rigid`,
those without them. Rates come first, then three velocities for every active vertex, in the axes of its bone.
"""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import matrix_of_quaternion_at, rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import cross
from supple_bones.force_kernels import find_gravity_force, gather_forces, set_inertial_forces
from supple_bones.inertia_kernels import carry_inertias, make_mass_matrix, spread_chain_matrix
from supple_bones.kinematics_kernels import move_bones, place_bones
from supple_bones.layout import ROOT
from supple_bones.query_kernels import (
    add_momentum,
    add_whole,
    fill_jacobian,
    fill_momentum_matrix,
    fill_motion,
    finish_whole,
    notice_change,
    set_drifts,
)
from supple_bones.spatial_kernels import apply_inertia
from supple_flesh.load_kernels import add_moments


class Vertices(NamedTuple):
    """The vertices on one skeleton, and how they were seen last. Rows of x, v, active are those of all flesh."""

    number: IntArray  # [N] rows of all flesh, patch by patch
    bone: IntArray  # [N] bone or follower within the tree
    mass: FloatArray  # [N] kg
    rest: FloatArray  # [N, 3] m
    x: FloatArray
    v: FloatArray
    active: IntArray
    seen: FloatArray  # [N, 7]
    chosen: IntArray  # [N] places in `number` of those that are active
    count: IntArray  # [1] how many are
    base: FloatArray  # [bones, 10] inertias with all flesh at rest
    rigid: FloatArray  # [bones, 10] without active vertices
    rigid_own: FloatArray  # [bones, 10] the same about O, in world axes


@njit
def notice_vertices(flesh):
    """Whether vertices differ from those seen last, which they now are."""
    changed = False
    for k in range(flesh.number.shape[0]):
        i = flesh.number[k]
        if flesh.seen[k, 6] != flesh.active[i]:
            changed = True
            flesh.seen[k, 6] = flesh.active[i]
        for c in range(3):
            if flesh.seen[k, c] != flesh.x[i, c] or flesh.seen[k, 3 + c] != flesh.v[i, c]:
                changed = True
                flesh.seen[k, c] = flesh.x[i, c]
                flesh.seen[k, 3 + c] = flesh.v[i, c]
    return changed


@njit
def weigh_vertices(flesh, whole_out):
    """Lists the active vertices; rigid inertias without them, whole ones with them where they are: README eq. (5)."""
    for b in range(whole_out.shape[0]):
        for c in range(10):
            flesh.rigid[b, c] = flesh.base[b, c]
            whole_out[b, c] = flesh.base[b, c]
    count = 0
    for k in range(flesh.number.shape[0]):
        i, b, m = flesh.number[k], flesh.bone[k], flesh.mass[k]
        if flesh.active[i] == 0:
            continue
        flesh.chosen[count] = k
        count += 1
        ax, ay, az = flesh.rest[k, 0], flesh.rest[k, 1], flesh.rest[k, 2]
        add_moments(b, -m, -m, ax, ay, az, ax, ay, az, flesh.rigid)
        add_moments(b, -m, -m, ax, ay, az, ax, ay, az, whole_out)
        ax, ay, az = flesh.x[i, 0], flesh.x[i, 1], flesh.x[i, 2]
        add_moments(b, m, m, ax, ay, az, ax, ay, az, whole_out)
    flesh.count[0] = count


@njit
def follow_flesh(tree, motion, flesh):
    """Everything that queries share, unless it is that of the present state; returns the number of active vertices."""
    q_changed, v_changed = notice_change(motion.q, motion.seen_q), notice_change(motion.v, motion.seen_v)
    moved = notice_vertices(flesh)
    if motion.known[0] != 0 and not q_changed and not v_changed and not moved:
        return flesh.count[0]
    weigh_vertices(flesh, tree.inertia)
    place_bones(tree.bone, tree.frame, motion.q, motion.x, motion.rotation, motion.axis)
    move_bones(tree.bone, tree.dof, motion.axis, motion.v, motion.velocity, motion.axis_rate)
    set_drifts(tree.bone, motion.axis_rate, motion.v, motion.acceleration)
    make_mass_matrix(
        tree.bone, tree.dof, tree.inertia, tree.armature, motion.x, motion.rotation, motion.axis,
        motion.own, motion.composite, motion.matrix,
    )  # fmt: skip
    carry_inertias(tree.bone, flesh.rigid, motion.x, motion.rotation, flesh.rigid_own)
    motion.known[0] = 1
    return flesh.count[0]


@njit
def fill_coupled_mass(tree, motion, flesh, jacobian_out, matrix_out):
    """matrix_out [n, n]: README eq. (2) without springs; jacobian_out [6, n] is scratch."""
    rates = motion.v.shape[0]
    spread_chain_matrix(tree.dof, motion.matrix, matrix_out)
    for a in range(flesh.count[0]):
        k = flesh.chosen[a]
        x, b, m, first = flesh.x[flesh.number[k]], flesh.bone[k], flesh.mass[k], rates + 3 * a
        fill_jacobian(tree.bone, tree.dof, motion, b, x[0], x[1], x[2], jacobian_out)
        for column in range(rates):
            ux, uy, uz = rotate_vector_back_at(
                motion.rotation, b, jacobian_out[0, column], jacobian_out[1, column], jacobian_out[2, column]
            )
            matrix_out[first, column] = matrix_out[column, first] = m * ux
            matrix_out[first + 1, column] = matrix_out[column, first + 1] = m * uy
            matrix_out[first + 2, column] = matrix_out[column, first + 2] = m * uz
        for c in range(3):
            matrix_out[first + c, first + c] = m


@njit
def find_vertex(tree, motion, flesh, k, motion_out):
    """motion_out [19] of a vertex in the world, its own velocity included: README eq. (1). A vertex does not turn."""
    i, b = flesh.number[k], flesh.bone[k]
    if flesh.active[i] == 0:
        fill_motion(tree.bone, motion, b, flesh.rest[k, 0], flesh.rest[k, 1], flesh.rest[k, 2], motion_out)
    else:
        fill_motion(tree.bone, motion, b, flesh.x[i, 0], flesh.x[i, 1], flesh.x[i, 2], motion_out)
        ux, uy, uz = rotate_vector_at(motion.rotation, b, flesh.v[i, 0], flesh.v[i, 1], flesh.v[i, 2])
        cx, cy, cz = cross(motion_out[10], motion_out[11], motion_out[12], ux, uy, uz)
        motion_out[7] += ux
        motion_out[8] += uy
        motion_out[9] += uz
        motion_out[13] += 2.0 * cx
        motion_out[14] += 2.0 * cy
        motion_out[15] += 2.0 * cz
    motion_out[3] = 1.0
    for c in range(3):
        motion_out[4 + c] = 0.0
        motion_out[10 + c] = 0.0
        motion_out[16 + c] = 0.0


@njit_inlined
def find_arm(bone, x, b, motion):
    """A point [19] as seen from O of bone b."""
    root = bone[b, ROOT]
    return motion[0] - x[root, 0], motion[1] - x[root, 1], motion[2] - x[root, 2]


@njit
def fill_coupled_bias(tree, motion, flesh, motion_out, tau_out):
    """tau_out [n]: Coriolis and centrifugal forces of bones and vertices; motion_out [19] is scratch."""
    rates, zero, work = motion.v.shape[0], motion.zero, motion.work
    set_inertial_forces(
        tree.bone, zero, flesh.rigid_own, motion.axis, motion.axis_rate, motion.velocity, motion.v, zero, work
    )
    for a in range(flesh.count[0]):
        k = flesh.chosen[a]
        b, m = flesh.bone[k], flesh.mass[k]
        find_vertex(tree, motion, flesh, k, motion_out)
        fx, fy, fz = m * motion_out[13], m * motion_out[14], m * motion_out[15]
        rx, ry, rz = find_arm(tree.bone, motion.x, b, motion_out)
        add_momentum(rx, ry, rz, fx, fy, fz, 0.0, 0.0, 0.0, work[1, b])
        ux, uy, uz = rotate_vector_back_at(motion.rotation, b, fx, fy, fz)
        tau_out[rates + 3 * a] = ux
        tau_out[rates + 3 * a + 1] = uy
        tau_out[rates + 3 * a + 2] = uz
    gather_forces(tree.bone, motion.axis, work, tau_out[:rates])


@njit
def fill_coupled_gravity(tree, motion, flesh, tau_out):
    """tau_out [n]: what holds bones and vertices against gravity."""
    rates, g = motion.v.shape[0], motion.gravity
    find_gravity_force(tree.bone, g, motion.axis, motion.composite, tau_out[:rates])
    for a in range(flesh.count[0]):
        k = flesh.chosen[a]
        ux, uy, uz = rotate_vector_back_at(motion.rotation, flesh.bone[k], g[0], g[1], g[2])
        tau_out[rates + 3 * a] = -flesh.mass[k] * ux
        tau_out[rates + 3 * a + 1] = -flesh.mass[k] * uy
        tau_out[rates + 3 * a + 2] = -flesh.mass[k] * uz


@njit
def fill_vertex_jacobian(tree, motion, flesh, k, jacobian_out):
    """jacobian_out [6, n] of a vertex: that of the bone where it is, and its own velocities; no rotation."""
    i, b, rates = flesh.number[k], flesh.bone[k], motion.v.shape[0]
    x = flesh.x[i] if flesh.active[i] != 0 else flesh.rest[k]
    fill_jacobian(tree.bone, tree.dof, motion, b, x[0], x[1], x[2], jacobian_out)
    for c in range(3):
        for column in range(rates):
            jacobian_out[3 + c, column] = 0.0
    m = matrix_of_quaternion_at(motion.rotation, b)
    for a in range(flesh.count[0]):
        if flesh.chosen[a] == k:
            for r in range(3):
                for c in range(3):
                    jacobian_out[r, rates + 3 * a + c] = m[3 * r + c]


@njit
def fill_coupled_whole(tree, motion, flesh, motion_out, whole_out):
    """whole_out [15]: centre, momentum, angular momentum about the centre, and the drift of both."""
    zero, x = motion.zero, motion.x
    set_inertial_forces(
        tree.bone,
        zero,
        flesh.rigid_own,
        motion.axis,
        motion.axis_rate,
        motion.velocity,
        motion.v,
        zero,
        motion.work,
    )
    mass = add_whole(tree.bone, x, flesh.rigid_own, motion.velocity, motion.work[1], whole_out)
    for a in range(flesh.count[0]):
        k = flesh.chosen[a]
        m = flesh.mass[k]
        find_vertex(tree, motion, flesh, k, motion_out)
        rx, ry, rz = motion_out[0] - x[0, 0], motion_out[1] - x[0, 1], motion_out[2] - x[0, 2]
        mass += m
        whole_out[0] += m * rx
        whole_out[1] += m * ry
        whole_out[2] += m * rz
        add_momentum(
            rx, ry, rz, m * motion_out[7], m * motion_out[8], m * motion_out[9], 0.0, 0.0, 0.0, whole_out[3:9]
        )
        add_momentum(
            rx, ry, rz, m * motion_out[13], m * motion_out[14], m * motion_out[15], 0.0, 0.0, 0.0, whole_out[9:15]
        )  # fmt: skip
    finish_whole(x, mass, whole_out)


@njit
def fill_coupled_momenta(tree, motion, flesh, motion_out, whole_out, matrix_out):
    """matrix_out [6, n] about the centre of mass, which is found on the way."""
    fill_coupled_whole(tree, motion, flesh, motion_out, whole_out)
    cx, cy, cz = whole_out[0], whole_out[1], whole_out[2]
    fill_momentum_matrix(tree.bone, motion.x, motion.axis, motion.composite, cx, cy, cz, matrix_out)
    rates = motion.v.shape[0]
    for a in range(flesh.count[0]):
        k = flesh.chosen[a]
        m = flesh.mass[k]
        find_vertex(tree, motion, flesh, k, motion_out)
        r = matrix_of_quaternion_at(motion.rotation, flesh.bone[k])
        for c in range(3):
            add_momentum(
                motion_out[0] - cx, motion_out[1] - cy, motion_out[2] - cz, m * r[c], m * r[3 + c], m * r[6 + c],
                0.0, 0.0, 0.0, matrix_out[:, rates + 3 * a + c],
            )  # fmt: skip


@njit
def find_coupled_energy(tree, motion, flesh, motion_out):
    """Kinetic energy of bones, drives and vertices [J]; motion_out [19] is scratch."""
    total = 0.0
    for i in range(tree.bone.shape[0]):
        V = motion.velocity[i]
        p = apply_inertia(flesh.rigid_own, i, V[0], V[1], V[2], V[3], V[4], V[5])
        for c in range(6):
            total += 0.5 * V[c] * p[c]
    for k in range(motion.v.shape[0]):
        total += 0.5 * tree.armature[k] * motion.v[k] * motion.v[k]
    for a in range(flesh.count[0]):
        k = flesh.chosen[a]
        find_vertex(tree, motion, flesh, k, motion_out)
        total += 0.5 * flesh.mass[k] * (motion_out[7] ** 2 + motion_out[8] ** 2 + motion_out[9] ** 2)
    return total
