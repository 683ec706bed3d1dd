"""Which vertices of a mesh are surely outside another one, without a look at every vertex."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.manifold_kernels import ZERO
from supple_collide.point_mesh_kernels import is_in_box


@njit
def mark_pairs(pairs, pair_count, side, value, crossed_out):
    """Set crossed_out of the triangles pairs[:, side]."""
    for row in range(pair_count):
        crossed_out[pairs[row, side]] = value


@njit
def reaches_outside(triangles, vertex_first, vertex_triangle, v, crossed, outside):
    """Whether a triangle at vertex v that is not crossed has a corner that is known to be outside."""
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        if crossed[t] == 0:
            for k in range(3):
                if outside[triangles[t, k]] != 0:
                    return True
    return False


@njit
def spread_outside(triangles, vertex_first, vertex_triangle, v, crossed, stack, outside_inout):
    """Vertex v is outside, and so is whatever can be reached from it along triangles that are not crossed."""
    outside_inout[v] = 1
    stack[0], waiting = v, 1
    while waiting > 0:
        waiting -= 1
        here = stack[waiting]
        for place in range(vertex_first[here], vertex_first[here + 1]):
            t = vertex_triangle[place]
            if crossed[t] != 0:
                continue
            for k in range(3):
                w = triangles[t, k]
                if outside_inout[w] == 0:
                    outside_inout[w] = 1
                    stack[waiting] = w
                    waiting += 1


@njit
def list_inner(
    triangles, vertex_first, vertex_triangle, first, last, x, bounds, root, pairs, pair_count, side,
    crossed, outside, stack, inner_out,
):  # fmt: skip
    """Those of the vertices first <= v < last that may be inside the closed mesh in bounds[root]; how many.

    Outside its box a vertex is outside the mesh. So are all others that can be reached from there along triangles
    which the mesh does not cross; `pairs` has, in column `side`, all that it might. crossed [nt], which must be 0,
    outside [nv] and stack [nv] are scratch; inner_out has room for all vertices.
    """
    boxed = ZERO
    for v in range(first, last):
        is_boxed = is_in_box(bounds, root, x[v, 0], x[v, 1], x[v, 2], 0.0)
        outside[v] = 0 if is_boxed else 1
        if is_boxed:
            inner_out[boxed] = v
            boxed += 1
    mark_pairs(pairs, pair_count, side, 1, crossed)
    for place in range(boxed):
        v = inner_out[place]
        if outside[v] == 0 and reaches_outside(triangles, vertex_first, vertex_triangle, v, crossed, outside):
            spread_outside(triangles, vertex_first, vertex_triangle, v, crossed, stack, outside)
    mark_pairs(pairs, pair_count, side, 0, crossed)
    inner = ZERO
    for place in range(boxed):
        if outside[inner_out[place]] == 0:
            inner_out[inner] = inner_out[place]
            inner += 1
    return inner


@njit
def list_all(first, last, inner_out):
    """The vertices first <= v < last; how many."""
    for v in range(first, last):
        inner_out[v - first] = v
    return last - first
