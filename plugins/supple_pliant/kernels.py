"""Kernels of pliant joints; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.curve_kernels import sample_curve
from supple.math.quaternion_kernels import find_rotation_vector, multiply_quaternions, rotate_vector
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.mechanism import PointArrays
from supple.mechanics.owners import Owners
from supple.mechanics.problem import Origin, Rows
from supple.mechanics.rows import BILATERAL, COMPLIANT
from supple.mechanics.spring_tables import SpringTable
from supple_bones.layout import WINDOW
from supple_bones.row_kernels import append_block
from supple_joints.tables import Links, Measured
from supple_motion.layout import COORDINATE as PLACE
from supple_motion.layout import TURNS
from supple_motion.sample_kernels import sample_track_at
from supple_pliant.tables import (
    BONE,
    COLUMN,
    COMPONENT,
    COORDINATE,
    LINK,
    MOTION,
    RATE,
    SCALAR,
    TRACK,
    BoneTargets,
    Effort,
    LinkTargets,
    Springs,
    Torques,
    Touching,
)


@njit
def follow_effort(time, effort: Effort, gains_out):
    """Stiffness and damping at `time`: README eq. (1)."""
    gains, curve = effort.gains, effort.effort_curve
    for n in range(gains.shape[0]):
        c = effort.character[n]
        share = 1.0
        if curve[c, 2] > 0:
            share, _, _ = sample_curve(curve[c, 0], curve[c, 1], curve[c, 2], effort.effort_segment, time[0])
            share = max(share, 0.0)  # a curve may swing past its keys
        gains_out[n, 0] = share * gains[n, 0]
        gains_out[n, 1] = share * gains[n, 1]


@njit
def measure_bone_rows(bones: BoneTargets, error_out, desired_out):
    """Distance from the target of the step's end, and the velocity of the target: README eq. (2)."""
    bone_row, q, target = bones.bone_row, bones.q, bones.target
    for n in range(bone_row.shape[0]):
        desired_out[n] = bones.target_rate[bone_row[n, RATE]]
        a = bone_row[n, COORDINATE]
        if bone_row[n, COMPONENT] == SCALAR:
            error_out[n] = q[a] - target[a]
        elif bone_row[n, COMPONENT] == 0:
            w, x, y, z = multiply_quaternions(
                target[a], -target[a + 1], -target[a + 2], -target[a + 3], q[a], q[a + 1], q[a + 2], q[a + 3]
            )
            error_out[n], error_out[n + 1], error_out[n + 2] = find_rotation_vector(w, x, y, z)


@njit
def measure_turn(h, row, turned, now, then, a, error_out, desired_out):
    """The three rows of a ball joint, in the axes of the world.

    turned [2, 4] are its anchors' rotations; now[a:a+4] and then[a:a+4] the targets of the step's start and end.
    """
    w0, x0, y0, z0 = now[a], now[a + 1], now[a + 2], now[a + 3]
    w1, x1, y1, z1 = then[a], then[a + 1], then[a + 2], then[a + 3]
    rw, rx, ry, rz = multiply_quaternions(w1, x1, y1, z1, w0, -x0, -y0, -z0)
    vx, vy, vz = find_rotation_vector(rw, rx, ry, rz)
    bw, bx, by, bz = turned[1, 0], turned[1, 1], turned[1, 2], turned[1, 3]
    aw, ax, ay, az = multiply_quaternions(
        bw, -bx, -by, -bz, turned[0, 0], turned[0, 1], turned[0, 2], turned[0, 3]
    )
    ew, ex, ey, ez = multiply_quaternions(aw, ax, ay, az, w1, -x1, -y1, -z1)
    ex, ey, ez = find_rotation_vector(ew, ex, ey, ez)
    error_out[row], error_out[row + 1], error_out[row + 2] = rotate_vector(bw, bx, by, bz, ex, ey, ez)
    vx, vy, vz = rotate_vector(bw, bx, by, bz, vx / h, vy / h, vz / h)
    desired_out[row], desired_out[row + 1], desired_out[row + 2] = vx, vy, vz


@njit
def measure_link_rows(h, time, begin, links: LinkTargets, now_out, then_out, error_out, desired_out):
    """As `measure_bone_rows`, for joints between bodies; their rows begin at `begin`.

    now_out and then_out are the positions on all tracks at the start and at the end of the step.
    """
    link_row, track = links.link_row, links.track
    for n in range(track.shape[0]):
        sample_track_at(track, links.segment, n, time[0], now_out)
        sample_track_at(track, links.segment, n, time[0] + h, then_out)
    for n in range(link_row.shape[0]):
        link, t = link_row[n, LINK], link_row[n, TRACK]
        a = track[t, PLACE]
        if track[t, TURNS] == 0:
            error_out[begin + n] = links.coordinate[link] - then_out[a]
            desired_out[begin + n] = (then_out[a] - now_out[a]) / h
        elif link_row[n, COLUMN] == 0:
            measure_turn(h, begin + n, links.q[link], now_out, then_out, a, error_out, desired_out)


