"""Changing a closed triangle mesh in place, by its table of corners.

Corner c = 3 t + i is the i-th corner of triangle t, at vertex `vertex[c]`. `across[c]` is the corner on the other
side of the edge that lies opposite to c. `corner[v]` is some corner at vertex v. Dead triangles and vertices have
-1. In the pictures of the docstrings c is at x, and the edge opposite to it runs from a to b; beyond it is y.
"""

from __future__ import annotations

from supple.core.jit import njit


@njit
def following(c):
    """The next corner of the same triangle, counter-clockwise."""
    return c - 2 if c % 3 == 2 else c + 1


@njit
def preceding(c):
    """The corner before c in the same triangle."""
    return c + 2 if c % 3 == 0 else c - 1


@njit
def swing(across, c):
    """The corner at the same vertex in the next triangle, counter-clockwise."""
    return following(across[following(c)])


@njit
def count_neighbours(across, start):
    """Number of triangles, and of neighbours, around the vertex of corner `start`."""
    count, c = 1, swing(across, start)
    while c != start:
        count += 1
        c = swing(across, c)
    return count


@njit
def is_neighbour(vertex, across, start, other):
    """Whether `other` is a neighbour of the vertex of corner `start`."""
    c = start
    while True:
        if vertex[following(c)] == other:
            return True
        c = swing(across, c)
        if c == start:
            return False


@njit
def pair(across, c, d):
    """Make c and d look at each other across their edge."""
    across[c] = d
    across[d] = c


@njit
def flip(vertex, across, corner, c):
    """Replace the edge a-b by the edge x-y."""
    n, p, o = following(c), preceding(c), across[c]
    no, po = following(o), preceding(o)
    side_a, side_c = across[n], across[no]
    x, a, b, y = vertex[c], vertex[n], vertex[p], vertex[o]
    vertex[p], vertex[po] = y, x
    pair(across, c, side_c)
    pair(across, n, no)
    pair(across, o, side_a)
    corner[x], corner[a], corner[b], corner[y] = c, n, no, o


@njit
def split(vertex, across, corner, c, made, triangles):
    """Put the vertex `made` into the edge a-b; two triangles are added behind the first `triangles`."""
    n, p, o = following(c), preceding(c), across[c]
    no, po = following(o), preceding(o)
    c3, o4 = 3 * triangles, 3 * triangles + 3
    side_a, side_d = across[n], across[po]
    x, b, y = vertex[c], vertex[p], vertex[o]
    vertex[p], vertex[no] = made, made
    vertex[c3], vertex[c3 + 1], vertex[c3 + 2] = x, made, b
    vertex[o4], vertex[o4 + 1], vertex[o4 + 2] = y, b, made
    pair(across, n, c3 + 2)
    pair(across, c3, o4)
    pair(across, c3 + 1, side_a)
    pair(across, po, o4 + 1)
    pair(across, o4 + 2, side_d)
    corner[made], corner[b] = p, c3 + 2


@njit
def may_collapse(vertex, across, c):
    """Whether merging a and b leaves a manifold: they share no neighbours but x and y, which keep three each."""
    n, p, o = following(c), preceding(c), across[c]
    x, a, y = vertex[c], vertex[n], vertex[o]
    if count_neighbours(across, c) <= 3 or count_neighbours(across, o) <= 3:
        return False
    at = p
    while True:
        other = vertex[following(at)]
        if other != a and other != x and other != y and is_neighbour(vertex, across, n, other):
            return False
        at = swing(across, at)
        if at == p:
            return True


@njit
def collapse(vertex, across, corner, c):
    """Merge b into a; the two triangles at their edge die."""
    n, p, o = following(c), preceding(c), across[c]
    no, po = following(o), preceding(o)
    a, b, x, y = vertex[n], vertex[p], vertex[c], vertex[o]
    at = p
    while True:
        vertex[at] = a
        at = swing(across, at)
        if at == p:
            break
    side_a, side_b, side_c, side_d = across[n], across[p], across[no], across[po]
    pair(across, side_a, side_b)
    pair(across, side_c, side_d)
    corner[x], corner[a], corner[y] = following(side_a), preceding(side_a), preceding(side_d)
    corner[b] = -1
    for dead in (c, n, p, o, no, po):
        vertex[dead] = -1
