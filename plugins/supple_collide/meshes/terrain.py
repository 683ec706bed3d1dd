"""Height fields: floors whose height is given, or random, at the points of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.noise import noise_at
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError
from supple_collide.mesh_files import read_numbers
from supple_collide.mesh_shape import TriangleMesh, find_facets

#: The step whose noise shapes a floor: floors do not change.
START = 0
#: Floors of more cells than this are made anew for every build: kept ones stay in memory.
MOST_KEPT = 100_000


@dataclass(frozen=True)
class Grid:
    """Where the cells of a height field are: cells along x and z, their sizes, the first corner [m].

    `spill` [m] is how far vertices stand off their grid points sideways, `top` [m] the greatest height.
    """

    cells: tuple[int, int]
    tile: tuple[float, float]
    corner: FloatArray
    spill: float
    top: float


def make_terrain(kind: str, shape: Any, path: str, files: SceneFiles, seed: int) -> tuple[TriangleMesh, Grid]:
    """The mesh of a `heightfield` or `bumpy` component, about the entity's origin, and its grid."""
    if kind == "heightfield":
        cells, heights = shape.cells, np.array(shape.heights, float)
        if shape.file:
            file = files.find(shape.file, f"{path}.{kind}.file")
            heights = np.array(list(read_numbers(file, f"{path}.{kind}")))
        wanted = (cells[0] + 1) * (cells[1] + 1)
        if len(heights) != wanted:
            what = f"has {len(heights)} heights, but {cells[0]} x {cells[1]} cells have {wanted} corners"
            raise UserError(
                Problem(None, f"{path}.{kind}", what, f"give {wanted} heights, row by row along x")
            )
        offsets = np.zeros((wanted, 3))
        offsets[:, 1] = heights
        return _join(shape, cells, offsets)
    cells = (max(1, round(shape.size[0] / shape.tile)), max(1, round(shape.size[1] / shape.tile)))
    seed = seed if shape.seed is None else shape.seed
    make = _keep_bumpy if cells[0] * cells[1] <= MOST_KEPT else _make_bumpy
    return make(shape, cells, path, seed)


def _make_bumpy(shape: Any, cells: tuple[int, int], path: str, seed: int) -> tuple[TriangleMesh, Grid]:
    return _join(shape, cells, draw_bumps(shape, cells, path, seed))


#: Variants of a scene mostly stand on the same floor.
_keep_bumpy = lru_cache(maxsize=2)(_make_bumpy)


def _join(shape: Any, cells: tuple[int, int], offsets: FloatArray) -> tuple[TriangleMesh, Grid]:
    """The mesh whose vertices stand off the grid points by these offsets."""
    tile = (shape.size[0] / cells[0], shape.size[1] / cells[1])
    grid_points = place_grid(cells, shape.size)
    corner = np.array([-shape.size[0] / 2, 0.0, -shape.size[1] / 2])
    spill = float(np.abs(offsets[:, [0, 2]]).max())
    vertices = grid_points + offsets
    triangles, neighbour = join_cells(*cells)
    mesh = TriangleMesh(vertices, triangles, neighbour, find_facets(vertices, triangles, neighbour))
    return mesh, Grid(cells, tile, corner, spill, float(vertices[:, 1].max()))


def place_grid(cells: tuple[int, int], size: tuple[float, float]) -> FloatArray:
    """The corners of the cells [(nx + 1) (nz + 1), 3], row by row along x, about the origin [m]."""
    x = np.linspace(-size[0] / 2, size[0] / 2, cells[0] + 1)
    z = np.linspace(-size[1] / 2, size[1] / 2, cells[1] + 1)
    points = np.zeros((len(z), len(x), 3))
    points[:, :, 0], points[:, :, 2] = x[None, :], z[:, None]
    return points.reshape(-1, 3)


def draw_bumps(shape: Any, cells: tuple[int, int], path: str, seed: int) -> FloatArray:
    """Random offsets of the grid points [m]: heights in [0, amplitude], sideways within `sway` of a tile."""
    from scipy.special import ndtr  # takes a while to import, and few scenes have bumps

    count = (cells[0] + 1) * (cells[1] + 1)
    even = ndtr(noise_at(seed, path, START, 3 * count)).reshape(3, count)
    tile = np.array([shape.size[0] / cells[0], shape.size[1] / cells[1]])
    points = place_grid(cells, shape.size)
    rough = np.hypot(points[:, 0], points[:, 2]) > shape.flat if shape.flat > 0 else np.ones(count, bool)
    offsets = np.zeros((count, 3))
    offsets[:, 1] = shape.amplitude * even[0] * rough
    offsets[:, 0] = shape.sway * tile[0] * (2.0 * even[1] - 1.0) * rough
    offsets[:, 2] = shape.sway * tile[1] * (2.0 * even[2] - 1.0) * rough
    return offsets


def join_cells(cells_x: int, cells_z: int) -> tuple[IntArray, IntArray]:
    """Two triangles for every cell, facing up, and their neighbours; cell (i, k) has 2 (i + k cells_x)."""
    i, k = (each.reshape(-1) for each in np.meshgrid(np.arange(cells_x), np.arange(cells_z)))
    low = i + k * (cells_x + 1)
    high = low + cells_x + 1
    triangles = np.stack([low, high, low + 1, low + 1, high, high + 1], axis=1).reshape(-1, 3)
    first = 2 * (i + k * cells_x)
    neighbour = np.full((len(first), 6), -1, np.int64)
    # Edges of the first half: towards -x, the diagonal, towards -z; of the second: the diagonal, +z, +x.
    neighbour[:, 0] = np.where(i > 0, first - 1, -1)
    neighbour[:, 1] = first + 1
    neighbour[:, 2] = np.where(k > 0, first - 2 * cells_x + 1, -1)
    neighbour[:, 3] = first
    neighbour[:, 4] = np.where(k < cells_z - 1, first + 2 * cells_x, -1)
    neighbour[:, 5] = np.where(i < cells_x - 1, first + 2, -1)
    return triangles.astype(np.int64), neighbour.reshape(-1, 3)
