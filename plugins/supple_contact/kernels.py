"""Kernels of the contact rows; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import cross
from supple.mechanics.contacts import Contacts
from supple.mechanics.point_kernels import sort_sides
from supple.mechanics.points import SurfacePoints
from supple.mechanics.problem import Origin
from supple.mechanics.rows import COULOMB
from supple.mechanics.warm_start_kernels import match_values
from supple_contact.tables import GroupLaws, LastGaps, Recovery

# Axes that are along a normal by as much as this are alike. Normals of boxes at rest lie along an axis up to round-off:
# without it, their friction impulses would start from another frame in every step.
ALIKE = 1e-6


@njit
def find_tangents(nx, ny, nz):
    """Two unit vectors t, s with n, t, s right-handed; t lies in the plane of n and the axis least along n.

    Of axes that are alike x comes first, then z.
    """
    ax, ay, az = abs(nx), abs(ny), abs(nz)
    least = min(ax, ay, az) + ALIKE
    if ax <= least:
        ex, ey, ez = 1.0, 0.0, 0.0
    elif az <= least:
        ex, ey, ez = 0.0, 0.0, 1.0
    else:
        ex, ey, ez = 0.0, 1.0, 0.0
    along = ex * nx + ey * ny + ez * nz
    tx, ty, tz = ex - along * nx, ey - along * ny, ez - along * nz
    scale = 1.0 / math.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx * scale, ty * scale, tz * scale
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    return tx, ty, tz, sx, sy, sz


@njit
def make_contact_rows(
    first,
    contacts: Contacts,
    group_out,
    directions_out,
    laws_out: GroupLaws,
    span_out,
    points_out: SurfacePoints,
):
    """All contacts as groups from first[0] on, and their sides as points on their surfaces; span as in `sort_sides`."""
    fill_rows(first, contacts, group_out, directions_out, laws_out)
    sort_sides(
        contacts.count, contacts.surface, contacts.element, contacts.weights, contacts.point, group_out,
        directions_out, span_out, points_out,
    )  # fmt: skip


@njit
def fill_rows(first, contacts, group_out, directions_out, laws_out):
    """Law, material, gap and identity of contact c as group first[0] + c, and its frame (n, t, s) as rows."""
    normal, gap, friction, restitution = (
        contacts.normal,
        contacts.gap,
        contacts.friction,
        contacts.restitution,
    )
    key, key_out, law_out, size_out = contacts.key, laws_out.key, laws_out.law, laws_out.size
    friction_out, restitution_out, gap_out = laws_out.friction, laws_out.restitution, laws_out.gap
    for c in range(contacts.count[0]):
        g = first[0] + c
        group_out[c] = g
        law_out[g] = COULOMB
        size_out[g] = 3
        friction_out[g] = friction[c]
        restitution_out[g] = restitution[c]
        gap_out[g] = gap[c]
        key_out[g, 0] = key[c, 0]
        key_out[g, 1] = key[c, 1]
        nx, ny, nz = normal[c, 0], normal[c, 1], normal[c, 2]
        tx, ty, tz, sx, sy, sz = find_tangents(nx, ny, nz)
        directions_out[c, 0, 0] = nx
        directions_out[c, 0, 1] = ny
        directions_out[c, 0, 2] = nz
        directions_out[c, 1, 0] = tx
        directions_out[c, 1, 1] = ty
        directions_out[c, 1, 2] = tz
        directions_out[c, 2, 0] = sx
        directions_out[c, 2, 1] = sy
        directions_out[c, 2, 2] = sz


@njit
def set_contact_bias(
    h, settings: Recovery, group, count, key, last: LastGaps, expected_out, origin_inout: Origin
):
    """Bias of the normal rows: README eq. (2). Returns whether something approaches so fast that it may bounce.

    expected_out [contacts, 3]: the gap that the last step led to by its velocities, and 1 where there is one.
    """
    gap, restitution, u_now = origin_inout.gap, origin_inout.restitution, origin_inout.u_now
    bias_out = origin_inout.bias
    elastic, fast = False, False
    match_values(count[0], key, last.last_count, last.last_key, last.last_expected, expected_out)
    for c in range(count[0]):
        g = group[c]
        bias = gap[g] / h
        if gap[g] < 0.0:
            strayed = min(gap[g] - expected_out[c, 0], 0.0) if expected_out[c, 1] != 0.0 else 0.0
            bias = max((settings.recovery * gap[g] + strayed) / h, -settings.recovery_speed)
        elastic |= restitution[g] > 0.0
        fast |= u_now[g, 0] < -settings.bounce_speed
        bias_out[g, 0] = bias
        bias_out[g, 1] = 0.0
        bias_out[g, 2] = 0.0
    return elastic and fast


@njit
def is_any_deeper(count, gap, depth, kept_out):
    """Whether a contact overlaps by more than that [m]; nothing is kept of the step (kept_out[0] = 0) until it is."""
    kept_out[0] = 0
    deepest = 0.0
    for c in range(count[0]):
        deepest = max(deepest, -gap[c])
    return not deepest <= depth


@njit
def expect_gaps(h, group, count, gap, velocity, expected_out):
    """expected_out [contacts, 3]: gap after the step by its row velocities [m], and 1; see `set_contact_bias`."""
    for c in range(count[0]):
        expected_out[c, 0] = gap[c] + h * velocity[group[c], 0]
        expected_out[c, 1] = 1.0
        expected_out[c, 2] = 0.0
