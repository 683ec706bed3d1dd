"""What a walk is measured by; README eq. (11) to (13)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple_contact.touch import Touch
from supple_simbicon import layout as at
from supple_simbicon.drive_kernels import add_loads, find_heading
from supple_simbicon.layout import Asked, Body, Contacts, Drives, Rules, Sight
from supple_simbicon.slip_kernels import find_slip_speed

LOADED = 20.0
"""Vertical force [N] from which on a foot's centre of pressure counts."""


@njit
def observe_walk(
    time, drives: Drives, body: Body, rules: Rules, left_stance, contact: Contacts, sight: Sight, start, asked: Asked,
    memory_out, observed_out,
):  # fmt: skip
    """One step of a walk: loads always, all else until it falls.

    A landing is noticed one step late, and a foot is measured from it on, by the contacts of the last step.
    """
    observed_out[0] = add_loads(body.left, contact.now.force)
    observed_out[1] = add_loads(body.right, contact.now.force)
    observed_out[23] = find_pressure(body.left, body.foot[at.LEFT], body.foot_point, contact.now, sight)
    observed_out[24] = find_pressure(body.right, body.foot[at.RIGHT], body.foot_point, contact.now, sight)
    stance = at.LEFT if left_stance[0] == 1 else at.RIGHT
    root = body.bones[0]
    if memory_out[at.FALL_TIME] < 0.0:
        if sight.x[root, 1] < rules.fallen:
            memory_out[at.FALL_TIME] = time[0]
        else:
            memory_out[at.LAST_TIME] = time[0]
            memory_out[at.LAST_Z] = sight.x[root, 2]
            memory_out[at.SIDEWAYS] = max(memory_out[at.SIDEWAYS], abs(sight.x[root, 0] - start[root, 0]))
            if time[0] >= rules.settle:
                measure(time[0], drives, body, stance, contact, sight, asked, memory_out)
    show(start[root, 2], memory_out, observed_out)


@njit
def find_pressure(rows, foot, foot_point, touch: Touch, sight: Sight):
    """How far the centre of pressure of a foot is ahead of its point along z [m]; nan while it is not loaded."""
    load = pressing = ahead = 0.0
    for n in range(rows.shape[0]):
        i = rows[n]
        load += touch.force[i, 1]
        pressing += touch.normal_force[i]
        ahead += touch.normal_force[i] * touch.centre[i, 2]
    if load <= LOADED or pressing <= 0.0:
        return math.nan
    _, _, pz = rotate_vector_at(sight.rotation, foot, foot_point[0], foot_point[1], foot_point[2])
    return ahead / pressing - sight.x[foot, 2] - pz


@njit
def measure(
    now, drives: Drives, body: Body, stance, contact: Contacts, sight: Sight, asked: Asked, memory_out
):
    """One sample of a walk that has settled."""
    root = body.bones[0]
    if memory_out[at.SETTLED_TIME] < 0.0:
        memory_out[at.SETTLED_TIME] = now
        memory_out[at.SETTLED_Z] = sight.x[root, 2]
        memory_out[at.STANCE] = stance
    w, y = find_heading(sight.rotation, root)
    heading = 2.0 * math.atan2(y, w)
    heading = math.atan2(math.sin(heading), math.cos(heading))
    memory_out[at.HEADING] = max(memory_out[at.HEADING], abs(heading))
    if stance != memory_out[at.STANCE]:
        end_step(now, memory_out)
        note_change(body.foot[stance], body.foot_point, sight, memory_out)
        memory_out[at.STANCE] = stance
    note_place(now, body.foot[stance], body.foot_point, sight, memory_out)
    add_torques(drives, sight.v, asked, memory_out)
    rows = body.left if stance == at.LEFT else body.right
    watch_pressure(rows, contact.before, memory_out)
    if memory_out[at.OLD_LOADED] == 1.0:
        memory_out[at.STEP_SLIP] += contact.step * find_slip_speed(rows, contact.slips)
    memory_out[at.SAMPLES] += 1.0
    memory_out[at.CONTACTS] += count_contacts(body.left, contact.before)
    memory_out[at.CONTACTS] += count_contacts(body.right, contact.before)


