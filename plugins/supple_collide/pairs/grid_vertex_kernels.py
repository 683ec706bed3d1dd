"""Vertices of a small rigid mesh above a height field: the triangles below each are found by division."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple_collide.kernel_arrays import Faces, Found, Trees
from supple_collide.meshes.tree_kernels import span_cells
from supple_collide.pairs.vertex_kernels import add_found, is_vertex_near
from supple_collide.primitives.manifold_kernels import ZERO


@njit
def is_owned(triangles, owns, vertex_first, vertex_triangle, v):
    """Whether some triangle owns vertex v; one within a plane of a rigid mesh belongs to none."""
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        for k in range(3):
            if triangles[t, k] == v and owns[t] & (1 << k) != 0:
                return True
    return False


@njit_inlined
def gather_above_grid(
    faces: Faces, trees: Trees, grid, first_triangle, first_vertex, last_vertex, scale, slack, within,
    found_inout: Found,
):  # fmt: skip
    """Candidates of the vertices first_vertex <= v < last_vertex with the triangles of a grid.

    Finds what `gather_vertices` finds with all pairs of triangles, vertex by vertex; outputs as there.
    """
    x, triangles, owns, grids = faces.x, faces.triangles, faces.owns, trees.grids
    vertex_first, vertex_triangle = faces.vertex_first, faces.vertex_triangle
    count, cells_x = ZERO, int(grids[grid, 0])
    for v in range(first_vertex, last_vertex):
        dx, dy, dz = x[v, 0] - grids[grid, 5], x[v, 1] - grids[grid, 6], x[v, 2] - grids[grid, 7]
        height = grids[grid, 9] * dx + grids[grid, 12] * dy + grids[grid, 15] * dz
        if height > grids[grid, 17] + within or not is_owned(
            triangles, owns, vertex_first, vertex_triangle, v
        ):
            continue
        u = grids[grid, 8] * dx + grids[grid, 11] * dy + grids[grid, 14] * dz
        w = grids[grid, 10] * dx + grids[grid, 13] * dy + grids[grid, 16] * dz
        first_i, last_i, first_k, last_k = span_cells(grids, grid, u, w, 0.0, 0.0, within)
        for k in range(first_k, last_k + 1):
            for t in range(
                first_triangle + 2 * (first_i + k * cells_x), first_triangle + 2 * (last_i + 1 + k * cells_x)
            ):
                if is_vertex_near(x, v, trees.triangle_bounds, t, within):
                    count = add_found(faces, v, t, scale, slack, within, within, count, found_inout)
    return count
