"""Contacts of meshes against brute force over all triangles, and laws that hold for all of them."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from carried import is_carried
from mesh_stage import HALF, LIMIT, RADIUS, STILL, Stage, check_form
from supple_collide.meshes.oracle import (
    find_closest_on_triangles,
    find_distance,
    find_mesh_distance,
    find_segment_distance,
    find_signed_distance,
    find_winding_number,
    list_edges,
    pierces,
)
from supple_collide.meshes.triangle_kernels import find_closest_weights, place_weights


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    return Stage(tmp_path_factory.mktemp("stage"))


places = st.tuples(*[st.floats(-0.35, 0.35)] * 3).map(lambda xyz: np.round(xyz, 4))
angles = st.one_of(
    st.sampled_from([0.0, np.pi / 2, np.pi / 4]), st.floats(-3.1, 3.1).map(lambda a: round(a, 4))
)
turns = st.tuples(angles, angles, angles).map(lambda xyz: Rotation.from_euler("xyz", xyz))
poses = st.tuples(places, turns)
meshes = st.sampled_from(["rock", "ell"])
QUARTER, EIGHTH = np.pi / 2, np.pi / 4


def put(place, angles=(0.0, 0.0, 0.0)):
    """A pose, as `poses` draws it."""
    return np.array(place, float), Rotation.from_euler("xyz", angles)


@given(st.integers(0, 2**31))
@settings(max_examples=100, deadline=None)
def test_closest_point_on_a_triangle(seed):
    rng = np.random.default_rng(seed)
    corners, p = rng.normal(size=(3, 3)), rng.normal(size=3) * 2
    triangle = np.array([[0, 1, 2]])
    region, *weights = find_closest_weights(corners, triangle, 0, *p)
    assert min(weights) >= 0
    assert sum(weights) == pytest.approx(1.0, abs=1e-12)
    assert 3 - np.count_nonzero(weights) == {0: 0}.get(int(region), 1 if region < 4 else 2)
    closest = np.array(place_weights(corners, triangle, 0, *weights))
    np.testing.assert_allclose(closest, find_closest_on_triangles(p, corners[None])[0], atol=1e-9)


@given(meshes, places)
@settings(max_examples=100, deadline=None)
def test_ball_and_mesh_have_the_distance_of_the_oracle(stage, name, centre):
    corners = stage.corners(name, STILL)
    signed = find_signed_distance(centre, corners)
    assume(abs(signed) > 1e-6 and abs(signed - RADIUS - LIMIT) > 1e-6)
    point, normal, gap, key = stage.find(ball=(centre, Rotation.identity()), **{name: STILL})
    check_form(point, normal, gap, key)
    if signed - RADIUS > LIMIT:
        assert len(gap) == 0
        return
    assert gap.min() == pytest.approx(signed - RADIUS, abs=1e-9)
    assert all(find_distance(p, corners) < 1e-9 for p in point[:, 1])
    np.testing.assert_allclose(np.linalg.norm(point[:, 0] - centre, axis=1), RADIUS, atol=1e-9)
    if signed < 0:
        assert len(gap) == 1


@given(meshes, poses)
# The axis passes the lowest vertex, and the end of the capsule is level with it up to 1e-5 m.
@example("rock", put([0.0, -0.2812, 0.1683], [QUARTER, 0, 0]))
@settings(max_examples=100, deadline=None)
def test_capsule_and_mesh_have_the_distance_of_the_oracle(stage, name, pose):
    corners = stage.corners(name, STILL)
    axis = pose[1].apply([0, HALF, 0])
    p, q = pose[0] - axis, pose[0] + axis
    inside = find_winding_number(p, corners) > 0.5 or find_winding_number(q, corners) > 0.5
    a, b = list_edges(corners)
    distance = min(
        find_distance(p, corners), find_distance(q, corners), find_segment_distance(p, q, a, b).min()
    )
    assume(distance > 1e-6 and abs(distance - RADIUS - LIMIT) > 1e-8)
    point, normal, gap, key = stage.find(pill=pose, **{name: STILL})
    check_form(point, normal, gap, key)
    if inside:
        assert gap.min() < -RADIUS
    elif not pierces(p, q, corners):
        assert (
            len(gap) == 0
            if distance - RADIUS > LIMIT
            else gap.min() == pytest.approx(distance - RADIUS, abs=1e-8)
        )


@given(st.sampled_from(["crate", "ell"]), poses)
# A vertex is level with the end of a face that it does not stick out towards, so beside it as much as above it.
@example("crate", put([-0.2004, -0.188, 0.25], [2.0, QUARTER, 1e-4]))
@example("crate", put([-0.19, -0.3125, 0.0], [0, 0, QUARTER]))
@example("crate", put([0.24, 0.0, 0.25], [1.0, QUARTER, -0.5958]))
@settings(max_examples=60, deadline=None)
def test_mesh_and_mesh_have_the_distance_of_the_oracle(stage, name, pose):
    one, other = stage.corners("rock", STILL), stage.corners(name, pose)
    distance = find_mesh_distance(one, other)
    assume(abs(distance - LIMIT) > 1e-5)
    point, normal, gap, key = stage.find(rock=STILL, **{name: pose})
    check_form(point, normal, gap, key)
    on_both = [find_distance(p, one) < 1e-5 and find_distance(q, other) < 1e-5 for p, q in point]
    # In the hollow of the ell a vertex also heeds the plane of the wall that it is beside of.
    assert all(on_both) or (name == "ell" and gap[np.logical_not(on_both)].min() > 0)
    gap = gap[on_both]
    held = [
        find_distance(p, into)
        for out_of, into in ((one, other), (other, one))
        for p in np.unique(out_of.reshape(-1, 3), axis=0)
        if find_winding_number(p, into) > 0.5
    ]
    if held:
        assert gap.min() <= -max(held) + 1e-5, "the deepest vertex is among the contacts"
    elif distance > 1e-6:
        assert len(gap) == 0 if distance > LIMIT else gap.min() == pytest.approx(distance, abs=1e-5)


@given(st.floats(-1e-5, 1e-5), st.floats(0, 1e-5), st.floats(-3.1, 3.1))
@example(0.0, 1e-7, 0.0)
@example(3e-7, 1e-7, 0.0)
@example(-1e-6, 1e-6, 0.3)
@settings(max_examples=200, deadline=None)
def test_blunt_tip_is_not_lost_while_it_crosses_a_ridge(stage, beside, above, turn):
    """It sticks out towards neither side of the ridge, and its edges pass the ridge at their very ends."""
    pose = (np.array([beside, above, 0.01]), Rotation.from_euler("y", turn))
    point, normal, gap, key = stage.find(roof=STILL, tip=pose)
    check_form(point, normal, gap, key)
    assert len(gap) > 0
    assert gap.min() == pytest.approx(above, abs=1e-5)
    nearest = np.argmin(gap)
    assert np.linalg.norm(point[nearest].mean(axis=0) - pose[0]) < 2e-5
    # The normal leads from the tip to the roof, between the normals of the two sides.
    assert -normal[nearest, 1] > np.cos(np.radians(20)) - 1e-9


@given(meshes, poses)
@settings(max_examples=50, deadline=None)
def test_plane_meets_every_vertex_within_reach_that_others_do_not_carry(stage, name, pose):
    lifted = (pose[0] - [0.0, 1000.0, 0.0], pose[1])
    vertices = np.unique(stage.corners(name, lifted).reshape(-1, 3).round(9), axis=0)
    height = vertices[:, 1] + 1000.0
    assume(np.abs(height - LIMIT).min() > 1e-6)
    point, normal, gap, key = stage.find(**{name: lifted, "floor": STILL})
    check_form(point, normal, gap, key)
    flat = point[:, 0][:, [0, 2]]
    apart = np.linalg.norm(vertices[:, None, [0, 2]] - flat[None], axis=2) + np.abs(
        height[:, None] - gap[None]
    )
    assert apart.min(axis=0, initial=np.inf).max(initial=0.0) < 1e-8, "contacts are at vertices"
    for vertex in np.flatnonzero((height <= LIMIT) & (apart.min(axis=1, initial=np.inf) > 1e-8)):
        assert is_carried(vertices[vertex, [0, 2]], height[vertex], flat, gap, 1e-5)
    np.testing.assert_allclose(normal, np.tile([0.0, 1.0, 0.0], (len(gap), 1)))


def leave_out_deepest_edges(contacts):
    """All but edges that overlap as deep as edges are looked for: there rounding decides whether they are seen."""
    gap, codes = contacts[2], contacts[3][:, 1]
    are_edges = (codes >> 58 == 1) & (codes >> 28 & 3 == 1)
    seen = ~are_edges | (np.abs(gap + LIMIT) > 1e-8)
    return [values[seen] for values in contacts]


@given(st.sampled_from(["ball", "pill", "crate", "ell"]), poses, poses)
# The way out of an overlap runs along a face.
@example("ell", put([0, 0, 0.0625], [EIGHTH, 0, QUARTER]), put([0, 0, 0.25]))
@example("ell", put([0, 0.214, -0.1706], [EIGHTH, 0, 0]), put([-0.15, 0.2385, 0.0625], [0, EIGHTH, -1.1109]))
@example("crate", put([-0.0214, 0, 0.2402], [0, EIGHTH, 0]), put([0, 0, 0], [0, EIGHTH, 0]))
# A vertex is as deep as it can be, in the middle between two faces.
@example("crate", put([0.2, 0, 0], [QUARTER, 0, 0]), put([0.0224, 0.2861, -0.25], [-2.0, -1.2077, QUARTER]))
# Edges overlap as deep as the reach.
@example(
    "crate", put([-0.05, 0.25, -0.07], [EIGHTH, 0, 0]), put([0.2635, -0.35, -0.25], [EIGHTH, QUARTER, 0.001])
)
# A vertex is level with the end of a face.
@example("ell", put([0.3125, 0, -0.2], [0, 0, EIGHTH]), put([-0.25, 0, 0], [0, 1.7036, QUARTER]))
@example("crate", put([-0.25, 0.1551, -0.25], [0.277, 0, 0]), put([-0.15, 0, 0.19], [-2.0, EIGHTH, -2.256]))
@settings(max_examples=100, deadline=None)
def test_contacts_move_with_a_rigid_motion(stage, name, pose, motion):
    place, turn = motion
    turned = (turn.apply(pose[0]) + place, turn * pose[1])
    before = leave_out_deepest_edges(stage.find(**{name: pose, "rock": STILL}))
    after = leave_out_deepest_edges(stage.find(**{name: turned, "rock": motion}))
    # Where features tie, rounding decides; the deepest contact does not depend on it.
    if len(before[2]) == 0 or before[2].min() > LIMIT - 1e-9:
        assert len(after[2]) == 0 or after[2].min() > LIMIT - 1e-9
        return
    assert after[2].min() == pytest.approx(before[2].min(), abs=1e-8)
    known = {tuple(each): i for i, each in enumerate(before[3].tolist())}
    for i, each in enumerate(after[3].tolist()):
        if tuple(each) in known:
            j = known[tuple(each)]
            np.testing.assert_allclose(after[0][i], turn.apply(before[0][j]) + place, atol=1e-8)
            np.testing.assert_allclose(after[1][i], turn.apply(before[1][j]), atol=1e-7)


@pytest.mark.parametrize("name", ["ball", "pill", "crate", "ell"])
def test_identity_survives_small_motion(stage, name):
    rng = np.random.default_rng(11)
    seen = 0
    # Poses without round numbers: on the border between two features rounding may choose either.
    for _ in range(150):
        pose = rng.uniform(-0.3, 0.3, 3), Rotation.random(random_state=int(rng.integers(2**31)))
        jitter = rng.normal(size=6) * 1e-10
        moved = (pose[0] + jitter[:3], Rotation.from_rotvec(jitter[3:]) * pose[1])
        before = stage.find(**{name: pose, "rock": STILL})
        after = stage.find(**{name: moved, "rock": STILL})
        assert {tuple(each) for each in before[3].tolist()} == {tuple(each) for each in after[3].tolist()}
        np.testing.assert_allclose(after[2], before[2], atol=1e-8)
        np.testing.assert_allclose(after[1], before[1], atol=1e-6)
        seen += len(before[2])
    assert seen > 50
