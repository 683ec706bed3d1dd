"""Contacts of many vertices as few patches: README, "Patches"."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.contacts import Contacts
from supple_contact.tables import Merged, PatchTable

ONE_VERTEX = 1.0 - 1e-9
"""The least weight of a corner that the point of a contact lies on."""
ALONG = 0.94
"""Normals of one patch have at least this cosine between them: 20 degrees."""


@njit
def measure_pressed_area(table: PatchTable, x, v, nx, ny, nz):
    """A third of what the triangles of vertex v show to the other side, along the unit normal that points to it."""
    area = 0.0
    for k in range(table.start[v], table.start[v + 1]):
        t = table.around[k]
        a, b, c = table.triangles[t, 0], table.triangles[t, 1], table.triangles[t, 2]
        ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        wx, wy, wz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        along = (uy * wz - uz * wy) * nx + (uz * wx - ux * wz) * ny + (ux * wy - uy * wx) * nz
        area += max(along, 0.0) / 6.0
    return area


@njit
def mark_patches(number, contacts: Contacts, table: PatchTable, x, patch_out, area_out):
    """The patch of every contact of a vertex of this surface, and the area that presses there [m^2]."""
    for c in range(contacts.count[0]):
        if patch_out[c] >= 0:
            continue
        for side in range(2):
            if contacts.surface[c, side] != number or patch_out[c] >= 0:
                continue
            e = contacts.element[c, side]
            for corner in range(3):
                if contacts.weights[c, side, corner] < ONE_VERTEX:
                    continue
                v, sign = table.triangles[e, corner], 2.0 * side - 1.0
                nx, ny, nz = contacts.normal[c, 0], contacts.normal[c, 1], contacts.normal[c, 2]
                patch_out[c] = table.first + table.cell[v]
                area_out[c] = measure_pressed_area(table, x, v, sign * nx, sign * ny, sign * nz)


@njit
def find_patch(contacts: Contacts, c, patch, other, groups, merged: Merged):
    """The group of contact c: the same patch against the same thing, with nearly the same normal; or -1."""
    n = contacts.normal
    for g in range(groups):
        if merged.patch[g] != patch or merged.other[g] != other:
            continue
        k = merged.leader[g]
        if n[c, 0] * n[k, 0] + n[c, 1] * n[k, 1] + n[c, 2] * n[k, 2] >= ALONG:
            return g
    return -1


@njit
def sort_into_groups(contacts: Contacts, patch, merged: Merged, into_out):
    """into_out [contacts]: the group of each; contacts without a patch have their own. Returns their number."""
    groups = 0
    for c in range(contacts.count[0]):
        other, g = contacts.key[c, 0], -1
        if patch[c] >= 0:
            # Triangles come and go under a vertex; what has no weights stays the same thing.
            bent = contacts.surface[c, 0] + contacts.surface[c, 1]
            for side in range(2):
                if (
                    contacts.weights[c, side, 0] + contacts.weights[c, side, 1] + contacts.weights[c, side, 2]
                    == 0.0
                ):
                    bent = -1 - (contacts.surface[c, side] << 32) - contacts.element[c, side]
            other = bent
            g = find_patch(contacts, c, patch[c], other, groups, merged)
        if g < 0:
            g = groups
            groups += 1
            merged.patch[g], merged.other[g], merged.leader[g] = patch[c], other, c
            merged.gap[g] = math.inf
        into_out[c] = g
        merged.gap[g] = min(merged.gap[g], contacts.gap[c])
    return groups


@njit
def merge_contacts(contacts: Contacts, patch, area, slack, merged_out: Merged, into_out, share_out):
    """One contact of many: the vertices of a patch that are lowest, to the slack [m], by the areas that press there.

    share_out [contacts]: of the force of its group; 1 for those that are alone.
    """
    groups = sort_into_groups(contacts, patch, merged_out, into_out)
    for g in range(groups):
        merged_out.area[g] = 0.0
    for c in range(contacts.count[0]):
        g = into_out[c]
        touches = patch[c] < 0 or contacts.gap[c] <= merged_out.gap[g] + slack
        share_out[c] = max(area[c], 1e-12) if touches and patch[c] >= 0 else (1.0 if touches else 0.0)
        merged_out.area[g] += share_out[c]
    for g in range(groups):
        k = merged_out.leader[g]
        merged_out.gap[g] = merged_out.friction[g] = merged_out.restitution[g] = 0.0
        merged_out.key[g, 0], merged_out.key[g, 1] = contacts.key[k, 0], contacts.key[k, 1]
        if patch[k] >= 0:
            merged_out.key[g, 1] = -1 - patch[k]
        for axis in range(3):
            merged_out.normal[g, axis] = 0.0
    for c in range(contacts.count[0]):
        g = into_out[c]
        share_out[c] /= merged_out.area[g]
        merged_out.gap[g] += share_out[c] * contacts.gap[c]
        merged_out.friction[g] += share_out[c] * contacts.friction[c]
        merged_out.restitution[g] += share_out[c] * contacts.restitution[c]
        for axis in range(3):
            merged_out.normal[g, axis] += share_out[c] * contacts.normal[c, axis]
    for g in range(groups):
        n = merged_out.normal
        scale = 1.0 / math.sqrt(n[g, 0] * n[g, 0] + n[g, 1] * n[g, 1] + n[g, 2] * n[g, 2])
        for axis in range(3):
            n[g, axis] *= scale
    merged_out.count[0] = groups
    return groups


@njit
def share_rows(into, merged_group, merged_directions, count, group_out, directions_out):
    """Every contact gets the group and the directions of its patch."""
    for c in range(count[0]):
        group_out[c] = merged_group[into[c]]
        for row in range(3):
            for axis in range(3):
                directions_out[c, row, axis] = merged_directions[into[c], row, axis]


@njit
def share_sides(count, surface, share, span, points_out):
    """The sides of contacts, as `sort_sides` left them, by the share of each contact in its group."""
    for s in range(span.shape[0]):
        span[s, 1] = span[s, 0]
    for c in range(count[0]):
        for side in range(2):
            s = surface[c, side]
            points_out.sign[span[s, 1]] *= share[c]
            span[s, 1] += 1


@njit
def share_forces(count, share, force_out):
    """The force of a patch is spread over its contacts."""
    for c in range(count[0]):
        for axis in range(3):
            force_out[c, axis] *= share[c]
