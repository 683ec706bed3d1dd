"""The skin as it was made: what stretch and inverted triangles are measured against."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.pose import relative_pose
from supple.core.rotation_rows import rotate_rows
from supple_collide.mesh_shape import list_vertex_triangles
from supple_flesh.pool import Pool
from supple_flesh.tables import Borders


def find_edge_lengths(pool: Pool) -> FloatArray:
    """Lengths [m] of the edges to all neighbours, in the order of `flesh.neighbour`."""
    made = np.concatenate([part.mesh.vertices for part in pool.parts])
    vertex = np.repeat(np.arange(pool.count), np.diff(pool.first))
    lengths: FloatArray = np.linalg.norm(made[vertex] - made[pool.neighbour], axis=1)
    return lengths


def find_corner_normals(build: Build, pool: Pool) -> FloatArray:
    """Normal of every triangle as made, in the frame of the bone of each of its corners [triangles, 3, 3]."""
    normals = np.empty((len(pool.triangles), 3, 3))
    for part in pool.parts:
        a, b, c = (part.mesh.vertices[part.mesh.triangles[:, k]] for k in range(3))
        across = np.cross(b - a, c - a)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        patches = pool.patch_of[pool.triangles[part.triangles]]
        here = build.pose(part.entity.path)
        used = np.unique(patches)
        bones = {pool.patch_bone[patch] for patch in used}
        turns = {bone: relative_pose(build.pose(bone), here)[1] for bone in bones}
        table = np.array([turns[pool.patch_bone[patch]] for patch in used])
        normals[part.triangles] = rotate_rows(table[np.searchsorted(used, patches)], across[:, None])
    return normals


def find_borders(patch_of: IntArray, first: IntArray, neighbour: IntArray, triangles: IntArray) -> Borders:
    """What may strain although no vertex moves against its bone, and where to look if one does."""
    vertex = np.repeat(np.arange(len(patch_of)), np.diff(first))
    edges = np.flatnonzero((patch_of[vertex] != patch_of[neighbour]) & (vertex < neighbour))
    corners = patch_of[triangles]
    across = (corners != corners[:, :1]).any(axis=1)
    whole = np.flatnonzero(~across)
    begins, place = list_vertex_triangles(len(patch_of), triangles[whole])
    return Borders(
        edge=np.stack([vertex[edges], neighbour[edges], edges], axis=1).astype(np.int64),
        triangle=np.flatnonzero(across).astype(np.int64),
        around_first=begins,
        around=whole[place].astype(np.int64),
    )
