"""Contacts of meshes while they are being found: rows of two arrays that all finders append to.

ids [n, 6]: object of the first and of the second side, codes of their features, and their triangles (-1 for a
primitive). values [n, 16]: points on the first and on the second [m], unit normal from the second to the
first, gap [m], and the barycentric weights of the points on their triangles.
"""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple_collide.kernel_arrays import Contacts, Elements, Objects, Raw

NO_TRIANGLE = np.int64(-1)
ID_WIDTH, VALUE_WIDTH = 6, 16
# A contact is named by the codes of its two features, the first of them this many bits higher.
NAME_BITS = 30


@njit_inlined
def add_raw(
    first, second, code_first, code_second, triangle_first, triangle_second, px, py, pz, nx, ny, nz, gap,
    count, raw_out: Raw,
):  # fmt: skip
    """Write a contact with point p on the second side while there is room; returns the new count."""
    if count < raw_out.ids.shape[0]:
        ids, values = raw_out.ids[count], raw_out.values[count]
        ids[0], ids[1], ids[2], ids[3] = first, second, code_first, code_second
        ids[4], ids[5] = triangle_first, triangle_second
        values[0], values[1], values[2] = px + gap * nx, py + gap * ny, pz + gap * nz
        values[3], values[4], values[5] = px, py, pz
        values[6], values[7], values[8], values[9] = nx, ny, nz, gap
        for k in range(10, 16):
            values[k] = 0.0
    return count + 1


@njit
def set_weights(side, wa, wb, wc, row, values_out):
    """Set the barycentric weights of the point on side 0 or 1 of a contact, if there was room for it."""
    if row < values_out.shape[0]:
        values = values_out[row]
        values[10 + 3 * side], values[11 + 3 * side], values[12 + 3 * side] = wa, wb, wc


@njit
def set_corner(triangles, side, triangle, vertex, row, values_out):
    """The weights of a point that is a corner of its triangle."""
    for k in range(3):
        if triangles[triangle, k] == vertex:
            weights = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            set_weights(side, weights[0], weights[1], weights[2], row, values_out)


@njit
def copy_raw(source, target, raw_inout: Raw):
    """Row `target` of the contacts becomes what row `source` is."""
    ids, values = raw_inout.ids, raw_inout.values
    for k in range(ids.shape[1]):
        ids[target, k] = ids[source, k]
    for k in range(values.shape[1]):
        values[target, k] = values[source, k]


@njit_inlined
def write_raw(elements: Elements, objects: Objects, raw: Raw, chosen, tally, first, contacts_out: Contacts):
    """Write the tally[1] chosen contacts behind the first[0] that are there, the object with the lower number as A.

    The element of object i is elements.element[i], for a mesh plus the number of the triangle counted from its first
    one. Returns the new number of contacts; those beyond the capacity are not written.
    """
    ids, values, friction, restitution = raw.ids, raw.values, objects.friction, objects.restitution
    count = elements.surface.size
    for place in range(tally[1]):
        c = first[0] + place
        if c >= contacts_out.gap.size:
            continue
        row = chosen[place]
        swapped = ids[row, 0] > ids[row, 1]
        sign = -1.0 if swapped else 1.0
        for side in range(2):
            source = 1 - side if swapped else side
            i = ids[row, source]
            contacts_out.surface[c, side] = elements.surface[i]
            contacts_out.element[c, side] = elements.element[i]
            if elements.first_triangle[i] >= 0:
                contacts_out.element[c, side] += ids[row, 4 + source] - elements.first_triangle[i]
            for k in range(3):
                contacts_out.point[c, side, k] = values[row, 3 * source + k]
                contacts_out.weights[c, side, k] = values[row, 10 + 3 * source + k]
        for k in range(3):
            contacts_out.normal[c, k] = sign * values[row, 6 + k]
        contacts_out.gap[c] = values[row, 9]
        i, j = ids[row, 0], ids[row, 1]
        contacts_out.key[c, 0] = min(i, j) * count + max(i, j)
        contacts_out.key[c, 1] = (ids[row, 3 if swapped else 2] << NAME_BITS) | ids[row, 2 if swapped else 3]
        contacts_out.friction[c] = min(friction[i], friction[j])
        contacts_out.restitution[c] = min(restitution[i], restitution[j])
    return first[0] + tally[1]
