"""Kernels of pliant joints; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import (
    exponentiate_rotation_vector,
    find_rotation_vector,
    multiply_quaternions,
    rotate_vector,
)
from supple.mechanics.rows import BILATERAL, COMPLIANT
from supple_bones.layout import WINDOW
from supple_bones.row_kernels import open_block

# Columns of `pliant.bone_row`: bone, its rate, its coordinate (the first of a quaternion), component of a turn.
BONE, RATE, COORDINATE, COMPONENT = 0, 1, 2, 3
SCALAR = -1  # component of a row that is no part of a turn

# Columns of `pliant.link_row`: link, motion and column of its direction, number of the track.
LINK, MOTION, COLUMN, TRACK = 0, 1, 2, 3


@njit
def follow_effort(time, character, first, at, factor, gains, now_out):
    """Stiffness and damping at `time`: README eq. (1)."""
    for n in range(gains.shape[0]):
        begin, end = first[character[n]], first[character[n] + 1]
        share = 1.0
        if end > begin:
            k = begin
            while k < end and at[k] <= time:
                k += 1
            if k == begin:
                share = factor[begin]
            elif k == end:
                share = factor[end - 1]
            else:
                part = (time - at[k - 1]) / (at[k] - at[k - 1])
                share = factor[k - 1] + part * (factor[k] - factor[k - 1])
        now_out[n, 0] = share * gains[n, 0]
        now_out[n, 1] = share * gains[n, 1]


@njit
def measure_bone_rows(bone_row, q, target, target_rate, error_out, desired_out):
    """Distance from the target of the step's end, and the velocity of the target: README eq. (2)."""
    for n in range(bone_row.shape[0]):
        desired_out[n] = target_rate[bone_row[n, RATE]]
        a = bone_row[n, COORDINATE]
        if bone_row[n, COMPONENT] == SCALAR:
            error_out[n] = q[a] - target[a]
        elif bone_row[n, COMPONENT] == 0:
            w, x, y, z = multiply_quaternions(
                target[a], -target[a + 1], -target[a + 2], -target[a + 3], q[a], q[a + 1], q[a + 2], q[a + 3]
            )
            error_out[n], error_out[n + 1], error_out[n + 2] = find_rotation_vector(w, x, y, z)


@njit
def find_segment(first, last, at, time):
    """The key before `time` and how far the motion has got towards the next: minimum jerk, README eq. (3)."""
    if time <= at[first]:
        return first, 0.0
    k = first
    while k + 1 < last and at[k + 1] <= time:
        k += 1
    if k + 1 == last:
        return k, 0.0
    u = (time - at[k]) / (at[k + 1] - at[k])
    return k, u * u * u * (10.0 + u * (6.0 * u - 15.0))


@njit
def find_turn(value, k, last, s):
    """The quaternion between the rotation vectors of keys k and k + 1, along the shortest arc."""
    w, x, y, z = exponentiate_rotation_vector(value[k, 0], value[k, 1], value[k, 2])
    if k + 1 == last or s == 0.0:
        return w, x, y, z
    nw, nx, ny, nz = exponentiate_rotation_vector(value[k + 1, 0], value[k + 1, 1], value[k + 1, 2])
    rw, rx, ry, rz = multiply_quaternions(nw, nx, ny, nz, w, -x, -y, -z)
    dx, dy, dz = find_rotation_vector(rw, rx, ry, rz)
    pw, px, py, pz = exponentiate_rotation_vector(s * dx, s * dy, s * dz)
    return multiply_quaternions(pw, px, py, pz, w, x, y, z)


@njit
def find_place(value, k, last, s):
    """The number between the values of keys k and k + 1."""
    if k + 1 == last:
        return value[k, 0]
    return value[k, 0] + s * (value[k + 1, 0] - value[k, 0])


