"""Balls that strike off their middle go where the line of centres at the time of touch sends them, at any step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple

STEPS = (0.008, 0.004, 0.001)

HEAD = """
format = 1
[run]
step = {step!r}
duration = 1.0
gravity = [0, {gravity}, 0]
"""

BALL = """
[[entity]]
name = "{name}"
pose = {{ position = [{x!r}, {y!r}, 0] }}
sphere = {{ radius = {radius!r}, friction = {friction!r}, restitution = {e!r} }}
body = {{ mass = {mass!r}, velocity = [{speed!r}, 0, 0] }}
"""

PEGS = {
    "ball": "sphere = { radius = 0.05, friction = 0, restitution = 1 }",
    "rod": "pose = { axis = [1, 0, 0], angle = 90 }\n"
    "capsule = { radius = 0.05, length = 1, friction = 0, restitution = 1 }",
    "edge": "pose = { position = [-0.1, -0.05, 0] }\nbox = { size = [0.2, 0.1, 1], friction = 0, restitution = 1 }",
}


def load(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("blow") / "scene.toml"
    file.write_text(text, encoding="utf-8")
    return supple.load(file)


def write_blow(step, off, e, mass, radius, speed, friction=0.0):
    """A moving ball `b` strikes `a`, which rests at the origin, `off` radii off its middle."""
    reach = radius + 0.03
    text = HEAD.format(step=step, gravity=0.0)
    text += BALL.format(name="a", x=0.0, y=0.0, radius=0.03, friction=friction, e=e, mass=0.2, speed=0.0)
    return text + BALL.format(
        name="b", x=-0.2, y=off * reach, radius=radius, friction=friction, e=e, mass=mass, speed=speed
    )


@settings(max_examples=25, deadline=None)
@given(
    step=st.sampled_from(STEPS),
    off=st.floats(0.01, 0.99),
    e=st.floats(0.1, 1.0),
    mass=st.floats(0.05, 1.0),
    radius=st.floats(0.01, 0.06),
    speed=st.floats(1.0, 8.0),
)
def test_the_line_of_centres_decides(tmp_path_factory, step, off, e, mass, radius, speed):
    world = load(tmp_path_factory, write_blow(step, off, e, mass, radius, speed))
    reach, across = radius + 0.03, np.sqrt(1.0 - off**2)
    touch, steps = (0.2 - reach * across) / speed, round(0.25 / step)
    normal = np.array([across, -off])
    struck = (1.0 + e) * mass / (mass + 0.2) * speed * across * normal
    striking = np.array([speed, 0.0]) - 0.2 / mass * struck
    world.step(steps)
    rest = steps * step - touch
    places = rest * struck, np.array([-0.2 + touch * speed, off * reach]) + rest * striking
    np.testing.assert_allclose(world.array("rigid.v")[:, :2], [struck, striking], atol=1e-10 * speed)
    np.testing.assert_allclose(world.array("rigid.x")[:, :2], places, atol=1e-10)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("friction", [0.1, 0.6])
def test_balls_that_rub_keep_their_momenta(tmp_path_factory, step, friction):
    world = load(tmp_path_factory, write_blow(step, 0.5, 0.8, 0.17, 0.03, 3.0, friction))
    mass, inertia = world.array("rigid.mass"), world.array("rigid.inertia")

    def find_momenta():
        x, v = world.array("rigid.x"), world.array("rigid.v")
        turning = np.cross(x, mass[:, None] * v[:, :3]) + np.einsum("bij,bj->bi", inertia, v[:, 3:])
        return np.concatenate([mass @ v[:, :3], turning.sum(axis=0)])

    before = find_momenta()
    world.step(round(0.2 / step))
    assert abs(world.array("rigid.v")[0]).max() > 0.5  # it was struck
    np.testing.assert_allclose(find_momenta(), before, atol=1e-14)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("e", [1.0, 0.7])
@pytest.mark.parametrize("peg", PEGS)
def test_a_ball_falls_on_what_is_round(tmp_path_factory, peg, e, step):
    radius = 0.03 if peg == "edge" else 0.08  # of its centre about the peg's
    text = HEAD.format(step=step, gravity=-9.81) + f'\n[[entity]]\nname = "peg"\n{PEGS[peg]}\n'
    text += BALL.format(name="ball", x=0.02, y=0.7, radius=0.03, friction=0.0, e=e, mass=1.0, speed=0.0)
    world = load(tmp_path_factory, text)
    steps = round(0.5 / step)
    world.step(steps)
    # In steps, a body that starts at rest falls as one that has fallen for half a step.
    height = np.sqrt(radius**2 - 0.02**2)
    early = -0.5 * 9.81 * step
    top = 0.7 + 9.81 * step**2 / 8.0
    fall = np.sqrt(2.0 * (top - height) / 9.81)
    normal, velocity = np.array([0.02, height]) / radius, np.array([0.0, -9.81 * fall])
    velocity -= (1.0 + e) * (velocity @ normal) * normal
    velocity[1] += -9.81 * (steps * step - fall) + early + 0.5 * 9.81 * step
    np.testing.assert_allclose(world.array("rigid.v")[0, :2], velocity, atol=2.0 * step)
    assert abs(world.metrics()["run.energy_unaccounted"]) < 1e-12
    if e == 1.0:
        assert abs(world.metrics()["run.contact_work"]) < 1e-12


@pytest.mark.parametrize("step", STEPS)
def test_a_rack_breaks_without_making_energy(tmp_path_factory, step):
    text, number = HEAD.format(step=step, gravity=0.0), 0
    for row in range(5):
        for place in range(row + 1):
            x, y = row * 0.06001 * np.sqrt(0.75), (place - 0.5 * row) * 0.06001
            text += BALL.format(
                name=f"ball{number}", x=float(x), y=float(y), radius=0.03, friction=0.05, e=0.95, mass=0.17, speed=0.0
            )  # fmt: skip
            number += 1
    text += BALL.format(name="cue", x=-0.5, y=0.004, radius=0.03, friction=0.05, e=0.95, mass=0.17, speed=8.0)
    world = load(tmp_path_factory, text)
    energy, deepest = 0.5 * 0.17 * 64.0, 0.0
    for _ in range(round(0.3 / step)):
        world.step()
        now = world.metrics()["run.kinetic_energy"]
        assert now <= energy * (1.0 + 1e-12)
        energy = now
        deepest = min(
            deepest, world.array("contacts.gap")[: world.array("contacts.count")[0]].min(initial=0.0)
        )
    assert energy < 0.9 * 5.44  # it was broken
    assert deepest > -1e-9


RESTING = """
format = 1
[run]
step = {step}
duration = 1

