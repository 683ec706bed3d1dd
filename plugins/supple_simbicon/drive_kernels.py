"""Torques of a walker; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import (
    find_rotation_vector,
    multiply_quaternions,
    rotate_vector,
    rotate_vector_at,
    rotate_vector_back_at,
)
from supple.math.vector_kernels import cross
from supple_simbicon.layout import (
    DAMPING,
    DISTANCE_X,
    DISTANCE_Z,
    FALL_TIME,
    HEADING_W,
    HEADING_Y,
    LEFT,
    LIMIT,
    LOAD,
    NOISE,
    RIGHT,
    SCALE,
    SPEED_X,
    SPEED_Z,
    STANCE_SHARE,
    STIFFNESS,
    Asked,
    Body,
    Drives,
    Output,
    Rules,
    Sight,
    WalkScratch,
)


@njit
def drive_walker(
    h, drives: Drives, body: Body, rules: Rules, left_stance, value, touch_force, sight: Sight, memory, noise,
    scratch: WalkScratch, balance_out, asked_out: Asked, output: Output,
):  # fmt: skip
    """All torques of one walker, from what it sees at the start of the step. Who has fallen only resists motion."""
    stance = LEFT if left_stance[0] == 1 else RIGHT
    will = 0.0 if memory[FALL_TIME] >= 0.0 else 1.0
    look_around(body, rules, stance, touch_force, sight, balance_out)
    set_targets(drives, stance, value, balance_out, scratch.target)
    find_torques(h, will, drives, rules, stance, value, sight, balance_out, scratch)
    if will > 0.0:
        hold_upright(drives, body, rules, stance, sight, balance_out, scratch)
    apply_torques(h, will, drives, rules, sight, noise, scratch, asked_out, output)


@njit
def find_centre(bones, sight: Sight):
    """Centre of mass of some bones [m], and its velocity [m/s]."""
    total = cx = cy = cz = vx = vy = vz = 0.0
    for n in range(bones.shape[0]):
        i = bones[n]
        m = sight.inertia[i, 0]
        rx, ry, rz = rotate_vector_at(
            sight.rotation, i, sight.inertia[i, 1], sight.inertia[i, 2], sight.inertia[i, 3]
        )
        wx, wy, wz = rotate_vector_at(
            sight.rotation, i, sight.twist[i, 3], sight.twist[i, 4], sight.twist[i, 5]
        )
        ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
        total += m
        cx += m * sight.x[i, 0] + rx
        cy += m * sight.x[i, 1] + ry
        cz += m * sight.x[i, 2] + rz
        vx += m * sight.twist[i, 0] + ux
        vy += m * sight.twist[i, 1] + uy
        vz += m * sight.twist[i, 2] + uz
    return cx / total, cy / total, cz / total, vx / total, vy / total, vz / total


@njit
def find_heading(rotation, i):
    """The turn of a bone about y, as w and y of a quaternion."""
    w, y = rotation[i, 0], rotation[i, 2]
    size = math.sqrt(w * w + y * y)
    if size < 1e-9:
        return 1.0, 0.0
    return w / size, y / size


@njit
def look_around(body: Body, rules: Rules, stance, touch_force, sight: Sight, balance_out):
    """Distance and speed of the body against the stance foot in the heading frame, and the loads; README eq. (1)."""
    root = body.bones[0]
    w, y = find_heading(sight.rotation, root)
    if rules.of_root == 1:
        cx, cz = sight.x[root, 0], sight.x[root, 2]
        vx, vz = sight.twist[root, 0], sight.twist[root, 2]
    else:
        cx, _, cz, vx, _, vz = find_centre(body.bones, sight)
    i = body.foot[stance]
    px, _, pz = rotate_vector_at(
        sight.rotation, i, body.foot_point[0], body.foot_point[1], body.foot_point[2]
    )
    dx, _, dz = rotate_vector(w, 0.0, -y, 0.0, cx - sight.x[i, 0] - px, 0.0, cz - sight.x[i, 2] - pz)
    ux, _, uz = rotate_vector(w, 0.0, -y, 0.0, vx, 0.0, vz)
    balance_out[DISTANCE_X], balance_out[DISTANCE_Z] = dx, dz
    balance_out[SPEED_X], balance_out[SPEED_Z] = ux, uz
    balance_out[HEADING_W], balance_out[HEADING_Y] = w, y
    left = add_loads(body.left, touch_force)
    right = add_loads(body.right, touch_force)
    own = left if stance == LEFT else right
    balance_out[LOAD] = left + right
    balance_out[STANCE_SHARE] = min(max(own / (left + right), 0.0), 1.0) if left + right > 1e-9 else 0.0
    if rules.by_stance == 1:
        balance_out[STANCE_SHARE] = 1.0


@njit
def add_loads(rows, force):
    """Vertical force on all of some entities [N]."""
    total = 0.0
    for n in range(rows.shape[0]):
        total += force[rows[n], 1]
    return total


@njit
def take_value(value, place, otherwise):
    """A value of the phase, or another number where it has none."""
    return value[place] if place >= 0 else otherwise


@njit
def set_targets(drives: Drives, stance, value, balance, target_out):
    """Targets with feedback as quaternions: turns about the frame's axes, one after the other; README eq. (2)."""
    for n in range(drives.bone.shape[0]):
        w, x, y, z = 1.0, 0.0, 0.0, 0.0
        for turn in range(3):
            axis = drives.order[stance, n, turn]
            angle = take_value(value, drives.angle[stance, n, axis], 0.0)
            d, v = balance[DISTANCE_Z], balance[SPEED_Z]
            if axis == 2:
                d, v = balance[DISTANCE_X], balance[SPEED_X]
            angle += take_value(value, drives.distance[stance, n, axis], 0.0) * d
            angle += take_value(value, drives.speed[stance, n, axis], 0.0) * v
            angle = max(angle, take_value(value, drives.lower[stance, n, axis], angle))
            angle = min(angle, take_value(value, drives.upper[stance, n, axis], angle))
            if angle == 0.0:
                continue
            sine, cosine = math.sin(0.5 * angle), math.cos(0.5 * angle)
            ax = sine if axis == 0 else 0.0
            ay = sine if axis == 1 else 0.0
            az = sine if axis == 2 else 0.0
            w, x, y, z = multiply_quaternions(cosine, ax, ay, az, w, x, y, z)
        target_out[n, 0], target_out[n, 1], target_out[n, 2], target_out[n, 3] = w, x, y, z


