"""Inertia that makes the pull within trees implicit: README eq. (15) to (17)."""

from __future__ import annotations

import math
from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.rows import BILATERAL
from supple.mechanics.tension_kernels import (
    BORNE,
    SMOOTHING,
    find_tension_inertia,
    resist_unsteady_spin,
    stiffen,
)
from supple_bones.force_kernels import gather_forces, set_inertial_forces
from supple_bones.inertia_kernels import add_followers, fill_mass_matrix
from supple_bones.layout import BALL, FOLLOWS, FREE, HINGE, JOINT, LAST_DOF, PARENT, ROOT, UNIVERSAL
from supple_bones.tables import RowActs
from supple_skeleton.flow_tables import FlowScratch, Heads
from supple_skeleton.step_tables import FreeStep, Tie


class RowImpulses(NamedTuple):
    """The rows of a step: blocks of the Jacobian and where they act; laws and impulses of all groups."""

    blocks: Jacobian
    acts: RowActs
    law: IntArray
    impulse: FloatArray


@njit_inlined
def add_product(matrix_out, i, fx, fy, fz, rx, ry, rz):
    """matrix_out[i] += f r^T."""
    matrix_out[i, 0, 0] += fx * rx
    matrix_out[i, 0, 1] += fx * ry
    matrix_out[i, 0, 2] += fx * rz
    matrix_out[i, 1, 0] += fy * rx
    matrix_out[i, 1, 1] += fy * ry
    matrix_out[i, 1, 2] += fy * rz
    matrix_out[i, 2, 0] += fz * rx
    matrix_out[i, 2, 1] += fz * ry
    matrix_out[i, 2, 2] += fz * rz


@njit
def sum_row_forces(h, rows: RowImpulses, force_out, reach_out):
    """Force of all rows on every bone in the world [N], and a bound of force times lever of those of joints [N m]."""
    blocks, acts, impulse = rows.blocks, rows.acts, rows.impulse
    for i in range(reach_out.shape[0]):
        reach_out[i] = 0.0
        force_out[i, 0], force_out[i, 1], force_out[i, 2] = 0.0, 0.0, 0.0
    for block in range(blocks.counts[0]):
        i, g = acts.frame[block], blocks.group[block]
        if i < 0:
            continue
        r0, r1, r2 = impulse[g, 0] / h, impulse[g, 1] / h, impulse[g, 2] / h
        for c in range(3):
            d = acts.directions[block]
            force_out[i, c] += acts.weight[block] * (d[0, c] * r0 + d[1, c] * r1 + d[2, c] * r2)
        if rows.law[g] == BILATERAL:
            m = acts.moment[block]
            reach_out[i] += abs(r0) * (abs(m[0]) + abs(m[1]) + abs(m[2]))


@njit
def keep_row_pulls(h, rotation, rows: RowImpulses, force, row_force_out, row_pull_out):
    """Force of all rows on every bone, and force times lever of those of joints, in its axes: README eq. (15)."""
    blocks, acts = rows.blocks, rows.acts
    for i in range(row_force_out.shape[0]):
        x, y, z = rotate_vector_back_at(rotation, i, force[i, 0], force[i, 1], force[i, 2])
        row_force_out[i, 0], row_force_out[i, 1], row_force_out[i, 2] = x, y, z
        for a in range(3):
            for b in range(3):
                row_pull_out[i, a, b] = 0.0
    for block in range(blocks.counts[0]):
        i, g = acts.frame[block], blocks.group[block]
        if i < 0 or rows.law[g] != BILATERAL:
            continue
        along, d, m = rows.impulse[g, 0] / h, acts.directions[block], acts.moment[block]
        fx, fy, fz = rotate_vector_back_at(rotation, i, along * d[0, 0], along * d[0, 1], along * d[0, 2])
        rx, ry, rz = rotate_vector_back_at(rotation, i, m[0], m[1], m[2])
        add_product(row_pull_out, i, fx, fy, fz, rx, ry, rz)


