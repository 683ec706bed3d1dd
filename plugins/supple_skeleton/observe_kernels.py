"""Energies and metrics after the step; README eq. (2) and (3)."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import cross
from supple.mechanics.spring_kernels import keep_books
from supple_bones.coordinate_kernels import find_deviations
from supple_bones.layout import BONE, LAST_DOF, PARENT, ROOT, ROW_COUNT, ROW_FIRST, TREE, V_FIRST
from supple_bones.limit_kernels import find_limit_gaps
from supple_bones.observe_kernels import observe_bones
from supple_skeleton.flow_tables import Heads

# Columns of what is observed of a skeleton, in the order that the component declares its metrics.
HEIGHT = 0


SPEED = 1


ENERGY = 2


BEYOND_LIMITS = 3


@njit_inlined
def find_momentum(inertia, rotation, x, twist, i, root):
    """Momentum of bone i, and its angular momentum about the origin of the root, in world axes."""
    m, wx, wy, wz = inertia[i, 0], twist[i, 3], twist[i, 4], twist[i, 5]
    vx, vy, vz = rotate_vector_back_at(rotation, i, twist[i, 0], twist[i, 1], twist[i, 2])
    sx, sy, sz = cross(wx, wy, wz, inertia[i, 1], inertia[i, 2], inertia[i, 3])
    tx, ty, tz = cross(inertia[i, 1], inertia[i, 2], inertia[i, 3], vx, vy, vz)
    lx = inertia[i, 4] * wx + inertia[i, 7] * wy + inertia[i, 8] * wz + tx
    ly = inertia[i, 7] * wx + inertia[i, 5] * wy + inertia[i, 9] * wz + ty
    lz = inertia[i, 8] * wx + inertia[i, 9] * wy + inertia[i, 6] * wz + tz
    px, py, pz = rotate_vector_at(rotation, i, m * vx + sx, m * vy + sy, m * vz + sz)
    lx, ly, lz = rotate_vector_at(rotation, i, lx, ly, lz)
    rx, ry, rz = x[i, 0] - x[root, 0], x[i, 1] - x[root, 1], x[i, 2] - x[root, 2]
    sx, sy, sz = cross(rx, ry, rz, px, py, pz)
    return px, py, pz, lx + sx, ly + sy, lz + sz


@njit_inlined
def find_acceleration(bone, axis_rate, v, i, acceleration_out):
    """Spatial acceleration of bone i at constant rates, as six floats; it is kept for those that hang on it."""
    a0, a1, a2, a3, a4, a5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    parent, rates = bone[i, PARENT], bone[i, V_FIRST] - bone[i, ROW_FIRST]
    if parent >= 0:
        above = acceleration_out[parent]
        a0, a1, a2, a3, a4, a5 = above[0], above[1], above[2], above[3], above[4], above[5]
    for k in range(bone[i, ROW_FIRST], bone[i, ROW_FIRST] + bone[i, ROW_COUNT]):
        rate = v[rates + k]
        a0, a1, a2 = a0 + axis_rate[k, 0] * rate, a1 + axis_rate[k, 1] * rate, a2 + axis_rate[k, 2] * rate
        a3, a4, a5 = a3 + axis_rate[k, 3] * rate, a4 + axis_rate[k, 4] * rate, a5 + axis_rate[k, 5] * rate
    acceleration_out[i, 0], acceleration_out[i, 1], acceleration_out[i, 2] = a0, a1, a2
    acceleration_out[i, 3], acceleration_out[i, 4], acceleration_out[i, 5] = a3, a4, a5
    return a0, a1, a2, a3, a4, a5


@njit
def add_energies(h, bones, masses, gains, heads: Heads, fast, gravity, motion, scratch, energy_out):
    """energy_out [skeletons, 3]: kinetic energy with armature; potential energy; that part of it in joint springs.

    Rates belong to the middle of a step. So weights count where they were half a step ago, and inertias likewise,
    unless the tree spins fast, which gives its rates at the end: README eq. (3a). Loads keep other books.
    """
    stiffness, acceleration, half = gains.stiffness, scratch.acceleration, scratch.half[0]
    bone, dof, inertia, armature = bones.bone, bones.dof, masses.inertia, masses.armature
    x, rotation, v, velocity = motion.x, motion.rotation, motion.v, motion.spatial_velocity
    for tree in range(energy_out.shape[0]):
        energy_out[tree, 0] = 0.0
        energy_out[tree, 1] = 0.0
        energy_out[tree, 2] = 0.0
    tree, kinetic, potential = -1, 0.0, 0.0  # sums of one tree, whose bones come one behind the other
    for i in range(bone.shape[0]):
        root, m = bone[i, ROOT], inertia[i, 0]
        if bone[i, TREE] != tree:
            if tree >= 0:
                energy_out[tree, 0], energy_out[tree, 1] = kinetic, potential
            tree = bone[i, TREE]
            kinetic, potential = energy_out[tree, 0], energy_out[tree, 1]
        a = find_acceleration(bone, motion.axis_rate, v, i, acceleration)
        p = find_momentum(inertia, rotation, x, motion.twist, i, root)
        late = bone[i, LAST_DOF] >= 0 and fast[heads.of_rate[bone[i, LAST_DOF]]] == 0.0
        for c in range(6):
            kinetic += 0.5 * p[c] * velocity[i, c]
            if late:
                kinetic -= half * p[c] * a[c]
        sx, sy, sz = rotate_vector_at(rotation, i, inertia[i, 1], inertia[i, 2], inertia[i, 3])
        potential -= (
            gravity[0] * (m * x[i, 0] + sx - half * p[0])
            + gravity[1] * (m * x[i, 1] + sy - half * p[1])
            + gravity[2] * (m * x[i, 2] + sz - half * p[2])
        )
    if tree >= 0:
        energy_out[tree, 0], energy_out[tree, 1] = kinetic, potential
    deviation = scratch.deviation
    find_deviations(bone, motion.q, deviation)
    for k in range(dof.shape[0]):
        tree = bone[dof[k, BONE], TREE]
        energy_out[tree, 0] += 0.5 * armature[k] * v[k] * v[k]
        if stiffness[k] > 0.0:
            # The rate belongs to the middle of a step, half of it before the coordinate.
            _, stored, _, _ = keep_books(
                h, gains.theta[k], stiffness[k], gains.damping[k], math.inf, deviation[k] - h * v[k], 0.0, v[k], 0.0
            )  # fmt: skip
            energy_out[tree, 1] += stored
            energy_out[tree, 2] += stored


@njit
def find_applied_work(h, gains, applied, v, v_next):
    """Work of wrenches, actuators and dampers in the step [J]; the forces act on the mean of both rates."""
    damping, gain_p, gain_d = gains.damping, gains.gain_p, gains.gain_d
    work = 0.0
    for k in range(v.shape[0]):
        if gains.stiffness[k] > 0.0:
            force = (
                applied[k] - (gain_d[k] + h * gain_p[k]) * v_next[k] - 0.5 * damping[k] * (v[k] + v_next[k])
            )
        else:
            force = applied[k] - (damping[k] + gain_d[k] + h * gain_p[k]) * v_next[k]
            force += (1.0 - gains.theta[k]) * damping[k] * (v_next[k] - v[k])
        work += 0.5 * h * force * (v[k] + v_next[k])
    return work


@njit
def find_numerical_loss(h, gains, v, v_next):
    """Energy that the springs of joints lose in the step by being taken late in it [J]: README eq. (5)."""
    loss = 0.0
    for k in range(v.shape[0]):
        mean = 0.5 * (v[k] + v_next[k])
        loss += (2.0 * gains.theta[k] - 1.0) * h * h * gains.stiffness[k] * mean * mean
    return loss


@njit
def sum_energies(before, after, balance_out):
    """Adds the energies of all skeletons to the balance of the run."""
    for tree in range(before.shape[0]):
        balance_out.before[0] += before[tree, 0] + before[tree, 1]
        balance_out.kinetic[0] += after[tree, 0]
        balance_out.potential[0] += after[tree, 1]
        balance_out.stored[0] += after[tree, 2]


@njit
def observe_skeletons(bones, inertia, limits, motion, energy, gap_out, whole_out, observed_out):
    """Metrics of whole skeletons; whole [skeletons, 5] is scratch: mass, mass * height, momentum."""
    bone, limit = bones.bone, limits.limit
    x, rotation, twist = motion.x, motion.rotation, motion.twist
    for tree in range(whole_out.shape[0]):
        for c in range(5):
            whole_out[tree, c] = 0.0
    for i in range(bone.shape[0]):
        tree = bone[i, TREE]
        m = inertia[i, 0]
        sx, sy, sz = cross(twist[i, 3], twist[i, 4], twist[i, 5], inertia[i, 1], inertia[i, 2], inertia[i, 3])
        sx, sy, sz = rotate_vector_at(rotation, i, sx, sy, sz)
        _, py, _ = rotate_vector_at(rotation, i, inertia[i, 1], inertia[i, 2], inertia[i, 3])
        whole_out[tree, 0] += m
        whole_out[tree, 1] += m * x[i, 1] + py
        whole_out[tree, 2] += m * twist[i, 0] + sx
        whole_out[tree, 3] += m * twist[i, 1] + sy
        whole_out[tree, 4] += m * twist[i, 2] + sz
    for tree in range(whole_out.shape[0]):
        mass = whole_out[tree, 0]
        momentum = math.sqrt(whole_out[tree, 2] ** 2 + whole_out[tree, 3] ** 2 + whole_out[tree, 4] ** 2)
        observed_out[tree, HEIGHT] = whole_out[tree, 1] / mass
        observed_out[tree, SPEED] = momentum / mass
        observed_out[tree, ENERGY] = energy[tree, 0] + energy[tree, 1]
        observed_out[tree, BEYOND_LIMITS] = 0.0
    find_limit_gaps(bone, bones.frame, limit, limits.bound, motion.q, gap_out)
    for n in range(limit.shape[0]):
        tree = bone[limit[n, 1], TREE]
        observed_out[tree, BEYOND_LIMITS] = max(observed_out[tree, BEYOND_LIMITS], -gap_out[n])


@njit
def observe_step(
    h, bones, masses, gains, heads: Heads, fast, gravity, limits, x_start, applied, motion, motion_next,
    scratch, observed_bone_out, observed_out, balance_out,
):  # fmt: skip
    """Energies before and after the step, work, metrics."""
    add_energies(h, bones, masses, gains, heads, fast, gravity, motion, scratch, scratch.before)
    add_energies(h, bones, masses, gains, heads, fast, gravity, motion_next, scratch, scratch.after)
    sum_energies(scratch.before, scratch.after, balance_out)
    balance_out.numerical[0] += find_numerical_loss(h, gains, motion.v, motion_next.v)
    balance_out.applied[0] += find_applied_work(h, gains, applied, motion.v, motion_next.v)
    observe_bones(x_start, motion_next.x, motion_next.twist, observed_bone_out)
    observe_skeletons(
        bones, masses.inertia, limits, motion_next, scratch.after, scratch.gap, scratch.whole, observed_out
    )