@njit
def fill_groups(
    h, first, key, springs: Springs, problem_out: Rows, origin_out: Origin, table_out: SpringTable
):
    """Spring and damper about the trajectory as compliant rows: README eq. (4)."""
    table_out.counts[0] = 0
    for n in range(springs.error.shape[0]):
        g = first[0] + n
        stiffness, damping = springs.gains_now[n, 0], springs.gains_now[n, 1]
        resisting = damping + h * stiffness
        problem_out.law[g] = COMPLIANT
        origin_out.key[g, 0] = key
        origin_out.key[g, 1] = n
        if resisting > 0.0:
            problem_out.compliance[g, 0] = 1.0 / (h * resisting)
            pull = stiffness * springs.error[n] - damping * springs.desired[n]
            origin_out.bias[g, 0] = pull / resisting
            if stiffness > 0.0:
                s = table_out.counts[0]
                table_out.counts[0] += 1
                table_out.group[s] = g
                table_out.drives[s] = 1
                table_out.stiffness[s] = stiffness
                table_out.damping[s] = damping
                table_out.bound[s] = math.inf
                table_out.setting[s] = 1.0
                table_out.stretch[s] = springs.error[n]
                table_out.goal[s] = springs.desired[n]
                table_out.pull[s] = pull
        else:
            # Wholly slack: a row that can give nothing.
            problem_out.compliance[g, 0] = 1.0
            problem_out.lower[g, 0] = 0.0
            problem_out.upper[g, 0] = 0.0


@njit
def append_bone_blocks(bone, bone_row, first, blocks_out: Jacobian):
    """Jacobian of the rows on bones: one of its rates each."""
    for n in range(bone_row.shape[0]):
        i = bone_row[n, BONE]
        block = append_block(bone, i, first[0] + n, blocks_out)
        blocks_out.values[block, 0, bone_row[n, RATE] - bone[i, WINDOW]] = 1.0


@njit
def select_link_sides(
    carrier, motion, first, begin, link_row, links: Links, measured: Measured, points_out: PointArrays
):
    """The sides of the rows of one motion that belong to one carrier. Returns their number."""
    found = 0
    for n in range(link_row.shape[0]):
        if link_row[n, MOTION] != motion:
            continue
        link = link_row[n, LINK]
        for side in range(2):
            if links.carrier[link, side] != carrier:
                continue
            points_out.group[found] = first[0] + begin + n
            points_out.frame[found] = links.frame[link, side]
            points_out.sign[found] = 1.0 - 2.0 * side
            for k in range(3):
                points_out.point[found, k] = measured.point[link, side, k]
                points_out.directions[found, 0, k] = measured.axes[link, motion, link_row[n, COLUMN], k]
            found += 1
    return found


@njit
def choose_groups(count, contacts: Touching, owners: Owners, flag, groups_out):
    """Lists the groups that the plan knows: all but the contacts with things that it does not carry.

    flag [entities] holds a bit for every character. Returns how many groups there are.
    """
    surface, element = contacts.surface, contacts.element
    for g in range(count[0]):
        groups_out[g] = 0
    for c in range(contacts.count[0]):
        a = flag[owners.entity[owners.first[surface[c, 0]] + element[c, 0]]]
        b = flag[owners.entity[owners.first[surface[c, 1]] + element[c, 1]]]
        if (a & b) == 0:
            groups_out[contacts.group[c]] = -1
    chosen = 0
    for g in range(count[0]):
        if groups_out[g] == 0:
            groups_out[chosen] = g
            chosen += 1
    return chosen


@njit
def ask_for_velocities(h, first, place, plans, desired, torque, bias, part_out: Rows, warm_out):
    """Rows of planned joints become velocity constraints: README eq. (5).

    part_out are the rows of the part, place[g] is where group g is there. Their free velocity has bias[g] in it.
    """
    for n in range(plans.shape[0]):
        if plans[n] == 0:
            continue
        g = first[0] + n
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
        impulse_out[first[0] + n, 0] = 0.0
        if plans[n] == 1:
            impulse = solved[place[first[0] + n], 0]
            torque_out[n] = impulse / h
            impulse_out[first[0] + n, 0] = impulse


@njit
def find_virtual_lead(h, first, gains, impulse, torques: Torques):
    """How far ahead springs alone would have to pull: README eq. (7); and the torque of plan and spring together."""
    torque = torques.torque
    for n in range(torque.shape[0]):
        torques.total[n] = torque[n] + impulse[first[0] + n, 0] / h
        torques.lead[n] = torque[n] / gains[n, 0] if gains[n, 0] > 0.0 else 0.0


@njit
def observe_characters(h, first, character, error, velocity, torques: Torques, observed_out):
    """Errors after the step, greatest torques, and the plan's residual, by character.

    velocity [groups, 3] are the row velocities after the step, from J alone.
    """
    torque, total = torques.torque, torques.total
    for c in range(observed_out.shape[0]):
        for column in range(5):
            observed_out[c, column] = 0.0
        count = 0
        for n in range(character.shape[0]):
            if character[n] != c:
                continue
            count += 1
            left = error[n] + h * velocity[first[0] + n, 0]
            observed_out[c, 0] += left * left
            observed_out[c, 1] = max(observed_out[c, 1], abs(torque[n]))
            observed_out[c, 2] = max(observed_out[c, 2], abs(total[n]))
            observed_out[c, 3] = max(observed_out[c, 3], abs(total[n] - torque[n]))
        observed_out[c, 0] = math.sqrt(observed_out[c, 0] / max(count, 1))
        observed_out[c, 4] = torques.residual[0]