@njit
def measure_turn(h, row, link, first, last, at, value, time, turned, error_out, desired_out):
    """The three rows of a ball joint, in the axes of the world; turned [links, 2, 4] are its anchors' rotations."""
    k, s = find_segment(first, last, at, time)
    w0, x0, y0, z0 = find_turn(value, k, last, s)
    k, s = find_segment(first, last, at, time + h)
    w1, x1, y1, z1 = find_turn(value, k, last, s)
    rw, rx, ry, rz = multiply_quaternions(w1, x1, y1, z1, w0, -x0, -y0, -z0)
    vx, vy, vz = find_rotation_vector(rw, rx, ry, rz)
    bw, bx, by, bz = turned[link, 1, 0], turned[link, 1, 1], turned[link, 1, 2], turned[link, 1, 3]
    aw, ax, ay, az = multiply_quaternions(
        bw, -bx, -by, -bz, turned[link, 0, 0], turned[link, 0, 1], turned[link, 0, 2], turned[link, 0, 3]
    )
    ew, ex, ey, ez = multiply_quaternions(aw, ax, ay, az, w1, -x1, -y1, -z1)
    ex, ey, ez = find_rotation_vector(ew, ex, ey, ez)
    error_out[row], error_out[row + 1], error_out[row + 2] = rotate_vector(bw, bx, by, bz, ex, ey, ez)
    vx, vy, vz = rotate_vector(bw, bx, by, bz, vx / h, vy / h, vz / h)
    desired_out[row], desired_out[row + 1], desired_out[row + 2] = vx, vy, vz


@njit
def measure_link_rows(
    h, time, begin, link_row, is_ball, key_first, at, value, coordinate, turned, error_out, desired_out
):
    """As `measure_bone_rows`, for joints between bodies; their rows begin at `begin`."""
    for n in range(link_row.shape[0]):
        link, track = link_row[n, LINK], link_row[n, TRACK]
        first, last = key_first[track], key_first[track + 1]
        if is_ball[track] == 0:
            k, s = find_segment(first, last, at, time)
            now = find_place(value, k, last, s)
            k, s = find_segment(first, last, at, time + h)
            then = find_place(value, k, last, s)
            error_out[begin + n] = coordinate[link] - then
            desired_out[begin + n] = (then - now) / h
        elif link_row[n, COLUMN] == 0:
            measure_turn(h, begin + n, link, first, last, at, value, time, turned, error_out, desired_out)


@njit
def fill_groups(h, count, first, key, error, desired, gains, law_out, key_out, compliance_out, bias_out):
    """Spring and damper about the trajectory as compliant rows: README eq. (4)."""
    for n in range(count):
        g = first + n
        stiffness, damping = gains[n, 0], gains[n, 1]
        resisting = damping + h * stiffness
        law_out[g] = COMPLIANT
        key_out[g, 0] = key
        key_out[g, 1] = n
        if resisting > 0.0:
            compliance_out[g, 0] = 1.0 / (h * resisting)
            bias_out[g, 0] = (stiffness * error[n] - damping * desired[n]) / resisting
        else:
            # Wholly slack: a row that can give nothing.
            compliance_out[g, 0] = 1.0


@njit
def bound_slack_rows(count, first, gains, lower_out, upper_out):
    """Rows without stiffness and damping have no force."""
    for n in range(count):
        if gains[n, 0] == 0.0 and gains[n, 1] == 0.0:
            lower_out[first + n, 0] = 0.0
            upper_out[first + n, 0] = 0.0


@njit
def append_bone_blocks(bone, bone_row, first, used_out, group_out, unit_out, dof_out, values_out):
    """Jacobian of the rows on bones: one of its rates each."""
    for n in range(bone_row.shape[0]):
        i = bone_row[n, BONE]
        block = open_block(bone, i, first + n, used_out, group_out, unit_out, dof_out, values_out)
        values_out[block, 0, bone_row[n, RATE] - bone[i, WINDOW]] = 1.0


