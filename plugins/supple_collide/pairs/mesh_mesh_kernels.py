"""All contacts of one pair of meshes."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple_collide.kernel_arrays import (
    Found,
    MeshPool,
    MeshPoses,
    Probe,
    Raw,
    Reaches,
    Regions,
    Search,
)
from supple_collide.meshes.columns import (
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
from supple_collide.meshes.point_kernels import (
    OVERLAP,
    do_faces_meet,
    find_deep_candidate,
    is_above_grid,
    is_behind_or_on,
    is_in_box,
)
from supple_collide.meshes.tree_kernels import boxes_meet, pair_trees, query_grid, query_tree
from supple_collide.meshes.triangle_kernels import OTHER_CODE, VERTEX_CODE
from supple_collide.pairs.distant_kernels import drop_distant, surround
from supple_collide.pairs.edge_kernels import add_edge_contacts
from supple_collide.pairs.grid_vertex_kernels import gather_above_grid
from supple_collide.pairs.outside_kernels import list_all, list_inner
from supple_collide.pairs.raw_kernels import add_raw, copy_raw, set_corner, set_weights
from supple_collide.pairs.vertex_kernels import CORNERS, add_vertex_contacts, gather_vertices
from supple_collide.primitives.manifold_kernels import ONE, ZERO

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
def drop_without_features(owns, start, count, list_inout):
    """Drop the triangles that own nothing from list_inout[start : start + count]; returns how many are left."""
    kept = ZERO
    for place in range(start, start + count):
        if owns[list_inout[place]] != 0:
            list_inout[start + kept] = list_inout[place]
            kept += 1
    return kept


@njit_inlined
def pair_with_grid(pool: MeshPool, poses: MeshPoses, a, b, limit, edges_only, probe: Probe, pairs_out):
    """Pairs of near triangles of mesh a (a tree) and mesh b (a grid): the number that there are.

    The cells below the whole mesh are looked up once if there are few, else those below each triangle. Left out are
    pairs of which neither side owns anything: of a flat floor only what may be below a vertex is needed, and
    nothing at all with `edges_only`, the vertices of mesh a being looked at apart from this.
    """
    table, owns, near_out, box = pool.table, pool.faces.owns, probe.near, probe.box
    grids, triangle_bounds = pool.trees.grids, pool.trees.triangle_bounds
    half = near_out.size // 2
    copy_box(pool.trees.bounds, table[a, ROOT], box)
    below = query_grid(
        grids, table[b, GRID], table[b, FIRST], triangle_bounds, box, ZERO, limit, near_out[half:]
    )  # fmt: skip
    if edges_only:
        below = drop_without_features(owns, half, below, near_out)
    if table[a, BENDS] == 0:
        below = drop_distant(
            pool.faces.x, pool.faces.triangles, owns, pool.sizes, poses.position, poses.q, a, limit, half, below,
            near_out,
        )  # fmt: skip
    if below == 0:
        return ZERO
    surround(triangle_bounds, half, below, near_out, box)
    near = query_tree(
        pool.trees.nodes, pool.trees.order, table[a, ROOT], pool.trees.bounds, triangle_bounds, box, ZERO, limit,
        probe.stack, near_out,
    )  # fmt: skip
    once = near * below <= FEW_PAIRS
    count = ZERO
    for place in range(near):
        t = near_out[place]
        if not once:
            copy_box(triangle_bounds, t, box)
            below = query_grid(
                grids, table[b, GRID], table[b, FIRST], triangle_bounds, box, ZERO, limit, near_out[half:]
            )  # fmt: skip
        for other in range(below):
            u = near_out[half + other]
            if owns[u] == 0 and (edges_only or owns[t] & CORNERS == 0):
                continue
            if not once or boxes_meet(triangle_bounds, t, triangle_bounds, u, limit):
                if count < pairs_out.shape[0]:
                    pairs_out[count, 0], pairs_out[count, 1] = t, u
                count += 1
    return count


@njit_inlined
def add_deep_vertices(
    pool: MeshPool, pair_count, side, own, other, search: Search, probe: Probe, count, raw_out: Raw
):  # fmt: skip
    """Contacts of vertices of mesh `own` that lie deeper in mesh `other` than its triangles were looked for.

    Column `side` of the pairs has the triangles of `own` that come near to the other mesh.
    """
    x, triangles, table, values = pool.faces.x, pool.faces.triangles, pool.table, probe.values
    vertex_first, vertex_triangle = pool.faces.vertex_first, pool.faces.vertex_triangle
    root, grid, inner = table[other, ROOT], table[other, GRID], search.inner
    depth, behind = pool.sizes[other, DEPTH], pool.sizes[other, BEHIND]
    if depth <= 0.0:
        return count
    first, last = table[own, FIRST_VERTEX], table[own, LAST_VERTEX]
    if grid < 0 and behind == 0.0:
        found = list_inner(
            pool, search.triangle_pairs, pair_count, side, first, last, other, search.crossed, search.mark,
            search.piece, probe, inner,
        )  # fmt: skip
    else:
        found = list_all(first, last, inner)
    for place in range(found):
        v = inner[place]
        if vertex_first[v] == vertex_first[v + 1]:
            continue
        if search.touched[v] != 0 or not is_in_box(
            pool.trees.bounds, root, x[v, 0], x[v, 1], x[v, 2], behind
        ):  # fmt: skip
            continue
        if grid >= 0 and is_above_grid(pool.trees.grids, grid, x[v, 0], x[v, 1], x[v, 2]):
            continue
        if find_deep_candidate(pool, other, x[v, 0], x[v, 1], x[v, 2], v, depth, probe) == 0:
            continue
        nx, ny, nz, signed = values[0, 0], values[0, 1], values[0, 2], values[0, 3]
        t = vertex_triangle[vertex_first[v]]
        count = add_raw(
            table[own, OBJECT], table[other, OBJECT], VERTEX_CODE + v, probe.codes[0, 0], t, probe.codes[0, 1],
            x[v, 0] - signed * nx, x[v, 1] - signed * ny, x[v, 2] - signed * nz, nx, ny, nz, signed, count, raw_out,
        )  # fmt: skip
        set_corner(triangles, ZERO, t, v, count - 1, raw_out.values)
        set_weights(ONE, values[0, 5], values[0, 6], values[0, 7], count - 1, raw_out.values)
    return count


@njit_inlined
def drop_false_overlaps(pool: MeshPool, a, b, probe: Probe, first, count, raw_inout: Raw):
    """Of the contacts of edges from row `first` on, drop those that overlap only beside a thin part.

    The way from the one edge to the other is in both solids if they overlap. Half of it does not tell: between
    the far sides of two bodies that touch, it is where they touch. A way along faces that touch leads from the
    rim of one to that of the other. Returns the new count.
    """
    if count > raw_inout.ids.shape[0]:
        return count
    kept = first
    for row in range(first, count):
        values, real = raw_inout.values[row], True
        gap = values[9]
        for check in range(4):
            mesh, part = (a if check < 2 else b), (0.25 if check % 2 == 0 else 0.75)
            if real and gap < -OVERLAP * pool.sizes[a, SLACK]:
                px = values[0] + part * (values[3] - values[0])
                py = values[1] + part * (values[4] - values[1])
                pz = values[2] + part * (values[5] - values[2])
                real = is_behind_or_on(pool, mesh, px, py, pz, -gap, probe)
                real = real and not (check < 2 and do_faces_meet(pool, a, b, px, py, pz, probe))
        if real:
            copy_raw(row, kept, raw_inout)
            kept += 1
    return kept


@njit_inlined
def drop_false_depths(pool: MeshPool, other, probe: Probe, first, count, raw_inout: Raw):
    """Of the contacts of vertices with mesh `other` from row `first` on, drop deep ones that leave it on the way out.

    A vertex that looks away from the near side of a thin part finds only its far side, and seems to be behind
    that. Returns the new count.
    """
    if count > raw_inout.ids.shape[0]:
        return count
    kept = first
    for row in range(first, count):
        values, real = raw_inout.values[row], True
        gap = values[9]
        for check in range(2):
            if real and gap < -OVERLAP * pool.sizes[other, SLACK]:
                part = 0.25 + 0.5 * check
                px = values[0] + part * (values[3] - values[0])
                py = values[1] + part * (values[4] - values[1])
                pz = values[2] + part * (values[5] - values[2])
                real = is_behind_or_on(pool, other, px, py, pz, -gap, probe)
        if real:
            copy_raw(row, kept, raw_inout)
            kept += 1
    return kept


@njit_inlined
def mark_vertices(candidates, found: Found, slack, touched_out):
    """Set touched_out of the vertices whose nearest feature is among their candidates."""
    for c in range(candidates):
        v, beside = found.ids[c, 0], found.values[c, 8] != 0.0
        if found.ids[c, 1] < OTHER_CODE and not beside and found.values[c, 4] <= found.nearest[v] + slack:
            touched_out[v] = 1


@njit_inlined
def unmark_vertices(candidates, found: Found, touched_out):
    """Clear touched_out of all vertices that have candidates."""
    for c in range(candidates):
        touched_out[found.ids[c, 0]] = 0


@njit
def looks_up_tiles(mesh_table, a, b):
    """Whether vertices of mesh a look up the tiles of b one by one: if b is a grid, and they are few and rigid."""
    vertices = mesh_table[a, LAST_VERTEX] - mesh_table[a, FIRST_VERTEX]
    return mesh_table[b, GRID] >= 0 and mesh_table[a, BENDS] == 0 and vertices <= FEW_VERTICES


@njit_inlined
def find_mesh_mesh(
    pool: MeshPool, reaches: Reaches, regions: Regions, poses: MeshPoses, a, b, limit, probe: Probe, search: Search,
    count, raw_out: Raw,
):  # fmt: skip
    """Contacts of two meshes, or of a mesh with itself; returns (new count, room needed / room there was).

    Triangles and vertices fall short of the limit [m] by *_short. If the room is above 1, not everything was seen.
    """
    faces, trees, table, sizes = pool.faces, pool.trees, pool.table, pool.sizes
    pairs, found = search.triangle_pairs, search.found
    distinct = a != b
    deepest = math.inf if distinct else min(limit, sizes[a, DEEPEST])
    # Nothing else finds what overlaps within one mesh.
    least = 0.0 if distinct else deepest
    checks_neighbours = not (distinct or table[a, NEIGHBOURS] == 0)
    above_grid = looks_up_tiles(table, a, b)
    if table[b, GRID] >= 0:
        near = pair_with_grid(pool, poses, a, b, limit, above_grid, probe, pairs)
    else:
        near = pair_trees(
            trees, regions, reaches, table[a, ROOT], table[b, ROOT], limit, least, probe.stack, pairs
        )  # fmt: skip
    needed = near / pairs.shape[0]
    seen = min(near, pairs.shape[0])
    for side in range(2):
        own, other = (a, b) if side == 0 else (b, a)
        scale, slack = sizes[other, SCALE], sizes[other, SLACK]
        if above_grid and side == 0:
            candidates = gather_above_grid(
                faces, trees, table[b, GRID], table[b, FIRST], table[a, FIRST_VERTEX], table[a, LAST_VERTEX], scale,
                slack, limit, found,
            )  # fmt: skip
        else:
            candidates = gather_vertices(
                faces, trees.triangle_bounds, reaches, pairs, seen, side, scale, slack, limit, least,
                checks_neighbours, found,
            )  # fmt: skip
        needed = max(needed, candidates / found.ids.shape[0])
        candidates = min(candidates, found.ids.shape[0])
        mark_vertices(candidates, found, slack, search.touched)
        before = count
        count = add_vertex_contacts(
            faces, table[own, OBJECT], table[other, OBJECT], side, sizes[other, DEPTH] if distinct else deepest,
            slack, distinct, candidates, found, count, raw_out,
        )  # fmt: skip
        if distinct and table[own, GRID] < 0:
            count = add_deep_vertices(pool, seen, side, own, other, search, probe, count, raw_out)
        unmark_vertices(candidates, found, search.touched)
        if distinct:
            count = drop_false_depths(pool, other, probe, before, count, raw_out)
    before = count
    count = add_edge_contacts(
        pool, reaches, pairs, seen, a, b, limit, least, deepest, checks_neighbours, search.pressed, search.crossed,
        count, raw_out,
    )  # fmt: skip
    if distinct:
        count = drop_false_overlaps(pool, a, b, probe, before, count, raw_out)
    return count, needed