@njit
def find_torques(
    h, will, drives: Drives, rules: Rules, stance, value, sight: Sight, balance, scratch: WalkScratch
):
    """PD torques on the bones, foreseen to the end of the step; README eq. (3) and (4). The root is drive 0."""
    rotation, twist = sight.rotation, sight.twist
    for n in range(drives.bone.shape[0]):
        i, p = drives.bone[n], drives.parent[n]
        qw, qx, qy, qz = rotation[i, 0], rotation[i, 1], rotation[i, 2], rotation[i, 3]
        wx, wy, wz = twist[i, 3], twist[i, 4], twist[i, 5]
        fw, fx, fy, fz = balance[HEADING_W], 0.0, balance[HEADING_Y], 0.0
        if n == 0:
            if rules.own_heading == 0:
                fw, fy = 1.0, 0.0
        elif drives.heading[stance, n] == 0 or will == 0.0:
            fw, fx, fy, fz = rotation[p, 0], rotation[p, 1], rotation[p, 2], rotation[p, 3]
            ax, ay, az = rotate_vector_at(rotation, p, twist[p, 3], twist[p, 4], twist[p, 5])
            ax, ay, az = rotate_vector_back_at(rotation, i, ax, ay, az)
            wx, wy, wz = wx - ax, wy - ay, wz - az
        gw, gx, gy, gz = multiply_quaternions(
            fw, fx, fy, fz,
            scratch.target[n, 0], scratch.target[n, 1], scratch.target[n, 2], scratch.target[n, 3],
        )  # fmt: skip
        ew, ex, ey, ez = multiply_quaternions(qw, -qx, -qy, -qz, gw, gx, gy, gz)
        ex, ey, ez = find_rotation_vector(ew, ex, ey, ez)
        strength = take_value(value, drives.strength[stance, n], 1.0)
        tx = set_gains(h, will, rules, drives.gains, n, 0, strength, ex, wx, scratch)
        ty = set_gains(h, will, rules, drives.gains, n, 1, strength, ey, wy, scratch)
        tz = set_gains(h, will, rules, drives.gains, n, 2, strength, ez, wz, scratch)
        tx, ty, tz = rotate_vector(qw, qx, qy, qz, tx, ty, tz)
        scratch.torque[n, 0], scratch.torque[n, 1], scratch.torque[n, 2] = tx, ty, tz


