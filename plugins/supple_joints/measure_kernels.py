"""Kernels that measure links: directions, errors, positions; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import find_rotation_vector, multiply_quaternions, rotate_vector
from supple.math.vector_kernels import cross, dot, normalise
from supple_joints.codes import BALL, FIXED, HINGE, MOVE, PULL, SLIDER, STRETCH, TURN
from supple_joints.tables import Anchors, Measured

FULL_TURN = 2.0 * math.pi


@njit
def find_relative_turn(q, link):
    """The quaternion of A's anchor as seen from B's."""
    return multiply_quaternions(
        q[link, 1, 0], -q[link, 1, 1], -q[link, 1, 2], -q[link, 1, 3],
        q[link, 0, 0], q[link, 0, 1], q[link, 0, 2], q[link, 0, 3],
    )  # fmt: skip


@njit
def rotate_by_anchor(q, link, side, vx, vy, vz):
    """A vector of an anchor's frame in the world."""
    return rotate_vector(q[link, side, 0], q[link, side, 1], q[link, side, 2], q[link, side, 3], vx, vy, vz)


@njit
def set_axes(link, motion, nx, ny, nz, tx, ty, tz, axes_out):
    """axes_out[link, motion] = rows n, t, s with s = n x t."""
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    axes_out[link, motion, 0, 0] = nx
    axes_out[link, motion, 0, 1] = ny
    axes_out[link, motion, 0, 2] = nz
    axes_out[link, motion, 1, 0] = tx
    axes_out[link, motion, 1, 1] = ty
    axes_out[link, motion, 1, 2] = tz
    axes_out[link, motion, 2, 0] = sx
    axes_out[link, motion, 2, 1] = sy
    axes_out[link, motion, 2, 2] = sz


@njit
def set_common_axes(q, link, motion, ax, ay, az, bx, by, bz, axes_out):
    """The mean n of the axes a of A and b of B, and t beside it from B's anchor: README eq. (3)."""
    nx, ny, nz, size = normalise(ax + bx, ay + by, az + bz)
    if size == 0.0:
        nx, ny, nz = bx, by, bz
    tx, ty, tz = rotate_by_anchor(q, link, 1, 0.0, 1.0, 0.0)
    along = dot(tx, ty, tz, nx, ny, nz)
    tx, ty, tz, size = normalise(tx - along * nx, ty - along * ny, tz - along * nz)
    if size == 0.0:
        tx, ty, tz = rotate_by_anchor(q, link, 1, 0.0, 0.0, 1.0)
    set_axes(link, motion, nx, ny, nz, tx, ty, tz, axes_out)


@njit
def set_error_across(link, motion, ex, ey, ez, axes, error_out):
    """The parts of the vector e along t and s; the axis n is free."""
    for column in range(1, 3):
        d = axes[link, motion, column]
        error_out[link, motion, column] = dot(d[0], d[1], d[2], ex, ey, ez)


@njit
def set_turn_error(q, link, error_out):
    """The rotation vector from B's anchor to A's, in the world: README eq. (5)."""
    w, x, y, z = find_relative_turn(q, link)
    rx, ry, rz = find_rotation_vector(w, x, y, z)
    ex, ey, ez = rotate_by_anchor(q, link, 1, rx, ry, rz)
    error_out[link, TURN, 0] = ex
    error_out[link, TURN, 1] = ey
    error_out[link, TURN, 2] = ez


@njit
def measure_hinge(q, link, last, axes_out, error_out):
    """Directions, misalignment and angle of a hinge: README eq. (3), (6) and (7)."""
    ax, ay, az = rotate_by_anchor(q, link, 0, 1.0, 0.0, 0.0)
    bx, by, bz = rotate_by_anchor(q, link, 1, 1.0, 0.0, 0.0)
    set_common_axes(q, link, TURN, ax, ay, az, bx, by, bz, axes_out)
    cx, cy, cz = cross(bx, by, bz, ax, ay, az)
    cx, cy, cz, sine = normalise(cx, cy, cz)
    angle = math.atan2(sine, dot(ax, ay, az, bx, by, bz))
    set_error_across(link, TURN, angle * cx, angle * cy, angle * cz, axes_out, error_out)
    w, x, _, _ = find_relative_turn(q, link)
    wrapped = 2.0 * math.atan2(x, w)
    return wrapped + FULL_TURN * math.floor((last - wrapped) / FULL_TURN + 0.5)


@njit
def measure_links(kind, placed: Anchors, last, measured_out: Measured):
    """Directions, errors, points of action and position of every link: README eq. (3) to (8).

    last [n] are positions shortly before, which tell full turns of hinges apart.
    """
    x, q = placed.x, placed.q
    axes_out, error_out = measured_out.axes, measured_out.error
    point_out, coordinate_out = measured_out.point, measured_out.coordinate
    for link in range(kind.shape[0]):
        dx = x[link, 0, 0] - x[link, 1, 0]
        dy = x[link, 0, 1] - x[link, 1, 1]
        dz = x[link, 0, 2] - x[link, 1, 2]
        for k in range(3):
            middle = 0.5 * (x[link, 0, k] + x[link, 1, k])
            for side in range(2):
                point_out[link, side, k] = x[link, side, k] if kind[link] == PULL else middle
            error_out[link, MOVE, k] = 0.0
            error_out[link, TURN, k] = 0.0
        for motion in range(2):
            set_axes(link, motion, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, axes_out)
        coordinate_out[link] = 0.0
        if kind[link] == BALL or kind[link] == HINGE or kind[link] == FIXED or kind[link] == PULL:
            error_out[link, MOVE, 0] = dx
            error_out[link, MOVE, 1] = dy
            error_out[link, MOVE, 2] = dz
        if kind[link] == FIXED or kind[link] == SLIDER:
            set_turn_error(q, link, error_out)
        if kind[link] == HINGE:
            coordinate_out[link] = measure_hinge(q, link, last[link], axes_out, error_out)
        elif kind[link] == SLIDER:
            ax, ay, az = rotate_by_anchor(q, link, 0, 1.0, 0.0, 0.0)
            bx, by, bz = rotate_by_anchor(q, link, 1, 1.0, 0.0, 0.0)
            set_common_axes(q, link, MOVE, ax, ay, az, bx, by, bz, axes_out)
            set_error_across(link, MOVE, dx, dy, dz, axes_out, error_out)
            n = axes_out[link, MOVE, 0]
            coordinate_out[link] = dot(n[0], n[1], n[2], dx, dy, dz)
        elif kind[link] == STRETCH:
            nx, ny, nz, distance = normalise(dx, dy, dz)
            if distance == 0.0:
                nx, ny, nz = 0.0, 1.0, 0.0
            # Only n is used: nothing across the line is locked.
            set_axes(link, MOVE, nx, ny, nz, 0.0, 0.0, 0.0, axes_out)
            coordinate_out[link] = distance
