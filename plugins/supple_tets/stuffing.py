"""Isosurface stuffing: tetrahedra of good shape within a closed surface, the same to the bit for the same surface.

After F. Labelle and J. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles" (2007): a
body-centred lattice is laid over the body; lattice points that are very near to the surface are moved onto it, and
tetrahedra that the surface cuts are replaced by what lies inside. Diagonals of cut faces are chosen by the numbers of
the vertices, alike for both sides of a face.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray

Distance = Callable[[FloatArray], FloatArray]
"""Distance from the surface [k] of points [k, 3], positive inside [m]."""

NEAR_LONG, NEAR_SHORT = 0.24999, 0.41189
"""A lattice point moves onto the surface if that cuts an edge within this part of its length."""
TETS_PER_VOLUME = 24.0
"""Tetrahedra of the lattice in a cube with the edge of its cells, about: twelve a cell, and pieces at the surface."""
REFINEMENTS = 3


def stuff(distance: Distance, low: FloatArray, high: FloatArray, edge: float) -> tuple[FloatArray, IntArray]:
    """Vertices and tetrahedra of the inside of a surface within a box; `edge` [m] is that of the lattice's cells."""
    points, tets, edges, is_long = make_lattice(low, high, edge)
    depth = distance(points)
    points, depth, cut = warp(distance, points, depth, edges, is_long)
    # Edges that are still cut get a vertex.
    sign = np.sign(depth).astype(np.int64)
    crossed = np.flatnonzero(sign[edges[:, 0]] * sign[edges[:, 1]] < 0)
    vertices = np.concatenate([points, cut[crossed]])
    key = edges[crossed, 0] * len(points) + edges[crossed, 1]
    made = fill_cut_tets(tets, sign, key, len(points))
    return vertices, made


def make_lattice(
    low: FloatArray, high: FloatArray, edge: float
) -> tuple[FloatArray, IntArray, IntArray, BoolArray]:
    """Points of a body-centred lattice around a box, its tetrahedra, its edges, and which of those are long."""
    cells = np.ceil((high - low) / edge).astype(np.int64) + 2
    start = (low + high) / 2 - cells * edge / 2
    corner_count = cells + 1
    corners = np.stack(np.meshgrid(*map(np.arange, corner_count), indexing="ij"), axis=-1).reshape(-1, 3)
    middles = np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 3)
    points = np.concatenate([start + edge * corners, start + edge * (middles + 0.5)])
    first = len(corners)

    def corner(cell: IntArray) -> IntArray:
        number: IntArray = (cell[:, 0] * corner_count[1] + cell[:, 1]) * corner_count[2] + cell[:, 2]
        return number

    def middle(cell: IntArray) -> IntArray:
        number: IntArray = first + (cell[:, 0] * cells[1] + cell[:, 1]) * cells[2] + cell[:, 2]
        return number

    tets = []
    for axis in range(3):
        inner = middles[middles[:, axis] + 1 < cells[axis]]
        step, u, w = np.zeros((3, 3), np.int64)
        step[axis], u[(axis + 1) % 3], w[(axis + 2) % 3] = 1, 1, 1
        around = [corner(inner + step + each) for each in (0 * u, u, u + w, w)]
        for k in range(4):
            tets.append(
                np.stack([middle(inner), middle(inner + step), around[k], around[(k + 1) % 4]], axis=1)
            )
    joined: IntArray = np.concatenate(tets)
    pairs = np.concatenate([np.sort(joined[:, [a, b]], axis=1) for a in range(4) for b in range(a)])
    edges = np.unique(pairs, axis=0)
    is_long: BoolArray = (edges[:, 0] < first) == (edges[:, 1] < first)
    return points, joined, edges, is_long


def find_cuts(distance: Distance, points: FloatArray, depth: FloatArray, edges: IntArray) -> FloatArray:
    """Where the surface cuts these edges, as a part of their length: false position, kept between the ends."""
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    low, high = np.zeros(len(edges)), np.ones(len(edges))
    at_low, at_high = depth[edges[:, 0]], depth[edges[:, 1]]
    share = at_low / (at_low - at_high)
    for _ in range(REFINEMENTS):
        found = distance(a + share[:, None] * (b - a))
        same = np.sign(found) == np.sign(at_low)
        low, at_low = np.where(same, share, low), np.where(same, found, at_low)
        high, at_high = np.where(same, high, share), np.where(same, at_high, found)
        difference = at_low - at_high
        flat = difference == 0.0
        share = np.where(flat, share, low + (high - low) * at_low / np.where(flat, 1.0, difference))
    return np.asarray(share)