@njit
def set_gains(h, will, rules: Rules, gains, n, axis, strength, error, rate, scratch: WalkScratch):
    """The torque about one axis of the bone; its gains are kept."""
    stiffness = will * gains[n, STIFFNESS] * gains[n, SCALE + axis] * strength
    damping = gains[n, DAMPING] * gains[n, SCALE + axis] * strength
    scratch.stiffness[n, axis] = stiffness
    scratch.damping[n, axis] = damping
    ahead = h if rules.implicit == 1 else 0.0
    return stiffness * (error - ahead * rate) - damping * rate


@njit
def hold_upright(
    drives: Drives, body: Body, rules: Rules, stance, sight: Sight, balance, scratch: WalkScratch
):
    """What the root lacks is asked of the hips, by the load on their feet; README eq. (5) to (7)."""
    torque, stiffness, damping = scratch.torque, scratch.stiffness, scratch.damping
    own, other = body.hip[stance], body.hip[1 - stance]
    share = balance[STANCE_SHARE]
    if balance[LOAD] > 1e-9 or rules.by_stance == 1:
        for axis in range(3):
            missing = -torque[0, axis]
            for n in range(body.hangs.shape[0]):
                missing -= torque[body.hangs[n], axis]
            torque[own, axis] += share * missing
            torque[other, axis] += (1.0 - share) * missing
            k, d = stiffness[own, axis], damping[own, axis]
            stiffness[own, axis] = share * stiffness[0, axis] + (1.0 - share) * k
            damping[own, axis] = share * damping[0, axis] + (1.0 - share) * d
            k, d = stiffness[other, axis], damping[other, axis]
            stiffness[other, axis] = (1.0 - share) * stiffness[0, axis] + share * k
            damping[other, axis] = (1.0 - share) * damping[0, axis] + share * d
    if rules.yaw_damping > 0.0:
        root, thigh = drives.bone[0], drives.bone[own]
        _, root_rate, _ = rotate_vector_at(
            sight.rotation, root, sight.twist[root, 3], sight.twist[root, 4], sight.twist[root, 5]
        )
        _, thigh_rate, _ = rotate_vector_at(
            sight.rotation, thigh, sight.twist[thigh, 3], sight.twist[thigh, 4], sight.twist[thigh, 5]
        )
        rate = min(max(root_rate - thigh_rate, -rules.yaw_cap), rules.yaw_cap)
        torque[own, 1] += rules.yaw_damping * rate * abs(rate)
        damping[own, 1] += 2.0 * rules.yaw_damping * abs(rate)


@njit
def apply_torques(
    h,
    will,
    drives: Drives,
    rules: Rules,
    sight: Sight,
    noise,
    scratch: WalkScratch,
    asked_out: Asked,
    output: Output,
):
    """Torques along the axes of the joints, bounded, with noise, and their implicit gains; README eq. (8) to (10)."""
    root = drives.bone[0]
    fade = 1.0
    if rules.fade_high > rules.fade_low:
        fade = min(max((sight.x[root, 1] - rules.fade_low) / (rules.fade_high - rules.fade_low), 0.0), 1.0)
    for n in range(1, drives.bone.shape[0]):
        i = drives.bone[n]
        for local in range(drives.rates[n]):
            k, row = drives.first[n] + local, drives.row[n] + local
            ax, ay, az = sight.axis[row, 3], sight.axis[row, 4], sight.axis[row, 5]
            bx, by, bz = rotate_vector_back_at(sight.rotation, i, ax, ay, az)
            tau = fade * (ax * scratch.torque[n, 0] + ay * scratch.torque[n, 1] + az * scratch.torque[n, 2])
            bx, by, bz = fade * bx * bx, fade * by * by, fade * bz * bz
            kp = bx * scratch.stiffness[n, 0] + by * scratch.stiffness[n, 1] + bz * scratch.stiffness[n, 2]
            kd = bx * scratch.damping[n, 0] + by * scratch.damping[n, 1] + bz * scratch.damping[n, 2]
            limit = drives.gains[n, LIMIT]
            if limit > 0.0 and abs(tau) > limit:
                part = limit / abs(tau)
                tau, kp, kd = part * tau, part * kp, part * kd
            tau += will * noise[k] * drives.gains[n, NOISE] * abs(tau)
            resisting = kd + h * kp if rules.implicit == 1 else 0.0
            asked_out.push[k] = tau + resisting * sight.v[k]
            asked_out.resisting[k] = resisting
            output.force[k] += asked_out.push[k]
            if rules.implicit == 1:
                output.gain_p[k] += kp
                output.gain_d[k] += kd
