"""Of two closed meshes, all vertices of the one that are inside the other are among those that may be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_collide.kernel_arrays import Faces, MeshPool, Trees
from supple_collide.mesh_scratch import make_probe
from supple_collide.mesh_shape import list_vertex_triangles
from supple_collide.meshes.columns import DEPTH, GRID, ROOT, SCALE
from supple_collide.meshes.oracle import find_winding_number
from supple_collide.meshes.tree import build_tree
from supple_collide.meshes.tree_kernels import boxes_meet, refit_tree
from supple_collide.pairs.outside_kernels import list_inner
from supple_flesh.shapes import make_box_surface


def make_lump(rng, cells, size, centre):
    """A box surface, turned and bent a little."""
    vertices, triangles = (np.array(each) for each in make_box_surface(size, cells))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    return vertices @ turn.T + rng.normal(0.0, 0.02 * min(size), vertices.shape) + centre, triangles


def find_neighbours(triangles):
    """The triangle across the edge from corner k to k + 1."""
    owner = {(t[k], t[(k + 1) % 3]): n for n, t in enumerate(triangles.tolist()) for k in range(3)}
    return np.array([[owner[t[(k + 1) % 3], t[k]] for k in range(3)] for t in triangles.tolist()])


def find_inner(mine, my_triangles, theirs, their_triangles, grow=0.01):
    """The vertices of the second mesh that may be inside the first, by the kernel."""
    meshes, first = ((mine, my_triangles), (theirs, their_triangles)), len(mine)
    x, triangles = np.concatenate([mine, theirs]), np.concatenate([my_triangles, their_triangles + first])
    corners = x[triangles]
    boxes = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    trees = [build_tree(*mesh) for mesh in meshes]
    starts = [0, len(trees[0].right)]
    nodes = np.concatenate(
        [
            np.stack([tree.right + start, tree.first + before, tree.count], axis=1)
            for tree, start, before in zip(trees, starts, (0, len(my_triangles)), strict=True)
        ]
    )
    order = np.concatenate([trees[0].order, trees[1].order + len(my_triangles)])
    bounds = np.zeros((len(nodes), 6))
    for start, end in zip(starts, (starts[1], len(nodes)), strict=True):
        refit_tree(triangles, nodes, order, start, end, x, bounds, boxes)
    table = np.zeros((2, 7), np.int64)
    table[:, ROOT], table[:, GRID] = starts, -1
    sizes = np.zeros((2, 11))
    sizes[:, DEPTH], sizes[:, SCALE] = 1.0, 1.0
    pairs = np.array(
        [
            (u, t)
            for u in range(len(my_triangles))
            for t in range(len(my_triangles), len(triangles))
            if boxes_meet(boxes, u, boxes, t, grow)
        ],
        np.int64,
    ).reshape(-1, 2)
    neighbour = np.concatenate(
        [find_neighbours(my_triangles), find_neighbours(their_triangles) + len(my_triangles)]
    )
    crossed, mark, members, inner = (np.zeros(2 * len(triangles), np.int64) for _ in range(4))
    vertex_first, vertex_triangle = list_vertex_triangles(len(x), triangles)
    faces = Faces(
        x=x,
        triangles=triangles,
        neighbour=neighbour,
        facet=np.arange(len(triangles)),
        owns=np.zeros(len(triangles), np.int64),
        vertex_first=vertex_first,
        vertex_triangle=vertex_triangle,
    )
    trees = Trees(nodes=nodes, order=order, bounds=bounds, triangle_bounds=boxes, grids=np.zeros((0, 18)))
    pool = MeshPool(faces=faces, trees=trees, table=table, sizes=sizes)
    count = list_inner(
        pool, pairs, len(pairs), 1, first, len(x), 0, crossed, mark, members, make_probe(len(triangles)), inner
    )  # fmt: skip
    assert not crossed.any()
    return set((inner[:count] - first).tolist())


@given(st.integers(0, 2**31), st.floats(0.1, 1.5), st.floats(0.0, 1.2))
@settings(max_examples=60, deadline=None)
def test_no_vertex_that_is_inside_is_left_out(seed, scale, away):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    mine = make_lump(rng, (2, 3, 2), (1.0, 1.2, 0.8), np.zeros(3))
    theirs = make_lump(rng, (3, 2, 4), (scale, 0.7 * scale, scale), away * direction)
    inner = find_inner(*mine, *theirs)
    solid = mine[0][mine[1]]
    inside = {n for n, point in enumerate(theirs[0]) if find_winding_number(point, solid) > 0.5}
    assert inside <= inner


@pytest.mark.parametrize(
    ("centre", "expected"), [((0.0, 0.0, 0.0), True), ((5.0, 0.0, 0.0), False), ((0.45, 0.45, 0.45), False)]
)
def test_what_is_swallowed_whole_may_be_inside_and_what_is_beside_may_not(centre, expected):
    """The last lies in the box of the other, in front of its cut corner."""
    rng = np.random.default_rng(3)
    vertices, triangles = (np.array(each) for each in make_box_surface((1.0, 1.0, 1.0), (2, 2, 2)))
    vertices[(vertices == 0.5).all(axis=1)] = 0.1
    small = make_lump(rng, (2, 2, 2), (0.05, 0.05, 0.05), np.array(centre))
    found = find_inner(vertices, triangles, *small)
    assert found == (set(range(len(small[0]))) if expected else set())