def warp(
    distance: Distance, points: FloatArray, depth: FloatArray, edges: IntArray, is_long: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Move points onto the surface that it passes very near to; returns points, depths, and the cuts [edges, 3]."""
    sign = np.sign(depth)
    crossed = np.flatnonzero(sign[edges[:, 0]] * sign[edges[:, 1]] < 0)
    share = np.full(len(edges), 0.5)
    share[crossed] = find_cuts(distance, points, depth, edges[crossed])
    cut = points[edges[:, 0]] + share[:, None] * (points[edges[:, 1]] - points[edges[:, 0]])
    near = np.where(is_long, NEAR_LONG, NEAR_SHORT)
    length = np.where(is_long, 1.0, 0.75**0.5)
    best = np.full(len(points), np.inf)
    target = np.full(len(points), -1)
    for side in range(2):
        away = share if side == 0 else 1.0 - share
        for e in crossed[away[crossed] < near[crossed]]:
            point = edges[e, side]
            if away[e] * length[e] < best[point]:
                best[point], target[point] = away[e] * length[e], e
    moved = np.flatnonzero(target >= 0)
    points, depth = points.copy(), depth.copy()
    points[moved], depth[moved] = cut[target[moved]], 0.0
    return points, depth, cut


def fill_cut_tets(tets: IntArray, sign: IntArray, key: IntArray, count: int) -> IntArray:
    """What lies inside of every tetrahedron of the lattice; vertices of cut edges are numbered from `count` on."""
    signs = sign[tets]
    inside = (signs > 0).any(axis=1)
    whole = inside & (signs >= 0).all(axis=1)
    made = [tets[whole]]
    number = {int(each): count + k for k, each in enumerate(key.tolist())}

    def cut(a: int, b: int) -> int:
        return number[min(a, b) * count + max(a, b)]

    pieces: list[tuple[int, int, int, int]] = []
    for tet in tets[inside & ~whole].tolist():
        plus = [v for v in tet if sign[v] > 0]
        zero = [v for v in tet if sign[v] == 0]
        minus = [v for v in tet if sign[v] < 0]
        if len(plus) == 1:
            a = plus[0]
            corners = [a, *zero, *(cut(a, b) for b in minus)]
            pieces.append((corners[0], corners[1], corners[2], corners[3]))
        elif len(plus) == 3:
            pieces += split_prism(plus, [cut(a, minus[0]) for a in plus])
        elif len(minus) == 2:
            a, b = plus
            pieces += split_prism([a, *(cut(a, m) for m in minus)], [b, *(cut(b, m) for m in minus)])
        else:
            a, b = plus
            pieces += split_pyramid([a, b, cut(b, minus[0]), cut(a, minus[0])], zero[0])
    made.append(np.array(pieces, np.int64).reshape(-1, 4))
    return np.concatenate(made)


def split_pyramid(base: list[int], top: int) -> list[tuple[int, int, int, int]]:
    """Two tetrahedra; the diagonal of the base begins at its vertex with the lowest number."""
    k = base.index(min(base))
    a, b, c, d = base[k:] + base[:k]
    return [(a, b, c, top), (a, c, d, top)]


def split_prism(one: list[int], other: list[int]) -> list[tuple[int, int, int, int]]:
    """Three tetrahedra of a prism between two triangles; diagonals of its sides begin at the lowest numbers."""
    least = min(range(3), key=lambda k: min(one[k], other[k]))
    one, other = one[least:] + one[:least], other[least:] + other[:least]
    if one[0] > other[0]:
        one, other = other, one
    a, b, c = one
    p, q, r = other
    # The lowest vertex a is joined to all; what is left is the side opposite to it, and the other triangle.
    return [(a, p, q, r), *split_pyramid([b, c, r, q], a)]
