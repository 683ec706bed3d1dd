"""The broad phase: pairs of shapes whose surroundings overlap."""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit
from supple_collide.kernel_arrays import Objects, Shapes
from supple_collide.pairs.object_kernels import is_ignored
from supple_collide.primitives.pose_kernels import carry_in
from supple_collide.shape_kinds import BOX, ELLIPSOID, FIRST_SOLID, PLANE


@njit
def find_pairs(shapes: Shapes, objects: Objects, object_count, order_inout, bounds_out, pairs_out):
    """Find the pairs (i < j) whose bounds, grown by reach[i] [m], overlap; sorted by i, then j.

    A pair needs a movable member, must not share a group >= 0, and i * object_count + j must not be in the sorted
    array `ignored`. Planes meet every shape that comes near enough to them, and no other plane.
    order_inout [ns] must hold a permutation of the shapes: the sorted order of the last call makes this one
    fast, the result does not depend on it. bounds_out [ns, 6] is scratch.

    Returns how many pairs there are; those beyond the capacity of pairs_out [n, 2] are not written.
    """
    kind, size, x, rotation, reach = shapes.kind, shapes.size, shapes.x, shapes.rotation, shapes.reach
    movable, group, ignored = objects.movable, objects.group, objects.ignored
    fill_bounds(kind, size, x, rotation, reach, bounds_out)
    axis = choose_axis(kind, x)
    sort_by_lower_bound(bounds_out, axis, order_inout)
    total = np.int64(0)
    for position in range(order_inout.size):
        i = order_inout[position]
        if kind[i] == PLANE:
            for j in range(kind.size):
                near = may_touch(movable, group, i, j) and is_near_plane(kind, size, x, rotation, reach, j, i)
                if near and not is_ignored(ignored, min(i, j) * object_count + max(i, j)):
                    total = add_pair(i, j, total, pairs_out)
            continue
        for later in range(position + 1, order_inout.size):
            j = order_inout[later]
            # Lower bounds only grow from here; a plane's does not count and sorts last.
            if kind[j] == PLANE or bounds_out[j, axis] > bounds_out[i, 3 + axis]:
                break
            near = may_touch(movable, group, i, j) and overlap(bounds_out, i, j)
            if near and not is_ignored(ignored, min(i, j) * object_count + max(i, j)):
                total = add_pair(i, j, total, pairs_out)
    sort_pairs(min(total, pairs_out.shape[0]), pairs_out)
    return total


@njit
def fill_bounds(kind, size, x, rotation, reach, bounds_out):
    """Bounding boxes along the world axes, grown by reach; infinite for planes, which hence sort last."""
    for i in range(kind.size):
        for k in range(3):
            if kind[i] == BOX:
                extent = abs(rotation[i, k, 0]) * size[i, 0] + abs(rotation[i, k, 1]) * size[i, 1]
                extent += abs(rotation[i, k, 2]) * size[i, 2]
            elif kind[i] == PLANE:
                extent = -math.inf
            elif kind[i] == ELLIPSOID:
                extent = find_oval_extent(size, i, rotation[i, k, 0], rotation[i, k, 1], rotation[i, k, 2])
            elif kind[i] >= FIRST_SOLID:
                extent = find_rim_extent(rotation[i, k, 1], size[i, 0], size[i, 1])
            else:
                extent = size[i, 0] + abs(rotation[i, k, 1]) * size[i, 1]
            bounds_out[i, k] = x[i, k] - extent - reach[i]
            bounds_out[i, 3 + k] = x[i, k] + extent + reach[i]


@njit
def find_rim_extent(cosine, radius, half):
    """How far a cylinder reaches from its centre in a direction with this cosine to its axis [m]; a cone is within."""
    return abs(cosine) * half + math.sqrt(max(0.0, 1.0 - cosine * cosine)) * radius


