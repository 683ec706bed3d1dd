"""Vertices that look up the tiles below them find what all pairs of triangles show."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple_collide.grid_vertex_kernels import gather_above_grid
from supple_collide.mesh_files import Triangles
from supple_collide.mesh_pair_kernels import FOUND_IDS, FOUND_VALUES, forget_candidates, gather_vertices
from supple_collide.mesh_shape import box_mesh, list_owned, list_vertex_triangles, make_mesh
from supple_collide.terrain import join_cells, place_grid

CELLS, SIZE, ROOM = (6, 5), (0.6, 0.5), 4096


def make_scene(seed):
    """A floor, level or bumpy and maybe turned, and a box of a few tiles near it: the pool of both, and the grid."""
    random = np.random.default_rng(seed)
    points = place_grid(CELLS, SIZE)
    height, sway = random.choice([0.0, 0.02]), random.choice([0.0, 0.02])
    points += random.uniform(-1, 1, points.shape) * [sway, height, sway]
    top, spill = points[:, 1].max(), np.abs(points - place_grid(CELLS, SIZE))[:, [0, 2]].max()
    triangles, _ = join_cells(*CELLS)
    numbers = tuple(range(len(triangles)))
    floor = make_mesh(Triangles("floor", points, triangles, numbers, "triangle"), 1.0, "floor")
    box = box_mesh(tuple(random.uniform(0.03, 0.12, 3)))
    turn, tilt = Rotation.random(random_state=int(seed)), Rotation.from_rotvec(random.normal(size=3) * 0.1)
    turn = turn if random.random() < 0.5 else Rotation.identity()
    lowest = tilt.apply(box.vertices)[:, 1].min()
    place = [random.uniform(-0.3, 0.3), top - lowest + random.normal() * 0.003, random.uniform(-0.25, 0.25)]
    x = turn.apply(np.concatenate([floor.vertices, tilt.apply(box.vertices) + place]))
    corner = turn.apply([-SIZE[0] / 2, 0.0, -SIZE[1] / 2])
    tile = SIZE[0] / CELLS[0], SIZE[1] / CELLS[1]
    grid = np.array([[*CELLS, *tile, spill, *corner, *turn.as_matrix().ravel(), top]])
    return floor, box, x, grid, 10 ** random.uniform(-3, -1.3)


def join_pool(floor, box, x):
    first = len(floor.triangles)
    triangles = np.concatenate([floor.triangles, box.triangles + len(floor.vertices)])
    neighbour = np.concatenate([floor.neighbour, np.where(box.neighbour < 0, -1, box.neighbour + first)])
    facet = np.concatenate([floor.facet, box.facet + first])
    owns = np.concatenate([list_owned(floor, False), list_owned(box, False)])
    around = list_vertex_triangles(len(x), triangles)
    corners = x[triangles]
    bounds = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    return triangles, neighbour, facet, owns, *around, bounds


def read(count, ids, values):
    rows = np.lexsort(ids[:count].T)
    return ids[:count][rows], values[:count][rows]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_the_same_candidates_as_by_brute_force(seed):
    floor, box, x, grid, within = make_scene(seed)
    triangles, neighbour, facet, owns, first, around, bounds = join_pool(floor, box, x)
    pool = (x, triangles, neighbour, facet, owns, first, around, bounds)
    below, own = len(floor.triangles), len(floor.vertices)
    pairs = np.array([(t, u) for t in range(below, len(triangles)) for u in range(below)])
    found = []
    for look in ("grid", "pairs"):
        nearest, head, link = np.zeros(len(x)), np.zeros(len(x), np.int64), np.zeros(ROOM, np.int64)
        forget_candidates(nearest, head)
        ids, values = np.zeros((ROOM, FOUND_IDS), np.int64), np.zeros((ROOM, FOUND_VALUES))
        scratch = (1.0, 1e-6, within, nearest, head, link, ids, values)
        if look == "grid":
            count = gather_above_grid(*pool, grid, 0, 0, own, len(x), *scratch)
        else:
            same = 0.0, True, np.zeros(len(x)), np.zeros(len(triangles))
            count = gather_vertices(*pool, pairs, len(pairs), 0, *scratch[:3], *same, *scratch[3:])
        found.append((*read(count, ids, values), nearest))
    for by_grid, by_force in zip(*found, strict=True):
        np.testing.assert_array_equal(by_grid, by_force)
