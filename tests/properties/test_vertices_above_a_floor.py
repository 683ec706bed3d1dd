"""Vertices that look up the tiles below them find what all pairs of triangles show."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple_collide.kernel_arrays import Faces, Reaches, Trees
from supple_collide.mesh_files import Triangles
from supple_collide.mesh_scratch import make_found
from supple_collide.mesh_shape import box_mesh, list_owned, list_vertex_triangles, make_mesh
from supple_collide.meshes.terrain import join_cells, place_grid
from supple_collide.pairs.grid_vertex_kernels import gather_above_grid
from supple_collide.pairs.vertex_kernels import gather_vertices

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


def join_pool(floor, box, x, grid):
    """The triangles of both, and the boxes around them; nobody asks for a tree here."""
    first = len(floor.triangles)
    triangles = np.concatenate([floor.triangles, box.triangles + len(floor.vertices)])
    neighbour = np.concatenate([floor.neighbour, np.where(box.neighbour < 0, -1, box.neighbour + first)])
    facet = np.concatenate([floor.facet, box.facet + first])
    owns = np.concatenate([list_owned(floor, False), list_owned(box, False)])
    vertex_first, vertex_triangle = list_vertex_triangles(len(x), triangles)
    corners = x[triangles]
    bounds = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    faces = Faces(
        x=x,
        triangles=triangles,
        neighbour=neighbour,
        facet=facet,
        owns=owns,
        vertex_first=vertex_first,
        vertex_triangle=vertex_triangle,
    )
    none = np.zeros((0, 3), np.int64)
    return faces, Trees(
        nodes=none, order=none[:, 0].copy(), bounds=bounds[:0], triangle_bounds=bounds, grids=grid
    )


def read(count, ids, values):
    rows = np.lexsort(ids[:count].T)
    return ids[:count][rows], values[:count][rows]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_the_same_candidates_as_by_brute_force(seed):
    floor, box, x, grid, within = make_scene(seed)
    faces, trees = join_pool(floor, box, x, grid)
    below, own = len(floor.triangles), len(floor.vertices)
    pairs = np.array([(t, u) for t in range(below, len(faces.triangles)) for u in range(below)])
    reaches = Reaches(
        reach=np.zeros(2),
        node_short=np.zeros(0),
        triangle_short=np.zeros(len(faces.triangles)),
        vertex_short=np.zeros(len(x)),
        drift=np.zeros((len(x), 3)),
    )
    found = []
    for look in ("grid", "pairs"):
        seen = make_found(len(x), ROOM)
        if look == "grid":
            count = gather_above_grid(faces, trees, 0, 0, own, len(x), 1.0, 1e-6, within, seen)
        else:
            count = gather_vertices(
                faces, trees.triangle_bounds, reaches, pairs, len(pairs), 0, 1.0, 1e-6, within, 0.0, False, seen
            )  # fmt: skip
        found.append((*read(count, seen.ids, seen.values), seen.nearest))
    for by_grid, by_force in zip(*found, strict=True):
        np.testing.assert_array_equal(by_grid, by_force)
