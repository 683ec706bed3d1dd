"""Trees of bounding boxes over triangles: refitting, and finding triangles and pairs of triangles.

Nodes stand in depth-first order: the left child of node i is i + 1, the right one nodes[i, RIGHT]; a leaf has
nodes[i, COUNT] > 0 triangles, in `order` from nodes[i, FIRST_PLACE] on. Boxes are (low, high), six numbers. One
pool of arrays holds the trees of all meshes.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple_collide.kernel_arrays import Reaches, Regions, Trees

# Columns of the nodes.
RIGHT, FIRST_PLACE, COUNT = range(3)
# A path from the root to a leaf of a balanced tree is far shorter than this.
STACK = 256


@njit
def refit_tree(
    triangles, nodes, order, first_node, last_node,
    x, bounds_out, triangle_bounds_out,
):  # fmt: skip
    """Boxes of the triangles and nodes first_node <= i < last_node around the vertices x [nv, 3] as they are."""
    for node in range(last_node - 1, first_node - 1, -1):
        if nodes[node, COUNT] == 0:
            left, right = node + 1, nodes[node, RIGHT]
            for k in range(3):
                bounds_out[node, k] = min(bounds_out[left, k], bounds_out[right, k])
                bounds_out[node, 3 + k] = max(bounds_out[left, 3 + k], bounds_out[right, 3 + k])
            continue
        for k in range(3):
            bounds_out[node, k], bounds_out[node, 3 + k] = math.inf, -math.inf
        for place in range(nodes[node, FIRST_PLACE], nodes[node, FIRST_PLACE] + nodes[node, COUNT]):
            t = order[place]
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            for k in range(3):
                low, high = min(x[a, k], x[b, k], x[c, k]), max(x[a, k], x[b, k], x[c, k])
                triangle_bounds_out[t, k], triangle_bounds_out[t, 3 + k] = low, high
                bounds_out[node, k] = min(bounds_out[node, k], low)
                bounds_out[node, 3 + k] = max(bounds_out[node, 3 + k], high)


@njit
def boxes_meet(bounds_a, a, bounds_b, b, grow):
    """Whether two boxes come nearer than `grow` [m] along every axis."""
    # All six comparisons and one branch: which of them fails is hard to predict.
    x = (bounds_a[a, 0] <= bounds_b[b, 3] + grow) & (bounds_b[b, 0] <= bounds_a[a, 3] + grow)
    y = (bounds_a[a, 1] <= bounds_b[b, 4] + grow) & (bounds_b[b, 1] <= bounds_a[a, 4] + grow)
    z = (bounds_a[a, 2] <= bounds_b[b, 5] + grow) & (bounds_b[b, 2] <= bounds_a[a, 5] + grow)
    return x & y & z


@njit
def query_tree(
    nodes, order, root, bounds, triangle_bounds, box, box_row, grow,
    stack, found_out,
):  # fmt: skip
    """The triangles whose boxes come within `grow` [m] of box[box_row]; in the order of the tree.

    Returns how many there are; those beyond the capacity of found_out are not written. `stack` [STACK] is
    scratch.
    """
    found = np.int64(0)
    stack[0], depth = root, 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if not boxes_meet(bounds, node, box, box_row, grow):
            continue
        if nodes[node, COUNT] == 0:
            stack[depth], stack[depth + 1] = nodes[node, RIGHT], node + 1
            depth += 2
            continue
        for place in range(nodes[node, FIRST_PLACE], nodes[node, FIRST_PLACE] + nodes[node, COUNT]):
            t = order[place]
            if boxes_meet(triangle_bounds, t, box, box_row, grow):
                if found < found_out.size:
                    found_out[found] = t
                found += 1
    return found


@njit_inlined
def pair_leaves(
    trees: Trees, regions: Regions, triangle_short, a, b, same, grow, least, found, pairs_out
):  # fmt: skip
    """Add the pairs of near triangles of two leaves whose regions may meet; returns the new number of pairs."""
    nodes, order, triangle_bounds = trees.nodes, trees.order, trees.triangle_bounds
    region, regions_meet = regions.region, regions.regions_meet
    for i in range(nodes[a, FIRST_PLACE], nodes[a, FIRST_PLACE] + nodes[a, COUNT]):
        t = order[i]
        start = i + 1 if same and a == b else nodes[b, FIRST_PLACE]
        for j in range(start, nodes[b, FIRST_PLACE] + nodes[b, COUNT]):
            u = order[j]
            near = max(least, grow - triangle_short[t] - triangle_short[u])
            meets = boxes_meet(triangle_bounds, t, triangle_bounds, u, near) & (
                regions_meet[region[t], region[u]] != 0
            )
            # Every pair is written, and the next one on top of it if it does not count: no branch to be mispredicted.
            if found < pairs_out.shape[0]:
                pairs_out[found, 0], pairs_out[found, 1] = t, u
            found += meets
    return found


@njit
def pair_trees(
    trees: Trees, regions: Regions, reaches: Reaches, root_a, root_b, grow, least, stack, pairs_out
):  # fmt: skip
    """The pairs of triangles (of tree a, of tree b) whose boxes come near each other.

    Near is `grow` [m] less what each of the two falls short of it, triangle_short[t], but not less than `least`; a node
    falls short by node_short, the least of its triangles. Triangle t is in region[t]; regions_meet [nr, nr] is 0 for
    regions that do not touch, and node_regions, node_meets have the regions below a node, and those that they meet, as
    bits. A tree paired with itself gives every pair of two triangles once. Returns how many there
    are; those beyond the capacity of pairs_out [n, 2] are not written. `stack` [2 STACK] is scratch.
    """
    nodes, bounds, node_short = trees.nodes, trees.bounds, reaches.node_short
    node_regions, node_meets = regions.node_regions, regions.node_meets
    same = root_a == root_b
    found = np.int64(0)
    stack[0], stack[1], depth = root_a, root_b, 2
    while depth > 0:
        depth -= 2
        a, b = stack[depth], stack[depth + 1]
        if node_regions[a] & node_meets[b] == 0:
            continue
        if not boxes_meet(bounds, a, bounds, b, max(least, grow - node_short[a] - node_short[b])):
            continue
        inner_a, inner_b = nodes[a, COUNT] == 0, nodes[b, COUNT] == 0
        if same and a == b and inner_a:
            left, right = a + 1, nodes[a, RIGHT]
            stack[depth], stack[depth + 1] = right, right
            stack[depth + 2], stack[depth + 3] = left, right
            stack[depth + 4], stack[depth + 5] = left, left
            depth += 6
        elif inner_a and (not inner_b or span(bounds, a) >= span(bounds, b)):
            stack[depth], stack[depth + 1] = nodes[a, RIGHT], b
            stack[depth + 2], stack[depth + 3] = a + 1, b
            depth += 4
        elif inner_b:
            stack[depth], stack[depth + 1] = a, nodes[b, RIGHT]
            stack[depth + 2], stack[depth + 3] = a, b + 1
            depth += 4
        else:
            found = pair_leaves(
                trees, regions, reaches.triangle_short, a, b, same, grow, least, found, pairs_out
            )  # fmt: skip
    return found


@njit
def span(bounds, node):
    """The sum of the edges of a box [m]."""
    low, high = bounds[node, 0] + bounds[node, 1] + bounds[node, 2], bounds[node, 3] + bounds[node, 4]
    return high + bounds[node, 5] - low


@njit
def span_cells(grids, grid, u, w, half_u, half_w, grow):
    """The cells within `grow` [m] of a rectangle on a grid: first and last along x, first and last along z.

    u, w: its centre along the grid's own x and z, from the first corner of the grid; half_u, half_w: its half sizes.
    """
    cells_x, cells_z = int(grids[grid, 0]), int(grids[grid, 1])
    tile_x, tile_z, margin = grids[grid, 2], grids[grid, 3], grids[grid, 4] + grow
    first_i = max(0, math.floor((u - half_u - margin) / tile_x))
    last_i = min(cells_x - 1, math.floor((u + half_u + margin) / tile_x))
    first_k = max(0, math.floor((w - half_w - margin) / tile_z))
    last_k = min(cells_z - 1, math.floor((w + half_w + margin) / tile_z))
    return first_i, last_i, first_k, last_k


@njit_inlined
def query_grid(grids, grid, first_triangle, triangle_bounds, box, box_row, grow, found_out):
    """`query_tree` for a height field: only the cells below the box are looked at.

    grids [ng, 18]: cells along the grid's x and z, their lengths [m], spill [m], first corner in the world [m],
    the local axes as columns of a matrix,
    and the greatest height [m]. Vertices stand off their grid points by at most the spill. Cell
    (i, k) holds triangles 2 (i + k cells) and the one after it.
    """
    cells_x = int(grids[grid, 0])
    # Centre and half sizes of the box along the grid's x and z.
    u, w, half_u, half_w = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        along_u, along_w = grids[grid, 8 + 3 * k], grids[grid, 10 + 3 * k]
        centre = 0.5 * (box[box_row, k] + box[box_row, 3 + k]) - grids[grid, 5 + k]
        half = 0.5 * (box[box_row, 3 + k] - box[box_row, k])
        u, w = u + along_u * centre, w + along_w * centre
        half_u, half_w = half_u + abs(along_u) * half, half_w + abs(along_w) * half
    first_i, last_i, first_k, last_k = span_cells(grids, grid, u, w, half_u, half_w, grow)
    found = np.int64(0)
    for k in range(first_k, last_k + 1):
        for i in range(first_i, last_i + 1):
            for half in range(2):
                t = first_triangle + 2 * (i + k * cells_x) + half
                if boxes_meet(triangle_bounds, t, box, box_row, grow):
                    if found < found_out.size:
                        found_out[found] = t
                    found += 1
    return found
