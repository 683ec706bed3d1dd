"""Contacts of a point, or of a ball about it, with a mesh.

A ball touches a mesh at every local minimum of the distance from its centre to the surface, so at one point of
a flat region however it is cut into triangles, at two walls in a corner, and at one edge from outside.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit
from supple.math.vector_kernels import length
from supple_collide.bvh_kernels import COUNT, FIRST_PLACE, RIGHT, query_grid, query_tree
from supple_collide.manifold_kernels import ONE, ZERO
from supple_collide.mesh_columns import BEHIND, DEPTH, FIRST, GRID, ROOT, SCALE, SLACK
from supple_collide.raw_contact_kernels import NO_TRIANGLE, add_raw, set_weights
from supple_collide.triangle_kernels import (
    find_closest_weights,
    find_face_normal,
    is_lowest,
    judge_feature,
    place_weights,
)

NO_VERTEX = np.int64(-1)
# What overlaps by more than this many slacks is looked at again.
OVERLAP = 10.0
# Room for the local minima of one point; a mesh that has more within reach is folded like a sponge.
CANDIDATES = 64
# Columns of the candidates: normal, signed distance, distance, weights.
CANDIDATE_WIDTH = 8


@njit
def collect_triangles(
    nodes, order, root, grid, grids, first_triangle, bounds, triangle_bounds, box, grow, stack, found_out,
):  # fmt: skip
    """The triangles of one mesh within `grow` [m] of box [1, 6], through its tree or, if grid >= 0, its cells."""
    if grid < 0:
        return query_tree(
            nodes, order, root, bounds, triangle_bounds, box, ZERO, grow, stack,
            found_out,
        )  # fmt: skip
    return query_grid(grids, grid, first_triangle, triangle_bounds, box, ZERO, grow, found_out)


@njit
def find_squared_distance_to_box(bounds, node, px, py, pz):
    """Squared distance of a point from a box [m^2]; 0 inside."""
    dx = max(bounds[node, 0] - px, 0.0, px - bounds[node, 3])
    dy = max(bounds[node, 1] - py, 0.0, py - bounds[node, 4])
    dz = max(bounds[node, 2] - pz, 0.0, pz - bounds[node, 5])
    return dx * dx + dy * dy + dz * dz


@njit
def add_candidate(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, t, triangle_bounds, px, py, pz, within,
    scale,
    count, codes_out, values_out,
):  # fmt: skip
    """Add what triangle t offers to the point p if that is within reach, nearest and new; returns the count."""
    if find_squared_distance_to_box(triangle_bounds, t, px, py, pz) > within * within:
        return count
    region, wa, wb, wc = find_closest_weights(x, triangles, t, px, py, pz)
    qx, qy, qz = place_weights(x, triangles, t, wa, wb, wc)
    dx, dy, dz = px - qx, py - qy, pz - qz
    distance = length(dx, dy, dz)
    if distance > within:
        return count
    nearest, code, nx, ny, nz, signed = judge_feature(
        x, triangles, neighbour, facet, vertex_first, vertex_triangle, t, region, qx, qy, qz, dx, dy, dz, scale
    )  # fmt: skip
    if not nearest or count == CANDIDATES:
        return count
    for c in range(count):
        if codes_out[c, 0] == code:
            return count
    codes_out[count, 0], codes_out[count, 1] = code, t
    values = values_out[count]
    values[0], values[1], values[2], values[3], values[4] = nx, ny, nz, signed, distance
    values[5], values[6], values[7] = wa, wb, wc
    return count + 1


@njit
def choose_candidates(depth, count, codes_inout, values_inout):
    """Keep what the point really touches, in front; returns how many.

    The nearest feature says whether the point is inside. Outside it touches all features in front of it; inside
    only the nearest one, if that is not deeper than `depth` [m].
    """
    nearest = ZERO
    for c in range(1, count):
        if values_inout[c, 4] < values_inout[nearest, 4]:
            nearest = c
    if count == 0:
        return ZERO
    inside = values_inout[nearest, 3] < 0.0
    if inside and -values_inout[nearest, 3] > depth:
        return ZERO
    kept = ZERO
    for c in range(count):
        if (inside and c == nearest) or (not inside and values_inout[c, 3] >= 0.0):
            codes_inout[kept, 0], codes_inout[kept, 1] = codes_inout[c, 0], codes_inout[c, 1]
            for k in range(CANDIDATE_WIDTH):
                values_inout[kept, k] = values_inout[c, k]
            kept += 1
    return kept


@njit
def find_nearest_triangle(
    x, triangles, vertex_first, vertex_triangle, nodes, order, root, bounds, px, py, pz, vertex, within, stack
):  # fmt: skip
    """The triangle nearest to p in one tree, or -1 if none is within `within` [m]; the lowest of equals.

    If p is a vertex of another mesh (not -1), only triangles count that it sticks out towards.
    """
    best, found = within * within, np.int64(-1)
    stack[0], depth = root, 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if find_squared_distance_to_box(bounds, node, px, py, pz) > best:
            continue
        if nodes[node, COUNT] == 0:
            left, right = node + 1, nodes[node, RIGHT]
            to_left = find_squared_distance_to_box(bounds, left, px, py, pz)
            nearer_left = to_left <= find_squared_distance_to_box(bounds, right, px, py, pz)
            stack[depth], stack[depth + 1] = (right, left) if nearer_left else (left, right)
            depth += 2
            continue
        for place in range(nodes[node, FIRST_PLACE], nodes[node, FIRST_PLACE] + nodes[node, COUNT]):
            t = order[place]
            _, wa, wb, wc = find_closest_weights(x, triangles, t, px, py, pz)
            qx, qy, qz = place_weights(x, triangles, t, wa, wb, wc)
            squared = (px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2
            if squared > best or (squared == best and found >= 0 and t > found):
                continue
            if vertex >= 0:
                nx, ny, nz = find_face_normal(x, triangles, t)
                if not is_lowest(x, triangles, vertex_first, vertex_triangle, vertex, nx, ny, nz):
                    continue
            best, found = squared, t
    return found


@njit
def is_in_box(bounds, node, px, py, pz, grow):
    """Whether a point lies in a box, or not farther from it than `grow` [m]."""
    return find_squared_distance_to_box(bounds, node, px, py, pz) <= grow * grow


@njit
def is_above_grid(grids, grid, px, py, pz):
    """Whether a point is higher than a floor anywhere is, along the floor's own upward axis."""
    height = grids[grid, 9] * (px - grids[grid, 5])
    height += grids[grid, 12] * (py - grids[grid, 6]) + grids[grid, 15] * (pz - grids[grid, 7])
    return height > grids[grid, 17]


