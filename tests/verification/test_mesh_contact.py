"""Meshes in contact: against the primitives that they stand for, and against closed forms."""

import numpy as np
import pytest

from supple.testing import audit_step
from supple_collide.mesh_shape import box_mesh
from supple_collide.meshes.terrain import join_cells, place_grid

GRAVITY = 9.81
CUBE = box_mesh((0.1, 0.1, 0.1))
RUN = """
format = 1
[run]
step = 0.004
duration = 1.0
"""
FLOOR = """
[[entity]]
name = "floor"
plane = { friction = 0.5 }
"""
BOX = "box = { size = [0.2, 0.2, 0.2] }"
MESH = f"mesh = {{ vertices = {CUBE.vertices.tolist()}, triangles = {CUBE.triangles.tolist()} }}"
HULL = f"convex = {{ points = {CUBE.vertices.tolist()} }}"


def body(name, shape, x, y, z, extra="", velocity=(0, 0, 0)):
    return f"""
[[entity]]
name = "{name}"
pose = {{ position = [{x}, {y}, {z}] {extra} }}
{shape}
body = {{ velocity = {list(velocity)} }}
"""


def sheet(cells, size):
    """A flat floor of triangles as a mesh."""
    vertices = place_grid((cells, cells), (size, size))
    triangles = join_cells(cells, cells)[0]
    return f"mesh = {{ vertices = {vertices.tolist()}, triangles = {triangles.tolist()} }}"


def sum_forces(world):
    """Forces on every body along the world's axes and their moments about its centre, from all contacts."""
    count = int(world.array("contacts.count")[0])
    return world.array("rigid.impulse") / 0.004, count


@pytest.mark.parametrize(("lower", "upper"), [(MESH, MESH), (HULL, MESH), (BOX, MESH), (MESH, BOX)])
@pytest.mark.parametrize(("x", "z", "turn"), [(0.0, 0.0, 0), (0.03, -0.05, 0), (0.02, 0.0, 30)])
def test_cubes_of_triangles_rest_like_boxes(load_text, lower, upper, x, z, turn):
    extra = f", axis = [0, 1, 0], angle = {turn}"
    found = []
    for one, other in ((BOX, BOX), (lower, upper)):
        text = RUN + FLOOR + body("a", one, 0, 0.1, 0) + body("b", other, x, 0.3, z, extra)
        world = load_text(text)
        world.step(100)
        assert world.metrics()["run.penetration_worst"] < 1e-6
        assert np.abs(world.array("rigid.v")).max() < 1e-7
        found.append(sum_forces(world))
    (expected, count), (forces, mesh_count) = found
    np.testing.assert_allclose(forces, expected, atol=1e-5)
    assert mesh_count == count


def test_push_on_a_mesh_cube_sticks_and_slips_like_on_a_box(load_text):
    ends = []
    for shape in (BOX, MESH):
        world = load_text(RUN + FLOOR + body("a", shape, 0, 0.1, 0, velocity=(1.0, 0, 0.5)))
        world.step(150)
        ends.append(world["a"].position)
        assert np.abs(world["a"].velocity).max() < 1e-7
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-7)


@pytest.mark.parametrize("ground", ["sheet", "heightfield"])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.8, 0.6)])
def test_ball_rolls_over_a_flat_floor_of_triangles_without_bumps(load_text, ground, direction):
    shape = sheet(20, 2.0) if ground == "sheet" else (
        f"heightfield = {{ size = [2, 2], cells = [20, 20], heights = {[0.0] * 441} }}"
    )  # fmt: skip
    floor = f'[[entity]]\nname = "floor"\n{shape}\n'
    u, w = direction
    spin = [w / 0.05, 0, -u / 0.05]
    ball = f"""
[[entity]]
name = "ball"
pose = {{ position = [-0.6, 0.05, -0.5] }}
sphere = {{ radius = 0.05 }}
body = {{ velocity = [{u}, 0, {w}], spin = {spin} }}
"""
    world = load_text(RUN + floor + ball)
    for _ in range(200):
        world.step()
        velocity = world["ball"].velocity
        assert abs(velocity[1]) < 1e-9
        assert abs(u * velocity[2] - w * velocity[0]) < 1e-9
        assert abs(world["ball"].position[1] - 0.05) < 1e-9
    assert np.hypot(*velocity[[0, 2]]) == pytest.approx(1.0, abs=1e-9), "it rolls without losing speed"


@pytest.mark.parametrize(
    "shape", [BOX, MESH, "capsule = { radius = 0.1, length = 0.2 }", "sphere = { radius = 0.1 }"]
)
def test_flat_meshes_carry_like_a_plane(load_text, shape):
    extra = ", axis = [0, 0, 1], angle = 90"
    places = []
    for ground in ("plane = { friction = 0.5 }", sheet(8, 2.0), "bumpy = { size = [2, 2], amplitude = 0 }"):
        floor = f'[[entity]]\nname = "floor"\n{ground}\n'
        world = load_text(
            RUN + floor + body("thing", shape, 0.013, 0.12, 0.017, extra, velocity=(0.4, 0, 0.1))
        )
        world.step(150)
        places.append(world["thing"].position)
        assert world.metrics()["run.penetration_worst"] < 1e-6
    np.testing.assert_allclose(places[1], places[0], atol=2e-6)
    np.testing.assert_allclose(places[2], places[0], atol=2e-6)