@njit
def find_oval_extent(size, shape, nx, ny, nz):
    """How far an ellipsoid reaches from its centre in a direction of its own frame [m]."""
    return math.sqrt((size[shape, 0] * nx) ** 2 + (size[shape, 1] * ny) ** 2 + (size[shape, 2] * nz) ** 2)


@njit
def choose_axis(kind, x):
    """The world axis along which the centres of bounded shapes are spread most."""
    best, axis = -1.0, 0
    for k in range(3):
        count, mean, spread = 0, 0.0, 0.0
        for i in range(kind.size):
            if kind[i] != PLANE:
                count += 1
                change = x[i, k] - mean
                mean += change / count
                spread += change * (x[i, k] - mean)
        if spread > best:
            best, axis = spread, k
    return axis


@njit
def sort_by_lower_bound(bounds, axis, order_inout):
    """Insertion sort: shapes hardly overtake each other within a step."""
    for position in range(1, order_inout.size):
        moved = order_inout[position]
        key = bounds[moved, axis]
        slot = position
        while slot > 0 and bounds[order_inout[slot - 1], axis] > key:
            order_inout[slot] = order_inout[slot - 1]
            slot -= 1
        order_inout[slot] = moved


@njit
def may_touch(movable, group, i, j):
    """Whether the contact of two shapes matters at all."""
    return (movable[i] != 0 or movable[j] != 0) and (group[i] != group[j] or group[i] < 0)


@njit
def overlap(bounds, i, j):
    """Whether two bounding boxes have a point in common."""
    apart = False
    for k in range(3):
        apart = apart or bounds[i, k] > bounds[j, 3 + k] or bounds[j, k] > bounds[i, 3 + k]
    return not apart


@njit
def is_near_plane(kind, size, x, rotation, reach, shape, plane):
    """Whether the lowest point of a bounded shape above a plane is within both reaches."""
    if kind[shape] == PLANE:
        return False
    nx, ny, nz = rotation[plane, 0, 1], rotation[plane, 1, 1], rotation[plane, 2, 1]
    dx, dy, dz = x[shape, 0] - x[plane, 0], x[shape, 1] - x[plane, 1], x[shape, 2] - x[plane, 2]
    height = nx * dx + ny * dy + nz * dz
    ax, ay, az = carry_in(rotation, shape, nx, ny, nz)
    along_x, along_y, along_z = abs(ax), abs(ay), abs(az)
    if kind[shape] == BOX:
        extent = along_x * size[shape, 0] + along_y * size[shape, 1] + along_z * size[shape, 2]
    elif kind[shape] == ELLIPSOID:
        extent = find_oval_extent(size, shape, ax, ay, az)
    elif kind[shape] >= FIRST_SOLID:
        extent = find_rim_extent(ay, size[shape, 0], size[shape, 1])
    else:
        extent = size[shape, 0] + along_y * size[shape, 1]
    return height - extent <= reach[shape] + reach[plane]


@njit
def add_pair(i, j, total, pairs_out):
    """Write a pair with the smaller index first if there is room; returns the new total."""
    if total < pairs_out.shape[0]:
        pairs_out[total, 0] = min(i, j)
        pairs_out[total, 1] = max(i, j)
    return total + 1


@njit
def sort_pairs(count, pairs_inout):
    """Sort the first `count` pairs by their members, in place (Shell's method)."""
    step = 1
    while step < count // 3:
        step = 3 * step + 1
    while step > 0:
        for position in range(step, count):
            i, j = pairs_inout[position, 0], pairs_inout[position, 1]
            slot = position
            while slot >= step and (
                pairs_inout[slot - step, 0] > i
                or (pairs_inout[slot - step, 0] == i and pairs_inout[slot - step, 1] > j)
            ):
                pairs_inout[slot, 0] = pairs_inout[slot - step, 0]
                pairs_inout[slot, 1] = pairs_inout[slot - step, 1]
                slot -= step
            pairs_inout[slot, 0], pairs_inout[slot, 1] = i, j
        step //= 3