@njit
def find_deep_candidate(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order,
    root, grid, grids, first_triangle,
    bounds, triangle_bounds, px, py, pz, vertex, depth, behind, scale, stack, list_out, box, codes_out,
    values_out,
):  # fmt: skip
    """What a point deep inside touches: its nearest feature if the point is behind it. Returns 0 or 1.

    A vertex of another mesh (-1 if p is none) leaves preferably through a face that it sticks out towards.
    `stack`, `list_out` and `box` [1, 6] are scratch; the answer is in the first row of codes_out and values_out.
    """
    if depth <= 0.0 or not is_in_box(bounds, root, px, py, pz, behind):
        return ZERO
    count = ZERO
    if grid < 0:
        t = find_nearest_triangle(
            x, triangles, vertex_first, vertex_triangle, nodes, order, root, bounds, px, py, pz, NO_VERTEX, depth, stack
        )  # fmt: skip
        if t >= 0:
            count = add_candidate(
                x, triangles, neighbour, facet, vertex_first, vertex_triangle, t, triangle_bounds, px, py, pz, math.inf,
                scale, ZERO, codes_out, values_out,
            )  # fmt: skip
        # Whether p is inside is said by what is nearest; which way a vertex leaves, by what it sticks out towards.
        if t >= 0 and vertex >= 0 and (count == 0 or values_out[0, 3] < 0.0):
            towards = find_nearest_triangle(
                x, triangles, vertex_first, vertex_triangle, nodes, order, root, bounds, px, py, pz, vertex, depth,
                stack,
            )  # fmt: skip
            if towards >= 0 and towards != t:
                count = add_candidate(
                    x, triangles, neighbour, facet, vertex_first, vertex_triangle, towards, triangle_bounds, px, py, pz,
                    math.inf, scale, ZERO, codes_out, values_out,
                )  # fmt: skip
    else:
        # What is below a floor has it above itself, along the floor's own upward axis.
        if is_above_grid(grids, grid, px, py, pz):
            return ZERO
        ux, uy, uz = depth * grids[grid, 9], depth * grids[grid, 12], depth * grids[grid, 15]
        box[0, 0], box[0, 1], box[0, 2] = min(px, px + ux), min(py, py + uy), min(pz, pz + uz)
        box[0, 3], box[0, 4], box[0, 5] = max(px, px + ux), max(py, py + uy), max(pz, pz + uz)
        found = collect_triangles(
            nodes, order, root, grid, grids, first_triangle, bounds, triangle_bounds, box, 1e-5 * depth,
            stack, list_out,
        )  # fmt: skip
        for place in range(min(found, list_out.size)):
            count = add_candidate(
                x, triangles, neighbour, facet, vertex_first, vertex_triangle, list_out[place], triangle_bounds,
                px, py, pz, depth, scale, count, codes_out, values_out,
            )  # fmt: skip
    kept = choose_candidates(depth, count, codes_out, values_out)
    return ONE if kept == 1 and values_out[0, 3] < 0.0 else ZERO


