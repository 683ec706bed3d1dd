"""All contacts that involve a mesh: the pairs that are near, their contacts, and the choice among those."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple_collide.kernel_arrays import (
    Contacts,
    Elements,
    MeshPool,
    MeshPoses,
    Objects,
    Reaches,
    Regions,
    Scratch,
    Shapes,
)
from supple_collide.meshes.columns import BENDS, GRID, OBJECT, ROOT, SLACK
from supple_collide.meshes.tree_kernels import boxes_meet
from supple_collide.pairs.choose_kernels import choose_rows
from supple_collide.pairs.mesh_mesh_kernels import find_mesh_mesh
from supple_collide.pairs.object_kernels import may_meet, pair_meshes
from supple_collide.pairs.raw_kernels import write_raw
from supple_collide.pairs.round_mesh_kernels import fill_segment_box, find_plane_mesh, find_round_mesh
from supple_collide.primitives.manifold_kernels import ZERO
from supple_collide.primitives.pose_kernels import fill_rotations
from supple_collide.shape_kinds import BOX, FIRST_SOLID, PLANE

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
    pool: MeshPool, reaches: Reaches, shapes: Shapes, objects: Objects, shadows_from, margin, most, scratch: Scratch
):  # fmt: skip
    """Append contacts of spheres, capsules and planes with meshes; returns the room needed, 1 if it is just enough.

    The reach of everything includes the `margin` [m], which says nothing about this step. scratch.tally: contacts
    found, and contacts chosen among them. The meshes from `shadows_from` on stand for boxes.
    """
    kind, table, box, near, raw = shapes.kind, pool.table, scratch.box, scratch.near, scratch.raw
    count, chosen, needed = scratch.tally[0], scratch.tally[1], 0.0
    for shape in range(kind.size):
        if kind[shape] == BOX or kind[shape] >= FIRST_SOLID:
            continue
        if kind[shape] != PLANE:
            fill_round_box(shapes.size, shapes.x, shapes.rotation, shape, box)
        for mesh in range(shadows_from):
            limit = shapes.reach[shape] + reaches.reach[mesh]
            if kind[shape] != PLANE and not boxes_meet(
                box, ZERO, pool.trees.bounds, table[mesh, ROOT], limit
            ):
                continue
            if not may_meet(objects.group, objects.movable, objects.ignored, shape, table[mesh, OBJECT]):
                continue
            before = count
            if kind[shape] == PLANE:
                if table[mesh, GRID] < 0:
                    count = find_plane_mesh(
                        pool, reaches, shapes, shape, mesh, limit, scratch.end.stack, count, raw
                    )  # fmt: skip
            else:
                count, found = find_round_mesh(
                    pool, reaches.reach, shapes, shape, mesh, near, scratch.end, count, raw
                )  # fmt: skip
                needed = max(needed, found / near.size)
            chosen = choose_rows(
                raw, before, count, table[mesh, BENDS] != 0, SAME_PLACE * pool.sizes[mesh, SLACK],
                limit - 2.0 * margin, most, scratch.choice, chosen, scratch.chosen,
            )  # fmt: skip
    scratch.tally[0], scratch.tally[1] = count, chosen
    return needed


@njit_inlined
def find_mesh_contacts(
    pool: MeshPool, reaches: Reaches, regions: Regions, poses: MeshPoses, objects: Objects, shadows_from, margin,
    most, scratch: Scratch,
):  # fmt: skip
    """Append contacts of meshes with meshes, boxes among them, as `find_primitive_contacts` does."""
    table, sizes, reach, mesh_pairs = pool.table, pool.sizes, reaches.reach, scratch.search.mesh_pairs
    count, chosen = scratch.tally[0], scratch.tally[1]
    pairs = pair_meshes(
        table, objects, regions.meets_itself, shadows_from, pool.trees.bounds, reach, mesh_pairs
    )  # fmt: skip
    needed = pairs / mesh_pairs.shape[0]
    for row in range(min(pairs, mesh_pairs.shape[0])):
        a, b = mesh_pairs[row, 0], mesh_pairs[row, 1]
        before = count
        count, used = find_mesh_mesh(
            pool, reaches, regions, poses, a, b, reach[a] + reach[b], scratch.probe, scratch.search, count, scratch.raw
        )  # fmt: skip
        needed = max(needed, used)
        chosen = choose_rows(
            scratch.raw, before, count, table[a, BENDS] != 0 or table[b, BENDS] != 0,
            SAME_PLACE * min(sizes[a, SLACK], sizes[b, SLACK]), reach[a] + reach[b] - 2.0 * margin, most,
            scratch.choice, chosen, scratch.chosen,
        )  # fmt: skip
    scratch.tally[0], scratch.tally[1] = count, chosen
    return needed


@njit
def find_and_write(
    pool: MeshPool, reaches: Reaches, regions: Regions, poses: MeshPoses, shapes: Shapes, objects: Objects,
    elements: Elements, shadows_from, margin, most, first, scratch: Scratch, contacts: Contacts,
):  # fmt: skip
    """All contacts of scenes with both round shapes and meshes in one call: (room needed, contacts there are now).

    If the room needed is above 1, contacts are missing.
    """
    scratch.tally[0] = scratch.tally[1] = 0
    fill_rotations(shapes.q, shapes.rotation)
    needed = find_primitive_contacts(
        pool, reaches, shapes, objects, shadows_from, margin, most, scratch
    )  # fmt: skip
    among_meshes = find_mesh_contacts(
        pool, reaches, regions, poses, objects, shadows_from, margin, most, scratch
    )  # fmt: skip
    count = write_raw(elements, objects, scratch.raw, scratch.chosen, scratch.tally, first, contacts)
    return max(needed, among_meshes), count
