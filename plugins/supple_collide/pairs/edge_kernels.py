"""Contacts of the edges of two meshes, or of a mesh with itself.

A surface that bends is pressed flat against the edges of a rigid one, so that the edges with which it touches stick out
now and then, as rounding has it. There those count too that may stick out by the end of the step:
see `meshes.segment_kernels`.

Two surfaces that bend come to lie flat on each other, where all pairs of edges that cross would count so. But where
vertices are held apart nothing passes between them unless both edges stick out: along an edge of B the gap is linear as
far as the edges of A that it crosses are flat, so it is least at the ends. A flat edge counts if it bore force in the
last step: it is pressed in until it is flat, would else come and go with that force, and nothing came to rest. And it
counts as far as the two triangles may come through each other: within a blow surfaces bend as fast as they come.
"""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import dot
from supple_collide.kernel_arrays import Faces, MeshPool, Raw, Reaches
from supple_collide.meshes.columns import BENDS, OBJECT, SLACK
from supple_collide.meshes.segment_kernels import (
    NO_GIVE,
    OVERHANG,
    PARALLEL,
    cross_edge,
    find_edge_cone,
    leads_outwards,
)
from supple_collide.meshes.triangle_kernels import EDGE_CODE, subtract
from supple_collide.pairs.raw_kernels import add_raw, set_weights
from supple_collide.pairs.vertex_kernels import are_neighbours
from supple_collide.primitives.manifold_kernels import ONE, ZERO

# Of the reach: by how much edges may fall short of sticking out where both surfaces bend.
BOTH_GIVE = 0.1
# Of the way that two triangles go against each other: how near flat edges count that bear nothing yet.
COMING = 2.0
# The bits of `owns` that stand for edges, and one that says that a triangle's edges were looked at. So many bits higher
# stand those of edges that do not stick out, but may.
EDGES, VISITED, HIGHER = np.int64(56), np.int64(64), np.int64(4)


@njit_inlined
def find_give(bends_first, bends_second):
    """By what part of the reach edges may fall short of sticking out: by all of it where one surface bends."""
    if bends_first and bends_second:
        return BOTH_GIVE
    return 1.0 if bends_first or bends_second else 0.0


@njit
def find_sharp(x, triangles, neighbour, owns, t, bends, give, firm, sharp_inout):
    """Which edges that triangle t owns stick out by more than `firm` [m]: bits of `owns`.

    And, `HIGHER`, which others would stick out if the surface gave way by `give` [m]. A mesh that does not bend has no
    others. Else they are looked at once: sharp_inout [nt] remembers the answer, and is 0 where there is none yet.
    """
    if not bends:
        return owns[t] & EDGES
    if sharp_inout[t] == 0:
        sharp_inout[t] = VISITED
        for k in range(3):
            if owns[t] & (8 << k) != 0:
                sticks_out, _, _, _, rise = find_edge_cone(x, triangles, neighbour, t, k)
                if sticks_out or rise < -firm:
                    sharp_inout[t] |= 8 << k
                elif rise < give:
                    sharp_inout[t] |= 8 << (k + HIGHER)
    return sharp_inout[t]


@njit_inlined
def part_edges(sharp, pressed, both_bend):
    """Which edges count at any rate, and which others only as far as triangles come through each other."""
    flat = (sharp >> HIGHER) & EDGES
    held = flat & pressed if both_bend else flat
    return (sharp & EDGES) | held, flat & ~held


@njit
def find_motion(triangles, drift, a, b):
    """How far corners of triangles a and b at most move against each other along an axis [m]."""
    i, j, k, p, q, r = (
        triangles[a, 0], triangles[a, 1], triangles[a, 2], triangles[b, 0], triangles[b, 1], triangles[b, 2]
    )  # fmt: skip
    most = 0.0
    for axis in range(3):
        u, v, w = drift[i, axis], drift[j, axis], drift[k, axis]
        d, e, f = drift[p, axis], drift[q, axis], drift[r, axis]
        most = max(most, max(u, v, w) - min(d, e, f), max(d, e, f) - min(u, v, w))
    return most


@njit_inlined
def choose_edges(faces: Faces, drift, a, b, bends_first, bends_second, give, slack, pressed, sharp_inout):
    """Edges of triangles a and b that count: those of a at any rate, its others; both of b; the way of `find_motion`.

    The others count as far as the triangles come through each other; there are none where these hardly move.
    """
    x, triangles, neighbour, owns = faces.x, faces.triangles, faces.neighbour, faces.owns
    sharp_a = find_sharp(x, triangles, neighbour, owns, a, bends_first, give, slack, sharp_inout)
    if sharp_a & ~VISITED == 0:
        return ZERO, ZERO, ZERO, ZERO, 0.0
    sharp_b = find_sharp(x, triangles, neighbour, owns, b, bends_second, give, slack, sharp_inout)
    if sharp_b & ~VISITED == 0:
        return ZERO, ZERO, ZERO, ZERO, 0.0
    both_bend = bends_first and bends_second
    sure_a, flat_a = part_edges(sharp_a, pressed[a], both_bend)
    sure_b, flat_b = part_edges(sharp_b, pressed[b], both_bend)
    motion = find_motion(triangles, drift, a, b) if flat_a | flat_b != 0 else 0.0
    if motion <= slack:
        flat_a, flat_b = ZERO, ZERO
    return sure_a, flat_a, sure_b, flat_b, motion


@njit
def are_edges_near(x, i, j, k, m, within):
    """Whether the boxes of the edges from vertex i to j and from k to m come within `within` [m]."""
    near = True
    for axis in range(3):
        near &= min(x[i, axis], x[j, axis]) <= max(x[k, axis], x[m, axis]) + within
        near &= min(x[k, axis], x[m, axis]) <= max(x[i, axis], x[j, axis]) + within
    return near


