"""A primitive as the convex hull of a few atoms: points and circles, all grown by one ball.

A sphere is one point, a capsule two, a box eight; a cylinder is two circles, a cone a circle and a point, and an
ellipsoid an atom by itself. In a direction n (unit) an atom reaches
farthest at its support point; the farthest of these is that of the shape.

atoms [2, 8, 4] are the atoms of two shapes: centre relative to the second shape's origin [m], radius of the circle
about the shape's axis [m], which is 1 for an ellipsoid. `Hulls` has what goes with them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple_collide.primitives.box_distance_kernels import place_corner
from supple_collide.primitives.pose_kernels import carry_out
from supple_collide.shape_kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, SPHERE

MOST_ATOMS = 8
# Of a unit vector, what lies across an axis and is shorter than this has no direction.
ALONG_AXIS = 1e-9


class Hulls(NamedTuple):
    """Two shapes as atoms: how many each has [2], the atoms, the axes of their circles [2, 3], the balls' radii [2].

    smooth [2] says which are ellipsoids, and `oval` [2, 3, 3] what makes one of a unit ball; its columns are the axes.
    """

    count: IntArray
    atoms: FloatArray
    axis: FloatArray
    ball: FloatArray
    smooth: IntArray
    oval: FloatArray


@njit
def fill_hull(kind, size, x, rotation, shape, origin, side, hulls: Hulls):
    """Write the atoms of a shape as those of one side (0 or 1), relative to the centre of the shape `origin`."""
    cx, cy, cz = x[shape, 0] - x[origin, 0], x[shape, 1] - x[origin, 1], x[shape, 2] - x[origin, 2]
    count = 1
    if kind[shape] == BOX:
        count = 8
    elif kind[shape] != SPHERE and kind[shape] != ELLIPSOID:
        count = 2
    hulls.smooth[side] = 1 if kind[shape] == ELLIPSOID else 0
    for k in range(3):
        for i in range(3):
            hulls.oval[side, i, k] = size[shape, k] * rotation[shape, i, k]
    for k in range(count):
        px, py, pz = 0.0, 0.0, 0.0
        if kind[shape] == BOX:
            px, py, pz = carry_out(rotation, shape, *place_corner(size, shape, k))
        elif count == 2:
            px, py, pz = carry_out(rotation, shape, 0.0, (2 * k - 1) * size[shape, 1], 0.0)
        hulls.atoms[side, k, 0], hulls.atoms[side, k, 1], hulls.atoms[side, k, 2] = cx + px, cy + py, cz + pz
        ring = 1.0 if kind[shape] == ELLIPSOID else 0.0
        if kind[shape] == CYLINDER or (kind[shape] == CONE and k == 0):
            ring = size[shape, 0]
        hulls.atoms[side, k, 3] = ring
    for k in range(3):
        hulls.axis[side, k] = rotation[shape, k, 1]
    hulls.count[side] = count
    hulls.ball[side] = size[shape, 0] if kind[shape] == SPHERE or kind[shape] == CAPSULE else 0.0


@njit
def find_oval_point(hulls: Hulls, side, nx, ny, nz):
    """The farthest point of an ellipsoid in direction n, from its centre, and how far it is along n [m]."""
    m = hulls.oval[side]
    a = m[0, 0] * nx + m[1, 0] * ny + m[2, 0] * nz
    b = m[0, 1] * nx + m[1, 1] * ny + m[2, 1] * nz
    c = m[0, 2] * nx + m[1, 2] * ny + m[2, 2] * nz
    reach = math.sqrt(a * a + b * b + c * c)
    a, b, c = a / reach, b / reach, c / reach
    return (
        m[0, 0] * a + m[0, 1] * b + m[0, 2] * c,
        m[1, 0] * a + m[1, 1] * b + m[1, 2] * c,
        m[2, 0] * a + m[2, 1] * b + m[2, 2] * c,
        reach,
    )


@njit
def find_across(hulls: Hulls, side, nx, ny, nz):
    """The unit vector of n across the axis of a side, and its length; all zero along the axis.

    Of an ellipsoid its farthest point in direction n, from the centre, and how far that is along n.
    """
    if hulls.smooth[side] != 0:
        return find_oval_point(hulls, side, nx, ny, nz)
    ux, uy, uz = hulls.axis[side, 0], hulls.axis[side, 1], hulls.axis[side, 2]
    along = nx * ux + ny * uy + nz * uz
    ax, ay, az = nx - along * ux, ny - along * uy, nz - along * uz
    # Once more, for where n is almost the axis.
    along = ax * ux + ay * uy + az * uz
    ax, ay, az = ax - along * ux, ay - along * uy, az - along * uz
    size = math.sqrt(ax * ax + ay * ay + az * az)
    if size < ALONG_AXIS:
        return 0.0, 0.0, 0.0, 0.0
    return ax / size, ay / size, az / size, size


@njit
def find_support(hulls: Hulls, side, atom, across, nx, ny, nz):
    """The point of an atom that lies farthest in direction n, as (x, y, z); `across` as `find_across` says."""
    atoms, ball = hulls.atoms, hulls.ball[side]
    ring = atoms[side, atom, 3]
    return (
        atoms[side, atom, 0] + ring * across[0] + ball * nx,
        atoms[side, atom, 1] + ring * across[1] + ball * ny,
        atoms[side, atom, 2] + ring * across[2] + ball * nz,
    )


@njit
def find_farthest(hulls: Hulls, side, nx, ny, nz):
    """How far a side reaches in direction n [m], and the first of its atoms that does."""
    across = find_across(hulls, side, nx, ny, nz)
    best, place = -math.inf, 0
    for k in range(hulls.count[side]):
        px, py, pz = find_support(hulls, side, k, across, nx, ny, nz)
        reach = nx * px + ny * py + nz * pz
        if reach > best:
            best, place = reach, k
    return best, place


@njit
def find_separation(hulls: Hulls, nx, ny, nz):
    """The gap of both sides between two planes across n, which leads from the second to the first [m]."""
    low, _ = find_farthest(hulls, 0, -nx, -ny, -nz)
    high, _ = find_farthest(hulls, 1, nx, ny, nz)
    return -low - high