@njit
def count_contacts(rows, touch: Touch):
    """Contact points of some entities that press."""
    total = 0
    for n in range(rows.shape[0]):
        total += touch.count[rows[n]]
    return total


@njit
def end_step(now, memory_out):
    """The other foot carries: what the step before came to is added, if it was measured from its start."""
    if memory_out[at.FIRST_STEP] < 0.0:
        memory_out[at.FIRST_STEP] = now
    else:
        memory_out[at.STEPS] += 1.0
        memory_out[at.STEP_TIME] = now - memory_out[at.LAST_STEP]
        n = memory_out[at.STEP_SAMPLES]
        if n > 0.0:
            mean = memory_out[at.STEP_FORCE] / n
            memory_out[at.FULL_STEPS] += 1.0
            memory_out[at.FORCES] += mean
            memory_out[at.DEVIATIONS] += math.sqrt(max(memory_out[at.STEP_SQUARE] / n - mean * mean, 0.0))
            memory_out[at.VARIATIONS] += memory_out[at.STEP_VARIATION]
            memory_out[at.WAYS] += memory_out[at.STEP_WAY]
            memory_out[at.ASIDES] += memory_out[at.STEP_ASIDE]
            memory_out[at.JUMPS] += memory_out[at.STEP_JUMP]
            memory_out[at.SLIPS] += memory_out[at.STEP_SLIP]
    memory_out[at.LAST_STEP] = now
    memory_out[at.PLACED] = 0.0
    for k in range(at.STEP_SAMPLES, at.OLD_LOADED + 1):
        memory_out[k] = 0.0


@njit
def note_change(foot, foot_point, sight: Sight, memory_out):
    """Where a foot is when it is its turn to carry, and how far aside that is from the one before."""
    px, _, _ = rotate_vector_at(sight.rotation, foot, foot_point[0], foot_point[1], foot_point[2])
    px += sight.x[foot, 0]
    if memory_out[at.CHANGES] > 0.0:
        memory_out[at.CHANGE_WIDTHS] += abs(px - memory_out[at.CHANGE_X])
    memory_out[at.CHANGES] += 1.0
    memory_out[at.CHANGE_X] = px


@njit
def note_place(now, foot, foot_point, sight: Sight, memory_out):
    """Where the stance foot is in the middle of its step, and how far that is from the one before."""
    long_enough = now - memory_out[at.LAST_STEP] >= 0.5 * memory_out[at.STEP_TIME]
    if memory_out[at.STEPS] < 1.0 or memory_out[at.PLACED] == 1.0 or not long_enough:
        return
    px, _, pz = rotate_vector_at(sight.rotation, foot, foot_point[0], foot_point[1], foot_point[2])
    px, pz = px + sight.x[foot, 0], pz + sight.x[foot, 2]
    if memory_out[at.PLACES] > 0.0:
        memory_out[at.LENGTHS] += pz - memory_out[at.PLACE_Z]
        memory_out[at.WIDTHS] += abs(px - memory_out[at.PLACE_X])
    memory_out[at.PLACED] = 1.0
    memory_out[at.PLACES] += 1.0
    memory_out[at.PLACE_X], memory_out[at.PLACE_Z] = px, pz


@njit
def add_torques(drives: Drives, v, asked: Asked, memory_out):
    """Torques as they came to be: what was asked for, less what the implicit gains took back."""
    squares = 0.0
    for n in range(1, drives.bone.shape[0]):
        for k in range(drives.first[n], drives.first[n] + drives.rates[n]):
            torque = asked.push[k] - asked.resisting[k] * v[k]
            squares += torque * torque
            memory_out[at.PEAK_TORQUE] = max(memory_out[at.PEAK_TORQUE], abs(torque))
    memory_out[at.EFFORTS] += math.sqrt(squares)


