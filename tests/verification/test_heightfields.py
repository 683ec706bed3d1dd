"""Uneven floors: what they look like, that they repeat, and that looking into cells misses nothing."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple.core.scene_files import SceneFiles
from supple.errors import UserError
from supple_collide.mesh_components import Bumpy
from supple_collide.meshes.oracle import find_distance
from supple_collide.meshes.terrain import draw_bumps, make_terrain
from supple_collide.meshes.tree_kernels import query_grid

RUN = """
format = 1
[run]
step = 0.004
duration = 1.0
seed = 3
"""


def bumpy(**fields):
    return Bumpy(**{"size": (1.0, 0.8), **fields})


def test_bumps_are_even_between_zero_and_the_amplitude():
    heights = draw_bumps(bumpy(size=(5.0, 5.0), amplitude=0.03), (100, 100), "floor", 1)[:, 1]
    assert heights.min() >= 0
    assert heights.max() <= 0.03
    # 10201 even numbers: their mean and spread are known to about one per cent.
    assert heights.mean() == pytest.approx(0.015, rel=0.03)
    assert heights.std() == pytest.approx(0.03 / 12**0.5, rel=0.03)
    neighbours = np.corrcoef(heights[:-1], heights[1:])[0, 1]
    assert abs(neighbours) < 0.05


def test_seed_and_path_decide_and_nothing_else():
    shape = bumpy()
    draw = [
        draw_bumps(shape, (20, 16), path, seed) for path, seed in (("a", 1), ("a", 1), ("a", 2), ("b", 1))
    ]
    np.testing.assert_array_equal(draw[0], draw[1])
    assert np.abs(draw[0] - draw[2]).max() > 0.001
    assert np.abs(draw[0] - draw[3]).max() > 0.001


def test_own_seed_wins_over_that_of_the_run(load_text):
    floor = '[[entity]]\nname = "floor"\nbumpy = {{ size = [0.5, 0.5] {} }}\n'

    def rest(text, **keywords):
        return load_text(RUN + text, **keywords).array("mesh.rest").copy()

    free, fixed = floor.format(""), floor.format(", seed = 3")
    np.testing.assert_array_equal(rest(free), rest(fixed))
    assert np.abs(rest(free) - rest(free, seed=4)).max() > 0.001
    np.testing.assert_array_equal(rest(fixed), rest(fixed, seed=4))


def test_flat_disc_and_sideways_offsets():
    shape = bumpy(size=(2.0, 2.0), tile=0.05, flat=0.4, sway=0.2)
    mesh, grid = make_terrain("bumpy", shape, "floor", SceneFiles(), 5)
    level = np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 2]) < 0.38
    assert level.any()
    assert not mesh.vertices[level, 1].any()
    assert 0.009 < grid.spill <= 0.01


@given(st.integers(0, 2**31), st.floats(0, 0.24), st.tuples(st.floats(0.3, 1.5), st.floats(0.3, 1.5)))
@settings(max_examples=100, deadline=None)
def test_no_tile_is_folded_over(seed, sway, size):
    """What is folded over looks down: a ball above it would be taken for one inside the floor."""
    mesh, _ = make_terrain("bumpy", bumpy(size=size, tile=0.05, sway=sway), "floor", SceneFiles(), seed)
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 1] > 0).all()


def test_most_sway_folds_no_tile_however_its_corners_stand():
    """All 4^3 choices of corners of a triangle that stand off by the most along both axes."""
    sway = 0.24
    steps = [np.array([x, z]) for x in (-sway, sway) for z in (-sway, sway)]
    for a, b, c in itertools.product(steps, repeat=3):
        u, v = np.array([1.0, 0.0]) + b - a, np.array([0.0, 1.0]) + c - a
        assert u[0] * v[1] - u[1] * v[0] > 0


@given(st.integers(0, 2**31), st.floats(0, 0.1))
@settings(max_examples=100, deadline=None)
def test_cells_below_a_box_hold_every_triangle_near_it(seed, grow):
    rng = np.random.default_rng(seed)
    shape = bumpy(sway=0.24, amplitude=0.1, tile=0.1)
    mesh, grid = make_terrain("bumpy", shape, "floor", SceneFiles(), seed)
    turn, place = Rotation.random(random_state=seed), rng.normal(size=3)
    corners = (turn.apply(mesh.vertices) + place)[mesh.triangles]
    boxes = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    centre = turn.apply(rng.uniform(-0.6, 0.6, 3) * [1, 0.3, 1]) + place
    box = np.concatenate([centre, centre])[None] + np.repeat([[-1, 1]], 3, axis=1) * rng.uniform(0, 0.2)
    corner = turn.apply(grid.corner) + place
    grids = np.array(
        [[*grid.cells, *grid.tile, grid.spill, *corner, *turn.as_matrix().reshape(-1), grid.top]]
    )
    found = np.zeros(len(corners), np.int64)
    count = query_grid(grids, 0, 0, boxes, box, 0, grow, found)
    near = set(found[:count].tolist())
    assert len(near) == count
    half = (box[0, 3:] - box[0, :3]) / 2
    for t in range(len(corners)):
        # A point of the box is nearer to the triangle than `grow` only if the triangle was found.
        if find_distance(centre, corners[t : t + 1]) <= min(half) + grow:
            assert t in near


CRATE = """
[run.collide]
margin = {margin}
[[entity]]
name = "floor"
bumpy = {{ size = [2, 2], tile = 0.05, amplitude = 0.02, friction = 0.8, seed = {seed} }}
[[entity]]
name = "crate"
pose = {{ position = [0, 0.09, 0], angle = 15 }}
box = {{ size = [0.3, 0.1, 0.2], friction = 0.8 }}
body = {{ density = 500 }}
"""


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_looking_farther_than_the_step_lets_nothing_sink_in(load_text, seed):
    """A margin finds dozens of contacts that nothing reaches; those that carry are not lost among them."""
    world = load_text(RUN + CRATE.format(margin=0.01, seed=seed))
    most = 0
    for _ in range(250):
        world.step()
        most = max(most, int(world.array("contacts.count")[0]))
    assert most > 20  # the crate rests on three or four
    assert world.metrics()["run.penetration_worst"] < 1e-9


@pytest.mark.parametrize("angle", [0, 25])
def test_ball_rests_where_a_pit_is_deepest(load_text, angle):
    # A square pit: heights grow with the distance from the middle; four faces meet at its lowest point.
    heights = [0.2, 0.2, 0.2, 0.2, 0.0, 0.2, 0.2, 0.2, 0.2]
    text = (
        RUN
        + f"""
