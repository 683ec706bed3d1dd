"""Points on the boundary as rows on vertices."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.points import SurfacePoints
from supple_tets.tables import Embedding


@njit
def add_rows(first, unit, triangles, points: SurfacePoints, blocks_out: Jacobian):
    """Three blocks for every point: it moves by the weighted velocities of the corners of its triangle."""
    for p in range(points.span[0], points.span[1]):
        for corner in range(3):
            share = points.sign[p] * points.weights[p, corner]
            if share == 0.0:
                continue
            k = blocks_out.counts[0]
            blocks_out.counts[0] = k + 1
            blocks_out.group[k] = points.group[p]
            blocks_out.unit[k] = unit
            blocks_out.dof[k] = 3 * (first + triangles[points.element[p], corner])
            for row in range(3):
                for axis in range(3):
                    blocks_out.values[k, row, axis] = share * points.directions[p, row, axis]


@njit
def add_embedded_rows(
    first, unit, triangles, embedding: Embedding, points: SurfacePoints, blocks_out: Jacobian
):
    """Up to twelve blocks for every point: each corner of its triangle moves with the corners of a tetrahedron."""
    for p in range(points.span[0], points.span[1]):
        for corner in range(3):
            weight = points.sign[p] * points.weights[p, corner]
            if weight == 0.0:
                continue
            vertex = first + triangles[points.element[p], corner]
            for a in range(4):
                share = weight * embedding.skin_share[vertex, a]
                if share == 0.0:
                    continue
                k = blocks_out.counts[0]
                blocks_out.counts[0] = k + 1
                blocks_out.group[k] = points.group[p]
                blocks_out.unit[k] = unit
                blocks_out.dof[k] = 3 * embedding.skin_corner[vertex, a]
                for row in range(3):
                    for axis in range(3):
                        blocks_out.values[k, row, axis] = share * points.directions[p, row, axis]


@njit
def move_skins(embedding: Embedding, x, v, skin_x_out, skin_v_out):
    """Vertices of skins move with the tetrahedra that they lie in."""
    for k in range(skin_x_out.shape[0]):
        for axis in range(3):
            place, speed = 0.0, 0.0
            for a in range(4):
                n, share = embedding.skin_corner[k, a], embedding.skin_share[k, a]
                place, speed = place + share * x[n, axis], speed + share * v[n, axis]
            skin_x_out[k, axis], skin_v_out[k, axis] = place, speed
