"""Trees that spin fast: first the forces, then free motion, which is computed as it is; README eq. (11), (12)."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import normalise_quaternion, rotate_vector_at, rotate_vector_back_at
from supple.math.spin_kernels import find_middle_spin, turn_by_cayley
from supple_bones.chain_kernels import factor_chain, solve_chain
from supple_bones.coordinate_kernels import subtract_coordinates, turning_place
from supple_bones.force_kernels import differentiate_bias, find_inverse_dynamics
from supple_bones.inertia_kernels import add_composites, carry_inertias, make_mass_matrix
from supple_bones.kinematics_kernels import move_bones, place_bones
from supple_bones.layout import FREE, JOINT, LAST_DOF, Q_FIRST, ROOT, ROW, V_COUNT, V_FIRST
from supple_skeleton.flow_tables import Flow, FlowScratch, Heads
from supple_skeleton.step_tables import FreeStep

FAST = 0.1
"""Turn of any bone within a step [rad] beyond which its tree is fast."""
FAST_HEAD = 0.05
"""The same of a head that can turn freely, with all that hangs on it."""
FAST_LONE = 0.02
"""The same where that is one rigid body."""
SUBSTEP = 0.05
"""Turn [rad] of the fastest bone in a step of the method of Runge and Kutta."""
SWING = 0.7
"""Swing [rad] of a bone about the pull of the others in such a step; the method is stable up to 2.8."""
MOST_SUBSTEPS = 64
LOOSE, SPRUNG = 1.0, 2.0
"""Marks of fast heads: without and with springs, dampers or gains in their joints."""


@njit
def mark_fast(h, bone, heads: Heads, velocity, fast_out):
    """fast_out[head] = LOOSE for heads with a bone that turns fast.

    Returns the greatest turn [rad] among those not lone, or -1 where nobody is fast.
    """
    fastest = -1.0
    for n in range(heads.listed.shape[0]):
        fast_out[heads.listed[n]] = 0.0
    for n in range(heads.spinning.shape[0]):
        i = heads.spinning[n]
        head = heads.of_rate[bone[i, LAST_DOF]]
        wx, wy, wz = velocity[i, 3], velocity[i, 4], velocity[i, 5]
        square = h * h * (wx * wx + wy * wy + wz * wz)
        if square <= FAST_LONE * FAST_LONE:
            continue
        turn = math.sqrt(square)
        lone = heads.lone[head] == 1
        free = i == head and turning_place(bone[i, JOINT]) >= 0
        if turn > (FAST_LONE if lone else FAST_HEAD if free else FAST):
            fast_out[head] = LOOSE
            fastest = max(fastest, 0.0 if lone else turn)
    return fastest


@njit
def find_coordinate_rates(bone, q, v, rate_out):
    """Derivatives of the coordinates at the rates v."""
    for i in range(bone.shape[0]):
        a, k, turning = bone[i, Q_FIRST], bone[i, V_FIRST], turning_place(bone[i, JOINT])
        for local in range(bone[i, V_COUNT] if turning < 0 else turning):
            rate_out[a + local] = v[k + local]
        if turning >= 0:
            a, k = a + turning, k + turning
            w, x, y, z = q[a], q[a + 1], q[a + 2], q[a + 3]
            rate_out[a] = 0.5 * (-x * v[k] - y * v[k + 1] - z * v[k + 2])
            rate_out[a + 1] = 0.5 * (w * v[k] + y * v[k + 2] - z * v[k + 1])
            rate_out[a + 2] = 0.5 * (w * v[k + 1] + z * v[k] - x * v[k + 2])
            rate_out[a + 3] = 0.5 * (w * v[k + 2] + x * v[k + 1] - y * v[k])


@njit
def normalise_coordinates(bone, q_inout):
    """Quaternions become rotations again."""
    for i in range(bone.shape[0]):
        turning = turning_place(bone[i, JOINT])
        if turning >= 0:
            a = bone[i, Q_FIRST] + turning
            q_inout[a], q_inout[a + 1], q_inout[a + 2], q_inout[a + 3] = normalise_quaternion(
                q_inout[a], q_inout[a + 1], q_inout[a + 2], q_inout[a + 3]
            )


@njit
def find_flow(bones, masses, s: FlowScratch):
    """Derivatives of coordinates and rates in free motion, which springs and dampers hold back: A dv/dt = -bias."""
    m = s.motion
    place_bones(bones.bone, bones.frame, s.q, m.x, m.rotation, m.axis)
    move_bones(bones.bone, bones.dof, m.axis, s.v, m.spatial_velocity, m.axis_rate)
    make_mass_matrix(
        bones.bone, bones.dof, masses.inertia, masses.armature, m.x, m.rotation, m.axis, s.own, s.composite, s.factor
    )  # fmt: skip
    for k in range(s.tau.shape[0]):
        s.factor[bones.dof[k, ROW]] += s.gain[k]
    factor_chain(bones.dof, s.factor)
    find_inverse_dynamics(
        bones.bone, masses.armature, s.zero, s.own, m.axis, m.axis_rate, m.spatial_velocity, s.v, s.zero,
        s.work, s.tau,
    )  # fmt: skip
    solve_chain(bones.dof, s.factor, s.tau)
    for k in range(s.tau.shape[0]):
        s.tau[k] = -s.tau[k]
    find_coordinate_rates(bones.bone, s.q, s.v, s.q_rate)


@njit
def flow_once(h, bones, masses, s: FlowScratch):
    """One step of the classical method of Runge and Kutta, of fourth order, from s.q and s.v."""
    for a in range(s.q.shape[0]):
        s.q_from[a] = s.q[a]
        s.q_sum[a] = 0.0
    for k in range(s.v.shape[0]):
        s.v_from[k] = s.v[k]
        s.v_sum[k] = 0.0
    for stage in range(4):
        find_flow(bones, masses, s)
        weight = h / 3.0 if stage in (1, 2) else h / 6.0
        ahead = h if stage == 2 else 0.5 * h
        for a in range(s.q.shape[0]):
            s.q_sum[a] += weight * s.q_rate[a]
            s.q[a] = s.q_from[a] + (ahead * s.q_rate[a] if stage < 3 else s.q_sum[a])
        for k in range(s.v.shape[0]):
            s.v_sum[k] += weight * s.tau[k]
            s.v[k] = s.v_from[k] + (ahead * s.tau[k] if stage < 3 else s.v_sum[k])
        normalise_coordinates(bones.bone, s.q)


@njit_inlined
def move_inertia(composite, i, rx, ry, rz, inertia_out):
    """inertia_out [3, 3]: that of bone i with all that hangs on it about the point O + r, in world axes."""
    m, sx, sy, sz = composite[i, 0], composite[i, 1], composite[i, 2], composite[i, 3]
    along = m * (rx * rx + ry * ry + rz * rz) - 2.0 * (rx * sx + ry * sy + rz * sz)
    inertia_out[0, 0] = composite[i, 4] + along + 2.0 * rx * sx - m * rx * rx
    inertia_out[1, 1] = composite[i, 5] + along + 2.0 * ry * sy - m * ry * ry
    inertia_out[2, 2] = composite[i, 6] + along + 2.0 * rz * sz - m * rz * rz
    inertia_out[0, 1] = composite[i, 7] + rx * sy + sx * ry - m * rx * ry
    inertia_out[0, 2] = composite[i, 8] + rx * sz + sx * rz - m * rx * rz
    inertia_out[1, 2] = composite[i, 9] + ry * sz + sy * rz - m * ry * rz
    inertia_out[1, 0] = inertia_out[0, 1]
    inertia_out[2, 0] = inertia_out[0, 2]
    inertia_out[2, 1] = inertia_out[1, 2]


@njit_inlined
def turn_inertia(rotation, i, inertia, inertia_out):
    """inertia_out = R^T inertia R: into the axes of bone i."""
    for c in range(3):
        x, y, z = rotate_vector_back_at(rotation, i, inertia[0, c], inertia[1, c], inertia[2, c])
        inertia_out[0, c], inertia_out[1, c], inertia_out[2, c] = x, y, z
    for c in range(3):
        x, y, z = rotate_vector_back_at(rotation, i, inertia_out[c, 0], inertia_out[c, 1], inertia_out[c, 2])
        inertia_out[c, 0], inertia_out[c, 1], inertia_out[c, 2] = x, y, z


@njit
def turn_lone(h, bone, i, motion, composite, s: FlowScratch):
    """Coordinates of the lone head i after h of free motion, into s.q; README eq. (11)."""
    a, k, root = bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, ROOT]
    x, rotation, axis, v = motion.x, motion.rotation, motion.axis, s.v
    ox, oy, oz = x[i, 0] - x[root, 0], x[i, 1] - x[root, 1], x[i, 2] - x[root, 2]
    rx, ry, rz = ox, oy, oz
    floats = bone[i, JOINT] == FREE
    if floats:
        m = composite[i, 0]
        rx, ry, rz = composite[i, 1] / m, composite[i, 2] / m, composite[i, 3] / m
    move_inertia(composite, i, rx, ry, rz, s.small[0])
    turn_inertia(rotation, i, s.small[0], s.small[1])
    t, b = (k + 3, a + 3) if floats else (k, a)
    mx, my, mz, step = find_middle_spin(h, s.small[1], v[t], v[t + 1], v[t + 2], s.small[0])
    q = motion.q
    s.q[b], s.q[b + 1], s.q[b + 2], s.q[b + 3] = turn_by_cayley(
        step, q[b], q[b + 1], q[b + 2], q[b + 3], mx, my, mz
    )
    if floats:
        # The centre goes straight on, and the origin lies where the turned lever leaves it.
        cx, cy, cz = rx - ox, ry - oy, rz - oz
        wx, wy, wz = rotate_vector_at(rotation, i, v[t], v[t + 1], v[t + 2])
        bx, by, bz = rotate_vector_back_at(rotation, i, cx, cy, cz)
        dw, dx, dy, dz = turn_by_cayley(step, 1.0, 0.0, 0.0, 0.0, mx, my, mz)
        lever = (bx, by, bz)
        ux, uy, uz = turn_lever(dw, dx, dy, dz, lever)
        ux, uy, uz = rotate_vector_at(rotation, i, ux, uy, uz)
        gx, gy, gz = (
            h * (wy * cz - wz * cy) + cx - ux,
            h * (wz * cx - wx * cz) + cy - uy,
            h * (wx * cy - wy * cx) + cz - uz,
        )
        for local in range(3):
            along = axis[k + local, 0] * gx + axis[k + local, 1] * gy + axis[k + local, 2] * gz
            s.q[a + local] = q[a + local] + h * v[k + local] + along


@njit_inlined
def turn_lever(w, x, y, z, lever):
    """The vector turned by a quaternion."""
    bx, by, bz = lever
    tx, ty, tz = 2.0 * (y * bz - z * by), 2.0 * (z * bx - x * bz), 2.0 * (x * by - y * bx)
    return (
        bx + w * tx + y * tz - z * ty,
        by + w * ty + z * tx - x * tz,
        bz + w * tz + x * ty - y * tx,
    )


@njit
def find_bias(step: FreeStep, bias_out):
    """The bias at the start of the step, without gravity."""
    motion, scratch, v = step.motion, step.scratch, step.motion.v
    differentiate_bias(
        step.bones.bone, scratch.own, motion.axis, motion.axis_rate, motion.spatial_velocity, v, motion.axis_rate,
        motion.spatial_velocity, v, scratch.work, bias_out,
    )  # fmt: skip
    for k in range(v.shape[0]):
        bias_out[k] *= 0.5


@njit
def kick(step: FreeStep, heads: Heads, spun, right, change_out):
    """Change of the rates by the forces alone, at the pose of the start: README eq. (11); `right` is that of (6).

    A head that did not spin fast until now has rates of half a step ago: free motion for that time comes first.
    """
    find_bias(step, change_out)
    for k in range(change_out.shape[0]):
        share = 0.5 if spun[heads.of_rate[k]] == 0.0 else 1.0
        change_out[k] = right[k] + share * step.h * change_out[k]
    solve_chain(step.bones.dof, step.factor, change_out)


@njit
def flow_freely(step: FreeStep, heads: Heads, fastest, swing, flow_out: Flow, s: FlowScratch):
    """Rates of fast heads that rows see: the mean of the free motion after the forces; README eq. (11), (12).

    `fastest` and `swing` [rad] are the greatest turns in a step, and about the pull. flow_out.kicked has the change by
    the forces. Overwrites v_free of these rates, and fills flow_out.
    """
    h, bones, motion = step.h, step.bones, step.motion
    bone, v, kicked = bones.bone, motion.v, flow_out.kicked
    for a in range(s.q.shape[0]):
        s.q[a] = motion.q[a]
    for k in range(v.shape[0]):
        head = heads.of_rate[k]
        if flow_out.fast[head] > 0.0 and s.gain[k] != 0.0:
            flow_out.fast[head] = SPRUNG
    for k in range(v.shape[0]):
        kicked[k] += v[k]
        s.v[k] = kicked[k] if flow_out.fast[heads.of_rate[k]] > 0.0 else v[k]
    if fastest > 0.0:
        count = min(MOST_SUBSTEPS, int(max(fastest / SUBSTEP, swing / SWING)) + 1)
        for _ in range(count):
            flow_once(h / count, bones, step.masses, s)
    for k in range(v.shape[0]):
        flow_out.flown[k] = s.v[k]
    carry_inertias(bone, step.masses.inertia, motion.x, motion.rotation, s.own)
    add_composites(bone, s.own, s.composite)
    for i in range(bone.shape[0]):
        if flow_out.fast[i] > 0.0 and heads.lone[i] == 1:
            for k in range(bone[i, V_FIRST], bone[i, V_FIRST] + bone[i, V_COUNT]):
                s.v[k] = kicked[k]
                flow_out.flown[k] = kicked[k]
            turn_lone(h, bone, i, motion, s.composite, s)
    subtract_coordinates(bone, s.q, motion.q, s.tau)
    for k in range(v.shape[0]):
        if flow_out.fast[heads.of_rate[k]] > 0.0:
            step.v_free[k] = s.tau[k] / h
