"""Kernels that move the vertices of meshes and the boxes around them."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import matrix_of_quaternion_at
from supple_collide.kernel_arrays import MeshBoxes, MeshPoses, Reaches, RestMeshes
from supple_collide.meshes.columns import FIRST_VERTEX, LAST_VERTEX, ROOT
from supple_collide.meshes.tree_kernels import COUNT, FIRST_PLACE, RIGHT, refit_tree


@njit
def place_meshes(meshes: RestMeshes, moves, poses: MeshPoses, boxes_out: MeshBoxes):
    """Vertices and boxes of the rigid meshes with moves[m] != 0: x = position + R(q) rest.

    rest [nv, 3] is in the mesh's own frame [m].
    """
    table, rest, position, x_out = meshes.table, meshes.rest, poses.position, boxes_out.x
    for mesh in range(table.shape[0]):
        if moves[mesh] == 0:
            continue
        m = matrix_of_quaternion_at(poses.q, mesh)
        px, py, pz = position[mesh, 0], position[mesh, 1], position[mesh, 2]
        for v in range(table[mesh, FIRST_VERTEX], table[mesh, LAST_VERTEX]):
            a, b, c = rest[v, 0], rest[v, 1], rest[v, 2]
            x_out[v, 0] = px + m[0] * a + m[1] * b + m[2] * c
            x_out[v, 1] = py + m[3] * a + m[4] * b + m[5] * c
            x_out[v, 2] = pz + m[6] * a + m[7] * b + m[8] * c
        refit_tree(
            meshes.triangles, meshes.nodes, meshes.order, table[mesh, ROOT], meshes.node_last[mesh],
            x_out, boxes_out.bounds, boxes_out.triangle_bounds,
        )  # fmt: skip


@njit
def find_shortfalls(
    triangles, nodes, order, first_node, last_node, vertex_short, node_short_out, triangle_short_out
):
    """What triangles and nodes fall short of the reach of their mesh by: the least of their vertices."""
    for node in range(last_node - 1, first_node - 1, -1):
        if nodes[node, COUNT] == 0:
            node_short_out[node] = min(node_short_out[node + 1], node_short_out[nodes[node, RIGHT]])
            continue
        least = math.inf
        for place in range(nodes[node, FIRST_PLACE], nodes[node, FIRST_PLACE] + nodes[node, COUNT]):
            t = order[place]
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            short = min(vertex_short[a], vertex_short[b], vertex_short[c])
            triangle_short_out[t] = short
            least = min(least, short)
        node_short_out[node] = least


@njit
def forget_shortfalls(nodes, first_node, last_node, node_short_out, triangle_short_out):
    """No triangle and no node of a mesh falls short of its reach."""
    for node in range(first_node, last_node):
        node_short_out[node] = 0.0
    # The places of all triangles begin with the root's, and end with those of the last leaf.
    last = last_node - 1
    for t in range(nodes[first_node, FIRST_PLACE], nodes[last, FIRST_PLACE] + nodes[last, COUNT]):
        triangle_short_out[t] = 0.0


@njit
def follow_bending_mesh(
    meshes: RestMeshes, mesh, margin, sudden_speed, h, positions, velocities, ahead, boxes_out: MeshBoxes,
    reaches_out: Reaches,
):  # fmt: skip
    """Vertices, boxes and reach of one mesh whose vertices have positions [n, 3] [m], velocities [n, 3] [m/s].

    The reach of the mesh is that of its fastest vertex; what others fall short of it by is *_short [m]. While none
    is faster than what a push may give to any, there is little to fall short of, and all reach as far. ahead [n] are
    the speeds that an earlier look at the same step led to [m/s].
    """
    triangles, nodes, order, last_node = meshes.triangles, meshes.nodes, meshes.order, meshes.node_last[mesh]
    first, root, squared = meshes.table[mesh, FIRST_VERTEX], meshes.table[mesh, ROOT], 0.0
    x_out, vertex_short_out = boxes_out.x, reaches_out.vertex_short
    node_short_out, triangle_short_out = reaches_out.node_short, reaches_out.triangle_short
    for v in range(positions.shape[0]):
        for k in range(3):
            x_out[first + v, k] = positions[v, k]
            reaches_out.drift[first + v, k] = h * velocities[v, k]
        own = velocities[v, 0] ** 2 + velocities[v, 1] ** 2 + velocities[v, 2] ** 2
        vertex_short_out[first + v] = max(own, 0.25 * ahead[v] * ahead[v])
        squared = max(squared, vertex_short_out[first + v])
    fastest = math.sqrt(squared)
    for v in range(first, first + positions.shape[0]):
        own = math.sqrt(vertex_short_out[v]) if fastest > sudden_speed else fastest
        vertex_short_out[v] = 2.0 * h * (fastest - own)
    reaches_out.reach[mesh] = margin + h * (sudden_speed + 2.0 * fastest)
    refit_tree(triangles, nodes, order, root, last_node, x_out, boxes_out.bounds, boxes_out.triangle_bounds)
    if fastest > sudden_speed:
        find_shortfalls(
            triangles, nodes, order, root, last_node, vertex_short_out, node_short_out, triangle_short_out
        )  # fmt: skip
    else:
        forget_shortfalls(nodes, root, last_node, node_short_out, triangle_short_out)


@njit
def find_mesh_penetrations(count, surface, element, gap, mesh_surface, mesh_of_triangle, penetration_out):
    """The deepest contact of every mesh of the surface `mesh_surface`; zero where nothing overlaps."""
    for i in range(penetration_out.shape[0]):
        penetration_out[i] = 0.0
    for c in range(count[0]):
        for side in range(2):
            if surface[c, side] == mesh_surface:
                mesh = mesh_of_triangle[element[c, side]]
                penetration_out[mesh] = max(penetration_out[mesh], -gap[c])
