"""Contacts of a point, or of a ball about it, with a mesh.

A ball touches a mesh at every local minimum of the distance from its centre to the surface, so at one point of
a flat region however it is cut into triangles, at two walls in a corner, and at one edge from outside.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit
from supple.math.vector_kernels import length
from supple_collide.kernel_arrays import Faces, MeshPool, Probe, Raw, Trees
from supple_collide.meshes.columns import BEHIND, DEPTH, FIRST, GRID, ROOT, SCALE, SLACK
from supple_collide.meshes.tree_kernels import COUNT, FIRST_PLACE, RIGHT, query_grid, query_tree
from supple_collide.meshes.triangle_kernels import (
    find_closest_weights,
    find_face_normal,
    is_lowest,
    judge_feature,
    place_weights,
)
from supple_collide.pairs.raw_kernels import NO_TRIANGLE, add_raw, set_weights
from supple_collide.primitives.manifold_kernels import ONE, ZERO

NO_VERTEX = np.int64(-1)
# What overlaps by more than this many slacks is looked at again.
OVERLAP = 10.0
# Room for the local minima of one point; a mesh that has more within reach is folded like a sponge.
CANDIDATES = 64
# Cosine of the normals of faces that look at each other.
FACING = -0.99
# Columns of the candidates: normal, signed distance, distance, weights.
CANDIDATE_WIDTH = 8


@njit
def collect_triangles(trees: Trees, table, mesh, box, grow, stack, found_out):
    """The triangles of one mesh within `grow` [m] of box [1, 6], through its tree or its cells."""
    if table[mesh, GRID] < 0:
        return query_tree(
            trees.nodes, trees.order, table[mesh, ROOT], trees.bounds, trees.triangle_bounds, box, ZERO, grow, stack,
            found_out,
        )  # fmt: skip
    return query_grid(
        trees.grids, table[mesh, GRID], table[mesh, FIRST], trees.triangle_bounds, box, ZERO, grow, found_out
    )  # fmt: skip


@njit
def find_squared_distance_to_box(bounds, node, px, py, pz):
    """Squared distance of a point from a box [m^2]; 0 inside."""
    dx = max(bounds[node, 0] - px, 0.0, px - bounds[node, 3])
    dy = max(bounds[node, 1] - py, 0.0, py - bounds[node, 4])
    dz = max(bounds[node, 2] - pz, 0.0, pz - bounds[node, 5])
    return dx * dx + dy * dy + dz * dz


@njit
def add_candidate(
    faces: Faces, triangle_bounds, t, px, py, pz, within, scale, count, codes_out, values_out
):  # fmt: skip
    """Add what triangle t offers to the point p if that is within reach, nearest and new; returns the count."""
    x, triangles = faces.x, faces.triangles
    if find_squared_distance_to_box(triangle_bounds, t, px, py, pz) > within * within:
        return count
    region, wa, wb, wc = find_closest_weights(x, triangles, t, px, py, pz)
    qx, qy, qz = place_weights(x, triangles, t, wa, wb, wc)
    dx, dy, dz = px - qx, py - qy, pz - qz
    distance = length(dx, dy, dz)
    if distance > within:
        return count
    nearest, code, nx, ny, nz, signed = judge_feature(faces, t, region, qx, qy, qz, dx, dy, dz, scale)
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
def find_nearest_triangle(faces: Faces, trees: Trees, root, px, py, pz, vertex, within, stack):
    """The triangle nearest to p in one tree, or -1 if none is within `within` [m]; the lowest of equals.

    If p is a vertex of another mesh (not -1), only triangles count that it sticks out towards.
    """
    x, triangles, nodes, bounds = faces.x, faces.triangles, trees.nodes, trees.bounds
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
            t = trees.order[place]
            _, wa, wb, wc = find_closest_weights(x, triangles, t, px, py, pz)
            qx, qy, qz = place_weights(x, triangles, t, wa, wb, wc)
            squared = (px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2
            if squared > best or (squared == best and found >= 0 and t > found):
                continue
            if vertex >= 0:
                nx, ny, nz = find_face_normal(x, triangles, t)
                if not is_lowest(
                    x, triangles, faces.vertex_first, faces.vertex_triangle, vertex, nx, ny, nz
                ):  # fmt: skip
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
def find_deep_candidate(pool: MeshPool, mesh, px, py, pz, vertex, depth, probe: Probe):
    """What a point deep inside a mesh touches: its nearest feature if the point is behind it. Returns 0 or 1.

    A vertex of another mesh (-1 if p is none) leaves preferably through a face that it sticks out towards. The answer
    is in the first row of probe.codes and probe.values.
    """
    faces, trees, codes, values = pool.faces, pool.trees, probe.codes, probe.values
    root, grid, scale = pool.table[mesh, ROOT], pool.table[mesh, GRID], pool.sizes[mesh, SCALE]
    if depth <= 0.0 or not is_in_box(trees.bounds, root, px, py, pz, pool.sizes[mesh, BEHIND]):
        return ZERO
    count = ZERO
    if grid < 0:
        t = find_nearest_triangle(faces, trees, root, px, py, pz, NO_VERTEX, depth, probe.stack)
        if t >= 0:
            count = add_candidate(
                faces, trees.triangle_bounds, t, px, py, pz, math.inf, scale, ZERO, codes, values
            )  # fmt: skip
        # Whether p is inside is said by what is nearest; which way a vertex leaves, by what it sticks out towards.
        if t >= 0 and vertex >= 0 and (count == 0 or values[0, 3] < 0.0):
            towards = find_nearest_triangle(faces, trees, root, px, py, pz, vertex, depth, probe.stack)
            if towards >= 0 and towards != t:
                count = add_candidate(
                    faces, trees.triangle_bounds, towards, px, py, pz, math.inf, scale, ZERO, codes, values
                )  # fmt: skip
    else:
        # What is below a floor has it above itself, along the floor's own upward axis.
        grids, box = trees.grids, probe.box
        if is_above_grid(grids, grid, px, py, pz):
            return ZERO
        ux, uy, uz = depth * grids[grid, 9], depth * grids[grid, 12], depth * grids[grid, 15]
        box[0, 0], box[0, 1], box[0, 2] = min(px, px + ux), min(py, py + uy), min(pz, pz + uz)
        box[0, 3], box[0, 4], box[0, 5] = max(px, px + ux), max(py, py + uy), max(pz, pz + uz)
        found = collect_triangles(trees, pool.table, mesh, box, 1e-5 * depth, probe.stack, probe.near)
        for place in range(min(found, probe.near.size)):
            count = add_candidate(
                faces, trees.triangle_bounds, probe.near[place], px, py, pz, depth, scale, count, codes, values
            )  # fmt: skip
    kept = choose_candidates(depth, count, codes, values)
    return ONE if kept == 1 and values[0, 3] < 0.0 else ZERO


@njit
def add_ball_contacts(
    first, second, code, px, py, pz, radius, limit, candidates, probe: Probe, count, raw_out: Raw
):  # fmt: skip
    """Contacts of a ball about p (the first side) with its candidates on a mesh; returns the new count."""
    codes, values = probe.codes, probe.values
    for c in range(candidates):
        nx, ny, nz, signed = values[c, 0], values[c, 1], values[c, 2], values[c, 3]
        gap = signed - radius
        if gap <= limit:
            count = add_raw(
                first, second, code, codes[c, 0], NO_TRIANGLE, codes[c, 1],
                px - signed * nx, py - signed * ny, pz - signed * nz, nx, ny, nz, gap, count, raw_out,
            )  # fmt: skip
            set_weights(1, values[c, 5], values[c, 6], values[c, 7], count - 1, raw_out.values)
    return count


@njit
def is_on_surface(pool: MeshPool, mesh, px, py, pz, probe: Probe):
    """Whether a point lies within the slack of the surface of a mesh."""
    faces, slack, box, near = pool.faces, pool.sizes[mesh, SLACK], probe.box, probe.near
    if pool.table[mesh, GRID] < 0:
        return find_nearest_triangle(
            faces, pool.trees, pool.table[mesh, ROOT], px, py, pz, NO_VERTEX, slack, probe.stack
        ) >= 0  # fmt: skip
    box[0, 0], box[0, 1], box[0, 2] = px, py, pz
    box[0, 3], box[0, 4], box[0, 5] = px, py, pz
    found = collect_triangles(pool.trees, pool.table, mesh, box, slack, probe.stack, near)
    for place in range(min(found, near.size)):
        _, wa, wb, wc = find_closest_weights(faces.x, faces.triangles, near[place], px, py, pz)
        qx, qy, qz = place_weights(faces.x, faces.triangles, near[place], wa, wb, wc)
        if length(px - qx, py - qy, pz - qz) <= slack:
            return True
    return False


@njit
def list_face_normals(pool: MeshPool, mesh, px, py, pz, first, probe: Probe):
    """Normals of the faces of a mesh at a point, up to its slack, as rows of probe.values from `first` on; the end."""
    faces, slack, box, near = pool.faces, pool.sizes[mesh, SLACK], probe.box, probe.near
    box[0, 0], box[0, 1], box[0, 2] = px, py, pz
    box[0, 3], box[0, 4], box[0, 5] = px, py, pz
    found = collect_triangles(pool.trees, pool.table, mesh, box, slack, probe.stack, near)
    end = first
    for place in range(min(found, near.size)):
        t = near[place]
        _, wa, wb, wc = find_closest_weights(faces.x, faces.triangles, t, px, py, pz)
        qx, qy, qz = place_weights(faces.x, faces.triangles, t, wa, wb, wc)
        if end < probe.values.shape[0] and length(px - qx, py - qy, pz - qz) <= slack:
            normal = find_face_normal(faces.x, faces.triangles, t)
            probe.values[end, 0], probe.values[end, 1], probe.values[end, 2] = normal[0], normal[1], normal[2]
            end += 1
    return end


@njit
def do_faces_meet(pool: MeshPool, a, b, px, py, pz, probe: Probe):
    """Whether faces of two meshes that look at each other touch at a point."""
    middle = list_face_normals(pool, a, px, py, pz, 0, probe)
    end = list_face_normals(pool, b, px, py, pz, middle, probe)
    values = probe.values
    for i in range(middle):
        for j in range(middle, end):
            facing = values[i, 0] * values[j, 0] + values[i, 1] * values[j, 1] + values[i, 2] * values[j, 2]
            if facing < FACING:
                return True
    return False


@njit
def is_behind(pool: MeshPool, mesh, px, py, pz, depth, probe: Probe):
    """Whether a point is inside a mesh, or not deeper than `depth` [m] behind an open one.

    On the surface rounding decides: see `is_on_surface`.
    """
    depth = max(depth, pool.sizes[mesh, DEPTH])
    return find_deep_candidate(pool, mesh, px, py, pz, NO_VERTEX, depth, probe) != 0


@njit
def is_behind_or_on(pool: MeshPool, mesh, px, py, pz, depth, probe: Probe):
    """Whether a point `is_behind`, or on the surface of the mesh up to its slack."""
    return is_behind(pool, mesh, px, py, pz, depth, probe) or is_on_surface(pool, mesh, px, py, pz, probe)
