"""Contacts of meshes while they are being found: rows of two arrays that all finders append to.

ids [n, 6]: object of the first and of the second side, codes of their features, and their triangles (-1 for a
primitive). values [n, 16]: points on the first and on the second [m], unit normal from the second to the
first, gap [m], and the barycentric weights of the points on their triangles.
"""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit, njit_inlined

NO_TRIANGLE = np.int64(-1)
ID_WIDTH, VALUE_WIDTH = 6, 16


@njit_inlined
def add_raw(
    first, second, code_first, code_second, triangle_first, triangle_second, px, py, pz, nx, ny, nz, gap,
    count, ids_out, values_out,
):  # fmt: skip
    """Write a contact with point p on the second side while there is room; returns the new count."""
    if count < ids_out.shape[0]:
        ids, values = ids_out[count], values_out[count]
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
def copy_raw(source, target, ids_inout, values_inout):
    """Row `target` of the contacts becomes what row `source` is."""
    for k in range(ids_inout.shape[1]):
        ids_inout[target, k] = ids_inout[source, k]
    for k in range(values_inout.shape[1]):
        values_inout[target, k] = values_inout[source, k]


@njit_inlined
def write_raw(
    surface_of, element_of, first_triangle_of, friction, restitution, ids, values, chosen, tally, first,
    surface_out, element_out, key_out, point_out, normal_out, gap_out, friction_out, restitution_out,
    weights_out,
):  # fmt: skip
    """Write the tally[1] chosen contacts behind the first[0] that are there, the object with the lower number as A.

    Of object i: surface_of[i], friction[i], restitution[i]; its element is element_of[i], for a mesh plus the
    number of the triangle counted from first_triangle_of[i] (-1: the object is no mesh). Returns the new number
    of contacts; those beyond the capacity are not written.
    """
    objects = surface_of.size
    for place in range(tally[1]):
        c = first[0] + place
        if c >= gap_out.size:
            continue
        row = chosen[place]
        swapped = ids[row, 0] > ids[row, 1]
        sign = -1.0 if swapped else 1.0
        for side in range(2):
            source = 1 - side if swapped else side
            i = ids[row, source]
            surface_out[c, side] = surface_of[i]
            element_out[c, side] = element_of[i]
            if first_triangle_of[i] >= 0:
                element_out[c, side] += ids[row, 4 + source] - first_triangle_of[i]
            for k in range(3):
                point_out[c, side, k] = values[row, 3 * source + k]
                weights_out[c, side, k] = values[row, 10 + 3 * source + k]
        for k in range(3):
            normal_out[c, k] = sign * values[row, 6 + k]
        gap_out[c] = values[row, 9]
        i, j = ids[row, 0], ids[row, 1]
        key_out[c, 0] = min(i, j) * objects + max(i, j)
        key_out[c, 1] = (ids[row, 3 if swapped else 2] << 30) | ids[row, 2 if swapped else 3]
        friction_out[c] = min(friction[i], friction[j])
        restitution_out[c] = min(restitution[i], restitution[j])
    return first[0] + tally[1]