[[entity]]
name = "ground"
pose = {{ position = [1, 2, 3], axis = [0, 1, 0], angle = {angle} }}
heightfield = {{ size = [2, 2], cells = [2, 2], heights = {heights}, friction = 0.0 }}
[[entity]]
name = "ball"
pose = {{ position = [1, 2.3, 3] }}
sphere = {{ radius = 0.1 }}
body = {{}}
"""
    )
    world = load_text(text)
    world.step(400)
    count = int(world.array("contacts.count")[0])
    assert count >= 2  # opposite faces carry; the others may be a little farther away than a step reaches
    gap = world.array("contacts.gap")[:count]
    assert gap.min() > -1e-6
    assert world["ball"].position[1] == pytest.approx(2 + 0.1 * np.hypot(1, 0.2), rel=0.02)
    assert np.linalg.norm(world["ball"].position - [1, world["ball"].position[1], 3]) < 1e-3


@pytest.mark.parametrize(
    ("component", "says"),
    [
        ("heightfield = { size = [1, 1], cells = [2, 2], heights = [0, 0, 0] }", "give 9 heights"),
        ("heightfield = { size = [1, 1], cells = [2, 2] }", "either as a list or as a file"),
        ("heightfield = { size = [1, 0], cells = [2, 2], heights = [0] }", "must be greater than 0"),
        ("heightfield = { size = [1, 1], cells = [0, 2], heights = [0] }", "from 1 to 2000"),
        (
            'heightfield = { size = [1, 1], cells = [1, 1], file = "heights.txt" }',
            "heights.txt:2: floor.heightfield",
        ),
        ("bumpy = { size = [1, 1], tile = 1e-4 }", "more than 2000 tiles"),
        ("bumpy = { size = [1, 1], sway = 0.25 }", "at most 0.24"),
        ("bumpy = { size = [1, 1] }\nsphere = { radius = 1 }\nbody = {}", "cannot move"),
    ],
)
def test_bad_floor_is_refused_in_one_line(load_text, tmp_path, component, says):
    (tmp_path / "heights.txt").write_text("0 0\n0 nan\n")
    with pytest.raises(UserError) as caught:
        load_text(RUN + f'[[entity]]\nname = "floor"\n{component}\n')
    assert "\n" not in str(caught.value)
    assert says in str(caught.value)


def test_heights_from_a_file(load_text, tmp_path):
    (tmp_path / "heights.txt").write_text("# two by one cells\n0, 0.1, 0.2\n0.3 0.4 0.5\n")
    text = (
        '[[entity]]\nname = "floor"\nheightfield = { size = [2, 1], cells = [2, 1], file = "heights.txt" }\n'
    )
    rest = load_text(RUN + text).array("mesh.rest")
    np.testing.assert_allclose(rest[:, 1], [0, 0.1, 0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(rest[:3, [0, 2]], [[-1, -0.5], [0, -0.5], [1, -0.5]])