@njit
def is_edge_near(x, i, j, triangle_bounds, t, within):
    """Whether the box of the edge from vertex i to j comes within `within` [m] of a triangle's box."""
    near = True
    for axis in range(3):
        near &= min(x[i, axis], x[j, axis]) <= triangle_bounds[t, 3 + axis] + within
        near &= max(x[i, axis], x[j, axis]) >= triangle_bounds[t, axis] - within
    return near


@njit_inlined
def add_edge_pair(
    faces: Faces, a, i, b, j, first, second, within, reach, give, deepest, overhang, count, raw_out: Raw
):  # fmt: skip
    """The contact of edge i of triangle a (first side) with edge j of triangle b, if any; the new count.

    They are seen `within` [m], and touch if they are apart by `reach` [m] at most and overlap by `deepest` [m] at most.
    """
    x, triangles, neighbour = faces.x, faces.triangles, faces.neighbour
    p, q = triangles[a, i], triangles[a, (i + 1) % 3]
    ux, uy, uz = subtract(x, q, p)
    passes, s, r, nx, ny, nz, gap = cross_edge(
        x, triangles, neighbour, b, j, x[p, 0], x[p, 1], x[p, 2], ux, uy, uz, PARALLEL, overhang, within, give
    )  # fmt: skip
    if not passes or gap < -deepest or gap > reach:
        return count
    sticks_out, ax, ay, az, rise = find_edge_cone(x, triangles, neighbour, a, i)
    if (not sticks_out and rise >= give) or dot(nx, ny, nz, ax, ay, az) >= 0.0:
        return count
    if not leads_outwards(x, triangles, neighbour, a, i, -nx, -ny, -nz, 0.0 if sticks_out else give):
        return count
    count = add_raw(
        first, second, EDGE_CODE + 3 * a + i, EDGE_CODE + 3 * b + j, a, b,
        x[p, 0] + s * ux - gap * nx, x[p, 1] + s * uy - gap * ny, x[p, 2] + s * uz - gap * nz, nx, ny, nz, gap,
        count, raw_out,
    )  # fmt: skip
    values_out = raw_out.values
    on_a, on_b = (1.0 - s, s, 0.0), (1.0 - r, r, 0.0)
    set_weights(ZERO, on_a[(3 - i) % 3], on_a[(4 - i) % 3], on_a[(5 - i) % 3], count - 1, values_out)
    set_weights(ONE, on_b[(3 - j) % 3], on_b[(4 - j) % 3], on_b[(5 - j) % 3], count - 1, values_out)
    return count


@njit_inlined
def add_edge_contacts(
    pool: MeshPool, reaches: Reaches, pairs, pair_count, first, second, limit, least, deepest, checks_neighbours,
    pressed, sharp, count, raw_out: Raw,
):  # fmt: skip
    """Contacts of edges of two meshes, which see and touch each other as in `gather_vertices`; the new count.

    Bit 3 + k of owns[t] says that edge k may stick out, and that this triangle owns it; of pressed[t], that it
    bore force. sharp [nt] is scratch, 0 before and after.
    """
    faces, table, triangle_bounds = pool.faces, pool.table, pool.trees.triangle_bounds
    x, triangles, owns = faces.x, faces.triangles, faces.owns
    vertex_first, vertex_triangle = faces.vertex_first, faces.vertex_triangle
    bends_first, bends_second = table[first, BENDS] != 0, table[second, BENDS] != 0
    gives = find_give(bends_first, bends_second)
    give = gives * limit if gives > 0.0 else NO_GIVE
    slack, vertex_short = min(pool.sizes[first, SLACK], pool.sizes[second, SLACK]), reaches.vertex_short
    overhang = OVERHANG * slack
    for row in range(pair_count):
        a, b = pairs[row, 0], pairs[row, 1]
        if owns[a] < 8 or owns[b] < 8:
            continue
        sure_a, flat_a, sure_b, flat_b, motion = choose_edges(
            faces, reaches.drift, a, b, bends_first, bends_second, give, slack, pressed, sharp
        )
        if sure_a | flat_a == 0 or sure_b | flat_b == 0:
            continue
        for i in range(3):
            if (sure_a | flat_a) & (8 << i) == 0:
                continue
            p, q = triangles[a, i], triangles[a, (i + 1) % 3]
            short = min(vertex_short[p], vertex_short[q])
            if not is_edge_near(x, p, q, triangle_bounds, b, max(least, limit - short)):
                continue
            if checks_neighbours and (
                are_neighbours(triangles, vertex_first, vertex_triangle, p, b)
                or are_neighbours(triangles, vertex_first, vertex_triangle, q, b)
            ):
                continue
            for j in range(3):
                if (sure_b | flat_b) & (8 << j) == 0:
                    continue
                r, s = triangles[b, j], triangles[b, (j + 1) % 3]
                reach = limit - short - min(vertex_short[r], vertex_short[s])
                within = max(least, reach)
                if are_edges_near(x, p, q, r, s, within):
                    sure = sure_a & (8 << i) != 0 and sure_b & (8 << j) != 0
                    count = add_edge_pair(
                        faces, a, i, b, j, table[first, OBJECT], table[second, OBJECT], within,
                        reach if sure else min(reach, COMING * motion), gives * reach if gives > 0.0 else NO_GIVE,
                        deepest, overhang, count, raw_out,
                    )  # fmt: skip
    if bends_first or bends_second:
        for row in range(pair_count):
            sharp[pairs[row, 0]] = sharp[pairs[row, 1]] = 0
    return count
