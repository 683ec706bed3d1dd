"""Kernels that find what a step drove farther than it was looked at; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple_collide.shape_kinds import BOX, CONE, CYLINDER, ELLIPSOID, PLANE


@njit
def find_driven_shapes(h, shape, frame, extent, twist, reach, ahead_inout, driven_inout):
    """Count in the shapes of one carrier that the twists after the step take farther than their reach: README eq. (5).

    shape and frame [n] are the shapes that it carries, extent [ns] is that of all. ahead_inout [ns] has the speeds
    [m/s] that earlier looks led to; those of the shapes that were found are raised to what this one did.
    """
    for k in range(shape.shape[0]):
        i, f = shape[k], frame[k]
        speed = math.sqrt(twist[f, 0] ** 2 + twist[f, 1] ** 2 + twist[f, 2] ** 2)
        spin = math.sqrt(twist[f, 3] ** 2 + twist[f, 4] ** 2 + twist[f, 5] ** 2)
        fastest = speed + spin * extent[i]
        if h * fastest > reach[i]:
            ahead_inout[i] = max(ahead_inout[i], fastest)
            driven_inout[0] += 1


@njit
def find_driven_vertices(mesh, h, velocities, reach, short, ahead_inout, driven_inout):
    """The same of the vertices of a surface that bends; `short` is what each falls short of the mesh's reach by [m]."""
    for v in range(velocities.shape[0]):
        squared = velocities[v, 0] ** 2 + velocities[v, 1] ** 2 + velocities[v, 2] ** 2
        covered = reach[mesh] - short[v]
        if h * h * squared > covered * covered:
            ahead_inout[v] = max(ahead_inout[v], math.sqrt(squared))
            driven_inout[0] += 1


@njit
def find_carried_vertices(mesh, h, position, position_next, reach, short, ahead_inout, driven_inout):
    """The same of a surface that follows bones, by where its vertices came to: the bones may snap within a step."""
    for v in range(position.shape[0]):
        dx = position_next[v, 0] - position[v, 0]
        dy = position_next[v, 1] - position[v, 1]
        dz = position_next[v, 2] - position[v, 2]
        squared = dx * dx + dy * dy + dz * dz
        covered = reach[mesh] - short[v]
        if squared > covered * covered:
            ahead_inout[v] = max(ahead_inout[v], math.sqrt(squared) / h)
            driven_inout[0] += 1


@njit
def find_radius(kind, size, i):
    """A ball about the centre of a primitive that holds it [m]."""
    if kind[i] == BOX:
        return math.sqrt(size[i, 0] ** 2 + size[i, 1] ** 2 + size[i, 2] ** 2)
    if kind[i] == ELLIPSOID:
        return max(size[i, 0], size[i, 1], size[i, 2])
    if kind[i] == CYLINDER or kind[i] == CONE:
        return math.sqrt(size[i, 0] ** 2 + size[i, 1] ** 2)
    return size[i, 0] + size[i, 1]


@njit
def is_anything_near(
    margin, sudden_speed, h, kind, size, x, q, group, carrier, reach, ahead, ahead_next
):  # fmt: skip
    """Whether a primitive that was driven may meet another one within the step, judged by balls around them."""
    for i in range(kind.shape[0]):
        if ahead_next[i] <= ahead[i]:
            continue
        mine = find_radius(kind, size, i) + margin + h * (sudden_speed + ahead_next[i])
        for j in range(kind.shape[0]):
            if j == i or (group[i] == group[j] and group[i] >= 0):
                continue
            theirs = (
                max(reach[j], margin + h * (sudden_speed + ahead_next[j])) if carrier[j] >= 0 else reach[j]
            )
            dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            if kind[j] == PLANE:
                nx, ny, nz = rotate_vector_at(q, j, 0.0, 1.0, 0.0)
                if nx * dx + ny * dy + nz * dz <= mine + theirs:
                    return True
                continue
            limit = mine + theirs + find_radius(kind, size, j)
            if dx * dx + dy * dy + dz * dz <= limit * limit:
                return True
    return False