def test_cube_slides_into_the_corner_of_a_room(load_text):
    # A tray, open above: floor and two walls that meet it and each other in edges bent inwards.
    vertices = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 1, 0], [1, 1, 0], [0, 1, 1]]
    triangles = [[0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4], [0, 4, 6], [0, 6, 3]]
    room = f'[[entity]]\nname = "room"\nmesh = {{ vertices = {vertices}, triangles = {triangles}, friction = 0 }}\n'
    for shape in (BOX, MESH):
        world = load_text(RUN + room + body("a", shape, 0.5, 0.1, 0.5, velocity=(-1.5, 0, -1.0)))
        world.step(250)
        np.testing.assert_allclose(world["a"].position, [0.1, 0.1, 0.1], atol=1e-6)
        assert world.metrics()["run.penetration_worst"] < 1e-6


def test_corner_that_is_fast_sees_the_wall_that_it_will_reach(load_text):
    # A pin just above a floor, beside a slope that rises from it: within one step it is over the slope.
    vertices = [[-1, 0, -1], [-1, 0, 1], [0, 0, -1], [0, 0, 1], [1, 1, -1], [1, 1, 1]]
    triangles = [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]]
    floor = f'[[entity]]\nname = "floor"\nmesh = {{ vertices = {vertices}, triangles = {triangles}, friction = 0 }}\n'
    pin = "convex = { points = [[0, 0, 0], [0.01, 0.1, 0.01], [-0.01, 0.1, 0.01], [0, 0.1, -0.01]] }"
    world = load_text(RUN + floor + body("pin", pin, -0.002, 0.001, 0.03, velocity=(4.0, 0, 0)))
    for _ in range(5):
        world.step()
        assert world.array("rows.penetration")[0] < 1e-9
    assert world["pin"].velocity[1] > 0.1, "the slope has turned it upwards"


def test_ball_rests_in_a_groove_on_two_faces(load_text):
    # A right angle that opens upwards: both faces carry weight / sqrt 2.
    vertices = [[-1, 1, -1], [-1, 1, 1], [0, 0, -1], [0, 0, 1], [1, 1, -1], [1, 1, 1]]
    triangles = [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]]
    groove = f'[[entity]]\nname = "groove"\nmesh = {{ vertices = {vertices}, triangles = {triangles}, friction = 0 }}\n'
    ball = body("ball", "sphere = { radius = 0.1 }", 0.0, 0.1 * 2**0.5, 0.0)
    world = load_text(RUN + groove + ball)
    world.step(50)
    count = int(world.array("contacts.count")[0])
    assert count == 2
    weight = world.array("rigid.mass")[0] * GRAVITY
    np.testing.assert_allclose(world.array("rows.impulse")[:2, 0] / 0.004, weight / 2**0.5, rtol=1e-9)
    np.testing.assert_allclose(world["ball"].position, [0, 0.1 * 2**0.5, 0], atol=1e-9)


def test_deep_start_comes_out(load_text):
    hill = '[[entity]]\nname = "hill"\nbumpy = { size = [2, 2], amplitude = 0.02, seed = 4 }\n'
    for shape in (BOX, "sphere = { radius = 0.1 }"):
        world = load_text(RUN + hill + body("a", shape, 0.0, 0.07, 0.0))
        world.step(250)
        assert world["a"].position[1] > 0.1
        assert world.array("rows.penetration")[0] < 1e-6
    world = load_text(RUN + FLOOR + body("a", MESH, 0, 0.1, 0) + body("b", MESH, 0.01, 0.27, 0.02))
    world.step(250)
    assert world["b"].position[1] == pytest.approx(0.3, abs=1e-4)


def test_every_system_keeps_to_its_declaration(load_text):
    text = (
        RUN
        + FLOOR
        + body("a", MESH, 0, 0.1, 0)
        + body("b", HULL, 0.02, 0.3, 0.01)
        + body("c", BOX, 0, 0.5, 0)
    )
    text += body("d", "sphere = { radius = 0.1 }", 0.0, 0.7, 0.0)
    text += '[[entity]]\nname = "hill"\npose = { position = [3, 0, 0] }\nbumpy = { size = [1, 1] }\n'
    text += body("e", "capsule = { radius = 0.05, length = 0.2 }", 3.0, 0.2, 0.0) + body(
        "f", MESH, 3.1, 0.2, 0.3
    )
    world = load_text(text)
    for _ in range(3):
        world.step(20)
        audit_step(world)
    assert world.array("contacts.count")[0] > 12


def test_order_in_the_file_does_not_matter(load_text):
    parts = [
        FLOOR,
        body("a", MESH, 0, 0.1, 0),
        body("b", HULL, 0.02, 0.3, 0.01),
        body("c", BOX, 0.01, 0.5, 0),
    ]
    states = []
    for order in (parts, parts[::-1]):
        world = load_text(RUN + "".join(order))
        world.step(50)
        states.append(world.snapshot())
    for name, values in states[0].items():
        np.testing.assert_array_equal(values, states[1][name], err_msg=name)
