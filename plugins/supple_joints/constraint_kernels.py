"""Rows of locked directions as equations between entities: L, Ldot v and errors; equations are numbered in README.md.

Frames come in pairs: 2 k is side A of link k and 2 k + 1 side B. motion [frames, 19] and jacobian [frames, 6, n] are
those of the origins of the frames, see `supple.mechanics.dynamics`; of a side that stands still, all is zero.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import multiply_quaternions, rotate_vector
from supple.math.vector_kernels import cross, dot
from supple_joints.codes import HINGE, MOVE, SLIDER, TURN
from supple_joints.measure_kernels import measure_links, rotate_by_anchor
from supple_joints.tables import Anchors, LinkRates, LockedRows, Measured


@njit
def choose_rows(step, grasps, held, first, last, first_out, end_out, link_of_row, rows_out, count_out):
    """Rows of links that hold in the step that begins now, and their number.

    first_out and end_out [links] are the spans of links; those of grasps follow the state, all others hold for ever.
    """
    for k in range(held.shape[0]):
        first_out[held[k]], end_out[held[k]] = first[grasps[k]], last[grasps[k]]
    count = 0
    for row in range(link_of_row.shape[0]):
        link = link_of_row[row]
        if first_out[link] <= step[0] < end_out[link]:
            rows_out[count] = row
            count += 1
    count_out[0] = count


@njit
def gather_links(step, chosen, first, x, q, position, anchors_out: Anchors, last_out, closing_out):
    """Anchors and positions of the chosen links, and which of these close in the step that begins now."""
    for k in range(chosen.shape[0]):
        link = chosen[k]
        for side in range(2):
            for c in range(3):
                anchors_out.x[k, side, c] = x[link, side, c]
            for c in range(4):
                anchors_out.q[k, side, c] = q[link, side, c]
        last_out[k] = position[link]
        closing_out[k] = first[k] == step[0]


@njit
def place_pair_anchors(motion, anchors: Anchors, closing, placed_out: Anchors):
    """Anchors in the world: README eq. (1). A hand that closes now takes the object where it is: eq. (2)."""
    x_out, q_out = placed_out.x, placed_out.q
    for link in range(x_out.shape[0]):
        for side in range(2):
            m = motion[2 * link + side]
            a, b = anchors.x[link, side], anchors.q[link, side]
            rx, ry, rz = rotate_vector(m[3], m[4], m[5], m[6], a[0], a[1], a[2])
            x_out[link, side, 0] = m[0] + rx
            x_out[link, side, 1] = m[1] + ry
            x_out[link, side, 2] = m[2] + rz
            qw, qx, qy, qz = multiply_quaternions(m[3], m[4], m[5], m[6], b[0], b[1], b[2], b[3])
            q_out[link, side, 0] = qw
            q_out[link, side, 1] = qx
            q_out[link, side, 2] = qy
            q_out[link, side, 3] = qz
        if closing[link]:
            for k in range(3):
                x_out[link, 1, k] = x_out[link, 0, k]
            for k in range(4):
                q_out[link, 1, k] = q_out[link, 0, k]


@njit
def turn_anchor_axis(q, motion, link, side, vx, vy, vz):
    """A vector of an anchor's frame in the world, and how it changes."""
    ax, ay, az = rotate_by_anchor(q, link, side, vx, vy, vz)
    m = motion[2 * link + side]
    dx, dy, dz = cross(m[10], m[11], m[12], ax, ay, az)
    return ax, ay, az, dx, dy, dz


@njit
def differentiate_unit(wx, wy, wz, dx, dy, dz):
    """The derivative of w / |w| when w changes by d."""
    size = math.sqrt(dot(wx, wy, wz, wx, wy, wz))
    nx, ny, nz = wx / size, wy / size, wz / size
    along = dot(nx, ny, nz, dx, dy, dz)
    return (dx - along * nx) / size, (dy - along * ny) / size, (dz - along * nz) / size


@njit
def set_axes_rate(q, motion, axes, link, of, rate_out):
    """How the directions of README eq. (3) change: the mean n of two axes, t beside it from B's anchor, s = n x t."""
    ax, ay, az, adx, ady, adz = turn_anchor_axis(q, motion, link, 0, 1.0, 0.0, 0.0)
    bx, by, bz, bdx, bdy, bdz = turn_anchor_axis(q, motion, link, 1, 1.0, 0.0, 0.0)
    ndx, ndy, ndz = differentiate_unit(ax + bx, ay + by, az + bz, adx + bdx, ady + bdy, adz + bdz)
    n, t = axes[link, of, 0], axes[link, of, 1]
    yx, yy, yz, ydx, ydy, ydz = turn_anchor_axis(q, motion, link, 1, 0.0, 1.0, 0.0)
    along = dot(yx, yy, yz, n[0], n[1], n[2])
    rate = dot(ydx, ydy, ydz, n[0], n[1], n[2]) + dot(yx, yy, yz, ndx, ndy, ndz)
    tdx, tdy, tdz = differentiate_unit(
        yx - along * n[0], yy - along * n[1], yz - along * n[2],
        ydx - rate * n[0] - along * ndx, ydy - rate * n[1] - along * ndy, ydz - rate * n[2] - along * ndz,
    )  # fmt: skip
    px, py, pz = cross(ndx, ndy, ndz, t[0], t[1], t[2])
    sx, sy, sz = cross(n[0], n[1], n[2], tdx, tdy, tdz)
    rate_out[0, 0], rate_out[0, 1], rate_out[0, 2] = ndx, ndy, ndz
    rate_out[1, 0], rate_out[1, 1], rate_out[1, 2] = tdx, tdy, tdz
    rate_out[2, 0], rate_out[2, 1], rate_out[2, 2] = px + sx, py + sy, pz + sz


