"""Contacts of spheres, capsules and planes with meshes."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.bvh_kernels import COUNT, FIRST_PLACE, RIGHT
from supple_collide.manifold_kernels import ZERO
from supple_collide.mesh_columns import BEHIND, DEPTH, FIRST, GRID, OBJECT, ROOT, SCALE, SLACK
from supple_collide.point_mesh_kernels import (
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
from supple_collide.raw_contact_kernels import NO_TRIANGLE, add_raw, copy_raw, set_corner, set_weights
from supple_collide.segment_kernels import (
    OVERHANG,
    PARALLEL_AXIS,
    cross_edge,
    is_nearest_to_axis,
    pass_vertex,
)
from supple_collide.triangle_kernels import (
    EDGE_CODE,
    OTHER_CODE,
    VERTEX_CODE,
)

# The code of a capsule's middle; its ends are 0 and 1.
MIDDLE = OTHER_CODE + 2


@njit
def add_middle_edges(
    x, triangles, neighbour, owns, found, triangle_list, shape, mesh_object, px, py, pz, ux, uy, uz, radius,
    limit,
    depth, overhang, count, ids_out, values_out,
):  # fmt: skip
    """Contacts of a capsule's straight part with edges that cross it; returns the new count."""
    for place in range(found):
        t = triangle_list[place]
        for k in range(3):
            if owns[t] & (8 << k) == 0:
                continue
            passes, s, r, nx, ny, nz, signed = cross_edge(
                x, triangles, neighbour, t, k, px, py, pz, ux, uy, uz, PARALLEL_AXIS, overhang, radius + limit
            )  # fmt: skip
            if not passes or signed - radius > limit or signed < -depth:
                continue
            code = EDGE_CODE + 3 * t + k
            qx, qy, qz = px + s * ux - signed * nx, py + s * uy - signed * ny, pz + s * uz - signed * nz
            count = add_raw(
                shape, mesh_object, MIDDLE, code, NO_TRIANGLE, t, qx, qy, qz, nx, ny, nz, signed - radius,
                count, ids_out, values_out,
            )  # fmt: skip
            weights = (1.0 - r, r, 0.0)
            set_weights(
                1, weights[(3 - k) % 3], weights[(4 - k) % 3], weights[(5 - k) % 3], count - 1, values_out
            )
    return count


@njit
def add_middle_vertices(
    x, triangles, owns, vertex_first, vertex_triangle, found, triangle_list, shape, mesh_object,
    px, py, pz, ux, uy, uz, radius, limit, count, ids_out, values_out,
):  # fmt: skip
    """Contacts of a capsule's straight part with vertices that stick out towards it; returns the new count."""
    for place in range(found):
        t = triangle_list[place]
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
                nx, ny, nz, distance - radius, count, ids_out, values_out,
            )  # fmt: skip
            set_corner(triangles, 1, t, v, count - 1, values_out)
    return count


@njit
def drop_false_overlaps(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes,
    bounds, triangle_bounds, mesh, radius, stack, list_out, box, codes, candidates, first, count, ids_inout,
    values_inout,
):  # fmt: skip
    """Of a capsule's contacts with edges from row `first` on, drop those whose axis is not inside the mesh.

    An axis that passes a thin part on one side is behind the edges of the other side, and so is one that lies on the
    surface. Returns the new count.
    """
    if count > ids_inout.shape[0]:
        return count
    kept, deep = first, -OVERLAP * mesh_sizes[mesh, SLACK]
    for row in range(first, count):
        values = values_inout[row]
        signed = values[9] + radius
        px, py, pz = (
            values[3] + signed * values[6],
            values[4] + signed * values[7],
            values[5] + signed * values[8],
        )
        real = signed >= 0.0 or is_behind(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table,
            mesh_sizes, bounds, triangle_bounds, mesh, px, py, pz, -signed, stack, list_out, box, codes, candidates,
        )  # fmt: skip
        if real and signed < deep:
            real = not is_on_surface(
                x, triangles, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes, bounds,
                triangle_bounds, mesh, px, py, pz, stack, list_out, box,
            )  # fmt: skip
        if real:
            copy_raw(row, kept, ids_inout, values_inout)
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
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order,
    root, grid, grids, first_triangle,
    bounds, triangle_bounds, mesh_sizes, mesh, shape, mesh_object, code, px, py, pz, radius, limit,
    seen, triangle_list, stack, deep_list, box, codes, values, count, ids_out, values_out,
):  # fmt: skip
    """Contacts of the ball about p with one mesh, whose triangles within reach are known; the new count."""
    scale, depth, candidates = mesh_sizes[mesh, SCALE], mesh_sizes[mesh, DEPTH], ZERO
    for place in range(seen):
        candidates = add_candidate(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, triangle_list[place],
            triangle_bounds,
            px, py, pz, radius + limit, scale, candidates, codes, values,
        )  # fmt: skip
    candidates = choose_candidates(depth, candidates, codes, values)
    if candidates == 0:
        candidates = find_deep_candidate(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes,
            order, root, grid, grids, first_triangle,
            bounds, triangle_bounds, px, py, pz, NO_VERTEX, depth, mesh_sizes[mesh, BEHIND], scale, stack,
            deep_list, box, codes, values,
        )  # fmt: skip
    return add_ball_contacts(
        shape, mesh_object, code, px, py, pz, radius, limit, candidates, codes, values, count, ids_out,
        values_out,
    )  # fmt: skip


