"""Areas of the vertices of a skin: all that belongs to one, and what of it can press in one direction."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple_collide.mesh_shape import TriangleMesh


def triangle_areas(mesh: TriangleMesh) -> FloatArray:
    """Normals of the triangles [nt, 3], as long as their areas [m^2]."""
    corners = mesh.vertices[mesh.triangles]
    found: FloatArray = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return found


def vertex_areas(mesh: TriangleMesh) -> FloatArray:
    """A third of the areas of the triangles around every vertex [m^2]."""
    areas = np.linalg.norm(triangle_areas(mesh), axis=1)
    flat, weights = mesh.triangles.reshape(-1), np.repeat(areas / 3.0, 3)
    summed: FloatArray = np.bincount(flat, weights, minlength=len(mesh.vertices)).astype(np.float64)
    return summed


def pressing_areas(mesh: TriangleMesh) -> FloatArray:
    """The area of every vertex that presses in one direction, the best for it [m^2].

    Each triangle a with the normal n resists along its normal: a layer has the stiffness a n n^T. A spring has one
    stiffness for all directions, so the greatest of them is taken: on a smooth skin all of the area, at the edge of a
    sole that of the sole or that of the wall, but not their sum.
    """
    normals = triangle_areas(mesh)
    areas = np.linalg.norm(normals, axis=1)
    layers = np.einsum("ti,tj->tij", normals, normals) / (3.0 * np.maximum(areas, 1e-300)[:, None, None])
    summed = np.zeros((len(mesh.vertices), 3, 3))
    for corner in range(3):
        np.add.at(summed, mesh.triangles[:, corner], layers)
    return np.asarray(np.linalg.eigvalsh(summed)[:, -1], np.float64)
