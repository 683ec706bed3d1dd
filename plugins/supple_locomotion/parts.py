"""Which vertices are in a part, and how a part is cut into patches."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple_locomotion.components import Locomotion, Patch
from supple_tets.compile import TetBody


def find_parts(build: Build, told: Locomotion, body: TetBody) -> dict[str, IntArray]:
    """Vertices of every part, counted within the body."""
    places = body.mesh.vertices
    slack = 1e-6 * body.mesh.edge
    found = {}
    for name, box in told.parts.items():
        inside = ((places >= np.array(box.low) - slack) & (places <= np.array(box.high) + slack)).all(axis=1)
        if not inside.any():
            ends = [[round(float(each), 4) for each in end(places, axis=0)] for end in (np.min, np.max)]
            where = f"{body.path}.locomotion.parts.{name}"
            raise build.refuse(
                where, "no vertex lies in this box", f"the body reaches from {ends[0]} to {ends[1]}"
            )
        found[name] = np.flatnonzero(inside)
    return found


def cut_patches(
    build: Build, told: Locomotion, body: TetBody, parts: dict[str, IntArray]
) -> tuple[list[str], IntArray]:
    """The part of each patch, and the patch of every vertex of the body; -1 for those in none.

    A vertex in several patches belongs to the first.
    """
    labels: list[str] = []
    owner = np.full(len(body.mesh.vertices), -1)
    for number, patch in enumerate(told.patches):
        which = parts[patch.part]
        which = which[which < body.mesh.boundary_count]
        if len(which) == 0:
            where = f"{body.path}.locomotion.patches"
            what = f"patch {number} has no vertex on the boundary"
            raise build.refuse(where, what, f"move the box of the part '{patch.part}' to the surface")
        cells = number_cells(body.mesh.vertices[which], patch)
        for cell in np.unique(cells):
            mine = which[cells == cell]
            mine = mine[owner[mine] < 0]
            if len(mine):
                owner[mine] = len(labels)
                labels.append(patch.part)
    return labels, owner


def number_cells(points: FloatArray, patch: Patch) -> IntArray:
    """The cell of a patch's grid, or the sector, that each point lies in."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high - low, 1e-9)
    grid = np.array(patch.grid)
    cell = np.minimum(((points - low) / size * grid * (1 - 1e-9)).astype(np.int64), grid - 1)
    number: IntArray = (cell[:, 0] * grid[1] + cell[:, 1]) * grid[2] + cell[:, 2]
    if patch.sectors > 1:
        away = points - (low + high) / 2
        angle = np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi)
        sector = np.rint(angle * patch.sectors).astype(np.int64) % patch.sectors
        number = number * patch.sectors + sector
    return number