[[entity]]
name = "floor"
plane = {{ restitution = 1, friction = 0 }}

[[entity]]
name = "rests"
pose = {{ position = [0, 0.05, 0] }}
sphere = {{ radius = 0.05, restitution = 1, friction = 0 }}
body = {{ mass = 2 }}

[[entity]]
name = "flies"
pose = {{ position = [{x}, 0.18, 0.01] }}
sphere = {{ radius = 0.05, restitution = 1, friction = 0 }}
body = {{ mass = 1.5, velocity = [1.5, -3, 0] }}
"""


def fall(x, v, t):
    """Place and velocity after free flight."""
    g = np.array([0.0, -9.81, 0.0])
    return x + t * v + 0.5 * t * t * g, v + t * g


def reckon_blow_on_ball_at_rest(x, t, step):
    """Places and velocities of both balls at t: one comes to the other, which lies on the floor and bounces off that.

    Velocities of a world are those in the middle of its steps.
    """
    lies, start = np.array([0.0, 0.05, 0.0]), np.array([x, 0.18, 0.01])
    v = np.array([1.5, -3.0 - 0.5 * 9.81 * step, 0.0])
    low, high = 0.0, 0.05
    for _ in range(80):
        middle = 0.5 * (low + high)
        apart = np.linalg.norm(fall(start, v, middle)[0] - lies) > 0.1
        low, high = (middle, high) if apart else (low, middle)
    place, v = fall(start, v, low)
    n = (place - lies) / 0.1
    blow = -2.0 * (v @ n) / (1 / 1.5 + 1 / 2) * n
    flies, other = v + blow / 1.5, -blow / 2
    other[1] = -other[1]
    assert (flies - other) @ n > 0.0
    return fall(lies, other, t - low), fall(place, flies, t - low)


@pytest.mark.parametrize("step", [0.004, 0.008])
@pytest.mark.parametrize("x", [-0.115, -0.11, -0.10])
def test_what_lies_on_a_floor_does_not_fall_until_it_is_struck(load_text, x, step) -> None:
    world = load_text(RESTING.format(x=x, step=step))
    world.step(round(0.064 / step))
    rests, flies = reckon_blow_on_ball_at_rest(x, 0.064, step)
    metrics = world.metrics()
    assert metrics["run.kinetic_energy"] + metrics["run.potential_energy"] == pytest.approx(
        metrics["run.energy_initial"], rel=1e-3
    )
    off = 9.81 * step**2  # as far as a step of gravity goes
    np.testing.assert_allclose(world["rests"].position, rests[0], atol=off)
    np.testing.assert_allclose(world["flies"].position, flies[0], atol=off)