@njit_inlined
def turn_matrix(rotation, i, matrix_inout):
    """matrix_inout[i] = R^T matrix R: into the axes of bone i."""
    m = matrix_inout[i]
    for c in range(3):
        m[0, c], m[1, c], m[2, c] = rotate_vector_back_at(rotation, i, m[0, c], m[1, c], m[2, c])
    for c in range(3):
        m[c, 0], m[c, 1], m[c, 2] = rotate_vector_back_at(rotation, i, m[c, 0], m[c, 1], m[c, 2])


@njit
def find_pulls(step: FreeStep, v, axis_rate, velocity, pull_out):
    """Sum of force times lever on every bone besides those of its own joint, in its axes; README eq. (15).

    Forces are those of the last step, by inverse dynamics with its accelerations and the rates v, with which go
    axis_rate and velocity. They are passed on from the tips in work[0, :, :3].
    """
    bone, motion, tie, own = step.bones.bone, step.motion, step.tie, step.scratch.own
    x, rotation, work = motion.x, motion.rotation, step.scratch.work
    set_inertial_forces(bone, step.gravity, own, motion.axis, axis_rate, velocity, v, tie.acceleration, work)
    for i in range(bone.shape[0]):
        for a in range(3):
            work[0, i, a] = 0.0
            for b in range(3):
                pull_out[i, a, b] = 0.0
    for i in range(bone.shape[0] - 1, -1, -1):
        root, parent, m = bone[i, ROOT], bone[i, PARENT], own[i, 0]
        cx, cy, cz = 0.0, 0.0, 0.0
        if m > 0.0:
            cx = own[i, 1] / m - x[i, 0] + x[root, 0]
            cy = own[i, 2] / m - x[i, 1] + x[root, 1]
            cz = own[i, 3] / m - x[i, 2] + x[root, 2]
        fx, fy, fz = work[1, i, 0], work[1, i, 1], work[1, i, 2]
        ex, ey, ez = rotate_vector_at(
            rotation, i, tie.row_force[i, 0], tie.row_force[i, 1], tie.row_force[i, 2]
        )
        if bone[i, JOINT] == FREE:
            # What floats turns about its centre: levers of the others were taken from the origin.
            add_product(pull_out, i, work[0, i, 0] - ex, work[0, i, 1] - ey, work[0, i, 2] - ez, cx, cy, cz)
        else:
            add_product(pull_out, i, -fx, -fy, -fz, cx, cy, cz)
        fx, fy, fz = fx - ex + work[0, i, 0], fy - ey + work[0, i, 1], fz - ez + work[0, i, 2]
        if parent >= 0:
            work[0, parent, 0] += fx
            work[0, parent, 1] += fy
            work[0, parent, 2] += fz
            rx, ry, rz = x[i, 0] - x[parent, 0], x[i, 1] - x[parent, 1], x[i, 2] - x[parent, 2]
            add_product(pull_out, parent, -fx, -fy, -fz, rx, ry, rz)
        turn_matrix(rotation, i, pull_out)
        for a in range(3):
            for b in range(3):
                pull_out[i, a, b] += tie.row_pull[i, a, b]


@njit_inlined
def set_bone_inertia(inertia, i, about_centre, matrix_out):
    """matrix_out [3, 3]: inertia of bone i about its origin or its centre, in its axes."""
    xx, yy, zz = inertia[i, 4], inertia[i, 5], inertia[i, 6]
    xy, xz, yz = inertia[i, 7], inertia[i, 8], inertia[i, 9]
    if about_centre and inertia[i, 0] > 0.0:
        m, px, py, pz = inertia[i, 0], inertia[i, 1], inertia[i, 2], inertia[i, 3]
        xx, yy, zz = xx - (py * py + pz * pz) / m, yy - (px * px + pz * pz) / m, zz - (px * px + py * py) / m
        xy, xz, yz = xy + px * py / m, xz + px * pz / m, yz + py * pz / m
    matrix_out[0, 0], matrix_out[1, 1], matrix_out[2, 2] = xx, yy, zz
    matrix_out[0, 1], matrix_out[0, 2], matrix_out[1, 2] = xy, xz, yz
    matrix_out[1, 0], matrix_out[2, 0], matrix_out[2, 1] = xy, xz, yz


