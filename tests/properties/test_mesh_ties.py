"""Where features of shapes meet almost or quite, some contact still says how far the shapes are apart.

Random poses hardly ever bring an axis within a micrometre of a vertex, or an edge along another. Here a feature of one
shape is put before a feature of the other, exactly or nearly, and whatever is nearest must be found.
"""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mesh_stage import HALF, LIMIT, RADIUS, STILL, Stage, check_form
from supple_collide.meshes.oracle import (
    find_distance,
    find_mesh_distance,
    find_segment_distance,
    find_winding_number,
    list_edges,
    pierces,
)

MESHES = ("crate", "ell", "rock", "roof", "tip")
PAIRS = [(one, other) for one in MESHES for other in MESHES if one < other]
NEARLY = (0.0, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 1e-3)
seeds = st.integers(0, 2**31)


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    return Stage(tmp_path_factory.mktemp("stage"))


def nearly_nothing(rng, size=None):
    """Zero, or something so small that tolerances may matter [m or rad]."""
    return rng.choice(NEARLY, size) * rng.choice([-1.0, 1.0], size)


def unit(vector):
    return vector / np.linalg.norm(vector)


def choose_feature(rng, corners):
    """A point at a vertex, on an edge or in a face, the direction of an edge there, and one outwards."""
    a, b, c = np.roll(corners[rng.integers(len(corners))], rng.integers(3), axis=0)
    along, outwards = unit(b - a), unit(np.cross(b - a, c - a))
    if rng.random() < 0.3:
        outwards = unit(outwards + 0.5 * rng.normal(size=3))
    weights = [(1, 0, 0), (0.5, 0.5, 0), (*rng.dirichlet([1, 1]), 0), (1 / 3, 1 / 3, 1 / 3)][rng.integers(4)]
    return np.array(weights) @ [a, b, c], along, outwards


def put_axis(rng, corners):
    """The pose of a capsule whose axis passes a feature, across or along an edge, or ends there."""
    at, along, outwards = choose_feature(rng, corners)
    directions = (
        along,
        np.cross(outwards, rng.normal(size=3)),
        rng.normal(size=3),
        np.cross(outwards, along),
    )
    axis = unit(directions[rng.integers(4)] + nearly_nothing(rng) * rng.normal(size=3))
    height = rng.choice([1e-5, 0.01, RADIUS, 0.1, 0.17])
    middle = rng.choice([0.0, HALF, -HALF, rng.uniform(-HALF, HALF)]) + nearly_nothing(rng)
    place = at + height * outwards + middle * axis + nearly_nothing(rng, 3)
    return place, Rotation.align_vectors([axis], [[0, 1, 0]])[0]


@given(st.sampled_from(MESHES[1:]), seeds)
@example("rock", 13)
@example("tip", 23)
@example("ell", 300)
@example("roof", 498)
@settings(max_examples=150, deadline=None)
def test_a_capsule_loses_nothing_where_features_meet(stage, name, seed):
    corners = stage.corners(name, STILL)
    pose = put_axis(np.random.default_rng(seed), corners)
    axis = pose[1].apply([0, HALF, 0])
    p, q = pose[0] - axis, pose[0] + axis
    ends = min(find_distance(p, corners), find_distance(q, corners))
    distance = min(ends, find_segment_distance(p, q, *list_edges(corners)).min())
    assume(distance > 1e-6 and abs(distance - RADIUS - LIMIT) > 1e-8)
    assume(find_winding_number(p, corners) < 0.5 and not pierces(p, q, corners))
    point, normal, gap, key = stage.find(pill=pose, **{name: STILL})
    check_form(point, normal, gap, key)
    if distance > RADIUS + LIMIT:
        assert len(gap) == 0
    else:
        assert gap.min(initial=np.inf) == pytest.approx(distance - RADIUS, abs=1e-8)


def put_before(rng, one, other):
    """The pose of a mesh with a feature before a feature of another mesh, maybe with an edge along an edge."""
    at, along, outwards = choose_feature(rng, one)
    own, own_along, own_outwards = choose_feature(rng, other)
    to, _ = Rotation.align_vectors([-outwards, along], [own_outwards, own_along], weights=[1e6, 1.0])
    twist = (0.0, rng.uniform(-3, 3), nearly_nothing(rng))[rng.integers(3)]
    turn = Rotation.from_rotvec(twist * outwards + rng.integers(2) * nearly_nothing(rng, 3)) * to
    height = rng.choice([1e-5, 1e-4, 1e-3, 0.01, 0.05])
    return at + height * outwards - turn.apply(own) + nearly_nothing(rng, 3), turn


@given(st.sampled_from(PAIRS), seeds)
@example(("rock", "roof"), 277)
@example(("crate", "tip"), 853)
@example(("rock", "roof"), 927)
@example(("rock", "tip"), 1058)
@settings(max_examples=80, deadline=None)
def test_meshes_lose_nothing_where_features_meet(stage, pair, seed):
    one = stage.corners(pair[0], STILL)
    pose = put_before(np.random.default_rng(seed), one, stage.corners(pair[1], STILL))
    other = stage.corners(pair[1], pose)
    distance = find_mesh_distance(one, other)
    assume(distance > 1e-6 and abs(distance - LIMIT) > 1e-5)
    assume(find_winding_number(one[0, 0], other) < 0.5 and find_winding_number(other[0, 0], one) < 0.5)
    point, normal, gap, key = stage.find(**{pair[0]: STILL, pair[1]: pose})
    check_form(point, normal, gap, key)
    on_both = [find_distance(p, one) < 1e-5 and find_distance(q, other) < 1e-5 for p, q in point]
    assert all(on_both) or ("ell" in pair and gap[np.logical_not(on_both)].min() > 0)
    gap = gap[on_both]
    if distance > LIMIT:
        assert len(gap) == 0
    else:
        assert gap.min(initial=np.inf) == pytest.approx(distance, abs=1e-5)
