"""How far the vertices, triangles and nodes of a surface that bends look ahead, against looking at every vertex."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_collide.kernel_arrays import MeshBoxes, Reaches, RestMeshes
from supple_collide.meshes.columns import FIRST_VERTEX, LAST_VERTEX, ROOT
from supple_collide.meshes.place_kernels import follow_bending_mesh
from supple_collide.meshes.terrain import join_cells, place_grid
from supple_collide.meshes.tree import build_tree


@given(
    st.integers(0, 2**31), st.floats(0.0, 5.0), st.floats(0.0, 0.5), st.floats(0.0, 0.01), st.integers(1, 8)
)
@settings(max_examples=60, deadline=None)
def test_reach_of_every_vertex_triangle_and_node(seed, fast, sudden_speed, margin, cells):
    rng, h = np.random.default_rng(seed), 0.004
    rest, triangles = place_grid((cells, cells), (1.0, 1.0)), join_cells(cells, cells)[0]
    tree = build_tree(rest, triangles)
    nodes = np.stack([tree.right, tree.first, tree.count], axis=1)
    table = np.zeros((1, 8), np.int64)
    table[0, ROOT], table[0, FIRST_VERTEX], table[0, LAST_VERTEX] = 0, 0, len(rest)
    velocities = rng.normal(size=rest.shape) * fast
    x, bounds, boxes = np.zeros_like(rest), np.zeros((len(nodes), 6)), np.zeros((len(triangles), 6))
    reach = np.zeros(1)
    node_short, triangle_short, vertex_short = (
        np.full(len(each), np.nan) for each in (nodes, triangles, rest)
    )
    meshes = RestMeshes(
        triangles=triangles,
        rest=rest,
        nodes=nodes,
        order=tree.order,
        table=table,
        node_last=np.array([len(nodes)]),
    )
    reaches = Reaches(
        reach=reach, node_short=node_short, triangle_short=triangle_short, vertex_short=vertex_short,
        drift=np.full_like(rest, np.nan),
    )  # fmt: skip
    placed = MeshBoxes(x=x, bounds=bounds, triangle_bounds=boxes)
    ahead = np.where(rng.random(len(rest)) < 0.2, rng.uniform(0.0, 4.0 * fast, len(rest)), 0.0)
    follow_bending_mesh(meshes, 0, margin, sudden_speed, h, rest, velocities, ahead, placed, reaches)

    speeds = np.maximum(np.linalg.norm(velocities, axis=1), 0.5 * ahead)
    if speeds.max() <= sudden_speed:
        speeds = np.full_like(speeds, speeds.max())
    np.testing.assert_array_equal(reaches.drift, h * velocities)
    own = margin + h * (sudden_speed + 2.0 * speeds)
    np.testing.assert_allclose(reach[0] - vertex_short, own, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(triangle_short, vertex_short[triangles].min(axis=1))
    for node in range(len(nodes)):
        below, waiting = [], [node]
        while waiting:
            each = waiting.pop()
            if nodes[each, 2] == 0:
                waiting += [each + 1, nodes[each, 0]]
            else:
                below += tree.order[nodes[each, 1] : nodes[each, 1] + nodes[each, 2]].tolist()
        assert node_short[node] == triangle_short[below].min()
