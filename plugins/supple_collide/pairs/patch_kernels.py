"""Contacts of a flat patch that the corners of the patch make superfluous.

Let two rigid objects touch at points p_i with one normal n and gaps g_i. If p = sum w_i p_i with weights w_i >= 0
that sum to one, and g >= sum w_i g_i, then the contact at p adds nothing: its condition u_n + g / h >= 0 follows from
those of the others, because the relative velocity of rigid objects is affine in p, and whatever force it could
transmit the others can, w_i of it each, with the same moment and within the same cone of friction: README eq. (3).
So of the contacts whose gaps are an affine function of their place, only the corners of their convex hull are needed.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross, dot, normalise
from supple_collide.kernel_arrays import Choice
from supple_collide.meshes.triangle_kernels import FLUSH

# Normals that differ by less than FLUSH are those of one patch: the faces rest on each other.
PATCH_COSINE = math.cos(FLUSH)
UNVISITED, KEPT, CARRIED, CORNER = 0, 1, 2, 3


@njit
def compare_normals(ids, values, i, j):
    """The cosine between the normals of two contacts, both seen from the same object."""
    cosine = dot(values[i, 6], values[i, 7], values[i, 8], values[j, 6], values[j, 7], values[j, 8])
    return cosine if ids[i, 0] == ids[j, 0] else -cosine


@njit
def find_axes(nx, ny, nz):
    """Two unit vectors across the normal n, six floats."""
    ax, ay, az = (1.0, 0.0, 0.0) if abs(nx) < 0.6 else (0.0, 1.0, 0.0)
    tx, ty, tz, _ = normalise(*cross(nx, ny, nz, ax, ay, az))
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    return tx, ty, tz, sx, sy, sz


@njit
def gather_patch(ids, values, rows, count, seed, state_inout, flat_out, members_out):
    """List the contacts with the normal of rows[seed] that no patch has yet, and lay them flat; returns how many.

    members_out: their places in `rows`; flat_out [count, 3]: two coordinates across the normal, and the gap [m].
    """
    lead, members = rows[seed], 0
    tx, ty, tz, sx, sy, sz = find_axes(values[lead, 6], values[lead, 7], values[lead, 8])
    for place in range(seed, count):
        row = rows[place]
        if state_inout[place] != UNVISITED or compare_normals(ids, values, row, lead) < PATCH_COSINE:
            continue
        state_inout[place] = KEPT
        side = 3 if ids[row, 0] == ids[lead, 0] else 0
        px, py, pz = values[row, side], values[row, side + 1], values[row, side + 2]
        flat_out[place, 0] = dot(tx, ty, tz, px, py, pz)
        flat_out[place, 1] = dot(sx, sy, sz, px, py, pz)
        flat_out[place, 2] = values[row, 9]
        members_out[members] = place
        members += 1
    return members


@njit
def turn_about(flat, i, j, k):
    """Twice the area of the triangle i, j, k of places in `flat`; positive if it runs counter-clockwise."""
    ax, ay = flat[j, 0] - flat[i, 0], flat[j, 1] - flat[i, 1]
    bx, by = flat[k, 0] - flat[i, 0], flat[k, 1] - flat[i, 1]
    return ax * by - ay * bx


@njit
def find_apart(flat, i, j):
    """Distance of two places in the plane of the patch [m]."""
    dx, dy = flat[j, 0] - flat[i, 0], flat[j, 1] - flat[i, 1]
    return math.sqrt(dx * dx + dy * dy)


@njit
def is_better(far, best_far, gap, best_gap, tolerance):
    """Whether a member lies farther than the best one so far, or as far and deeper."""
    return far > best_far + tolerance or (far > best_far - tolerance and gap < best_gap)


@njit
def choose_triangle(flat, members, count, tolerance):
    """Three members deep and far from each other, the deepest among them; the third is -1 if all lie on a line."""
    deepest = members[0]
    for m in range(1, count):
        if flat[members[m], 2] < flat[deepest, 2]:
            deepest = members[m]
    farthest, length = deepest, 0.0
    for m in range(count):
        apart = find_apart(flat, deepest, members[m])
        if is_better(apart, length, flat[members[m], 2], flat[farthest, 2], tolerance):
            farthest, length = members[m], apart
    third, width = deepest, 0.0
    for m in range(count):
        from_line = abs(turn_about(flat, deepest, farthest, members[m])) / length if length > 0.0 else 0.0
        if is_better(from_line, width, flat[members[m], 2], flat[third, 2], tolerance):
            third, width = members[m], from_line
    return deepest, farthest, third if width > tolerance else -1


@njit
def find_rise(flat, i, j, k, p):
    """How much larger the gap at p is than that of the affine function through i, j and k [m]."""
    whole = turn_about(flat, i, j, k)
    at_j, at_k = turn_about(flat, i, p, k) / whole, turn_about(flat, i, j, p) / whole
    level = flat[i, 2] + at_j * (flat[j, 2] - flat[i, 2]) + at_k * (flat[k, 2] - flat[i, 2])
    return flat[p, 2] - level


@njit
def sort_places(flat, count, places_inout):
    """Sort places by their first and second coordinate: insertion, for they are few."""
    for position in range(1, count):
        moved, slot = places_inout[position], position
        while slot > 0:
            other = places_inout[slot - 1]
            later = flat[other, 0] > flat[moved, 0]
            if not later and not (flat[other, 0] == flat[moved, 0] and flat[other, 1] > flat[moved, 1]):
                break
            places_inout[slot] = other
            slot -= 1
        places_inout[slot] = moved


@njit
def extend_chain(flat, p, bottom, length, tolerance, chain_inout):
    """Append p to a chain that turns left; what lies within `tolerance` [m] of a straight line is no corner."""
    while length - bottom >= 2:
        i, j = chain_inout[length - 2], chain_inout[length - 1]
        if turn_about(flat, i, j, p) > tolerance * find_apart(flat, i, p):
            break
        length -= 1
    chain_inout[length] = p
    return length + 1


@njit
def find_hull(flat, places, count, tolerance, chain_out):
    """The corners of the convex hull of sorted places, counter-clockwise; returns how many."""
    length = 0
    for position in range(count):
        length = extend_chain(flat, places[position], 0, length, tolerance, chain_out)
    bottom = length - 1
    for position in range(count - 2, -1, -1):
        length = extend_chain(flat, places[position], bottom, length, tolerance, chain_out)
    return length - 1  # the first corner closes the chain


@njit
def is_within(flat, chain, corners, p, tolerance):
    """Whether p lies in the polygon of the chain, or within `tolerance` [m] of it."""
    for c in range(corners):
        i, j = chain[c], chain[(c + 1) % corners]
        if turn_about(flat, i, j, p) < -tolerance * find_apart(flat, i, j):
            return False
    return True


@njit
def mark_carried(flat, members, count, tolerance, state_inout, places, chain):
    """Mark (CARRIED) the members of a patch that its corners make superfluous; two arrays are scratch."""
    i, j, k = choose_triangle(flat, members, count, tolerance)
    if k < 0:
        return
    level = 0
    for m in range(count):
        if abs(find_rise(flat, i, j, k, members[m])) <= tolerance:
            places[level] = members[m]
            level += 1
    sort_places(flat, level, places)
    corners = find_hull(flat, places, level, tolerance, chain)
    if corners < 3:
        return
    for c in range(corners):
        state_inout[chain[c]] = CORNER
    for m in range(count):
        place = members[m]
        if state_inout[place] == CORNER or find_rise(flat, i, j, k, place) < -tolerance:
            continue
        if is_within(flat, chain, corners, place, tolerance):
            state_inout[place] = CARRIED


@njit_inlined
def drop_carried(ids, values, tolerance, count, choice: Choice):
    """Drop the contacts that others of their patch carry from choice.rows, up to `tolerance` [m]; how many are left.

    Only for two rigid objects.
    """
    rows_inout, state, flat = choice.rows, choice.state, choice.flat
    for place in range(count):
        state[place] = UNVISITED
    for seed in range(count):
        if state[seed] == UNVISITED:
            found = gather_patch(ids, values, rows_inout, count, seed, state, flat, choice.members)
            if found > 3:
                mark_carried(flat, choice.members, found, tolerance, state, choice.places, choice.chain)
    kept = 0
    for place in range(count):
        if state[place] != CARRIED:
            rows_inout[kept] = rows_inout[place]
            kept += 1
    return kept
