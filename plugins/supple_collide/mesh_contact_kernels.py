"""All contacts that involve a mesh: the pairs that are near, their contacts, and the choice among those."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple_collide.bvh_kernels import boxes_meet
from supple_collide.choose_kernels import choose_rows
from supple_collide.manifold_kernels import ZERO
from supple_collide.mesh_columns import BENDS, GRID, OBJECT, ROOT, SLACK
from supple_collide.mesh_mesh_kernels import find_mesh_mesh
from supple_collide.object_pair_kernels import may_meet, pair_meshes
from supple_collide.pose_kernels import fill_rotations
from supple_collide.raw_contact_kernels import write_raw
from supple_collide.round_mesh_kernels import fill_segment_box, find_plane_mesh, find_round_mesh
from supple_collide.shape_kinds import BOX, PLANE

# Contacts of one pair of rigid objects that are nearer than this many slacks are one.
SAME_PLACE = 10.0


@njit
def fill_round_box(size, shape_x, rotation, shape, box_out):
    """box_out [1, 6]: the box around a sphere or capsule."""
    radius, half = size[shape, 0], size[shape, 1]
    ax, ay, az = rotation[shape, 0, 1] * half, rotation[shape, 1, 1] * half, rotation[shape, 2, 1] * half
    fill_segment_box(
        shape_x[shape, 0] - ax, shape_x[shape, 1] - ay, shape_x[shape, 2] - az, 2 * ax, 2 * ay, 2 * az, box_out
    )  # fmt: skip
    for k in range(3):
        box_out[0, k] -= radius
        box_out[0, 3 + k] += radius


@njit_inlined
def find_primitive_contacts(
    x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
    mesh_table, mesh_sizes, grids,
    bounds, triangle_bounds, mesh_reach, node_short, vertex_short, kind, size, shape_x, rotation, shape_reach,
    group, movable, ignored, shadows_from, margin, most, stack, list_out, deep_list, box, segment_box, codes,
    candidates, rows, state, members, places, chain, flat, tally_inout, chosen_out, ids_out, values_out,
):  # fmt: skip
    """Append contacts of spheres, capsules and planes with meshes; returns the room needed, 1 if it is just enough.

    The reach of everything includes the `margin` [m], which says nothing about this step. tally_inout: contacts found,
    and contacts chosen among them.
    """
    count, chosen, needed = tally_inout[0], tally_inout[1], 0.0
    for shape in range(kind.size):
        if kind[shape] == BOX:
            continue
        if kind[shape] != PLANE:
            fill_round_box(size, shape_x, rotation, shape, box)
        for mesh in range(shadows_from):
            root, number = mesh_table[mesh, ROOT], mesh_table[mesh, OBJECT]
            limit = shape_reach[shape] + mesh_reach[mesh]
            if kind[shape] != PLANE and not boxes_meet(box, ZERO, bounds, root, limit):
                continue
            if not may_meet(group, movable, ignored, shape, number):
                continue
            before = count
            if kind[shape] == PLANE:
                if mesh_table[mesh, GRID] < 0:
                    count = find_plane_mesh(
                        x, triangles, owns, nodes, order, bounds, node_short, vertex_short, number, root, shape,
                        shape_x, rotation, limit, stack, count, ids_out, values_out,
                    )  # fmt: skip
            else:
                count, found = find_round_mesh(
                    x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
                    mesh_table, mesh_sizes, grids, bounds, triangle_bounds, mesh_reach, size, shape_x,
                    rotation, shape_reach, shape,
                    mesh, stack, list_out, deep_list, segment_box, codes, candidates, count, ids_out, values_out,
                )  # fmt: skip
                needed = max(needed, found / list_out.size)
            chosen = choose_rows(
                ids_out, values_out, before, count, mesh_table[mesh, BENDS] != 0,
                SAME_PLACE * mesh_sizes[mesh, SLACK], limit - 2.0 * margin, most, rows, state, members, places,
                chain, flat, chosen, chosen_out,
            )  # fmt: skip
    tally_inout[0], tally_inout[1] = count, chosen
    return needed


@njit_inlined
def find_mesh_contacts(
    x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
    mesh_table, mesh_sizes, grids,
    bounds, triangle_bounds, mesh_reach, node_short, triangle_short, vertex_short, position, q, group, movable,
    meets_itself, region, regions_meet, node_regions, node_meets, ignored, shadows_from, margin, most, stack,
    list_out, box, codes, candidates, mesh_pairs, triangle_pairs, nearest, head, link, touched, crossed, mark, piece,
    inner, found_ids, found_values, rows, state, members, places, chain, flat, tally_inout, chosen_out, ids_out,
    values_out,
):  # fmt: skip
    """Append contacts of meshes with meshes, boxes among them, as `find_primitive_contacts` does."""
    count, chosen = tally_inout[0], tally_inout[1]
    pairs = pair_meshes(
        mesh_table, group, movable, meets_itself, ignored, shadows_from, bounds, mesh_reach, mesh_pairs
    )  # fmt: skip
    needed = pairs / mesh_pairs.shape[0]
    for row in range(min(pairs, mesh_pairs.shape[0])):
        a, b = mesh_pairs[row, 0], mesh_pairs[row, 1]
        before = count
        count, used = find_mesh_mesh(
            x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes,
            order, mesh_table, mesh_sizes, grids, region, regions_meet, node_regions, node_meets,
            bounds, triangle_bounds, node_short, triangle_short, vertex_short, position, q, a, b,
            mesh_reach[a] + mesh_reach[b], stack, list_out, box, codes,
            candidates, triangle_pairs, nearest, head, link, touched, crossed, mark, piece, inner, found_ids,
            found_values, count, ids_out, values_out,
        )  # fmt: skip
        needed = max(needed, used)
        chosen = choose_rows(
            ids_out, values_out, before, count, mesh_table[a, BENDS] != 0 or mesh_table[b, BENDS] != 0,
            SAME_PLACE * min(mesh_sizes[a, SLACK], mesh_sizes[b, SLACK]),
            mesh_reach[a] + mesh_reach[b] - 2.0 * margin, most, rows, state, members, places, chain, flat, chosen,
            chosen_out,
        )  # fmt: skip
    tally_inout[0], tally_inout[1] = count, chosen
    return needed


@njit
def find_and_write(
    x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
    mesh_table, mesh_sizes, grids, bounds, triangle_bounds, mesh_reach,
    node_short, triangle_short, vertex_short, kind, size, shape_x, shape_q, shape_reach, position, q, group, movable,
    meets_itself, region, regions_meet, node_regions, node_meets, ignored, shadows_from, margin, most,
    surface_of, element_of, first_triangle_of, friction, restitution, first,
    rotation, stack, list_out, deep_list, box, segment_box, codes, candidates, mesh_pairs, triangle_pairs, nearest,
    head, link, touched, crossed, mark, piece, inner, found_ids, found_values, rows, state, members, places, chain,
    flat, tally, chosen, ids, values,
    surface_out, element_out, key_out, point_out, normal_out, gap_out, friction_out, restitution_out, weights_out,
):  # fmt: skip
    """All contacts of scenes with both round shapes and meshes in one call: (room needed, contacts there are now).

    If the room needed is above 1, contacts are missing. The arrays from `rotation` to `values` are scratch.
    """
    tally[0] = tally[1] = 0
    fill_rotations(shape_q, rotation)
    needed = find_primitive_contacts(
        x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
        mesh_table, mesh_sizes, grids, bounds, triangle_bounds, mesh_reach, node_short, vertex_short, kind, size,
        shape_x, rotation, shape_reach, group, movable, ignored, shadows_from, margin, most, stack, list_out, deep_list,
        box, segment_box, codes, candidates, rows, state, members, places, chain, flat, tally, chosen, ids, values,
    )  # fmt: skip
    needed = max(needed, find_mesh_contacts(
        x, triangles, neighbour, facet, owns, vertex_first, vertex_triangle, nodes, order,
        mesh_table, mesh_sizes, grids, bounds, triangle_bounds, mesh_reach, node_short, triangle_short, vertex_short,
        position, q, group, movable, meets_itself, region, regions_meet, node_regions, node_meets, ignored,
        shadows_from, margin, most, stack, list_out, box, codes, candidates, mesh_pairs, triangle_pairs, nearest, head,
        link, touched, crossed, mark, piece, inner, found_ids, found_values, rows, state, members, places, chain, flat,
        tally, chosen, ids, values,
    ))  # fmt: skip
    count = write_raw(
        surface_of, element_of, first_triangle_of, friction, restitution, ids, values, chosen, tally, first,
        surface_out, element_out, key_out, point_out, normal_out, gap_out, friction_out, restitution_out, weights_out,
    )  # fmt: skip
    return needed, count
