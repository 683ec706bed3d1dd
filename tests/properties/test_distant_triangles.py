"""What of a floor is left out before any contact is looked for, against brute force and against a plane."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from supple.core.schedule import Phase
from supple_collide.mesh_files import Triangles
from supple_collide.mesh_shape import box_mesh, list_owned, make_mesh
from supple_collide.meshes.columns import CENTRE, HALF, SCALE
from supple_collide.meshes.oracle import find_mesh_distance
from supple_collide.meshes.terrain import join_cells, place_grid
from supple_collide.pairs.distant_kernels import drop_distant

TRIANGLES = 8


def scatter(seed):
    """Triangles around the origin, small ones among them, and a box somewhere among those."""
    random = np.random.default_rng(seed)
    corners = random.uniform(-1, 1, (TRIANGLES, 1, 3)) + random.uniform(0.05, 1) * random.normal(
        size=(TRIANGLES, 3, 3)
    )
    half = random.uniform(0.05, 0.5, 3)
    place, turn = random.uniform(-0.5, 0.5, 3), Rotation.random(random_state=int(seed))
    return corners, half, random.uniform(-0.2, 0.2, 3), place, turn, 10 ** random.uniform(-4, -0.5)


def run_drop(corners, half, centre, place, turn, limit):
    sizes = np.zeros((1, HALF + 3))
    sizes[0, SCALE], sizes[0, CENTRE:HALF], sizes[0, HALF:] = 1.0, centre, half
    x, triangles = corners.reshape(-1, 3), np.arange(3 * TRIANGLES).reshape(-1, 3)
    found = np.concatenate([[-1], np.arange(TRIANGLES)])
    kept = drop_distant(
        x, triangles, np.full(TRIANGLES, 63), sizes, place[None].copy(), np.roll(turn.as_quat(), 1)[None].copy(), 0,
        limit, 1, TRIANGLES, found,
    )  # fmt: skip
    return found[1 : 1 + kept].tolist()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_nothing_within_the_limit_is_dropped_and_what_is_clearly_apart_is(seed):
    corners, half, centre, place, turn, limit = scatter(seed)
    kept = run_drop(corners, half, centre, place, turn, limit)
    assert kept == sorted(kept)
    box = box_mesh(tuple(half))
    solid = turn.apply((box.vertices + centre)[box.triangles].reshape(-1, 3)).reshape(-1, 3, 3) + place
    own = turn.inv().apply(corners.reshape(-1, 3) - place).reshape(-1, 3, 3) - centre
    for t in range(TRIANGLES):
        inside = np.all(np.abs(own[t]) <= half, axis=1).any()
        near = inside or find_mesh_distance(solid, corners[t : t + 1]) <= limit
        beyond = np.any(own[t].min(axis=0) > half + 1.01 * limit) or np.any(
            own[t].max(axis=0) < -half - 1.01 * limit
        )
        if near:
            assert t in kept
        if beyond:
            assert t not in kept


def join(vertices, cells):
    triangles, _ = join_cells(*cells)
    return make_mesh(
        Triangles("floor", vertices, triangles, tuple(range(len(triangles))), "triangle"), 1.0, "floor"
    )


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_only_vertices_that_bend_or_end_the_floor_speak(tilt):
    """On a plane the rim alone; where one vertex is lifted by a hair, it and all around it."""
    cells = (5, 4)
    points = Rotation.from_euler("z", tilt).apply(place_grid(cells, (1.0, 0.8)))
    rim = {i + 6 * k for k in range(5) for i in range(6) if i in (0, 5) or k in (0, 4)}

    def list_speakers(mesh, bends=False):
        owned = list_owned(mesh, bends)
        return {int(mesh.triangles[t, k]) for t in range(len(owned)) for k in range(3) if owned[t] >> k & 1}

    assert list_speakers(join(points, cells)) == rim
    assert list_speakers(join(points, cells), bends=True) == set(range(30))
    lifted = points.copy()
    lifted[14, 1] += 1e-7
    around = {int(v) for each in join_cells(*cells)[0] if 14 in each for v in each}
    assert list_speakers(join(lifted, cells)) == rim | around


FOOT = """
format = 1
[run]
step = {step}
duration = 1.0
[run.collide]
sudden_speed = {speed}
[[entity]]
name = "foot"
box = {{ size = [0.2, 0.05, 0.09] }}
body = {{}}
[[entity]]
name = "floor"
{floor}
"""
FLOORS = {"plane": "plane = {}", "tiles": "bumpy = { size = [2, 2], tile = 0.05, amplitude = 0.0 }"}


class Foot:
    """A box above a floor, and the contacts that it finds there."""

    def __init__(self, folder: Path, floor: str, step: float = 0.002, speed: float = 0.1):
        file = folder / "foot.toml"
        file.write_text(FOOT.format(floor=FLOORS[floor], step=step, speed=speed), encoding="utf-8")
        self.world = supple.load(file)
        self.calls = [call for entry, call in self.world.calls() if entry.phase == Phase.DETECT]

    def find(self, place, turn, velocity=(0.0, 0.0, 0.0)):
        self.world.array("rigid.x")[0] = place
        self.world.array("rigid.q")[0] = np.roll(turn.as_quat(), 1)
        self.world.array("rigid.v")[0, :3] = velocity
        for call in self.calls:
            call()
        count = int(self.world.array("contacts.count")[0])
        names = ("point", "normal", "gap")
        point, normal, gap = (self.world.array(f"contacts.{name}")[:count].copy() for name in names)
        if count and normal[0, 1] < 0.0:  # the floor comes first
            point, normal = point[:, ::-1], -normal
        order = np.lexsort(np.round(point[:, 0], 6).T)
        return point[order, 0], normal[order], gap[order]


@pytest.fixture(scope="module")
def feet(tmp_path_factory):
    return {floor: Foot(tmp_path_factory.mktemp(floor), floor) for floor in FLOORS}


@given(
    st.floats(-0.7, 0.7), st.floats(-0.7, 0.7), st.floats(-3.1, 3.1), st.floats(-2e-3, 2e-3), st.floats(-4e-3, 4e-3),
    st.sampled_from([0.0, 0.3]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_level_tiles_are_a_plane(feet, x, z, yaw, lean, height, speed):
    """A foot on level tiles touches them where it would touch a plane: at its corners within reach."""
    turn = Rotation.from_euler("yx", [yaw, lean])
    place, velocity = np.array([x, 0.025 + height, z]), (0.0, -speed, 0.0)
    on_plane, on_tiles = (feet[floor].find(place, turn, velocity) for floor in FLOORS)
    reach = 0.002 * (0.1 + 2.0 * speed)
    lowest = np.abs(on_plane[2] - reach).min() if len(on_plane[2]) else 1.0
    if lowest < 1e-9:  # which side of the limit rounding puts it does not matter
        return
    for mine, theirs in zip(on_tiles, on_plane, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize(("step", "speed"), [(0.002, 0.1), (0.004, 0.1), (0.001, 0.5)])
def test_a_foot_at_rest_looks_as_far_as_a_push_may_take_it(tmp_path, floor, step, speed):
    foot, reach = Foot(tmp_path, floor, step, speed), step * speed
    for height, seen in ((0.99 * reach, 4), (1.01 * reach, 0)):
        assert len(foot.find(np.array([0.013, 0.025 + height, 0.007]), Rotation.identity())[2]) == seen
