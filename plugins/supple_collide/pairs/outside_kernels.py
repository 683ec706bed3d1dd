"""Which vertices of a mesh may be inside another one, without a look at every vertex.

What hangs together along triangles that the other mesh does not cross is all inside or all outside of it.
"""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.kernel_arrays import MeshPool, Probe
from supple_collide.meshes.columns import ROOT
from supple_collide.meshes.point_kernels import is_behind_or_on, is_in_box
from supple_collide.primitives.manifold_kernels import ZERO

# Marks of vertices: not looked at yet, surely outside, possibly inside.
UNKNOWN, OUTSIDE, INNER = 0, 1, 2
# Where a surface is creased, what is nearest may say the wrong thing about a point. So many are asked.
ASKED = 3
# So few vertices are sooner looked at one by one.
FEW_IN_BOX = 6
# Farther than any mesh is deep [m].
FAR = 1e6


@njit
def mark_pairs(pairs, pair_count, side, value, crossed_out):
    """Set crossed_out of the triangles pairs[:, side]."""
    for row in range(pair_count):
        crossed_out[pairs[row, side]] = value


@njit
def reaches_outside(triangles, vertex_first, vertex_triangle, v, crossed, mark):
    """Whether a triangle at vertex v that is not crossed has a corner that is known to be outside."""
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        if crossed[t] == 0:
            for k in range(3):
                if mark[triangles[t, k]] == OUTSIDE:
                    return True
    return False


@njit
def spread_mark(triangles, vertex_first, vertex_triangle, v, value, crossed, list_out, mark_inout):
    """Mark vertex v, and whatever is unknown and can be reached from it along triangles that are not crossed.

    list_out gets them; returns how many they are.
    """
    mark_inout[v] = value
    list_out[0], count, done = v, 1, 0
    while done < count:
        here = list_out[done]
        done += 1
        for place in range(vertex_first[here], vertex_first[here + 1]):
            t = vertex_triangle[place]
            if crossed[t] != 0:
                continue
            for k in range(3):
                w = triangles[t, k]
                if mark_inout[w] == UNKNOWN:
                    mark_inout[w] = value
                    list_out[count] = w
                    count += 1
    return count


@njit
def are_outside(pool: MeshPool, other, members, count, probe: Probe):
    """Whether the first, the last and one between of the vertices members[: count] are all outside mesh `other`."""
    x = pool.faces.x
    for k in range(min(ASKED, count)):
        v = members[k * (count - 1) // max(1, min(ASKED, count) - 1)]
        if is_behind_or_on(pool, other, x[v, 0], x[v, 1], x[v, 2], FAR, probe):
            return False
    return True


@njit
def list_inner(
    pool: MeshPool, pairs, pair_count, side, first, last, other, crossed, mark, members, probe: Probe, inner_out
):  # fmt: skip
    """Those of the vertices first <= v < last that may be inside the closed mesh `other`; how many.

    Outside its box a vertex is outside the mesh, and so is what hangs together with it; of any other piece a few
    vertices are asked. `pairs` has, in column `side`, all triangles that the mesh might cross. crossed [nt], which must
    be 0, mark [nv], members [nv] and the probe are scratch; inner_out has room for all vertices.
    """
    x, triangles = pool.faces.x, pool.faces.triangles
    vertex_first, vertex_triangle = pool.faces.vertex_first, pool.faces.vertex_triangle
    in_box, root = ZERO, pool.table[other, ROOT]
    for v in range(first, last):
        is_inside = is_in_box(pool.trees.bounds, root, x[v, 0], x[v, 1], x[v, 2], 0.0)
        mark[v] = UNKNOWN if is_inside else OUTSIDE
        if is_inside:
            inner_out[in_box] = v
            in_box += 1
    if in_box <= FEW_IN_BOX:
        return in_box
    mark_pairs(pairs, pair_count, side, 1, crossed)
    for place in range(in_box):
        v = inner_out[place]
        if mark[v] == UNKNOWN and reaches_outside(triangles, vertex_first, vertex_triangle, v, crossed, mark):
            spread_mark(triangles, vertex_first, vertex_triangle, v, OUTSIDE, crossed, members, mark)
    inner = ZERO
    for place in range(in_box):
        v = inner_out[place]
        if mark[v] == UNKNOWN:
            count = spread_mark(triangles, vertex_first, vertex_triangle, v, INNER, crossed, members, mark)
            if count > ASKED and are_outside(pool, other, members, count, probe):
                for k in range(count):
                    mark[members[k]] = OUTSIDE
        if mark[v] == INNER:
            inner_out[inner] = v
            inner += 1
    mark_pairs(pairs, pair_count, side, 0, crossed)
    return inner


@njit
def list_all(first, last, inner_out):
    """The vertices first <= v < last; how many."""
    for v in range(first, last):
        inner_out[v - first] = v
    return last - first
