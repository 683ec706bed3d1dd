"""The lowest points of a solid in a direction, and its contacts with a plane."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot
from supple_collide.primitives.box_kernels import COSINE_FLUSH
from supple_collide.primitives.manifold_kernels import ZERO, add_contact
from supple_collide.primitives.pose_kernels import carry_in, carry_out
from supple_collide.shape_kinds import CONE, ELLIPSOID

# An end that leans by less [rad] lies flat: its points stay where they are on it.
LEVEL = 1e-8
# Ends that lean by less have three points beside the lowest; those that lie on something have seven.
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
    """A point on the rim of one end (-1 or 1), so many eighths of a turn from `lowest`, in the world as (x, y, z)."""
    ux, uy, uz = rotation[shape, 0, 1], rotation[shape, 1, 1], rotation[shape, 2, 1]
    ax, ay, az = lowest[0], lowest[1], lowest[2]
    if turn > 0:
        bx, by, bz = cross(ux, uy, uz, ax, ay, az)
        c, s = math.cos(0.25 * math.pi * turn), math.sin(0.25 * math.pi * turn)
        ax, ay, az = c * ax + s * bx, c * ay + s * by, c * az + s * bz
    radius, half = size[shape, 0], end * size[shape, 1]
    return (
        x[shape, 0] + half * ux + radius * ax,
        x[shape, 1] + half * uy + radius * ay,
        x[shape, 2] + half * uz + radius * az,
    )


@njit
def find_rim_step(cosine):
    """Every how many eighths of a turn an end has points, by the cosine between its axis and what it leans on."""
    if cosine > COSINE_FLUSH:
        return 1
    return 2 if cosine > COSINE_FLAT else 8


@njit
def find_solid_plane(kind, size, x, rotation, first, second, manifold_out, features_out):
    """Contacts of a solid (first) with a plane (second); returns their number."""
    if kind[first] == ELLIPSOID:
        return find_oval_plane(size, x, rotation, first, second, manifold_out, features_out)
    nx, ny, nz = rotation[second, 0, 1], rotation[second, 1, 1], rotation[second, 2, 1]
    ax, ay, az, cosine = find_lowest(rotation, first, nx, ny, nz)
    cone = kind[first] == CONE
    lower = -1.0 if cone or cosine > 0.0 else 1.0
    count, step = ZERO, find_rim_step(cosine if cone else abs(cosine))
    # The lowest points of both rims, and more of an end that lies flat. The upper rim of a cone is its apex.
    for turn in range(-1, 8):
        if turn > 0 and turn % step != 0:
            continue
        end = -lower if turn < 0 else lower
        if cone and turn < 0:
            half = size[first, 1]
            px = x[first, 0] + half * rotation[first, 0, 1]
            py = x[first, 1] + half * rotation[first, 1, 1]
            pz = x[first, 2] + half * rotation[first, 2, 1]
        else:
            px, py, pz = place_on_rim(size, x, rotation, first, end, max(0, turn), (ax, ay, az))
        gap = dot(nx, ny, nz, px - x[second, 0], py - x[second, 1], pz - x[second, 2])
        # Ends change their parts when a cylinder rolls over: codes say which end it is.
        code = 8 * (1 if end > 0.0 else 0) + max(0, turn)
        count = add_contact(
            code, px - gap * nx, py - gap * ny, pz - gap * nz, nx, ny, nz, gap, count, manifold_out, features_out
        )  # fmt: skip
    return count


@njit
def find_oval_plane(size, x, rotation, first, second, manifold_out, features_out):
    """The contact of an ellipsoid with a plane."""
    nx, ny, nz = rotation[second, 0, 1], rotation[second, 1, 1], rotation[second, 2, 1]
    px, py, pz = find_oval_lowest(size, rotation, first, nx, ny, nz)
    px, py, pz = x[first, 0] + px, x[first, 1] + py, x[first, 2] + pz
    gap = dot(nx, ny, nz, px - x[second, 0], py - x[second, 1], pz - x[second, 2])
    return add_contact(
        ZERO, px - gap * nx, py - gap * ny, pz - gap * nz, nx, ny, nz, gap, ZERO, manifold_out, features_out
    )  # fmt: skip


@njit
def find_oval_lowest(size, rotation, shape, nx, ny, nz):
    """The point of an ellipsoid that lies farthest against n, from its centre, in the world as (x, y, z)."""
    a, b, c = carry_in(rotation, shape, nx, ny, nz)
    a, b, c = a * size[shape, 0], b * size[shape, 1], c * size[shape, 2]
    reach = math.sqrt(a * a + b * b + c * c)
    return carry_out(
        rotation, shape, -a * size[shape, 0] / reach, -b * size[shape, 1] / reach, -c * size[shape, 2] / reach
    )
