"""Which parts of a skin touch each other, and which overlaps are none."""

from __future__ import annotations

import numpy as np
import pytest

from supple_collide.kernel_arrays import Faces, MeshPool, Trees
from supple_collide.mesh_scratch import make_probe, make_raw
from supple_collide.mesh_shape import list_vertex_triangles
from supple_collide.meshes.regions import (
    ANYWHERE,
    MOST_BITS,
    find_node_regions,
    find_regions,
    may_pair_neighbours,
)
from supple_collide.pairs.mesh_mesh_kernels import drop_false_depths
from supple_collide.pairs.raw_kernels import add_raw
from supple_collide.pairs.vertex_kernels import are_neighbours
from supple_flesh.mechanism import find_strangers, find_thickness

# A strip of squares, each of two triangles, of which every square is a part of its own.
SQUARES = 5
TRIANGLES = np.array(
    [
        corners
        for k in range(SQUARES)
        for corners in ((2 * k, 2 * k + 1, 2 * k + 3), (2 * k, 2 * k + 3, 2 * k + 2))
    ]
)
PARTS = np.repeat(np.arange(SQUARES + 1), 2)


class Strip:
    """What `find_regions` sees of a surface with parts."""

    name = path = positions = velocities = ""
    friction = restitution = thickness = 0.0
    self_contact, reads, overlap = True, (), 0.1
    triangles, rest = TRIANGLES, np.zeros((len(PARTS), 3))
    parts, parts_meet = PARTS, find_strangers(PARTS, TRIANGLES)

    def bind(self, arrays): ...

    def add_rows(self, points): ...


def test_parts_that_the_skin_joins_are_no_strangers() -> None:
    apart = np.abs(np.arange(SQUARES + 1)[:, None] - np.arange(SQUARES + 1)[None])
    np.testing.assert_array_equal(find_strangers(PARTS, TRIANGLES), apart > 1)


def test_triangles_meet_if_all_their_parts_are_strangers() -> None:
    plain = np.array([[0, 1, 2], [2, 1, 3]])
    region, meet = find_regions([(plain, None), (TRIANGLES, Strip()), (plain, None), (TRIANGLES, Strip())])
    assert len(region) == 4 + 2 * len(TRIANGLES)
    assert (region[:2] == ANYWHERE).all()
    first, last = region[2 : 2 + len(TRIANGLES)], region[4 + len(TRIANGLES) :]
    for t, u in np.ndindex(len(TRIANGLES), len(TRIANGLES)):
        strangers = all(abs(a - b) > 1 for a in PARTS[TRIANGLES[t]] for b in PARTS[TRIANGLES[u]])
        assert meet[first[t], first[u]] == strangers
        assert meet[last[t], last[u]] == strangers
        assert meet[first[t], last[u]] == 1
    assert (meet[ANYWHERE] == 1).all()


def test_no_neighbours_are_paired_if_the_parts_are_strangers() -> None:
    region, meet = find_regions([(TRIANGLES, Strip())])
    around = list_vertex_triangles(len(PARTS), TRIANGLES)
    for t, u in np.ndindex(len(TRIANGLES), len(TRIANGLES)):
        if meet[region[t], region[u]]:
            assert not any(are_neighbours(TRIANGLES, *around, v, u) for v in TRIANGLES[t])
    assert not may_pair_neighbours(TRIANGLES, Strip())


def test_neighbours_may_be_paired_without_parts_or_if_joined_parts_touch() -> None:
    class Crowd(Strip):
        parts_meet = np.ones_like(Strip.parts_meet)

    class Narcissus(Strip):
        parts_meet = Strip.parts_meet | np.eye(SQUARES + 1, dtype=np.int64)

    assert may_pair_neighbours(TRIANGLES, None)
    assert may_pair_neighbours(TRIANGLES, Crowd())
    assert may_pair_neighbours(TRIANGLES, Narcissus())


def test_a_crowd_of_regions_has_no_bits_and_meets_everything() -> None:
    nodes, count = np.array([[-1, 0, 4]]), MOST_BITS + 1
    region = np.arange(4)
    assert find_node_regions(nodes, region, region, np.eye(count, dtype=np.int64)) == ([-1], [-1])
    has, meets = find_node_regions(nodes, region, region, np.eye(5, dtype=np.int64))
    assert (has[0], meets[0]) == (0b1111, 0b1111)


def test_thickness_does_not_depend_on_how_points_are_turned() -> None:
    rng = np.random.default_rng(3)
    slab = rng.uniform(-1, 1, (400, 3)) * np.array([0.5, 0.02, 0.3])
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    assert find_thickness(slab @ turn) == pytest.approx(find_thickness(slab), rel=1e-9)
    assert find_thickness(slab) == pytest.approx(0.04, rel=0.1)


PLATE = """
format = 1
[run]
step = 0.004
duration = 1.0
[[entity]]
name = "plate"
marble = { radius = 0.05, rounds = 3 }
[[entity]]
name = "stone"
pose = { position = [0, 0.2, 0] }
marble = { radius = 0.05, rounds = 3 }
"""


@pytest.mark.parametrize(("height", "kept"), [(0.04, 1), (0.02, 1), (0.12, 0), (0.16, 0)])
def test_a_vertex_outside_is_not_deep(load_text, height, kept) -> None:
    """From outside, the way to the far side begins in the open."""
    world = load_text(PLATE)
    world.compute_step()
    pool = MeshPool(
        faces=Faces(**{name: world.array(f"mesh.{name}") for name in Faces._fields}),
        trees=Trees(**{name: world.array(f"mesh.{name}") for name in Trees._fields}),
        table=world.array("mesh.table"),
        sizes=world.array("mesh.sizes"),
    )
    raw = make_raw(4)
    centre = world["plate/ball"].position
    far = centre - np.array([0, 0.05, 0])
    gap = -(height + 0.05)
    count = add_raw(0, 1, 0, 0, 0, 0, *far, 0.0, -1.0, 0.0, gap, 0, raw)
    probe = make_probe(len(pool.faces.triangles))
    assert drop_false_depths(pool, 0, probe, 0, count, raw) == kept
