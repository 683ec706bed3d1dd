"""Strain that is looked for where something moves equals that of looking at every edge and triangle."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.core.pose import rotate
from supple_flesh.observe_kernels import COLUMNS, INVERTED, STRETCH_WORST
from supple_flesh.shapes import make_box_surface
from supple_flesh.strain import find_borders
from supple_flesh.strain_kernels import measure_strain
from supple_flesh.tables import MadeSkin, MovedSkin


def list_neighbours(triangles, count):
    """Where the neighbours of every vertex begin, and the neighbours."""
    ends = np.concatenate([triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    ends = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    first = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=count))])
    return first.astype(np.int64), np.ascontiguousarray(ends[:, 1]), ends


def cross_triangles(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


@given(st.integers(0, 2**31), st.floats(0.0, 1.0), st.sampled_from([0.0, 0.1, 1.0]), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_strain_equals_looking_at_all(seed, part_moving, size, bones):
    rng = np.random.default_rng(seed)
    vertices, triangles = (np.array(each) for each in make_box_surface((1.0, 2.0, 1.0), (2, 3, 2)))
    count = len(vertices)
    patch_of = rng.integers(0, bones, count)
    mask = (rng.random(count) < part_moving).astype(np.int64)
    turns = rng.normal(size=(bones, 4)) * [0.0, 1.0, 1.0, 1.0] * size + [1.0, 0.0, 0.0, 0.0]
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    local = vertices + mask[:, None] * rng.normal(0.0, 0.3, vertices.shape)
    position = np.array([rotate(turns[p], x) for p, x in zip(patch_of, local, strict=True)])
    first, neighbour, ends = list_neighbours(triangles, count)
    lengths = np.linalg.norm(vertices[ends[:, 0]] - vertices[ends[:, 1]], axis=1)
    normals = cross_triangles(vertices, triangles)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    observed = np.full((1, COLUMNS), np.nan)
    made = MadeSkin(
        patch_bone=np.arange(bones),
        patch_of=patch_of,
        patch_part=np.zeros(bones, np.int64),
        first=first,
        neighbour=neighbour,
        edge_length=lengths,
        triangles=triangles,
        corner_normal=np.ascontiguousarray(np.repeat(normals[:, None], 3, axis=1)),
    )
    moved = MovedSkin(rotation=turns, x=local, mask=mask, position=position)
    measure_strain(made, find_borders(patch_of, first, neighbour, triangles), moved, observed)

    stretch = np.linalg.norm(position[ends[:, 0]] - position[ends[:, 1]], axis=1) / lengths
    wanted = sum(
        np.array([rotate(turns[p], n) for p, n in zip(patch_of[triangles[:, k]], normals, strict=True)])
        for k in range(3)
    )
    facing = np.einsum("ij,ij->i", cross_triangles(position, triangles), wanted)
    # A vertex at rest stands for an edge as it was made.
    expected = max(stretch.max(), 1.0) if (mask == 0).any() else stretch.max()
    np.testing.assert_allclose(observed[0, STRETCH_WORST], expected, rtol=1e-12)
    clear = np.abs(facing) > 1e-12
    assert abs(observed[0, INVERTED] - np.sum(facing[clear] < 0)) <= np.sum(~clear)