@njit
def watch_pressure(rows, touch: Touch, memory_out):
    """Force on the stance foot, and the way of its centre of pressure while it is loaded."""
    fx = fy = fz = pressing = cx = cz = 0.0
    for n in range(rows.shape[0]):
        i = rows[n]
        fx += touch.force[i, 0]
        fy += touch.force[i, 1]
        fz += touch.force[i, 2]
        pressing += touch.normal_force[i]
        cx += touch.normal_force[i] * touch.centre[i, 0]
        cz += touch.normal_force[i] * touch.centre[i, 2]
    force = math.sqrt(fx * fx + fy * fy + fz * fz)
    if memory_out[at.STEP_SAMPLES] > 0.0:
        memory_out[at.STEP_VARIATION] += abs(force - memory_out[at.OLD_FORCE])
    memory_out[at.STEP_SAMPLES] += 1.0
    memory_out[at.STEP_FORCE] += force
    memory_out[at.STEP_SQUARE] += force * force
    memory_out[at.OLD_FORCE] = force
    if fy <= LOADED or pressing <= 0.0:
        return
    cx, cz = cx / pressing, cz / pressing
    if memory_out[at.OLD_LOADED] == 1.0:
        change = abs(cz - memory_out[at.OLD_Z])
        memory_out[at.STEP_WAY] += change
        memory_out[at.STEP_ASIDE] += abs(cx - memory_out[at.OLD_X])
        memory_out[at.STEP_JUMP] = max(memory_out[at.STEP_JUMP], change)
    memory_out[at.OLD_LOADED] = 1.0
    memory_out[at.OLD_X], memory_out[at.OLD_Z] = cx, cz


@njit
def divide(a, b):
    """a / b, or nan where nothing was measured."""
    return a / b if b > 0.0 else math.nan


@njit
def show(start_z, memory, observed_out):
    """The metrics, in the order of layout.METRICS."""
    fell = memory[at.FALL_TIME] >= 0.0
    settled, steps = memory[at.SETTLED_TIME] >= 0.0, memory[at.FULL_STEPS]
    observed_out[2] = 0.0 if fell else 1.0
    observed_out[3] = memory[at.FALL_TIME] if fell else memory[at.LAST_TIME]
    observed_out[4] = memory[at.LAST_Z] - start_z
    observed_out[5] = memory[at.SIDEWAYS]
    measured = memory[at.LAST_TIME] - memory[at.SETTLED_TIME] if settled else 0.0
    observed_out[6] = divide(memory[at.LAST_Z] - memory[at.SETTLED_Z], measured)
    observed_out[7] = memory[at.HEADING] if settled else math.nan
    observed_out[8] = memory[at.STEPS]
    observed_out[9] = divide(memory[at.LAST_STEP] - memory[at.FIRST_STEP], memory[at.STEPS])
    observed_out[10] = divide(memory[at.LENGTHS], memory[at.PLACES] - 1.0)
    observed_out[11] = divide(memory[at.WIDTHS], memory[at.PLACES] - 1.0)
    observed_out[12] = divide(memory[at.EFFORTS], memory[at.SAMPLES])
    observed_out[13] = memory[at.PEAK_TORQUE]
    observed_out[14] = divide(memory[at.CONTACTS], memory[at.SAMPLES])
    observed_out[15] = divide(memory[at.FORCES], steps)
    observed_out[16] = divide(memory[at.DEVIATIONS], steps)
    observed_out[17] = divide(memory[at.VARIATIONS], steps)
    observed_out[18] = divide(memory[at.WAYS], steps)
    observed_out[19] = divide(memory[at.ASIDES], steps)
    observed_out[20] = divide(memory[at.JUMPS], steps)
    observed_out[21] = divide(memory[at.CHANGE_WIDTHS], memory[at.CHANGES] - 1.0)
    observed_out[22] = divide(memory[at.SLIPS], steps)
