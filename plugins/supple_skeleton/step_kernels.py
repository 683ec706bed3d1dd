"""Kernels of the step: velocities without rows, advancing; README eq. (4) to (8)."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple_bones.chain_kernels import factor_chain, solve_chain
from supple_bones.coordinate_kernels import find_deviations, integrate_coordinates
from supple_bones.force_kernels import differentiate_bias, find_inverse_dynamics, map_wrenches
from supple_bones.inertia_kernels import carry_inertias, make_mass_matrix
from supple_bones.kinematics_kernels import follow_state, move_bones
from supple_bones.layout import ROW
from supple_skeleton.carry_kernels import carry_motion, restore_spins
from supple_skeleton.flow_kernels import find_bias, flow_freely, kick, mark_fast
from supple_skeleton.flow_tables import Ended, Flow, FlowScratch, Heads
from supple_skeleton.step_tables import FreeStep
from supple_skeleton.tension_kernels import (
    find_pulls,
    resist_spins,
    stiffen_bones,
    take_fast_pulls,
)

SPINS_FAST = -2
"""What `move_freely` returns where a tree spins fast."""
NEGLIGIBLE = 1e-6
"""Change of rates [rad/s, m/s] that the bias need not make up for."""


@njit
def add_implicit_gains(h, dof, gains, matrix_out):
    """A = M + h (theta damping + gain_d) + h^2 (theta^2 stiffness + gain_p): README eq. (5)."""
    damping, stiffness, gain_p, gain_d = gains.damping, gains.stiffness, gains.gain_p, gains.gain_d
    for k in range(dof.shape[0]):
        theta = gains.theta[k]
        matrix_out[dof[k, ROW]] += h * (theta * damping[k] + gain_d[k]) + h * h * (
            theta * theta * stiffness[k] + gain_p[k]
        )


@njit
def find_applied_forces(bone, axis, x, wrench, force, work_out, applied_out):
    """Generalised force of the wrenches on all bones, and of actuators."""
    idle = True
    for i in range(wrench.shape[0]):
        for c in range(wrench.shape[1]):
            idle &= wrench[i, c] == 0.0
    if idle:  # as most of the time: nothing to carry to the joints
        for k in range(force.shape[0]):
            applied_out[k] = 0.0
    else:
        map_wrenches(bone, axis, x, wrench, work_out, applied_out)
    for k in range(force.shape[0]):
        applied_out[k] += force[k]


@njit
def fill_right_side(h, gains, applied, bias, deviation, v, right_out):
    """b - A v0 without corrections: README eq. (6)."""
    damping, stiffness, gain_p, gain_d = gains.damping, gains.stiffness, gains.gain_p, gains.gain_d
    for k in range(v.shape[0]):
        ahead = 2.0 * gains.theta[k] - 1.0
        resisting = h * (damping[k] + gain_d[k]) + h * h * (ahead * stiffness[k] + gain_p[k])
        right_out[k] = h * (applied[k] - bias[k] - stiffness[k] * deviation[k]) - resisting * v[k]


@njit
def prepare_free(step: FreeStep, tight):
    """Factor of A = M + gains, M being there, and the right side, in scratch.rates[0]. Returns -1, or a rate without
    inertia. `tight`: torques that resist spins join the right side.
    """
    h, bones, motion, scratch = step.h, step.bones, step.motion, step.scratch
    bone, v, work = bones.bone, motion.v, scratch.work
    right, bias, change, zero = scratch.rates[0], scratch.rates[1], scratch.rates[2], scratch.rates[3]
    add_implicit_gains(h, bones.dof, step.gains, step.factor)
    empty = factor_chain(bones.dof, step.factor)
    if empty >= 0:
        return empty
    find_applied_forces(bone, motion.axis, motion.x, step.wrench, step.force, work, step.applied)
    for k in range(v.shape[0]):
        zero[k] = 0.0
    find_inverse_dynamics(
        bone, step.masses.armature, step.gravity, scratch.own, motion.axis, motion.axis_rate, motion.spatial_velocity,
        v, zero, work, bias,
    )  # fmt: skip
    find_deviations(bone, motion.q, change)
    fill_right_side(h, step.gains, step.applied, bias, change, v, right)
    if tight:
        resist_spins(step, bias, right)
    return -1


@njit
def solve_free(step: FreeStep):
    """Velocities if nothing touched, from the right side in scratch.rates[0] and the factor."""
    h, motion, scratch = step.h, step.motion, step.scratch
    bone, dof, factor_out = step.bones.bone, step.bones.dof, step.factor
    v, axis, axis_rate, velocity = motion.v, motion.axis, motion.axis_rate, motion.spatial_velocity
    own, work, count = scratch.own, scratch.work, motion.v.shape[0]
    right, bias, change = scratch.rates[0], scratch.rates[1], scratch.rates[2]
    for k in range(count):
        change[k] = right[k]
    solve_chain(dof, factor_out, change)
    for _ in range(step.corrections):
        move_bones(bone, dof, axis, change, scratch.change_velocity, scratch.change_rate)
        differentiate_bias(
            bone, own, axis, axis_rate, velocity, v, scratch.change_rate, scratch.change_velocity, change, work, bias
        )  # fmt: skip
        for k in range(count):
            change[k] = right[k] - step.implicitness * h * bias[k]
        solve_chain(dof, factor_out, change)
    for k in range(count):
        step.v_free[k] = v[k] + change[k]


@njit
def finish_free(step: FreeStep, tight):
    """`prepare_free` and `solve_free`. Returns -1, or a rate without inertia."""
    empty = prepare_free(step, tight)
    if empty < 0:
        solve_free(step)
    return empty


@njit
def slow_down(step: FreeStep, heads: Heads, fast, spun, right_inout):
    """Heads that spun fast until now have rates of this very moment: their bias acts for half of the step only."""
    changed = False
    for n in range(heads.listed.shape[0]):
        i = heads.listed[n]
        changed = changed or (spun[i] > 0.0 and fast[i] == 0.0)
    if not changed:
        return
    bias = step.scratch.rates[1]
    find_bias(step, bias)
    for k in range(bias.shape[0]):
        i = heads.of_rate[k]
        if spun[i] > 0.0 and fast[i] == 0.0:
            right_inout[k] += 0.5 * step.h * bias[k]


@njit_inlined
def begin_free(step: FreeStep):
    """The mass matrix, and in scratch the inertias of the bones."""
    bones, masses, motion, scratch = step.bones, step.masses, step.motion, step.scratch
    make_mass_matrix(
        bones.bone, bones.dof, masses.inertia, masses.armature, motion.x, motion.rotation, motion.axis, scratch.own,
        scratch.composite, step.factor,
    )  # fmt: skip


@njit
def find_arrears(
    h, implicitness, bones, masses, heads: Heads, fast, motion, v_free, v_rows, s: FlowScratch, arrears_out
):
    """What the bias of this step would have been more with the rates that impulses led to: README eq. (8a).

    The next step makes up for it. Trees that spin fast owe nothing, nor does what hardly moves. The term of second order
    takes the whole change of the rates: what rows hold back against a drive, v' - v_free, is no motion.
    """
    bone = bones.bone
    fastest, largest = 0.0, 0.0
    for k in range(v_free.shape[0]):
        arrears_out[k] = 0.0
        s.tau[k] = v_rows[k] - v_free[k]
        fastest = max(fastest, abs(motion.v[k]), abs(v_rows[k]))
        largest = max(largest, abs(s.tau[k]))
    if h * fastest * largest <= NEGLIGIBLE:
        return
    carry_inertias(bone, masses.inertia, motion.x, motion.rotation, s.own)
    move_bones(bone, bones.dof, motion.axis, s.tau, s.motion.spatial_velocity, s.motion.axis_rate)
    differentiate_bias(
        bone, s.own, motion.axis, motion.axis_rate, motion.spatial_velocity, motion.v, s.motion.axis_rate,
        s.motion.spatial_velocity, s.tau, s.work, arrears_out,
    )  # fmt: skip
    for k in range(v_free.shape[0]):
        s.tau[k] = v_rows[k] - motion.v[k]
    move_bones(bone, bones.dof, motion.axis, s.tau, s.motion.spatial_velocity, s.motion.axis_rate)
    differentiate_bias(
        bone, s.own, motion.axis, s.motion.axis_rate, s.motion.spatial_velocity, s.tau, s.motion.axis_rate,
        s.motion.spatial_velocity, s.tau, s.work, s.v_sum,
    )  # fmt: skip
    for k in range(v_free.shape[0]):
        slow = fast[heads.of_rate[k]] == 0.0
        arrears_out[k] = -implicitness * h * (arrears_out[k] + 0.5 * s.v_sum[k]) if slow else 0.0


@njit
def add_arrears(arrears, right_inout):
    """Add what the last step owes to the right side."""
    for k in range(arrears.shape[0]):
        right_inout[k] += arrears[k]


@njit
def move_freely(step: FreeStep, heads: Heads, spun, arrears, fast_out):
    """Factor of A and velocities if nothing touched; README eq. (4) to (7), under tension (15) to (17).

    Returns -1, a rate without inertia, or SPINS_FAST: then `move_fast` is to be asked.
    """
    motion = step.motion
    if mark_fast(step.h, step.bones.bone, heads, motion.spatial_velocity, fast_out) >= 0.0:
        return SPINS_FAST
    begin_free(step)
    tight = False
    if step.tie.taut[0] > 0:
        find_pulls(step, motion.v, motion.axis_rate, motion.spatial_velocity, step.pull)
        tight = stiffen_bones(step, step.factor)
    empty = prepare_free(step, tight)
    if empty < 0:
        slow_down(step, heads, fast_out, spun, step.scratch.rates[0])
        add_arrears(arrears, step.scratch.rates[0])
        solve_free(step)
    return empty


@njit
def move_fast(step: FreeStep, heads: Heads, spun, arrears, flow_out: Flow, flow_scratch: FlowScratch):
    """`move_freely` where trees spin fast: README eq. (11) to (17). Returns -1, or a rate without inertia."""
    motion, dof = step.motion, step.bones.dof
    fastest, swing = mark_fast(step.h, step.bones.bone, heads, motion.spatial_velocity, flow_out.fast), 0.0
    begin_free(step)
    tight = False
    if step.tie.taut[0] > 0:
        find_pulls(step, motion.v, motion.axis_rate, motion.spatial_velocity, step.pull)
        swing = take_fast_pulls(step, heads, flow_out.fast, flow_scratch)
        tight = stiffen_bones(step, step.factor)
    for k in range(dof.shape[0]):
        flow_scratch.factor[dof[k, ROW]] = 0.0
    add_implicit_gains(step.h, dof, step.gains, flow_scratch.factor)
    for k in range(dof.shape[0]):
        flow_scratch.gain[k] = flow_scratch.factor[dof[k, ROW]]
    empty = prepare_free(step, tight)
    if empty < 0:
        right = step.scratch.rates[0]
        slow_down(step, heads, flow_out.fast, spun, right)
        add_arrears(arrears, right)
        solve_free(step)
        kick(step, heads, spun, right, flow_out.kicked)
        if tight:
            restore_spins(step, flow_out.fast, flow_scratch, flow_out.kicked)
        flow_freely(step, heads, fastest, swing, flow_out, flow_scratch)
    return empty


@njit_inlined
def follow_rates(bones, motion_out):
    """Where the bones are after the step, and how they move."""
    follow_state(
        bones.bone, bones.dof, bones.frame, motion_out.q, motion_out.v, motion_out.x, motion_out.rotation,
        motion_out.twist, motion_out.axis, motion_out.axis_rate, motion_out.spatial_velocity,
    )  # fmt: skip


@njit
def keep_fast(fast, spun_out):
    """Which heads spun fast in this step."""
    for i in range(fast.shape[0]):
        spun_out[i] = 1.0 if fast[i] > 0.0 else 0.0


@njit
def advance_bones(h, bones, factor, q, v_free, impulse, ended_out: Ended, motion_out):
    """v = v_free + A^-1 J^T lambda, coordinates with the new rates, and where the bones then are."""
    dof, v = bones.dof, motion_out.v
    for k in range(dof.shape[0]):
        v[k] = impulse[k]
    solve_chain(dof, factor, v)
    for k in range(dof.shape[0]):
        v[k] += v_free[k]
        ended_out.v_rows[k] = v[k]
        ended_out.v_worked[k] = v[k]
    integrate_coordinates(h, bones.bone, q, v, motion_out.q)
    follow_rates(bones, motion_out)


@njit
def advance_fast(
    h, bones, masses, heads: Heads, factor, motion, flow: Flow, v_free, impulse, scratch: FlowScratch, ended_out: Ended,
    motion_out,
):  # fmt: skip
    """`advance_bones` where trees spin fast: rates of fast heads go on from their momenta, README eq. (13), (14)."""
    advance_bones(h, bones, factor, motion.q, v_free, impulse, ended_out, motion_out)
    v = motion_out.v
    for k in range(v.shape[0]):
        change = v[k] - v_free[k]
        scratch.v[k] = flow.kicked[k] + change
        if flow.fast[heads.of_rate[k]] > 0.0:
            v[k] = flow.flown[k] + change
            ended_out.v_worked[k] = scratch.v[k]
    carry_motion(h, bones, masses, heads, flow, motion, scratch, motion_out)
    follow_rates(bones, motion_out)


@njit
def try_freely(step, heads, spun, arrears, fast_out, any_fast_out, ended_out):
    """`move_freely`; what it returns is ended_out[0]. Returns whether anything is left to do, or to refuse."""
    ended_out[0] = move_freely(step, heads, spun, arrears, fast_out)
    any_fast_out[0] = ended_out[0] == SPINS_FAST
    return ended_out[0] == SPINS_FAST or ended_out[0] >= 0


@njit
def advance_slowly(any_fast, h, bones, factor, q, v_free, impulse, ended_out, after_out):
    """`advance_bones`, unless something spins fast; returns whether it does."""
    if any_fast[0] == 0:
        advance_bones(h, bones, factor, q, v_free, impulse, ended_out, after_out)
    return any_fast[0] != 0