@njit
def find_round_mesh(
    x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
    mesh_table, mesh_sizes, grids,
    bounds, triangle_bounds, mesh_reach, size, shape_x, shape_rotation, shape_reach, shape, mesh,
    stack, list_out, deep_list, box, codes, candidates, count, ids_out, values_out,
):  # fmt: skip
    """Contacts of one sphere or capsule with one mesh; returns (new count, triangles within reach).

    mesh_table and mesh_sizes as in `mesh_columns`. Triangles beyond the room of list_out are not seen. The
    arrays from `stack` to `candidates` are scratch.
    """
    number, first_triangle = mesh_table[mesh, OBJECT], mesh_table[mesh, FIRST]
    root, grid = mesh_table[mesh, ROOT], mesh_table[mesh, GRID]
    radius, half = size[shape, 0], size[shape, 1]
    limit = shape_reach[shape] + mesh_reach[mesh]
    ax, ay, az = shape_rotation[shape, 0, 1], shape_rotation[shape, 1, 1], shape_rotation[shape, 2, 1]
    px, py, pz = shape_x[shape, 0] - half * ax, shape_x[shape, 1] - half * ay, shape_x[shape, 2] - half * az
    ux, uy, uz = 2.0 * half * ax, 2.0 * half * ay, 2.0 * half * az
    fill_segment_box(px, py, pz, ux, uy, uz, box)
    found = collect_triangles(
        nodes, order, root, grid, grids, first_triangle, bounds, triangle_bounds, box, radius + limit, stack,
        list_out,
    )  # fmt: skip
    seen = min(found, list_out.size)
    for end in range(2 if half > 0.0 else 1):
        count = find_end_contacts(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes,
            order, root, grid, grids, first_triangle,
            bounds, triangle_bounds, mesh_sizes, mesh, shape, number, OTHER_CODE + end,
            px + end * ux, py + end * uy, pz + end * uz, radius, limit, seen, list_out, stack, deep_list,
            box, codes, candidates, count, ids_out, values_out,
        )  # fmt: skip
    if half > 0.0:
        before = count
        count = add_middle_edges(
            x, triangles, neighbour, owns, seen, list_out, shape, number, px, py, pz, ux, uy, uz, radius, limit,
            mesh_sizes[mesh, DEPTH], OVERHANG * mesh_sizes[mesh, SLACK], count, ids_out, values_out,
        )  # fmt: skip
        count = drop_false_overlaps(
            x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table,
            mesh_sizes, bounds, triangle_bounds, mesh, radius, stack, deep_list, box, codes, candidates, before,
            count, ids_out, values_out,
        )  # fmt: skip
        count = add_middle_vertices(
            x, triangles, owns, vertex_first, vertex_triangle, seen, list_out, shape, number,
            px, py, pz, ux, uy, uz, radius, limit, count, ids_out, values_out,
        )  # fmt: skip
    return count, found


@njit
def find_plane_mesh(
    x, triangles, owns, nodes, order,
    bounds, node_short, vertex_short, mesh_object, root, plane, plane_x, plane_rotation, limit, stack, count, ids_out,
    values_out,
):  # fmt: skip
    """Contacts of the vertices of one mesh (first side) with one plane; returns the new count.

    They touch within `limit` [m] less what a vertex falls short of it; a node falls short by the least of its vertices.
    """
    nx, ny, nz = plane_rotation[plane, 0, 1], plane_rotation[plane, 1, 1], plane_rotation[plane, 2, 1]
    ground = nx * plane_x[plane, 0] + ny * plane_x[plane, 1] + nz * plane_x[plane, 2]
    stack[0], depth = root, 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        lowest = nx * bounds[node, 0 if nx > 0.0 else 3] + ny * bounds[node, 1 if ny > 0.0 else 4]
        lowest += nz * bounds[node, 2 if nz > 0.0 else 5]
        if lowest - ground > limit - node_short[node]:
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
                if gap <= limit - vertex_short[v]:
                    count = add_raw(
                        mesh_object, plane, VERTEX_CODE + v, OTHER_CODE, t, NO_TRIANGLE,
                        x[v, 0] - gap * nx, x[v, 1] - gap * ny, x[v, 2] - gap * nz, nx, ny, nz, gap, count,
                        ids_out, values_out,
                    )  # fmt: skip
                    set_corner(triangles, 0, t, v, count - 1, values_out)
    return count
