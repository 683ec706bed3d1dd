"""Contacts of spheres, capsules and planes with meshes."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.kernel_arrays import Faces, MeshPool, Probe, Raw, Reaches, Shapes
from supple_collide.meshes.columns import BENDS, DEPTH, OBJECT, ROOT, SCALE, SLACK
from supple_collide.meshes.point_kernels import (
    NO_VERTEX,
    OVERLAP,
    add_ball_contacts,
    add_candidate,
    choose_candidates,
    collect_triangles,
    find_deep_candidate,
    is_behind,
    is_on_surface,
)
from supple_collide.meshes.segment_kernels import (
    NO_GIVE,
    OVERHANG,
    PARALLEL_AXIS,
    cross_edge,
    is_nearest_to_axis,
    pass_vertex,
)
from supple_collide.meshes.tree_kernels import COUNT, FIRST_PLACE, RIGHT
from supple_collide.meshes.triangle_kernels import (
    EDGE_CODE,
    OTHER_CODE,
    VERTEX_CODE,
)
from supple_collide.meshes.wall_kernels import add_walls
from supple_collide.pairs.raw_kernels import NO_TRIANGLE, add_raw, copy_raw, set_corner, set_weights
from supple_collide.primitives.manifold_kernels import ZERO

# The code of a capsule's middle; its ends are 0 and 1.
MIDDLE = OTHER_CODE + 2


@njit
def add_middle_edges(
    faces: Faces, found, near, shape, mesh_object, axis, radius, limit, give, depth, overhang, count, raw_out: Raw
):  # fmt: skip
    """Contacts of a capsule's straight part with edges that cross it; returns the new count.

    axis: the segment from p to p + u within the capsule, as (p, u), six floats; near[: found] are triangles,
    whose edges may `give` [m].
    """
    x, triangles, neighbour, owns = faces.x, faces.triangles, faces.neighbour, faces.owns
    px, py, pz, ux, uy, uz = axis
    for place in range(found):
        t = near[place]
        for k in range(3):
            if owns[t] & (8 << k) == 0:
                continue
            passes, s, r, nx, ny, nz, signed = cross_edge(
                x, triangles, neighbour, t, k, px, py, pz, ux, uy, uz, PARALLEL_AXIS, overhang, radius + limit,
                give,
            )  # fmt: skip
            if not passes or signed - radius > limit or signed < -depth:
                continue
            code = EDGE_CODE + 3 * t + k
            qx, qy, qz = px + s * ux - signed * nx, py + s * uy - signed * ny, pz + s * uz - signed * nz
            count = add_raw(
                shape, mesh_object, MIDDLE, code, NO_TRIANGLE, t, qx, qy, qz, nx, ny, nz, signed - radius,
                count, raw_out,
            )  # fmt: skip
            weights = (1.0 - r, r, 0.0)
            set_weights(
                1, weights[(3 - k) % 3], weights[(4 - k) % 3], weights[(5 - k) % 3], count - 1, raw_out.values
            )  # fmt: skip
    return count


@njit
def add_middle_vertices(
    faces: Faces, found, near, shape, mesh_object, axis, radius, limit, count, raw_out: Raw
):  # fmt: skip
    """Contacts of a capsule's straight part with vertices that stick out towards it; see `add_middle_edges`."""
    x, triangles, owns = faces.x, faces.triangles, faces.owns
    vertex_first, vertex_triangle = faces.vertex_first, faces.vertex_triangle
    px, py, pz, ux, uy, uz = axis
    for place in range(found):
        t = near[place]
        for k in range(3):
            if owns[t] & (1 << k) == 0:
                continue
            v = triangles[t, k]
            between, _, nx, ny, nz, distance = pass_vertex(x, v, px, py, pz, ux, uy, uz)
            if not between or distance - radius > limit or distance == 0.0:
                continue
            if not is_nearest_to_axis(
                x, triangles, vertex_first, vertex_triangle, v, nx, ny, nz, ux, uy, uz
            ):  # fmt: skip
                continue
            count = add_raw(
                shape, mesh_object, MIDDLE, VERTEX_CODE + v, NO_TRIANGLE, t, x[v, 0], x[v, 1], x[v, 2],
                nx, ny, nz, distance - radius, count, raw_out,
            )  # fmt: skip
            set_corner(triangles, 1, t, v, count - 1, raw_out.values)
    return count


@njit
def drop_false_overlaps(pool: MeshPool, mesh, radius, probe: Probe, first, count, raw_inout: Raw):
    """Of a capsule's contacts with edges from row `first` on, drop those whose axis is not inside the mesh.

    An axis that passes a thin part on one side is behind the edges of the other side, and so is one that lies on the
    surface. Returns the new count.
    """
    if count > raw_inout.ids.shape[0]:
        return count
    kept, deep = first, -OVERLAP * pool.sizes[mesh, SLACK]
    for row in range(first, count):
        values = raw_inout.values[row]
        signed = values[9] + radius
        px, py, pz = (
            values[3] + signed * values[6],
            values[4] + signed * values[7],
            values[5] + signed * values[8],
        )
        real = signed >= 0.0 or is_behind(pool, mesh, px, py, pz, -signed, probe)
        if real and signed < deep:
            real = not is_on_surface(pool, mesh, px, py, pz, probe)
        if real:
            copy_raw(row, kept, raw_inout)
            kept += 1
    return kept


@njit
def fill_segment_box(px, py, pz, ux, uy, uz, box_out):
    """box_out [1, 6]: the box around the segment from p to p + u."""
    box_out[0, 0], box_out[0, 3] = min(px, px + ux), max(px, px + ux)
    box_out[0, 1], box_out[0, 4] = min(py, py + uy), max(py, py + uy)
    box_out[0, 2], box_out[0, 5] = min(pz, pz + uz), max(pz, pz + uz)


