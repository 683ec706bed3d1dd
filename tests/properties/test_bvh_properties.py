"""Trees of boxes find what looking at everything finds, also after their mesh has bent."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_collide.kernel_arrays import Faces, Reaches, Regions, Trees
from supple_collide.mesh_shape import list_vertex_triangles
from supple_collide.meshes.oracle import find_distance
from supple_collide.meshes.point_kernels import NO_VERTEX, find_nearest_triangle
from supple_collide.meshes.regions import find_node_regions
from supple_collide.meshes.terrain import join_cells, place_grid
from supple_collide.meshes.tree import LEAF_SIZE, build_tree
from supple_collide.meshes.tree_kernels import STACK, pair_trees, query_tree, refit_tree

seeds = st.integers(0, 2**31)


class Meshes:
    """One or two random sheets in one pool, each with its tree built flat and refitted when bent."""

    def __init__(self, rng, count, bend=0.3):
        self.x, self.triangles, self.nodes, self.order = [], [], [], []
        self.roots, self.first, nodes = [], [], 0
        vertices = triangles = 0
        for _ in range(count):
            cells = rng.integers(1, 9, 2)
            rest, corners = place_grid(cells, (1.0, 1.0)), join_cells(*cells)[0]
            tree = build_tree(rest, corners)
            self.roots.append(nodes)
            self.first.append(triangles)
            self.x.append(rest + rng.normal(0, bend, rest.shape) + rng.normal(0, 0.5, 3))
            self.triangles.append(corners + vertices)
            columns = [np.where(tree.right < 0, -1, tree.right + nodes), tree.first + triangles, tree.count]
            self.nodes.append(np.stack(columns, axis=1))
            self.order.append(tree.order + triangles)
            nodes, triangles, vertices = (
                nodes + len(tree.right),
                triangles + len(corners),
                vertices + len(rest),
            )
        self.x, self.triangles, self.nodes, self.order = (
            np.concatenate(each) for each in (self.x, self.triangles, self.nodes, self.order)
        )
        self.bounds, self.boxes = np.full((nodes, 6), np.nan), np.full((triangles, 6), np.nan)
        for start, end in zip(self.roots, [*self.roots[1:], nodes], strict=True):
            refit_tree(
                self.triangles, self.nodes, self.order, start, end, self.x, self.bounds, self.boxes
            )  # fmt: skip
        self.stack = np.zeros(4 * STACK, np.int64)
        self.trees = Trees(
            nodes=self.nodes,
            order=self.order,
            bounds=self.bounds,
            triangle_bounds=self.boxes,
            grids=np.zeros((0, 18)),
        )

    def part(self, region, regions_meet):
        """Regions of the triangles, and of those below every node."""
        has, meets = find_node_regions(self.nodes, self.order, region, regions_meet)
        itself = np.zeros(len(self.roots), np.int64)
        return Regions(
            region=region, regions_meet=regions_meet, node_regions=has, node_meets=meets, meets_itself=itself
        )

    def fall_short(self, short):
        """What nodes and triangles fall short by, from what triangles do: found by looking at all below a node."""
        nodes = np.full(len(self.nodes), np.inf)
        for node in reversed(range(len(nodes))):
            right, first, count = self.nodes[node]
            below = short[self.order[first : first + count]] if count else nodes[[node + 1, right]]
            nodes[node] = below.min()
        reach, vertices = np.zeros(len(self.roots)), np.zeros(len(self.x))
        drift = np.zeros_like(self.x)
        return Reaches(
            reach=reach, node_short=nodes, triangle_short=short, vertex_short=vertices, drift=drift
        )

    def list_of(self, mesh):
        end = [*self.first[1:], len(self.triangles)][mesh]
        return range(self.first[mesh], end)


def brute_boxes(meshes):
    corners = meshes.x[meshes.triangles]
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)


def meet(a, b, grow):
    return np.all(a[:3] <= b[3:] + grow) and np.all(b[:3] <= a[3:] + grow)


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_boxes_are_tight_around_the_bent_triangles(seed):
    meshes = Meshes(np.random.default_rng(seed), 1)
    boxes = brute_boxes(meshes)
    np.testing.assert_array_equal(meshes.boxes, boxes)
    np.testing.assert_array_equal(meshes.bounds[0], [*boxes[:, :3].min(axis=0), *boxes[:, 3:].max(axis=0)])
    leaves = meshes.nodes[:, 2] > 0
    assert sorted(meshes.order) == list(range(len(meshes.triangles)))
    assert meshes.nodes[leaves, 2].sum() == len(meshes.triangles)
    assert meshes.nodes[:, 2].max() <= LEAF_SIZE


@given(seeds, st.floats(0, 0.3))
@settings(max_examples=100, deadline=None)
def test_query_equals_looking_at_all(seed, grow):
    rng = np.random.default_rng(seed)
    meshes = Meshes(rng, 2)
    low = rng.normal(0, 0.7, 3)
    box = np.concatenate([low, low + rng.uniform(0, 0.5, 3)])[None]
    found = np.zeros(len(meshes.triangles), np.int64)
    boxes = brute_boxes(meshes)
    for mesh in range(2):
        count = query_tree(
            meshes.nodes, meshes.order, meshes.roots[mesh], meshes.bounds, meshes.boxes, box, 0, grow, meshes.stack,
            found,
        )  # fmt: skip
        expected = [t for t in meshes.list_of(mesh) if meet(boxes[t], box[0], grow)]
        assert sorted(found[:count]) == expected


@given(seeds, st.floats(0, 0.2), st.booleans(), st.floats(0, 0.05))
@settings(max_examples=100, deadline=None)
def test_pairs_equal_looking_at_all(seed, grow, alone, least):
    rng = np.random.default_rng(seed)
    meshes = Meshes(rng, 2)
    speeds = rng.uniform(0, 0.5 * grow, len(meshes.x)) * rng.integers(0, 2)
    short = speeds[meshes.triangles].min(axis=1)
    region = rng.integers(0, 3, len(meshes.triangles))
    regions_meet = rng.integers(0, 2, (3, 3))
    regions_meet |= regions_meet.T
    second = 1 if alone else 0
    pairs = np.zeros((len(meshes.triangles) ** 2, 2), np.int64)
    count = pair_trees(
        meshes.trees, meshes.part(region, regions_meet), meshes.fall_short(short), meshes.roots[0],
        meshes.roots[second], grow, least, meshes.stack, pairs,
    )  # fmt: skip
    boxes = brute_boxes(meshes)
    found = [tuple(pair) if alone else tuple(sorted(pair)) for pair in pairs[:count].tolist()]
    expected = [
        (a, b)
        for a in meshes.list_of(0)
        for b in meshes.list_of(second)
        if (alone or a < b)
        and regions_meet[region[a], region[b]]
        and meet(boxes[a], boxes[b], max(least, grow - short[a] - short[b]))
    ]
    assert sorted(found) == expected


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_nearest_triangle_equals_looking_at_all(seed):
    rng = np.random.default_rng(seed)
    meshes = Meshes(rng, 1)
    p = rng.normal(0, 1, 3)
    first, around = list_vertex_triangles(len(meshes.x), meshes.triangles)
    count = len(meshes.triangles)
    faces = Faces(
        x=meshes.x,
        triangles=meshes.triangles,
        neighbour=np.full((count, 3), -1),
        facet=np.arange(count),
        owns=np.zeros(count, np.int64),
        vertex_first=first,
        vertex_triangle=around,
    )
    t = find_nearest_triangle(faces, meshes.trees, 0, *p, NO_VERTEX, 10.0, meshes.stack)
    corners = meshes.x[meshes.triangles]
    best = find_distance(p, corners)
    assert abs(find_distance(p, corners[t : t + 1]) - best) < 1e-12
    assert find_nearest_triangle(faces, meshes.trees, 0, *p, NO_VERTEX, 0.99 * best, meshes.stack) == -1


def test_what_does_not_fit_is_counted_but_not_written():
    meshes = Meshes(np.random.default_rng(5), 2, bend=0.0)
    pairs = np.zeros((3, 2), np.int64)
    regions = meshes.part(np.zeros(len(meshes.triangles), np.int64), np.ones((1, 1), np.int64))
    reaches = meshes.fall_short(np.zeros(len(meshes.triangles)))
    found = pair_trees(meshes.trees, regions, reaches, *meshes.roots, 5.0, 0.0, meshes.stack, pairs)
    assert found == len(meshes.list_of(0)) * len(meshes.list_of(1))
