"""Of two closed meshes, all vertices of the one that are inside the other are among those that may be."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_collide.bvh_kernels import boxes_meet
from supple_collide.mesh_oracle import find_winding_number
from supple_collide.mesh_shape import list_vertex_triangles
from supple_collide.outside_kernels import list_inner
from supple_flesh.shapes import make_box_surface


def make_lump(rng, cells, size, centre):
    """A box surface, turned and bent a little."""
    vertices, triangles = (np.array(each) for each in make_box_surface(size, cells))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    return vertices @ turn.T + rng.normal(0.0, 0.02 * min(size), vertices.shape) + centre, triangles


def find_inner(x, first, triangles, boxes, grow=0.01):
    """The vertices from `first` on that may be inside the mesh of the vertices before, by the kernel."""
    own = np.flatnonzero(triangles[:, 0] >= first)
    other = np.flatnonzero(triangles[:, 0] < first)
    pairs = np.array(
        [(u, t) for u in other for t in own if boxes_meet(boxes, u, boxes, t, grow)], np.int64
    ).reshape(-1, 2)
    bounds = np.concatenate([x[:first].min(axis=0), x[:first].max(axis=0)])[None]
    around = list_vertex_triangles(len(x), triangles)
    crossed, outside, stack, inner = (np.zeros(max(len(x), len(triangles)), np.int64) for _ in range(4))
    count = list_inner(
        triangles, *around, first, len(x), x, bounds, 0, pairs, len(pairs), 1, crossed, outside, stack, inner
    )  # fmt: skip
    assert not crossed.any()
    return set(inner[:count].tolist())


@given(st.integers(0, 2**31), st.floats(0.1, 1.5), st.floats(0.0, 1.2))
@settings(max_examples=60, deadline=None)
def test_no_vertex_that_is_inside_is_left_out(seed, scale, away):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    mine, my_triangles = make_lump(rng, (2, 3, 2), (1.0, 1.2, 0.8), np.zeros(3))
    theirs, their_triangles = make_lump(rng, (3, 2, 4), (scale, 0.7 * scale, scale), away * direction)
    x, first = np.concatenate([mine, theirs]), len(mine)
    triangles = np.concatenate([my_triangles, their_triangles + first])
    corners = x[triangles]
    boxes = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    inner = find_inner(x, first, triangles, boxes)
    solid = mine[my_triangles]
    inside = {first + n for n, point in enumerate(theirs) if find_winding_number(point, solid) > 0.5}
    assert inside <= inner


def test_what_is_swallowed_whole_may_be_inside_and_what_is_far_away_may_not():
    rng = np.random.default_rng(3)
    mine, my_triangles = make_lump(rng, (2, 2, 2), (1.0, 1.0, 1.0), np.zeros(3))
    for centre, expected in ((np.zeros(3), True), (np.array([5.0, 0.0, 0.0]), False)):
        theirs, their_triangles = make_lump(rng, (1, 1, 1), (0.1, 0.1, 0.1), centre)
        x, first = np.concatenate([mine, theirs]), len(mine)
        triangles = np.concatenate([my_triangles, their_triangles + first])
        corners = x[triangles]
        boxes = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
        found = find_inner(x, first, triangles, boxes)
        assert found == (set(range(first, len(x))) if expected else set())