@njit
def find_end_contacts(
    pool: MeshPool, mesh, shape, code, px, py, pz, radius, limit, seen, near, probe: Probe, count, raw_out: Raw
):  # fmt: skip
    """Contacts of the ball about p with one mesh, whose triangles near[: seen] are within reach; the new count."""
    scale, depth, candidates = pool.sizes[mesh, SCALE], pool.sizes[mesh, DEPTH], ZERO
    for place in range(seen):
        candidates = add_candidate(
            pool.faces, pool.trees.triangle_bounds, near[place], px, py, pz, radius + limit, scale, candidates,
            probe.codes, probe.values,
        )  # fmt: skip
    candidates = choose_candidates(depth, candidates, probe.codes, probe.values)
    if candidates > 0 and probe.values[0, 3] >= 0.0 and pool.table[mesh, BENDS] == 0:
        candidates = add_walls(
            pool.faces, near, seen, px, py, pz, radius, limit, pool.sizes[mesh, SLACK], candidates, probe.codes,
            probe.values,
        )  # fmt: skip
    if candidates == 0:
        candidates = find_deep_candidate(pool, mesh, px, py, pz, NO_VERTEX, depth, probe)
    return add_ball_contacts(
        shape, pool.table[mesh, OBJECT], code, px, py, pz, radius, limit, candidates, probe, count, raw_out
    )  # fmt: skip


@njit
def find_round_mesh(
    pool: MeshPool, mesh_reach, shapes: Shapes, shape, mesh, near, probe: Probe, count, raw_out: Raw
):  # fmt: skip
    """Contacts of one sphere or capsule with one mesh; returns (new count, triangles within reach).

    Triangles beyond the room of `near`, which is scratch, are not seen.
    """
    faces, sizes, number, rotation = pool.faces, pool.sizes, pool.table[mesh, OBJECT], shapes.rotation
    radius, half = shapes.size[shape, 0], shapes.size[shape, 1]
    limit = shapes.reach[shape] + mesh_reach[mesh]
    ax, ay, az = rotation[shape, 0, 1], rotation[shape, 1, 1], rotation[shape, 2, 1]
    px, py = shapes.x[shape, 0] - half * ax, shapes.x[shape, 1] - half * ay
    pz = shapes.x[shape, 2] - half * az
    ux, uy, uz = 2.0 * half * ax, 2.0 * half * ay, 2.0 * half * az
    fill_segment_box(px, py, pz, ux, uy, uz, probe.box)
    found = collect_triangles(pool.trees, pool.table, mesh, probe.box, radius + limit, probe.stack, near)
    seen = min(found, near.size)
    for end in range(2 if half > 0.0 else 1):
        count = find_end_contacts(
            pool, mesh, shape, OTHER_CODE + end, px + end * ux, py + end * uy, pz + end * uz, radius, limit, seen,
            near, probe, count, raw_out,
        )  # fmt: skip
    if half > 0.0:
        axis, before = (px, py, pz, ux, uy, uz), count
        count = add_middle_edges(
            faces, seen, near, shape, number, axis, radius, limit, limit if pool.table[mesh, BENDS] != 0 else NO_GIVE,
            sizes[mesh, DEPTH], OVERHANG * sizes[mesh, SLACK], count, raw_out,
        )  # fmt: skip
        count = drop_false_overlaps(pool, mesh, radius, probe, before, count, raw_out)
        count = add_middle_vertices(faces, seen, near, shape, number, axis, radius, limit, count, raw_out)
    return count, found


@njit
def find_plane_mesh(
    pool: MeshPool, reaches: Reaches, shapes: Shapes, plane, mesh, limit, stack, count, raw_out: Raw
):  # fmt: skip
    """Contacts of the vertices of one mesh (first side) with one plane; returns the new count.

    They touch within `limit` [m] less what a vertex falls short of it; a node falls short by the least of its vertices.
    """
    x, triangles, owns = pool.faces.x, pool.faces.triangles, pool.faces.owns
    nodes, order, bounds = pool.trees.nodes, pool.trees.order, pool.trees.bounds
    turn, place_of = shapes.rotation, shapes.x
    nx, ny, nz = turn[plane, 0, 1], turn[plane, 1, 1], turn[plane, 2, 1]
    ground = nx * place_of[plane, 0] + ny * place_of[plane, 1] + nz * place_of[plane, 2]
    stack[0], depth = pool.table[mesh, ROOT], 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        lowest = nx * bounds[node, 0 if nx > 0.0 else 3] + ny * bounds[node, 1 if ny > 0.0 else 4]
        lowest += nz * bounds[node, 2 if nz > 0.0 else 5]
        if lowest - ground > limit - reaches.node_short[node]:
            continue
        if nodes[node, COUNT] == 0:
            stack[depth], stack[depth + 1] = nodes[node, RIGHT], node + 1
            depth += 2
            continue
        for place in range(nodes[node, FIRST_PLACE], nodes[node, FIRST_PLACE] + nodes[node, COUNT]):
            t = order[place]
            for k in range(3):
                if owns[t] & (1 << k) == 0:
                    continue
                v = triangles[t, k]
                gap = nx * x[v, 0] + ny * x[v, 1] + nz * x[v, 2] - ground
                if gap <= limit - reaches.vertex_short[v]:
                    count = add_raw(
                        pool.table[mesh, OBJECT], plane, VERTEX_CODE + v, OTHER_CODE, t, NO_TRIANGLE,
                        x[v, 0] - gap * nx, x[v, 1] - gap * ny, x[v, 2] - gap * nz, nx, ny, nz, gap, count,
                        raw_out,
                    )  # fmt: skip
                    set_corner(triangles, 0, t, v, count - 1, raw_out.values)
    return count
