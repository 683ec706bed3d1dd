"""Energies and metrics after the step; README eq. (18) and (20)."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import cross, dot
from supple_skeleton.kinematics_kernels import follow_state
from supple_skeleton.layout import BONE, TREE
from supple_skeleton.limit_kernels import find_limit_gaps
from supple_skeleton.step_kernels import find_deviations

# Columns of what is observed of a skeleton, in the order that the component declares its metrics.
HEIGHT = 0
SPEED = 1
ENERGY = 2
BEYOND_LIMITS = 3


@njit_inlined
def find_kinetic_energy(inertia, rotation, twist, i):
    """Kinetic energy of bone i from its twist [J]: README eq. (18)."""
    vx, vy, vz = rotate_vector_back_at(rotation, i, twist[i, 0], twist[i, 1], twist[i, 2])
    wx, wy, wz = twist[i, 3], twist[i, 4], twist[i, 5]
    sx, sy, sz = cross(wx, wy, wz, inertia[i, 1], inertia[i, 2], inertia[i, 3])
    lx = inertia[i, 4] * wx + inertia[i, 7] * wy + inertia[i, 8] * wz
    ly = inertia[i, 7] * wx + inertia[i, 5] * wy + inertia[i, 9] * wz
    lz = inertia[i, 8] * wx + inertia[i, 9] * wy + inertia[i, 6] * wz
    linear = inertia[i, 0] * dot(vx, vy, vz, vx, vy, vz)
    return 0.5 * (linear + dot(wx, wy, wz, lx, ly, lz)) + dot(vx, vy, vz, sx, sy, sz)


@njit
def add_energies(
    bone, dof, inertia, armature, stiffness, gravity, q, v, x, rotation, twist,
    deviation_out, energy_out,
):  # fmt: skip
    """energy_out [skeletons, 2]: kinetic energy with armature; potential energy of gravity and joint springs."""
    for tree in range(energy_out.shape[0]):
        energy_out[tree, 0] = 0.0
        energy_out[tree, 1] = 0.0
    for i in range(bone.shape[0]):
        tree = bone[i, TREE]
        energy_out[tree, 0] += find_kinetic_energy(inertia, rotation, twist, i)
        px, py, pz = rotate_vector_at(rotation, i, inertia[i, 1], inertia[i, 2], inertia[i, 3])
        m = inertia[i, 0]
        energy_out[tree, 1] -= dot(
            gravity[0], gravity[1], gravity[2], m * x[i, 0] + px, m * x[i, 1] + py, m * x[i, 2] + pz
        )
    find_deviations(bone, q, deviation_out)
    for k in range(dof.shape[0]):
        tree = bone[dof[k, BONE], TREE]
        energy_out[tree, 0] += 0.5 * armature[k] * v[k] * v[k]
        energy_out[tree, 1] += 0.5 * stiffness[k] * deviation_out[k] * deviation_out[k]


@njit
def find_applied_work(h, damping, gain_p, gain_d, applied, v, v_next):
    """Work of wrenches, actuators and dampers in the step [J]; the forces act on the mean of both rates."""
    work = 0.0
    for k in range(v.shape[0]):
        force = applied[k] - (damping[k] + gain_d[k] + h * gain_p[k]) * v_next[k]
        work += 0.5 * h * force * (v[k] + v_next[k])
    return work


@njit
def sum_energies(before, after, before_out, kinetic_out, potential_out):
    """Adds the energies of all skeletons to the balance of the run."""
    for tree in range(before.shape[0]):
        before_out[0] += before[tree, 0] + before[tree, 1]
        kinetic_out[0] += after[tree, 0]
        potential_out[0] += after[tree, 1]


@njit
def observe_bones(x_start, x, twist, observed_out):
    """Height, speed and travel of every bone's origin."""
    for i in range(x.shape[0]):
        observed_out[i, 0] = x[i, 1]
        observed_out[i, 1] = math.sqrt(twist[i, 0] ** 2 + twist[i, 1] ** 2 + twist[i, 2] ** 2)
        observed_out[i, 2] = math.sqrt(
            (x[i, 0] - x_start[i, 0]) ** 2 + (x[i, 1] - x_start[i, 1]) ** 2 + (x[i, 2] - x_start[i, 2]) ** 2
        )


@njit
def observe_skeletons(
    bone, frame, inertia, limit, bound, q, x, rotation, twist, energy,
    gap_out, whole_out, observed_out,
):  # fmt: skip
    """Metrics of whole skeletons; whole [skeletons, 5] is scratch: mass, mass * height, momentum."""
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
    find_limit_gaps(bone, frame, limit, bound, q, gap_out)
    for n in range(limit.shape[0]):
        tree = bone[limit[n, 1], TREE]
        observed_out[tree, BEYOND_LIMITS] = max(observed_out[tree, BEYOND_LIMITS], -gap_out[n])


@njit
def observe_step(
    h, bone, dof, frame, inertia, armature, damping, stiffness, gravity, limit, bound, x_start,
    q, v, x, rotation, twist, gain_p, gain_d, applied, q_next, v_next,
    axis_out, axis_rate_out, spatial_out, deviation_out, gap_out, before_out, after_out, whole_out,
    x_out, rotation_out, twist_out, observed_bone_out, observed_out,
    energy_before_out, kinetic_out, potential_out, work_out,
):  # fmt: skip
    """Poses after the step, energies before and after it, work, metrics. Outputs up to `whole` are scratch."""
    follow_state(
        bone, dof, frame, q_next, v_next,
        x_out, rotation_out, twist_out, axis_out, axis_rate_out, spatial_out,
    )  # fmt: skip
    add_energies(
        bone, dof, inertia, armature, stiffness, gravity, q, v, x, rotation, twist, deviation_out, before_out
    )
    add_energies(
        bone, dof, inertia, armature, stiffness, gravity, q_next, v_next, x_out, rotation_out, twist_out,
        deviation_out, after_out,
    )  # fmt: skip
    sum_energies(before_out, after_out, energy_before_out, kinetic_out, potential_out)
    work_out[0] += find_applied_work(h, damping, gain_p, gain_d, applied, v, v_next)
    observe_bones(x_start, x_out, twist_out, observed_bone_out)
    observe_skeletons(
        bone, frame, inertia, limit, bound, q_next, x_out, rotation_out, twist_out, after_out,
        gap_out, whole_out, observed_out,
    )  # fmt: skip