@njit
def select_link_sides(
    link_row, begin, carrier, frame, number, motion, first, axes, point,
    group_out, frame_out, sign_out, point_out, directions_out,
):  # fmt: skip
    """The sides of the rows of one motion that belong to one carrier. Returns their number."""
    found = 0
    for n in range(link_row.shape[0]):
        if link_row[n, MOTION] != motion:
            continue
        link = link_row[n, LINK]
        for side in range(2):
            if carrier[link, side] != number:
                continue
            group_out[found] = first + begin + n
            frame_out[found] = frame[link, side]
            sign_out[found] = 1.0 - 2.0 * side
            for k in range(3):
                point_out[found, k] = point[link, side, k]
                directions_out[found, 0, k] = axes[link, motion, link_row[n, COLUMN], k]
            found += 1
    return found


@njit
def choose_groups(count, contacts, group, surface, element, owner_first, entity, flag, groups_out):
    """Lists the groups that the plan knows: all but the contacts with things that it does not carry.

    flag [entities] holds a bit for every character. Returns how many groups there are.
    """
    for g in range(count):
        groups_out[g] = 0
    for c in range(contacts[0]):
        a = flag[entity[owner_first[surface[c, 0]] + element[c, 0]]]
        b = flag[entity[owner_first[surface[c, 1]] + element[c, 1]]]
        if (a & b) == 0:
            groups_out[group[c]] = -1
    chosen = 0
    for g in range(count):
        if groups_out[g] == 0:
            groups_out[chosen] = g
            chosen += 1
    return chosen


@njit
def ask_for_velocities(h, first, place, plans, desired, torque, bias, part_out, warm_out):
    """Rows of planned joints become velocity constraints: README eq. (5).

    part_out are the rows of the part, place[g] is where group g is there. Their free velocity has bias[g] in it.
    """
    for n in range(plans.shape[0]):
        if plans[n] == 0:
            continue
        g = first + n
        i = place[g]
        part_out.law[i] = BILATERAL
        part_out.lower[i, 0] = -math.inf
        part_out.upper[i, 0] = math.inf
        part_out.compliance[i, 0] = 0.0
        part_out.free[i, 0] = part_out.free[i, 0] - bias[g, 0] - desired[n]
        warm_out[i, 0] = h * torque[n]


@njit
def take_torques(h, first, place, plans, solved, torque_out, impulse_out):
    """Impulses of the planned joints as torques, and as impulses on their groups: README eq. (6)."""
    for n in range(plans.shape[0]):
        torque_out[n] = 0.0
        impulse_out[first + n, 0] = 0.0
        if plans[n] == 1:
            impulse = solved[place[first + n], 0]
            torque_out[n] = impulse / h
            impulse_out[first + n, 0] = impulse


@njit
def find_virtual_lead(h, count, first, gains, torque, impulse, lead_out, total_out):
    """How far ahead springs alone would have to pull: README eq. (7); and the torque of plan and spring together."""
    for n in range(count):
        total_out[n] = torque[n] + impulse[first + n, 0] / h
        lead_out[n] = torque[n] / gains[n, 0] if gains[n, 0] > 0.0 else 0.0


@njit
def observe_characters(h, first, character, error, velocity, torque, total, residual, observed_out):
    """Errors after the step, greatest torques, and the plan's residual, by character.

    velocity [groups, 3] are the row velocities after the step, from J alone.
    """
    for c in range(observed_out.shape[0]):
        for column in range(5):
            observed_out[c, column] = 0.0
        count = 0
        for n in range(character.shape[0]):
            if character[n] != c:
                continue
            count += 1
            left = error[n] + h * velocity[first + n, 0]
            observed_out[c, 0] += left * left
            observed_out[c, 1] = max(observed_out[c, 1], abs(torque[n]))
            observed_out[c, 2] = max(observed_out[c, 2], abs(total[n]))
            observed_out[c, 3] = max(observed_out[c, 3], abs(total[n] - torque[n]))
        observed_out[c, 0] = math.sqrt(observed_out[c, 0] / max(count, 1))
        observed_out[c, 4] = residual[0]
