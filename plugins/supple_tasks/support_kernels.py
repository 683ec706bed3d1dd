"""Contacts that carry a figure, as rows of the joints: README eq. (12)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot
from supple_tasks.records import Ground, Stands
from supple_tasks.tables import Motion

# What is further from the ground than this does not stand on it [m].
NEAR = 1e-3
# Points closer together than this are one: heels of toes at the front of the foot [m].
TOGETHER = 0.01


@njit
def count_joints(motion: Motion, counts_out):
    """How many rows are those of joints; contacts there are none yet."""
    counts_out[0], counts_out[1] = motion.counts[0], 0


@njit
def add_supports(ground: Ground, stands: Stands, motion_out: Motion, counts_out):
    """Three rows for every contact, its normal first, after those of the joints; counts_out[1] is that of contacts."""
    used, most = 0, stands.friction.shape[0]
    for k in range(ground.count[0]):
        if ground.gap[k] > NEAR or used == most:
            continue
        side, slot = find_side(ground, stands, k)
        if slot < 0 or is_known(ground.point[k, side], stands.point, used):
            continue
        for c in range(3):
            stands.point[used, c] = ground.point[k, side, c]
        stands.friction[used] = ground.friction[k]
        sign = 1.0 - 2.0 * side
        normal = ground.normal[k]
        nx, ny, nz = sign * normal[0], sign * normal[1], sign * normal[2]
        # Any direction that is not the normal leads to tangents.
        ax, ay, az = (1.0, 0.0, 0.0) if abs(nx) < 0.7 else (0.0, 0.0, 1.0)
        tx, ty, tz = cross(nx, ny, nz, ax, ay, az)
        size = math.sqrt(dot(tx, ty, tz, tx, ty, tz))
        tx, ty, tz = tx / size, ty / size, tz / size
        sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
        row = motion_out.counts[0]
        set_support_row(stands, slot, used, nx, ny, nz, row, motion_out)
        set_support_row(stands, slot, used, tx, ty, tz, row + 1, motion_out)
        set_support_row(stands, slot, used, sx, sy, sz, row + 2, motion_out)
        motion_out.counts[0] += 3
        used += 1
    counts_out[1] = used


@njit
def find_side(ground: Ground, stands: Stands, k):
    """Which side of a contact stands, and on which of the frames; -1 if none does, or both are known."""
    found = 0, -1
    for side in range(2):
        place = ground.first[ground.surface[k, side]] + ground.element[k, side]
        carrier = ground.carrier[place]
        slot = stands.slot[carrier, ground.frame[place]] if carrier >= 0 else -1
        other = ground.first[ground.surface[k, 1 - side]] + ground.element[k, 1 - side]
        carrier = ground.carrier[other]
        known = carrier >= 0 and stands.slot[carrier, ground.frame[other]] != -1
        if slot >= 0 and not known:
            found = side, slot
    return found


@njit
def is_known(point, points, used):
    """Whether a point is together with one of those used so far."""
    for i in range(used):
        dx, dy, dz = point[0] - points[i, 0], point[1] - points[i, 1], point[2] - points[i, 2]
        if dot(dx, dy, dz, dx, dy, dz) < TOGETHER * TOGETHER:
            return True
    return False


@njit
def set_support_row(stands: Stands, slot, used, dx, dy, dz, row, motion_out: Motion):
    """The velocity of the point along d, and its drift."""
    m, jacobian, point = stands.motion[slot], stands.jacobian[slot], stands.point[used]
    rx, ry, rz = point[0] - m[0], point[1] - m[1], point[2] - m[2]
    tx, ty, tz = cross(rx, ry, rz, dx, dy, dz)
    for k in range(motion_out.L.shape[1]):
        motion_out.L[row, k] = (
            dx * jacobian[0, k] + dy * jacobian[1, k] + dz * jacobian[2, k]
            + tx * jacobian[3, k] + ty * jacobian[4, k] + tz * jacobian[5, k]
        )  # fmt: skip
    ax, ay, az = cross(m[16], m[17], m[18], rx, ry, rz)
    sx, sy, sz = cross(m[10], m[11], m[12], rx, ry, rz)
    cx, cy, cz = cross(m[10], m[11], m[12], sx, sy, sz)
    motion_out.drift[row] = dot(dx, dy, dz, m[13] + ax + cx, m[14] + ay + cy, m[15] + az + cz)