@njit
def add_ball_contacts(
    first, second, code, px, py, pz, radius, limit, candidates, codes, values, count, ids_out, values_out
):  # fmt: skip
    """Contacts of a ball about p (the first side) with its candidates on a mesh; returns the new count."""
    for c in range(candidates):
        nx, ny, nz, signed = values[c, 0], values[c, 1], values[c, 2], values[c, 3]
        gap = signed - radius
        if gap <= limit:
            count = add_raw(
                first, second, code, codes[c, 0], NO_TRIANGLE, codes[c, 1],
                px - signed * nx, py - signed * ny, pz - signed * nz, nx, ny, nz, gap, count, ids_out,
                values_out,
            )  # fmt: skip
            set_weights(1, values[c, 5], values[c, 6], values[c, 7], count - 1, values_out)
    return count


@njit
def is_on_surface(
    x, triangles, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes, bounds, triangle_bounds,
    mesh, px, py, pz, stack, list_out, box,
):  # fmt: skip
    """Whether a point lies within the slack of the surface of a mesh; the last three arrays are scratch."""
    root, grid, slack = mesh_table[mesh, ROOT], mesh_table[mesh, GRID], mesh_sizes[mesh, SLACK]
    if grid < 0:
        return find_nearest_triangle(
            x, triangles, vertex_first, vertex_triangle, nodes, order, root, bounds, px, py, pz, NO_VERTEX, slack, stack
        ) >= 0  # fmt: skip
    box[0, 0], box[0, 1], box[0, 2] = px, py, pz
    box[0, 3], box[0, 4], box[0, 5] = px, py, pz
    found = collect_triangles(
        nodes, order, root, grid, grids, mesh_table[mesh, FIRST], bounds, triangle_bounds, box, slack, stack, list_out
    )  # fmt: skip
    for place in range(min(found, list_out.size)):
        _, wa, wb, wc = find_closest_weights(x, triangles, list_out[place], px, py, pz)
        qx, qy, qz = place_weights(x, triangles, list_out[place], wa, wb, wc)
        if length(px - qx, py - qy, pz - qz) <= slack:
            return True
    return False


@njit
def is_behind(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes,
    bounds, triangle_bounds, mesh, px, py, pz, depth, stack, list_out, box, codes, values,
):  # fmt: skip
    """Whether a point is inside a mesh, or not deeper than `depth` [m] behind an open one.

    On the surface rounding decides: see `is_on_surface`. The arrays from `stack` on are scratch.
    """
    depth, behind = max(depth, mesh_sizes[mesh, DEPTH]), mesh_sizes[mesh, BEHIND]
    found = find_deep_candidate(
        x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, mesh_table[mesh, ROOT],
        mesh_table[mesh, GRID], grids, mesh_table[mesh, FIRST], bounds, triangle_bounds, px, py, pz, NO_VERTEX,
        depth, behind, mesh_sizes[mesh, SCALE], stack, list_out, box, codes, values,
    )  # fmt: skip
    return found != 0


@njit
def is_behind_or_on(
    x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes,
    bounds, triangle_bounds, mesh, px, py, pz, depth, stack, list_out, box, codes, values,
):  # fmt: skip
    """Whether a point `is_behind`, or on the surface of the mesh up to its slack."""
    return is_behind(
        x, triangles, neighbour, facet, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes,
        bounds, triangle_bounds, mesh, px, py, pz, depth, stack, list_out, box, codes, values,
    ) or is_on_surface(
        x, triangles, vertex_first, vertex_triangle, nodes, order, grids, mesh_table, mesh_sizes, bounds,
        triangle_bounds, mesh, px, py, pz, stack, list_out, box,
    )  # fmt: skip
