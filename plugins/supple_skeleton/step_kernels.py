"""Kernels of the step: velocities without rows, advancing; README eq. (4) to (8)."""

from __future__ import annotations

from supple.core.jit import njit
from supple_bones.chain_kernels import factor_chain, solve_chain
from supple_bones.coordinate_kernels import find_deviations, integrate_coordinates
from supple_bones.force_kernels import differentiate_bias, find_inverse_dynamics, map_wrenches
from supple_bones.inertia_kernels import make_mass_matrix
from supple_bones.kinematics_kernels import follow_state, move_bones
from supple_bones.layout import ROW
from supple_skeleton.carry_kernels import carry_motion
from supple_skeleton.flow_kernels import flow_freely, mark_fast
from supple_skeleton.flow_tables import Ended, Flow, FlowScratch, Heads
from supple_skeleton.step_tables import FreeStep
from supple_skeleton.tension_kernels import (
    find_pulls,
    resist_spins,
    stiffen_bones,
    take_fast_pulls,
)


@njit
def add_implicit_gains(h, dof, gains, matrix_out):
    """A = M + h (damping + gain_d) + h^2 (stiffness + gain_p): README eq. (5)."""
    damping, stiffness, gain_p, gain_d = gains.damping, gains.stiffness, gains.gain_p, gains.gain_d
    for k in range(dof.shape[0]):
        matrix_out[dof[k, ROW]] += h * (damping[k] + gain_d[k]) + h * h * (stiffness[k] + gain_p[k])


@njit
def find_applied_forces(bone, axis, x, wrench, force, work_out, applied_out):
    """Generalised force of the wrenches on all bones, and of actuators."""
    map_wrenches(bone, axis, x, wrench, work_out, applied_out)
    for k in range(force.shape[0]):
        applied_out[k] += force[k]


@njit
def fill_right_side(h, gains, applied, bias, deviation, v, right_out):
    """b - A v0 without corrections: README eq. (6)."""
    damping, stiffness, gain_p, gain_d = gains.damping, gains.stiffness, gains.gain_p, gains.gain_d
    for k in range(v.shape[0]):
        resisting = h * (damping[k] + gain_d[k]) + h * h * (stiffness[k] + gain_p[k])
        right_out[k] = h * (applied[k] - bias[k] - stiffness[k] * deviation[k]) - resisting * v[k]


@njit
def move_freely(step: FreeStep, heads: Heads, flow_out: Flow, flow_scratch: FlowScratch):
    """Factor of A and velocities if nothing touched; README eq. (4) to (7). Returns -1, or a rate without inertia.

    Trees under tension or that spin fast: README eq. (11) to (17).
    """
    h, bones, masses, gains, motion, scratch = (
        step.h, step.bones, step.masses, step.gains, step.motion, step.scratch,
    )  # fmt: skip
    factor_out, applied_out = step.factor, step.applied
    bone, dof, armature = bones.bone, bones.dof, masses.armature
    v, x, axis, axis_rate, velocity = (
        motion.v,
        motion.x,
        motion.axis,
        motion.axis_rate,
        motion.spatial_velocity,
    )
    own, work = scratch.own, scratch.work
    right, bias, change, zero = scratch.rates[0], scratch.rates[1], scratch.rates[2], scratch.rates[3]
    count = v.shape[0]
    make_mass_matrix(
        bone, dof, masses.inertia, armature, x, motion.rotation, axis, own, scratch.composite, factor_out
    )
    fastest, swing = mark_fast(h, bone, heads, velocity, flow_out.fast), 0.0
    tight = False
    if step.tie.taut[0] > 0:
        find_pulls(step, v, axis_rate, velocity, step.pull)
        if fastest >= 0.0:
            swing = take_fast_pulls(step, heads, flow_out.fast, flow_scratch)
        tight = stiffen_bones(step, factor_out)
    if fastest >= 0.0:
        for k in range(count):
            flow_scratch.gain[k] = -factor_out[dof[k, ROW]]
    add_implicit_gains(h, dof, gains, factor_out)
    if fastest >= 0.0:
        for k in range(count):
            flow_scratch.gain[k] += factor_out[dof[k, ROW]]
    empty = factor_chain(dof, factor_out)
    if empty >= 0:
        return empty
    find_applied_forces(bone, axis, x, step.wrench, step.force, work, applied_out)
    for k in range(count):
        zero[k] = 0.0
    find_inverse_dynamics(bone, armature, step.gravity, own, axis, axis_rate, velocity, v, zero, work, bias)
    find_deviations(bone, motion.q, change)
    fill_right_side(h, gains, applied_out, bias, change, v, right)
    if tight:
        resist_spins(step, bias, right)
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
    if fastest >= 0.0:
        flow_freely(step, heads, fastest, swing, right, flow_out, flow_scratch)
    return -1


@njit
def advance_bones(
    h, bones, masses, heads: Heads, factor, motion, flow: Flow, v_free, impulse, scratch, ended_out: Ended, motion_out
):  # fmt: skip
    """v = v_free + A^-1 J^T lambda, coordinates with the new rates, and where the bones then are.

    Rates of fast heads go on from their momenta: README eq. (13), (14). scratch is a FlowScratch.
    """
    bone, dof, v = bones.bone, bones.dof, motion_out.v
    for k in range(dof.shape[0]):
        v[k] = impulse[k]
    solve_chain(dof, factor, v)
    fast = False
    for n in range(heads.listed.shape[0]):
        fast = fast or flow.fast[heads.listed[n]] > 0.0
    if fast:
        for k in range(dof.shape[0]):
            scratch.v[k] = flow.kicked[k] + v[k]
            scratch.v_from[k] = flow.flown[k] + v[k]
    for k in range(dof.shape[0]):
        v[k] += v_free[k]
        ended_out.v_rows[k] = v[k]
        ended_out.v_worked[k] = v[k]
    integrate_coordinates(h, bone, motion.q, v, motion_out.q)
    if fast:
        for k in range(dof.shape[0]):
            if flow.fast[heads.of_rate[k]] > 0.0:
                v[k] = scratch.v_from[k]
                ended_out.v_worked[k] = scratch.v[k]
        carry_motion(h, bones, masses, heads, flow, motion, scratch, motion_out)
    follow_state(
        bone, dof, bones.frame, motion_out.q, v, motion_out.x, motion_out.rotation, motion_out.twist,
        motion_out.axis, motion_out.axis_rate, motion_out.spatial_velocity,
    )  # fmt: skip
