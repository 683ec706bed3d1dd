"""A ball that rolls into a hollow meets its wall in time; one that rolls over a ridge or off an edge is not held up."""

import numpy as np
import pytest

SCENE = """
format = 1
[run]
step = {step}
duration = 1.0
gravity = [0, -9.81, 0]

[[entity]]
name = "floor"
mesh = {{ vertices = {vertices}, triangles = {triangles}, thickness = 0.1, friction = 0.0 }}

[[entity]]
name = "ball"
pose = {{ position = [-0.3, 0.02, 0.013] }}
sphere = {{ radius = 0.02, friction = 0.0 }}
body = {{ velocity = [{speed}, 0, {aside}] }}
"""


def bend_floor(degrees):
    """A floor that is level for x < 0 and rises (or falls) by an angle for x > 0."""
    rise = np.tan(np.radians(degrees))
    vertices = [[-1, 0, -1], [-1, 0, 1], [0, 0, -1], [0, 0, 1], [0.5, 0.5 * rise, -1], [0.5, 0.5 * rise, 1]]
    return vertices, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]


def roll(load_text, degrees, step=0.004, speed=2.0, aside=0.4):
    vertices, triangles = bend_floor(degrees)
    text = SCENE.format(
        step=step,
        speed=speed,
        aside=aside,
        vertices=[[float(v) for v in each] for each in vertices],
        triangles=triangles,
    )
    return load_text(text)


@pytest.mark.parametrize("degrees", [5, 20, 45, 70])
@pytest.mark.parametrize("speed", [0.5, 1.93, 4.1])
def test_ball_does_not_sink_into_the_wall_of_a_hollow(load_text, degrees, speed):
    world = roll(load_text, degrees, speed=speed)
    deepest = 0.0
    for _ in range(round(0.4 / speed / 0.004)):
        world.step()
        deepest = max(deepest, world.array("mesh.penetration")[0])
    assert world["ball"].velocity[0] < speed - 1e-3, "it has met the wall"
    assert deepest < 1e-9


@pytest.mark.parametrize("degrees", [-5, -30])
def test_ball_leaves_an_edge_undisturbed(load_text, degrees):
    """Beyond the edge it flies: nothing may act on it along its way, on a smooth floor."""
    world = roll(load_text, degrees)
    for _ in range(40):
        world.step()
        assert world["ball"].velocity[0] >= 2.0 - 1e-9


def test_smooth_ball_turns_with_the_wall_and_keeps_the_speed_along_it(load_text):
    """Without friction and bounce a wall takes the part of the velocity that leads into it, and no other."""
    angle = np.radians(20)
    world = roll(load_text, 20, step=0.001)
    for _ in range(155):
        world.step()
    along, aside = 2.0 * np.cos(angle), 0.4
    time_on_wall = (world["ball"].position[0] + 0.02 * np.sin(angle)) / np.cos(angle) / along
    expected = along - 9.81 * np.sin(angle) * time_on_wall
    speed = world["ball"].velocity
    assert speed[0] * np.cos(angle) + speed[1] * np.sin(angle) == pytest.approx(expected, abs=0.01)
    assert speed[2] == pytest.approx(aside, abs=1e-9)