@njit
def find_stiffening(step: FreeStep, pull, stiff_out, resisting_out):
    """K of every bone in world axes [bones, 6], and the torques that resist unsteady spins. Returns whether any is not
    zero; README eq. (16), (17).
    """
    bone, motion, tie, work = step.bones.bone, step.motion, step.tie, step.scratch.small
    tight = False
    for i in range(bone.shape[0]):
        for c in range(6):
            stiff_out[i, c] = 0.0
            resisting_out[i, c] = 0.0
        if bone[i, FOLLOWS] >= 0 or bone[i, JOINT] not in (HINGE, UNIVERSAL, BALL, FREE):
            continue
        set_bone_inertia(step.masses.inertia, i, bone[i, JOINT] == FREE, work[3])
        if work[3, 0, 0] + work[3, 1, 1] + work[3, 2, 2] <= 0.0:
            continue
        added = work[2]
        abruptness = find_tension_inertia(step.h, pull[i], tie.pull[i], work[3], work[:2], added)
        if abruptness < 0.0:
            continue
        tight = True
        twist = motion.twist
        tx, ty, tz = resist_unsteady_spin(
            abruptness, added, twist[i, 3], twist[i, 4], twist[i, 5], tie.mean_spin[i]
        )
        tx, ty, tz = rotate_vector_at(motion.rotation, i, tx, ty, tz)
        resisting_out[i, 3], resisting_out[i, 4], resisting_out[i, 5] = tx, ty, tz
        for c in range(3):
            added[0, c], added[1, c], added[2, c] = rotate_vector_at(
                motion.rotation, i, added[0, c], added[1, c], added[2, c]
            )
        for c in range(3):
            added[c, 0], added[c, 1], added[c, 2] = rotate_vector_at(
                motion.rotation, i, added[c, 0], added[c, 1], added[c, 2]
            )
        stiff_out[i, 0], stiff_out[i, 1], stiff_out[i, 2] = added[0, 0], added[1, 1], added[2, 2]
        stiff_out[i, 3], stiff_out[i, 4], stiff_out[i, 5] = added[0, 1], added[0, 2], added[1, 2]
    return tight


@njit
def take_fast_pulls(step: FreeStep, heads: Heads, fast, s: FlowScratch):
    """Trees that spin fast are pulled by forces alone, for their free motion takes care of itself; README eq. (12).

    Returns the fastest swing [rad in a step] that their free motion has about its own pull.
    """
    bone, pull, work = step.bones.bone, step.pull, step.scratch.small
    fastest = 0.0
    for i in range(bone.shape[0]):
        if bone[i, LAST_DOF] < 0 or fast[heads.of_rate[bone[i, LAST_DOF]]] == 0.0:
            continue
        set_bone_inertia(step.masses.inertia, i, bone[i, JOINT] == FREE, work[3])
        size, across = 0.0, 0.5 * (work[3, 0, 0] + work[3, 1, 1] + work[3, 2, 2])
        for a in range(3):
            for b in range(3):
                size += stiffen(pull[i], a, b) ** 2
        if across > 0.0:
            fastest = max(fastest, step.h * math.sqrt(math.sqrt(size) / across))
    find_pulls(step, s.still.v, s.still.axis_rate, s.still.spatial_velocity, s.pull)
    for i in range(bone.shape[0]):
        if bone[i, LAST_DOF] >= 0 and fast[heads.of_rate[bone[i, LAST_DOF]]] > 0.0:
            for a in range(3):
                for b in range(3):
                    pull[i, a, b] = s.pull[i, a, b]
    return fastest


@njit
def stiffen_bones(step: FreeStep, matrix_out):
    """Add K to the mass matrix where the tension in step.pull asks for it. Returns whether it did.

    Then scratch.resisting holds the torques for the right side; see `resist_spins`.
    """
    bone, dof, scratch = step.bones.bone, step.bones.dof, step.scratch
    if not find_stiffening(step, step.pull, scratch.stiff, scratch.resisting):
        return False
    stiff, composite = scratch.stiff, scratch.composite
    for i in range(bone.shape[0] - 1, -1, -1):
        for c in range(6):
            composite[i, 4 + c] += stiff[i, c]
            if bone[i, PARENT] >= 0:
                stiff[bone[i, PARENT], c] += stiff[i, c]
    fill_mass_matrix(dof, step.masses.armature, step.motion.axis, composite, matrix_out)
    add_followers(bone, dof, step.motion.axis, composite, matrix_out)
    return True


