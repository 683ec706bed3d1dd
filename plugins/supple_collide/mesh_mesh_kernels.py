"""All contacts of one pair of meshes."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple_collide.bvh_kernels import boxes_meet, pair_trees, query_grid, query_tree
from supple_collide.distant_kernels import drop_distant, surround
from supple_collide.edge_pair_kernels import add_edge_contacts
from supple_collide.grid_vertex_kernels import gather_above_grid
from supple_collide.manifold_kernels import ONE, ZERO
from supple_collide.mesh_columns import (
    BEHIND,
    BENDS,
    DEEPEST,
    DEPTH,
    FIRST,
    FIRST_VERTEX,
    GRID,
    LAST_VERTEX,
    NEIGHBOURS,
    OBJECT,
    ROOT,
    SCALE,
    SLACK,
)
from supple_collide.mesh_pair_kernels import CORNERS, add_vertex_contacts, gather_vertices
from supple_collide.outside_kernels import list_all, list_inner
from supple_collide.point_mesh_kernels import (
    OVERLAP,
    find_deep_candidate,
    is_above_grid,
    is_behind_or_on,
    is_in_box,
)
from supple_collide.raw_contact_kernels import add_raw, copy_raw, set_corner, set_weights
from supple_collide.segment_kernels import OVERHANG
from supple_collide.triangle_kernels import OTHER_CODE, VERTEX_CODE

# Vertices of a rigid mesh that are sooner looked at one by one above a grid than found by its tree.
FEW_VERTICES = 64
# Pairs of boxes that are sooner compared than looked up.
FEW_PAIRS = 2048


@njit
def copy_box(bounds, row, box_out):
    """box_out [1, 6] becomes bounds[row]."""
    for k in range(6):
        box_out[0, k] = bounds[row, k]


@njit
def drop_silent(owns, start, count, list_inout):
    """Drop the triangles that speak for nothing from list_inout[start : start + count]; returns how many are left."""
    kept = ZERO
    for place in range(start, start + count):
        if owns[list_inout[place]] != 0:
            list_inout[start + kept] = list_inout[place]
            kept += 1
    return kept


@njit_inlined
def pair_with_grid(
    x, triangles, owns, nodes, order, mesh_table, mesh_sizes, grids, bounds, triangle_bounds, position, q,
    a, b, limit, apart, stack, list_out, box, pairs_out,
):  # fmt: skip
    """Pairs of near triangles of mesh a (a tree) and mesh b (a grid): the number that there are.

    The cells below the whole mesh are looked up once if there are few, else those below each triangle. Left out are
    pairs of which neither side has anything to say: of a flat floor only what may be below a vertex is needed, and
    nothing at all if the vertices of mesh a are looked at apart from this.
    """
    half = list_out.size // 2
    copy_box(bounds, mesh_table[a, ROOT], box)
    below = query_grid(
        grids, mesh_table[b, GRID], mesh_table[b, FIRST], triangle_bounds, box, ZERO, limit, list_out[half:]
    )  # fmt: skip
    if apart:
        below = drop_silent(owns, half, below, list_out)
    if mesh_table[a, BENDS] == 0:
        below = drop_distant(x, triangles, owns, mesh_sizes, position, q, a, limit, half, below, list_out)
    if below == 0:
        return ZERO
    surround(triangle_bounds, half, below, list_out, box)
    near = query_tree(
        nodes, order, mesh_table[a, ROOT], bounds, triangle_bounds, box, ZERO, limit, stack, list_out
    )  # fmt: skip
    once = near * below <= FEW_PAIRS
    count = ZERO
    for place in range(near):
        t = list_out[place]
        if not once:
            copy_box(triangle_bounds, t, box)
            below = query_grid(
                grids, mesh_table[b, GRID], mesh_table[b, FIRST], triangle_bounds, box, ZERO, limit, list_out[half:]
            )  # fmt: skip
        for other in range(below):
            u = list_out[half + other]
            if owns[u] == 0 and (apart or owns[t] & CORNERS == 0):
                continue
            if not once or boxes_meet(triangle_bounds, t, triangle_bounds, u, limit):
                if count < pairs_out.shape[0]:
                    pairs_out[count, 0], pairs_out[count, 1] = t, u
                count += 1
    return count


@njit_inlined
def add_deep_vertices(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order,
    mesh_table, mesh_sizes, grids,
    bounds, triangle_bounds, pairs, pair_count, side, own, other, touched, crossed, mark, piece, inner, stack,
    list_out, box, codes, values, count, ids_out, values_out,
):  # fmt: skip
    """Contacts of vertices of mesh `own` that lie deeper in mesh `other` than its triangles were looked for.

    Column `side` of the pairs has the triangles of `own` that come near to the other mesh.
    """
    root, grid = mesh_table[other, ROOT], mesh_table[other, GRID]
    depth, behind = mesh_sizes[other, DEPTH], mesh_sizes[other, BEHIND]
    if depth <= 0.0:
        return count
    first, last = mesh_table[own, FIRST_VERTEX], mesh_table[own, LAST_VERTEX]
    if grid < 0 and behind == 0.0:
        found = list_inner(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes,
            bounds, triangle_bounds, pairs, pair_count, side, first, last, other, crossed, mark, piece, stack, list_out,
            box, codes, values, inner,
        )  # fmt: skip
    else:
        found = list_all(first, last, inner)
    for place in range(found):
        v = inner[place]
        if vertex_first[v] == vertex_first[v + 1]:
            continue
        if touched[v] != 0 or not is_in_box(bounds, root, x[v, 0], x[v, 1], x[v, 2], behind):
            continue
        if grid >= 0 and is_above_grid(grids, grid, x[v, 0], x[v, 1], x[v, 2]):
            continue
        is_deep = find_deep_candidate(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes,
            order, root, grid, grids,
            mesh_table[other, FIRST], bounds, triangle_bounds, x[v, 0], x[v, 1], x[v, 2], v, depth, behind,
            mesh_sizes[other, SCALE], stack, list_out, box, codes, values,
        )  # fmt: skip
        if is_deep == 0:
            continue
        nx, ny, nz, signed = values[0, 0], values[0, 1], values[0, 2], values[0, 3]
        t = vertex_triangle[vertex_first[v]]
        count = add_raw(
            mesh_table[own, OBJECT], mesh_table[other, OBJECT], VERTEX_CODE + v, codes[0, 0], t, codes[0, 1],
            x[v, 0] - signed * nx, x[v, 1] - signed * ny, x[v, 2] - signed * nz, nx, ny, nz, signed, count,
            ids_out, values_out,
        )  # fmt: skip
        set_corner(triangles, ZERO, t, v, count - 1, values_out)
        set_weights(ONE, values[0, 5], values[0, 6], values[0, 7], count - 1, values_out)
    return count


@njit_inlined
def drop_false_overlaps(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes,
    bounds, triangle_bounds, a, b, stack, list_out, box, codes, candidates, first, count, ids_inout,
    values_inout,
):  # fmt: skip
    """Of the contacts of edges from row `first` on, drop those that overlap only beside a thin part.

    The way from the one edge to the other is in both solids if they overlap. Half of it does not tell: between
    the far sides of two bodies that touch, it is where they touch. Returns the new count.
    """
    if count > ids_inout.shape[0]:
        return count
    kept = first
    for row in range(first, count):
        gap, values = values_inout[row, 9], values_inout[row]
        real = True
        for check in range(4):
            mesh, part = (a if check < 2 else b), (0.25 if check % 2 == 0 else 0.75)
            if real and gap < -OVERLAP * mesh_sizes[a, SLACK]:
                px = values[0] + part * (values[3] - values[0])
                py = values[1] + part * (values[4] - values[1])
                pz = values[2] + part * (values[5] - values[2])
                real = is_behind_or_on(
                    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids,
                    mesh_table,
                    mesh_sizes, bounds, triangle_bounds, mesh, px, py, pz, -gap, stack, list_out, box, codes,
                    candidates,
                )  # fmt: skip
        if real:
            copy_raw(row, kept, ids_inout, values_inout)
            kept += 1
    return kept


@njit_inlined
def drop_false_depths(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes,
    bounds, triangle_bounds, other, stack, list_out, box, codes, candidates, first, count, ids_inout, values_inout,
):  # fmt: skip
    """Of the contacts of vertices with mesh `other` from row `first` on, drop deep ones that leave it on the way out.

    A vertex that looks away from the near side of a thin part finds only its far side, and seems to be behind
    that. Returns the new count.
    """
    if count > ids_inout.shape[0]:
        return count
    kept = first
    for row in range(first, count):
        gap, values = values_inout[row, 9], values_inout[row]
        real = True
        for check in range(2):
            if real and gap < -OVERLAP * mesh_sizes[other, SLACK]:
                part = 0.25 + 0.5 * check
                px = values[0] + part * (values[3] - values[0])
                py = values[1] + part * (values[4] - values[1])
                pz = values[2] + part * (values[5] - values[2])
                real = is_behind_or_on(
                    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table,
                    mesh_sizes, bounds, triangle_bounds, other, px, py, pz, -gap, stack, list_out, box, codes,
                    candidates,
                )  # fmt: skip
        if real:
            copy_raw(row, kept, ids_inout, values_inout)
            kept += 1
    return kept


@njit_inlined
def mark_vertices(found, found_ids, found_values, nearest, slack, touched_out):
    """Set touched_out of the vertices whose nearest feature is among their candidates."""
    for c in range(found):
        v, beside = found_ids[c, 0], found_values[c, 8] != 0.0
        if found_ids[c, 1] < OTHER_CODE and not beside and found_values[c, 4] <= nearest[v] + slack:
            touched_out[v] = 1


@njit_inlined
def unmark_vertices(found, found_ids, touched_out):
    """Clear touched_out of all vertices that have candidates."""
    for c in range(found):
        touched_out[found_ids[c, 0]] = 0


@njit
def looks_up_tiles(mesh_table, a, b):
    """Whether vertices of mesh a look up the tiles of b one by one: if b is a grid, and they are few and rigid."""
    vertices = mesh_table[a, LAST_VERTEX] - mesh_table[a, FIRST_VERTEX]
    return mesh_table[b, GRID] >= 0 and mesh_table[a, BENDS] == 0 and vertices <= FEW_VERTICES


@njit_inlined
def find_mesh_mesh(
    x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
    mesh_table, mesh_sizes, grids, region, regions_meet, node_regions, node_meets,
    bounds, triangle_bounds, node_short, triangle_short, vertex_short, position, q, a, b, limit, stack, list_out, box,
    codes, candidates, triangle_pairs, nearest, head, link, touched, crossed, mark, piece, inner, found_ids,
    found_values, count, ids_out, values_out,
):  # fmt: skip
    """Contacts of two meshes, or of a mesh with itself; returns (new count, room needed / room there was).

    Triangles and vertices fall short of the limit [m] by *_short. If the room is above 1, not everything was seen. The
    arrays from `stack` to `found_values` are scratch.
    """
    alone = a != b
    deepest = math.inf if alone else min(limit, mesh_sizes[a, DEEPEST])
    # Nothing else finds what overlaps within one mesh.
    least = 0.0 if alone else deepest
    strange = alone or mesh_table[a, NEIGHBOURS] == 0
    above_grid = looks_up_tiles(mesh_table, a, b)
    if mesh_table[b, GRID] >= 0:
        pairs = pair_with_grid(
            x, triangles, owns, nodes, order, mesh_table, mesh_sizes, grids, bounds, triangle_bounds, position, q,
            a, b, limit, above_grid, stack, list_out, box, triangle_pairs,
        )  # fmt: skip
    else:
        pairs = pair_trees(
            nodes, order, region, regions_meet, node_regions, node_meets, mesh_table[a, ROOT], mesh_table[b, ROOT],
            bounds, triangle_bounds, node_short, triangle_short, limit, least, stack, triangle_pairs,
        )  # fmt: skip
    needed = pairs / triangle_pairs.shape[0]
    seen = min(pairs, triangle_pairs.shape[0])
    for side in range(2):
        own, other = (a, b) if side == 0 else (b, a)
        if above_grid and side == 0:
            found = gather_above_grid(
                x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, triangle_bounds, grids,
                mesh_table[b, GRID], mesh_table[b, FIRST], mesh_table[a, FIRST_VERTEX], mesh_table[a, LAST_VERTEX],
                mesh_sizes[b, SCALE], mesh_sizes[b, SLACK], limit, nearest, head, link, found_ids, found_values,
            )  # fmt: skip
        else:
            found = gather_vertices(
                x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, triangle_bounds, triangle_pairs,
                seen, side, mesh_sizes[other, SCALE], mesh_sizes[other, SLACK], limit, least, strange, vertex_short,
                triangle_short, nearest, head, link, found_ids, found_values,
            )  # fmt: skip
        needed = max(needed, found / found_ids.shape[0])
        found = min(found, found_ids.shape[0])
        mark_vertices(found, found_ids, found_values, nearest, mesh_sizes[other, SLACK], touched)
        before = count
        count = add_vertex_contacts(
            triangles, vertex_first, vertex_triangle, x, mesh_table[own, OBJECT], mesh_table[other, OBJECT],
            side, mesh_sizes[other, DEPTH] if alone else deepest, mesh_sizes[other, SLACK], alone, found, nearest,
            head, link, found_ids, found_values, count, ids_out, values_out,
        )  # fmt: skip
        if alone and mesh_table[own, GRID] < 0:
            count = add_deep_vertices(
                x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, mesh_table, mesh_sizes,
                grids, bounds, triangle_bounds, triangle_pairs, seen, side, own, other, touched, crossed, mark, piece,
                inner, stack, list_out, box, codes, candidates, count, ids_out, values_out,
            )  # fmt: skip
        unmark_vertices(found, found_ids, touched)
        if alone:
            count = drop_false_depths(
                x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table,
                mesh_sizes, bounds, triangle_bounds, other, stack, list_out, box, codes, candidates, before, count,
                ids_out, values_out,
            )  # fmt: skip
    before = count
    count = add_edge_contacts(
        x, triangles, neighbour, owns, vertex_first, vertex_triangle, triangle_bounds, triangle_pairs, seen,
        mesh_table[a, OBJECT], mesh_table[b, OBJECT], mesh_table[a, BENDS] != 0, mesh_table[b, BENDS] != 0,
        limit, least, deepest, OVERHANG * min(mesh_sizes[a, SLACK], mesh_sizes[b, SLACK]), strange, vertex_short,
        crossed, count, ids_out, values_out,
    )  # fmt: skip
    if alone:
        count = drop_false_overlaps(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table,
            mesh_sizes, bounds, triangle_bounds, a, b, stack, list_out, box, codes, candidates, before, count, ids_out,
            values_out,
        )  # fmt: skip
    return count, needed