@njit
def set_axes_rates(kind, q, motion, axes, rate_out):
    """rate_out [links, 2, 3, 3]; the directions of most links are those of the world, and stay."""
    for link in range(kind.shape[0]):
        for of in range(2):
            for row in range(3):
                for c in range(3):
                    rate_out[link, of, row, c] = 0.0
        if kind[link] == HINGE:
            set_axes_rate(q, motion, axes, link, TURN, rate_out[link, TURN])
        elif kind[link] == SLIDER:
            set_axes_rate(q, motion, axes, link, MOVE, rate_out[link, MOVE])


@njit
def set_point_rates(x, motion, rate_out):
    """rate_out [links, 3]: velocity of the middle between the anchors, where links act."""
    for link in range(x.shape[0]):
        for k in range(3):
            rate_out[link, k] = 0.0
        for side in range(2):
            m = motion[2 * link + side]
            rx, ry, rz = x[link, side, 0] - m[0], x[link, side, 1] - m[1], x[link, side, 2] - m[2]
            sx, sy, sz = cross(m[10], m[11], m[12], rx, ry, rz)
            rate_out[link, 0] += 0.5 * (m[7] + sx)
            rate_out[link, 1] += 0.5 * (m[8] + sy)
            rate_out[link, 2] += 0.5 * (m[9] + sz)


@njit
def place_links(
    kind, motion, anchors: Anchors, closing, last,
    placed_out: Anchors, measured_out: Measured, rates_out: LinkRates,
):  # fmt: skip
    """Where the links are, what is wrong with them, and how their directions and points move."""
    place_pair_anchors(motion, anchors, closing, placed_out)
    measure_links(kind, placed_out, last, measured_out)
    set_axes_rates(kind, placed_out.q, motion, measured_out.axes, rates_out.axes)
    set_point_rates(placed_out.x, motion, rates_out.point)


@njit
def add_moving_side(sign, d, rate, point, point_rate, m, jacobian, row_out):
    """Adds sign d . (velocity of the frame's matter at the point) to a row; returns what it adds to Ldot v."""
    rx, ry, rz = point[0] - m[0], point[1] - m[1], point[2] - m[2]
    tx, ty, tz = cross(rx, ry, rz, d[0], d[1], d[2])
    for k in range(row_out.shape[0]):
        row_out[k] += sign * (
            d[0] * jacobian[0, k] + d[1] * jacobian[1, k] + d[2] * jacobian[2, k]
            + tx * jacobian[3, k] + ty * jacobian[4, k] + tz * jacobian[5, k]
        )  # fmt: skip
    sx, sy, sz = cross(m[10], m[11], m[12], rx, ry, rz)
    ax, ay, az = cross(m[16], m[17], m[18], rx, ry, rz)
    # The point moves on its own: what is at it is always other matter of the frame.
    cx, cy, cz = cross(m[10], m[11], m[12], point_rate[0] - m[7], point_rate[1] - m[8], point_rate[2] - m[9])
    turning = dot(rate[0], rate[1], rate[2], m[7] + sx, m[8] + sy, m[9] + sz)
    return sign * (turning + dot(d[0], d[1], d[2], m[13] + ax + cx, m[14] + ay + cy, m[15] + az + cz))


@njit
def add_turning_side(sign, d, rate, m, jacobian, row_out):
    """Adds sign d . (angular velocity) to a row; returns what it adds to Ldot v."""
    for k in range(row_out.shape[0]):
        row_out[k] += sign * (d[0] * jacobian[3, k] + d[1] * jacobian[4, k] + d[2] * jacobian[5, k])
    turning = dot(rate[0], rate[1], rate[2], m[10], m[11], m[12])
    return sign * (turning + dot(d[0], d[1], d[2], m[16], m[17], m[18]))


@njit
def append_constraint_rows(
    count, rows, table: LockedRows, measured: Measured, rates: LinkRates, motion, jacobian, moves,
    matrix_out, drift_out, error_out, used_inout,
):  # fmt: skip
    """L, Ldot v and errors of the first count[0] locked directions, behind those in use: README eq. (9), (15).

    `moves` [frames] is 0 for sides that stand still.
    """
    point, point_rate = measured.point, rates.point
    for i in range(count[0]):
        row, here = rows[i], used_inout[0] + i
        link, of, column = table.link[row], table.motion[row], table.column[row]
        d, rate = measured.axes[link, of, column], rates.axes[link, of, column]
        for k in range(matrix_out.shape[1]):
            matrix_out[here, k] = 0.0
        drift = 0.0
        for side in range(2):
            sign, frame = 1.0 - 2.0 * side, 2 * link + side
            if moves[frame] == 0:
                continue
            if of == MOVE:
                drift += add_moving_side(
                    sign, d, rate, point[link, side], point_rate[link], motion[frame], jacobian[frame],
                    matrix_out[here],
                )  # fmt: skip
            else:
                drift += add_turning_side(sign, d, rate, motion[frame], jacobian[frame], matrix_out[here])
        drift_out[here] = drift
        error_out[here] = measured.error[link, of, column]
    used_inout[0] += count[0]