@njit
def resist_spins(step: FreeStep, rates_out, right_inout):
    """Add the torques that resist unsteady spins to the right side."""
    bone, work, resisting = step.bones.bone, step.scratch.work, step.scratch.resisting
    for i in range(bone.shape[0]):
        for c in range(6):
            work[1, i, c] = resisting[i, c]
    gather_forces(bone, step.motion.axis, work, rates_out)
    for k in range(right_inout.shape[0]):
        right_inout[k] += rates_out[k]


@njit_inlined
def add_up(x, y, z):
    """A bound of the length of a vector, without a root."""
    return abs(x) + abs(y) + abs(z)


@njit
def is_taut(h, bone, inertia, least, gravity, motion, motion_next, work, reach_inout):
    """Whether the pull at a bone may ask for K: a bound from sizes of forces and levers, cheaper than `find_pulls`.

    least [bones] is the least principal inertia. work[0] has the forces of rows, work[1] is scratch, both [bones, 3];
    reach_inout [bones] begins with what rows of joints pull.
    """
    x, twist, twist_next = motion.x, motion.twist, motion_next.twist
    force, passed = work[0], work[1]
    for i in range(bone.shape[0]):
        passed[i, 0], passed[i, 1], passed[i, 2] = -force[i, 0], -force[i, 1], -force[i, 2]
    for i in range(bone.shape[0] - 1, -1, -1):
        m, parent = inertia[i, 0], bone[i, PARENT]
        fx = m * ((twist_next[i, 0] - twist[i, 0]) / h - gravity[0])
        fy = m * ((twist_next[i, 1] - twist[i, 1]) / h - gravity[1])
        fz = m * ((twist_next[i, 2] - twist[i, 2]) / h - gravity[2])
        if m > 0.0:
            if bone[i, JOINT] != FREE:
                lever = add_up(inertia[i, 1], inertia[i, 2], inertia[i, 3]) / m
                reach_inout[i] += lever * add_up(fx, fy, fz)
            if least[i] > 0.0 and 2.0 * h * h * reach_inout[i] > BORNE * least[i]:
                return True
        if parent >= 0:
            fx, fy, fz = fx + passed[i, 0], fy + passed[i, 1], fz + passed[i, 2]
            passed[parent, 0] += fx
            passed[parent, 1] += fy
            passed[parent, 2] += fz
            lever = add_up(x[i, 0] - x[parent, 0], x[i, 1] - x[parent, 1], x[i, 2] - x[parent, 2])
            reach_inout[parent] += lever * add_up(fx, fy, fz)
    return False


@njit
def keep_tension(
    h, bones, masses, heads: Heads, least, gravity, rows: RowImpulses, fast, kicked, motion, motion_next, tie: Tie,
    tie_out: Tie, pull, work, reach,
):  # fmt: skip
    """What pulled at the bones in this step, for the next one, if that must look: README eq. (15).

    pull is what FREE found. work [2, bones, 3] and reach [bones] are scratch.
    """
    bone, count = bones.bone, motion.v.shape[0]
    sum_row_forces(h, rows, work[0], reach)
    taut = is_taut(h, bone, masses.inertia, least, gravity, motion, motion_next, work, reach)
    for i in range(bone.shape[0]):
        taut = taut or fast[i] > 0.0
    tie_out.taut[0] = bone.shape[0] if taut else 0
    tie_out.taut_rates[0] = count if taut else 0
    if not taut:
        return
    keep_row_pulls(h, motion.rotation, rows, work[0], tie_out.row_force, tie_out.row_pull)
    for k in range(count):
        after = kicked[k] if fast[heads.of_rate[k]] > 0.0 else motion_next.v[k]
        tie_out.acceleration[k] = (after - motion.v[k]) / h
    looked = tie.taut[0] > 0
    for i in range(bone.shape[0]):
        for a in range(3):
            spin = motion_next.twist[i, 3 + a]
            mean = tie.mean_spin[i, a] if looked else spin
            tie_out.mean_spin[i, a] = mean + SMOOTHING * (spin - mean)
            for b in range(3):
                tie_out.pull[i, a, b] = pull[i, a, b] if looked else 0.0
