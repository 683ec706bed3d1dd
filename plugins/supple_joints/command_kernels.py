"""Torques and forces on the free axes of joints, as wrenches of the frames on both sides."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.vector_kernels import cross
from supple_joints.codes import HINGE, MOVE, SLIDER, TURN
from supple_joints.tables import Links


@njit
def drive_axes(number, links: Links, command, axes, point, position, wrench_out):
    """Adds +command along the axis n to side A and -command to side B, of links whose sides this carrier moves.

    The force of a slider acts at the same point on both sides, so that it gives no torque in sum.
    """
    for link in range(links.kind.shape[0]):
        if command[link] == 0.0:
            continue
        for side in range(2):
            if links.carrier[link, side] != number:
                continue
            i = links.frame[link, side]
            size = command[link] * (1.0 - 2.0 * side)
            if links.kind[link] == HINGE:
                for k in range(3):
                    wrench_out[i, 3 + k] += size * axes[link, TURN, 0, k]
            elif links.kind[link] == SLIDER:
                n = axes[link, MOVE, 0]
                fx, fy, fz = size * n[0], size * n[1], size * n[2]
                rx = point[link, side, 0] - position[i, 0]
                ry = point[link, side, 1] - position[i, 1]
                rz = point[link, side, 2] - position[i, 2]
                tx, ty, tz = cross(rx, ry, rz, fx, fy, fz)
                wrench_out[i, 0] += fx
                wrench_out[i, 1] += fy
                wrench_out[i, 2] += fz
                wrench_out[i, 3] += tx
                wrench_out[i, 4] += ty
                wrench_out[i, 5] += tz
