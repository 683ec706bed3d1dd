"""Contacts of meshes against brute force over all triangles, and laws that hold for all of them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from carried import is_carried
from supple.core.schedule import Phase
from supple_collide.filters import list_collidables
from supple_collide.mesh_oracle import (
    find_closest_on_triangles,
    find_distance,
    find_mesh_distance,
    find_segment_distance,
    find_signed_distance,
    find_winding_number,
    list_edges,
    pierces,
)
from supple_collide.mesh_shape import box_mesh
from supple_collide.triangle_kernels import find_closest_weights, place_weights

LIMIT = 0.1
RADIUS, HALF = 0.08, 0.15
CRATE = (0.3, 0.2, 0.24)
ROCK = [
    [0.16, 0.02, 0.0], [-0.15, 0.0, 0.03], [0.02, 0.17, 0.01], [0.0, -0.14, 0.02], [0.03, 0.01, 0.15],
    [-0.02, 0.03, -0.16], [0.1, 0.1, 0.08], [-0.1, 0.09, -0.07], [0.08, -0.09, 0.1], [-0.09, -0.08, 0.1],
]  # fmt: skip
# An L of two arms, so with an edge that is bent inwards; 0.4 m along x and y, 0.2 m along z.
OUTLINE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
ELL = [[0.2 * x, 0.2 * y, 0.2 * z] for z in (0, 1) for x, y in OUTLINE]
FANS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
SIDES = [(i, (i + 1) % 6) for i in range(6)]
ELL_TRIANGLES = [
    *([c, b, a] for a, b, c in FANS), *([a + 6, b + 6, c + 6] for a, b, c in FANS),
    *([a, b, b + 6] for a, b in SIDES), *([a, b + 6, a + 6] for a, b in SIDES),
]  # fmt: skip
# A ridge along z whose sides fall by 20 degrees, and a blunt tip that points down with edges rising by 5 degrees.
FALL, RISE = (float(0.2 * np.tan(np.radians(angle))) for angle in (20, 5))
ROOF = [[x, y, z] for z in (-0.2, 0.2) for x, y in ((0, 0), (-0.2, -FALL), (0.2, -FALL))]
TIP = [[0, 0, 0], [0.2, RISE, 0], [-0.2, RISE, 0], [0, RISE, 0.2], [0, RISE, -0.2], [0, 0.2, 0]]
SCENE = f"""
format = 1
[run]
step = 0.001
duration = 1.0
[run.collide]
margin = {LIMIT / 2 - 1e-9}
sudden_speed = 1e-6
[[entity]]
name = "ball"
sphere = {{ radius = {RADIUS} }}
body = {{}}
[[entity]]
name = "pill"
capsule = {{ radius = {RADIUS}, length = {2 * HALF} }}
body = {{}}
[[entity]]
name = "crate"
box = {{ size = {list(CRATE)} }}
body = {{}}
[[entity]]
name = "floor"
pose = {{ position = [0, -1000, 0] }}
plane = {{}}
[[entity]]
name = "rock"
convex = {{ points = {ROCK} }}
body = {{}}
[[entity]]
name = "ell"
mesh = {{ vertices = {ELL}, triangles = {ELL_TRIANGLES} }}
body = {{}}
[[entity]]
name = "roof"
convex = {{ points = {ROOF} }}
body = {{}}
[[entity]]
name = "tip"
convex = {{ points = {TIP} }}
body = {{}}
"""


class Stage:
    """A world in which bodies are put anywhere and contacts are looked for, without any step."""

    def __init__(self, folder: Path):
        file = folder / "scene.toml"
        file.write_text(SCENE, encoding="utf-8")
        self.world = supple.load(file)
        self.paths = [each.path for each in list_collidables(self.world.build)]
        self.calls = [call for entry, call in self.world.calls() if entry.phase == Phase.DETECT]
        crate = box_mesh(tuple(edge / 2 for edge in CRATE))
        table, rest = self.world.array("mesh.table"), self.world.array("mesh.rest")
        triangles = self.world.array("mesh.triangles")
        of_triangle = self.world.array("mesh.of_triangle")
        self.rest = {"crate": crate.vertices[crate.triangles]}
        for mesh, row in enumerate(table[:4]):
            self.rest[self.paths[row[0]]] = rest[triangles[of_triangle == mesh]]

    def find(self, **poses):
        """Contacts of the two bodies: points on the first and on the second, normals, gaps, keys."""
        x, q = self.world.array("rigid.x"), self.world.array("rigid.q")
        for index, entity in enumerate(self.world.build.having("body")):
            frame = self.world.build.frames[entity.path]
            place, turn = poses.get(entity.path, (np.array([100.0 * (index + 1), 0, 0]), Rotation.identity()))
            x[index] = place + turn.apply(frame.origin)
            q[index] = np.roll(turn.as_quat(), 1)
        for call in self.calls:
            call()
        count = int(self.world.array("contacts.count")[0])
        point, normal, gap, key = (
            self.world.array(f"contacts.{name}")[:count].copy() for name in ("point", "normal", "gap", "key")
        )
        first, second = (self.paths.index(name) for name in poses)
        if first > second:
            return point[:, ::-1], -normal, gap, key
        return point, normal, gap, key

    def corners(self, name, pose):
        """The triangles of a body in the world, by scipy."""
        place, turn = pose
        rest = self.rest[name]
        return turn.apply(rest.reshape(-1, 3)).reshape(rest.shape) + place


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    return Stage(tmp_path_factory.mktemp("stage"))


places = st.tuples(*[st.floats(-0.35, 0.35)] * 3).map(lambda xyz: np.round(xyz, 4))
angles = st.one_of(
    st.sampled_from([0.0, np.pi / 2, np.pi / 4]), st.floats(-3.1, 3.1).map(lambda a: round(a, 4))
)
turns = st.tuples(angles, angles, angles).map(lambda xyz: Rotation.from_euler("xyz", xyz))
poses = st.tuples(places, turns)
STILL = (np.zeros(3), Rotation.identity())
meshes = st.sampled_from(["rock", "ell"])


def check_form(point, normal, gap, key):
    """What holds for all contacts."""
    assert len({tuple(each) for each in key.tolist()}) == len(key)
    assert np.all(gap <= LIMIT)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(point[:, 0] - point[:, 1], gap[:, None] * normal, rtol=0, atol=1e-12)


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
    assume(distance > 1e-6 and abs(distance - RADIUS - LIMIT) > 1e-5)
    point, normal, gap, key = stage.find(pill=pose, **{name: STILL})
    check_form(point, normal, gap, key)
    if inside:
        assert gap.min() < -RADIUS
    elif not pierces(p, q, corners):
        assert (
            len(gap) == 0
            if distance - RADIUS > LIMIT
            else gap.min() == pytest.approx(distance - RADIUS, abs=1e-5)
        )


@given(st.sampled_from(["crate", "ell"]), poses)
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


@given(st.sampled_from(["ball", "pill", "crate", "ell"]), poses, poses)
@settings(max_examples=100, deadline=None)
def test_contacts_move_with_a_rigid_motion(stage, name, pose, motion):
    place, turn = motion
    turned = (turn.apply(pose[0]) + place, turn * pose[1])
    before = stage.find(**{name: pose, "rock": STILL})
    after = stage.find(**{name: turned, "rock": motion})
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
