"""Points on the boundary as rows on vertices."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.points import SurfacePoints


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
