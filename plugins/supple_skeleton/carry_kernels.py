"""The end of a step of trees that spin fast: free motion keeps momenta and energy; README eq. (13), (14)."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.matrix_kernels import solve_small
from supple.math.vector_kernels import cross, dot
from supple_bones.inertia_kernels import add_composites, carry_inertias
from supple_bones.kinematics_kernels import move_bones, place_bones
from supple_bones.layout import BALL, FREE, JOINT, LAST_DOF, PARENT, Q_FIRST, ROOT, V_FIRST
from supple_bones.spatial_kernels import apply_inertia
from supple_skeleton.flow_kernels import LOOSE, move_inertia
from supple_skeleton.flow_tables import Flow, FlowScratch, Heads
from supple_skeleton.step_tables import FreeStep

LEAST_SHARE = 1e-8
"""Share of the energy below which the motion within a tree is not corrected: its digits are those of round-off."""
LARGEST_SCALE = 2.0


@njit
def sum_motion(bone, heads: Heads, armature, own, velocity, v, momentum_out, energy_out):
    """Momentum about O of every bone with all that hangs on it, and the kinetic energy of every head."""
    for i in range(bone.shape[0]):
        energy_out[i] = 0.0
        p = apply_inertia(
            own,
            i,
            velocity[i, 0],
            velocity[i, 1],
            velocity[i, 2],
            velocity[i, 3],
            velocity[i, 4],
            velocity[i, 5],
        )
        for c in range(6):
            momentum_out[i, c] = p[c]
    for i in range(bone.shape[0]):
        if bone[i, LAST_DOF] >= 0:
            total = 0.0
            for c in range(6):
                total += 0.5 * velocity[i, c] * momentum_out[i, c]
            energy_out[heads.of_rate[bone[i, LAST_DOF]]] += total
    for k in range(v.shape[0]):
        energy_out[heads.of_rate[k]] += 0.5 * armature[k] * v[k] * v[k]
    for i in range(bone.shape[0] - 1, -1, -1):
        parent = bone[i, PARENT]
        if parent >= 0:
            for c in range(6):
                momentum_out[parent, c] += momentum_out[i, c]


@njit_inlined
def find_centre(bone, composite, x, i):
    """The point about which head i is looked at, from O: its origin, or the centre of mass if it floats."""
    if bone[i, JOINT] == FREE:
        m = composite[i, 0]
        return composite[i, 1] / m, composite[i, 2] / m, composite[i, 3] / m
    root = bone[i, ROOT]
    return x[i, 0] - x[root, 0], x[i, 1] - x[root, 1], x[i, 2] - x[root, 2]


@njit_inlined
def take_angular_momentum(momentum, i, rx, ry, rz):
    """Angular momentum of head i about O + r."""
    sx, sy, sz = cross(rx, ry, rz, momentum[i, 0], momentum[i, 1], momentum[i, 2])
    return momentum[i, 3] - sx, momentum[i, 4] - sy, momentum[i, 5] - sz


@njit
def set_head_rates(bone, x, axis, i, rx, ry, rz, px, py, pz, wx, wy, wz, v_out):
    """Add to the rates of head i a motion of its point O + r with the velocity p, and a spin w."""
    k, root = bone[i, V_FIRST], bone[i, ROOT]
    if bone[i, JOINT] == FREE:
        dx, dy, dz = rx - x[i, 0] + x[root, 0], ry - x[i, 1] + x[root, 1], rz - x[i, 2] + x[root, 2]
        sx, sy, sz = cross(wx, wy, wz, dx, dy, dz)
        for local in range(3):
            v_out[k + local] += dot(
                axis[k + local, 0], axis[k + local, 1], axis[k + local, 2], px - sx, py - sy, pz - sz
            )
        k += 3
    for local in range(3):
        v_out[k + local] += dot(axis[k + local, 3], axis[k + local, 4], axis[k + local, 5], wx, wy, wz)


@njit
def restore_spins(step: FreeStep, fast, s: FlowScratch, change_inout):
    """Give fast heads that turn freely the angular momentum that K took from them in the kick: README eq. (11), (17).

    K resists spins as if it were held by the world. What hangs together only pulls at itself.
    """
    bone, motion, scratch = step.bones.bone, step.motion, step.scratch
    spin, stiff, resisting = s.motion.spatial_velocity, scratch.stiff, scratch.resisting
    move_bones(bone, step.bones.dof, motion.axis, change_inout, spin, s.motion.axis_rate)
    for i in range(bone.shape[0] - 1, -1, -1):
        parent = bone[i, PARENT]
        wx, wy, wz = spin[i, 3], spin[i, 4], spin[i, 5]
        if parent >= 0:  # stiff[i] is that of the bone and all that hangs on it
            wx, wy, wz = wx - spin[parent, 3], wy - spin[parent, 4], wz - spin[parent, 5]
        k = stiff[i]
        s.momentum[0, i, 3] = k[0] * wx + k[3] * wy + k[4] * wz - resisting[i, 3]
        s.momentum[0, i, 4] = k[3] * wx + k[1] * wy + k[5] * wz - resisting[i, 4]
        s.momentum[0, i, 5] = k[4] * wx + k[5] * wy + k[2] * wz - resisting[i, 5]
    carry_inertias(bone, step.masses.inertia, motion.x, motion.rotation, s.own)
    add_composites(bone, s.own, s.composite)
    for i in range(bone.shape[0] - 1, -1, -1):
        parent, taken = bone[i, PARENT], s.momentum[0, i]
        if parent >= 0:
            for c in range(3, 6):
                s.momentum[0, parent, c] += taken[c]
        if fast[i] > 0.0 and bone[i, JOINT] in (BALL, FREE):
            rx, ry, rz = find_centre(bone, s.composite, motion.x, i)
            move_inertia(s.composite, i, rx, ry, rz, s.small[0])
            wx, wy, wz = solve_small(s.small[0], taken[3], taken[4], taken[5])
            set_head_rates(
                bone, motion.x, motion.axis, i, rx, ry, rz, 0.0, 0.0, 0.0, wx, wy, wz, change_inout
            )


@njit
def place_centres(h, bone, flow: Flow, x, s: FlowScratch, end):
    """The centre of mass of every fast head that floats goes on by h P / m. Returns whether one was moved."""
    moved = False
    for i in range(bone.shape[0]):
        if flow.fast[i] == 0.0 or bone[i, JOINT] != FREE:
            continue
        root, a, k = bone[i, ROOT], bone[i, Q_FIRST], bone[i, V_FIRST]
        m = s.composite[i, 0]
        for c in range(3):
            s.tau[k + c] = s.motion.twist[i, c] + h * s.momentum[0, i, c] / m
            s.tau[k + c] -= end.x[root, c] + s.composite[i, 1 + c] / m
        for local in range(3):
            along = dot(
                end.axis[k + local, 0], end.axis[k + local, 1], end.axis[k + local, 2],
                s.tau[k], s.tau[k + 1], s.tau[k + 2],
            )  # fmt: skip
            end.q[a + local] += along
        moved = True
    return moved


@njit
def keep_start(bones, masses, heads: Heads, motion, v, s: FlowScratch):
    """Momenta and energies of the rates v at the start of the step, and where the centres are (in motion.twist)."""
    bone = bones.bone
    carry_inertias(bone, masses.inertia, motion.x, motion.rotation, s.own)
    add_composites(bone, s.own, s.composite)
    move_bones(bone, bones.dof, motion.axis, v, s.motion.spatial_velocity, s.motion.axis_rate)
    sum_motion(bone, heads, masses.armature, s.own, s.motion.spatial_velocity, v, s.momentum[0], s.energy[0])
    for i in range(bone.shape[0]):
        rx, ry, rz = find_centre(bone, s.composite, motion.x, i)
        root = bone[i, ROOT]
        s.motion.twist[i, 0] = motion.x[root, 0] + rx
        s.motion.twist[i, 1] = motion.x[root, 1] + ry
        s.motion.twist[i, 2] = motion.x[root, 2] + rz
        lx, ly, lz = take_angular_momentum(s.momentum[0], i, rx, ry, rz)
        s.motion.twist[i, 3] = lx
        s.motion.twist[i, 4] = ly
        s.motion.twist[i, 5] = lz


@njit
def match_momenta(bone, flow: Flow, s: FlowScratch, end):
    """Rates of the fast heads such that momenta are those of the start; s.momentum[1] is that of the rates so far."""
    for i in range(bone.shape[0]):
        if flow.fast[i] == 0.0 or bone[i, JOINT] not in (BALL, FREE):
            continue
        rx, ry, rz = find_centre(bone, s.composite, end.x, i)
        lx, ly, lz = take_angular_momentum(s.momentum[1], i, rx, ry, rz)
        target = s.motion.twist[i]
        move_inertia(s.composite, i, rx, ry, rz, s.small[0])
        wx, wy, wz = solve_small(s.small[0], target[3] - lx, target[4] - ly, target[5] - lz)
        px, py, pz = 0.0, 0.0, 0.0
        if bone[i, JOINT] == FREE:
            m = s.composite[i, 0]
            px = (s.momentum[0, i, 0] - s.momentum[1, i, 0]) / m
            py = (s.momentum[0, i, 1] - s.momentum[1, i, 1]) / m
            pz = (s.momentum[0, i, 2] - s.momentum[1, i, 2]) / m
        set_head_rates(bone, end.x, end.axis, i, rx, ry, rz, px, py, pz, wx, wy, wz, end.v)


@njit
def match_energy(bone, heads: Heads, flow: Flow, s: FlowScratch, end):
    """Scale the motion within fast heads without springs, which has no momentum, to the energy at the start."""
    for i in range(bone.shape[0]):
        if flow.fast[i] != LOOSE or heads.lone[i] == 1:
            continue
        for k in range(end.v.shape[0]):
            s.tau[k] = 0.0
        whole = 0.0
        if bone[i, JOINT] in (BALL, FREE):
            rx, ry, rz = find_centre(bone, s.composite, end.x, i)
            lx, ly, lz = s.motion.twist[i, 3], s.motion.twist[i, 4], s.motion.twist[i, 5]
            move_inertia(s.composite, i, rx, ry, rz, s.small[0])
            wx, wy, wz = solve_small(s.small[0], lx, ly, lz)
            whole = 0.5 * dot(lx, ly, lz, wx, wy, wz)
            px, py, pz = 0.0, 0.0, 0.0
            if bone[i, JOINT] == FREE:
                m = s.composite[i, 0]
                px, py, pz = s.momentum[0, i, 0], s.momentum[0, i, 1], s.momentum[0, i, 2]
                whole += 0.5 * dot(px, py, pz, px, py, pz) / m
                px, py, pz = px / m, py / m, pz / m
            set_head_rates(bone, end.x, end.axis, i, rx, ry, rz, px, py, pz, wx, wy, wz, s.tau)
        wanted, found = s.energy[0, i] - whole, s.energy[1, i] - whole
        if not (wanted > LEAST_SHARE * s.energy[0, i] and found > LEAST_SHARE * s.energy[0, i]):
            continue
        scale = math.sqrt(wanted / found)
        if scale > LARGEST_SCALE or scale * LARGEST_SCALE < 1.0:
            continue
        for k in range(end.v.shape[0]):
            if heads.of_rate[k] == i:
                end.v[k] = s.tau[k] + scale * (end.v[k] - s.tau[k])


@njit
def carry_motion(h, bones, masses, heads: Heads, flow: Flow, motion, s: FlowScratch, end):
    """Rates after the step, at the coordinates end.q, with the momenta and the energy that s.v has at its start."""
    bone = bones.bone
    keep_start(bones, masses, heads, motion, s.v, s)
    place_bones(bone, bones.frame, end.q, end.x, end.rotation, end.axis)
    carry_inertias(bone, masses.inertia, end.x, end.rotation, s.own)
    add_composites(bone, s.own, s.composite)
    if place_centres(h, bone, flow, motion.x, s, end):
        place_bones(bone, bones.frame, end.q, end.x, end.rotation, end.axis)
        carry_inertias(bone, masses.inertia, end.x, end.rotation, s.own)
        add_composites(bone, s.own, s.composite)
    for again in range(2):
        move_bones(bone, bones.dof, end.axis, end.v, end.spatial_velocity, end.axis_rate)
        sum_motion(
            bone, heads, masses.armature, s.own, end.spatial_velocity, end.v, s.momentum[1], s.energy[1]
        )
        if again == 0:
            match_momenta(bone, flow, s, end)
        else:
            match_energy(bone, heads, flow, s, end)
