"""The lowest points of a cylinder in a direction, and its contacts with a plane."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot
from supple_collide.primitives.manifold_kernels import ZERO, add_contact

# An end that leans by less [rad] lies flat: its points stay where they are on it.
LEVEL = 1e-8
# Ends that lean by less have three points beside the lowest.
COSINE_FLAT = 0.7


@njit
def find_lowest(rotation, shape, nx, ny, nz):
    """The unit vector across a cylinder's axis that leads most against n, and the cosine of n with the axis.

    Along the axis none does: then the local x axis stands for all.
    """
    ux, uy, uz = rotation[shape, 0, 1], rotation[shape, 1, 1], rotation[shape, 2, 1]
    cosine = dot(nx, ny, nz, ux, uy, uz)
    ax, ay, az = cosine * ux - nx, cosine * uy - ny, cosine * uz - nz
    size = math.sqrt(ax * ax + ay * ay + az * az)
    if size < LEVEL:
        return rotation[shape, 0, 0], rotation[shape, 1, 0], rotation[shape, 2, 0], cosine
    # Once more across the axis, for where n is almost along it.
    along = dot(ax, ay, az, ux, uy, uz)
    ax, ay, az = ax - along * ux, ay - along * uy, az - along * uz
    size = math.sqrt(ax * ax + ay * ay + az * az)
    return ax / size, ay / size, az / size, cosine


@njit
def place_on_rim(size, x, rotation, shape, end, turn, lowest):
    """A point on the rim of one end (-1 or 1), so many quarter turns from `lowest`, in the world as (x, y, z)."""
    ux, uy, uz = rotation[shape, 0, 1], rotation[shape, 1, 1], rotation[shape, 2, 1]
    ax, ay, az = lowest[0], lowest[1], lowest[2]
    if turn == 1 or turn == 3:
        ax, ay, az = cross(ux, uy, uz, ax, ay, az)
    if turn >= 2:
        ax, ay, az = -ax, -ay, -az
    radius, half = size[shape, 0], end * size[shape, 1]
    return (
        x[shape, 0] + half * ux + radius * ax,
        x[shape, 1] + half * uy + radius * ay,
        x[shape, 2] + half * uz + radius * az,
    )


@njit
def find_cylinder_plane(size, x, rotation, first, second, manifold_out, features_out):
    """Contacts of a cylinder (first) with a plane: the lowest points of both rims, and three more of a flat end."""
    nx, ny, nz = rotation[second, 0, 1], rotation[second, 1, 1], rotation[second, 2, 1]
    ax, ay, az, cosine = find_lowest(rotation, first, nx, ny, nz)
    lower = -1.0 if cosine > 0.0 else 1.0
    count = ZERO
    for feature in range(5 if abs(cosine) > COSINE_FLAT else 2):
        end, turn = (-lower, 0) if feature == 1 else (lower, max(0, feature - 1))
        px, py, pz = place_on_rim(size, x, rotation, first, end, turn, (ax, ay, az))
        gap = dot(nx, ny, nz, px - x[second, 0], py - x[second, 1], pz - x[second, 2])
        # Ends change their parts when a cylinder rolls over: codes say which end it is.
        code = 8 * (1 if end > 0.0 else 0) + turn
        count = add_contact(
            code, px - gap * nx, py - gap * ny, pz - gap * nz, nx, ny, nz, gap, count, manifold_out, features_out
        )  # fmt: skip
    return count
