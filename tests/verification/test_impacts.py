"""Bounces, cradles and things that are struck, in whole scenes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple.testing import check_memory, check_resume

RADIUS = 0.02


def write_ball(name, position, *, velocity=(0, 0, 0), e=1.0, friction=0.0, mass=0.1, radius=RADIUS, more=""):
    return f"""
    [[entity]]
    name = "{name}"
    pose = {{ position = {list(map(float, position))} }}
    sphere = {{ radius = {radius}, restitution = {e}, friction = {friction} }}
    body = {{ mass = {mass}, velocity = {list(map(float, velocity))} }}
    {more}"""


def write_run(step, duration, gravity=0.0, more=""):
    return f"format = 1\n[run]\nstep = {step}\nduration = {duration}\ngravity = [0, {-gravity}, 0]\n{more}"


def write_row(gap, moving, step):
    """Five balls in a row, of which some come in touching each other at 1.9 m/s."""
    text = write_run(step, 0.3)
    for k in range(5):
        comes = k < moving
        x = 2 * RADIUS * (k - moving) - 0.03 if comes else k * (2 * RADIUS + gap)
        text += write_ball(f"ball{k}", (x, 0, 0), velocity=(1.9 if comes else 0, 0, 0))
    return text


@pytest.mark.parametrize("step", [0.001, 0.004])
@pytest.mark.parametrize("gap", [0.0, 1e-4, 1e-3, 4e-3])
@pytest.mark.parametrize("moving", [1, 2])
def test_as_many_balls_leave_a_row_as_came_in(load_text, gap, moving, step):
    world = load_text(write_row(gap, moving, step))
    world.step(round(0.3 / step))
    out = world.array("rigid.v")[:, 0] / 1.9
    np.testing.assert_allclose(out, [0] * (5 - moving) + [1] * moving, atol=1e-9)


def write_cradle(kind, step):
    """Five pendulums of 0.5 m that touch, the first lifted by 30 degrees."""
    text = write_run(step, 1.3, 9.81)
    for k in range(5):
        angle, x = (-30.0 if k == 0 else 0.0), 2 * RADIUS * k
        if kind == "bone":
            text += f"""
            [[entity]]
            name = "string{k}"
            pose = {{ position = [{x}, 0, 0] }}
            skeleton = {{}}
            [[entity]]
            name = "string{k}/rod"
            bone = {{ joint = "hinge", axis = [0, 0, 1], mass = 0.1, centre = [0, -0.5, 0],
                      inertia = [4e-5, 4e-5, 4e-5], start = [{angle}] }}
            [[entity]]
            name = "string{k}/rod/ball"
            pose = {{ position = [0, -0.5, 0] }}
            sphere = {{ radius = {RADIUS}, restitution = 1, friction = 0 }}
            """
            continue
        turn = np.radians(angle)
        text += f"""
        [[entity]]
        name = "ball{k}"
        pose = {{ position = [{x + 0.5 * np.sin(turn)}, {-0.5 * np.cos(turn)}, 0] }}
        sphere = {{ radius = {RADIUS}, restitution = 1, friction = 0 }}
        body = {{ mass = 0.1 }}
        [[entity]]
        name = "string{k}"
        pose = {{ position = [{x}, 0, 0] }}
        joint = {{ kind = "ball", between = ["ball{k}"] }}
        """
    return text


@pytest.mark.parametrize("kind", ["joint", "bone"])
def test_a_cradle_swings_at_its_ends_alone(load_text, kind):
    step = 0.002
    world = load_text(write_cradle(kind, step))
    fastest = np.zeros(5)
    for _ in range(round(1.3 / step)):
        world.step()
        v = world.array("skeleton.v") if kind == "bone" else world.array("rigid.v")[:, 0]
        fastest = np.maximum(fastest, np.abs(v))
    assert fastest[1:4].max() < 0.01 * fastest[0]
    assert fastest[4] == pytest.approx(fastest[0], rel=0.01)


WALLS = {
    "thin wall": "box = { size = [0.001, 1, 1], restitution = E }",
    "mesh": "convex = { points = [[0, -1, -1], [0, 1, -1], [0, -1, 1], [0, 1, 1], [0.001, 0, 0]], restitution = E }",
    "corner": "box = { size = [0.1, 0.1, 1], restitution = E }",
}


@pytest.mark.parametrize("e", [0.0, 0.9])
@pytest.mark.parametrize("wall", WALLS)
def test_what_is_struck_does_not_pass_through_what_is_behind_it(load_text, wall, e):
    """Three balls 5 mm apart, and a wall 5 mm behind, hit at 10 m/s: 40 mm a step."""
    radius, step = 0.01, 0.004
    text = write_run(step, 0.1)
    for k, x in enumerate((-0.1, 0.0, 0.025, 0.05)):
        text += write_ball(f"ball{k}", (x, 0, 0), velocity=(0 if k else 10, 0, 0), e=e, radius=radius)
    place = {"thin wall": 0.0655, "mesh": 0.065, "corner": 0.065 + 0.1 / 2**0.5}[wall]
    turn = "axis = [0, 0, 1], angle = 45" if wall == "corner" else "axis = [1, 0, 0], angle = 0"
    text += f'\n[[entity]]\nname = "wall"\npose = {{ position = [{place}, 0, 0], {turn} }}\n'
    world = load_text(text + WALLS[wall].replace("E", str(e)))
    for _ in range(round(0.1 / step)):
        world.step()
        x = world.array("rigid.x")[:, 0]
        assert (np.diff(x) >= 2 * radius - 1e-9).all()
        assert x[-1] <= 0.055 + 1e-9
    if e == 0.0:
        np.testing.assert_allclose(world.array("rigid.v")[:, 0], 0.0, atol=1e-8)
    else:  # one after the other: every pair keeps 0.95 of the speed, the wall 0.9
        assert world.array("rigid.v")[0, 0] == pytest.approx(-10 * 0.95**6 * 0.9, rel=0.03)


def test_a_struck_step_resumes_and_remembers_nothing(load_text, tmp_path):
    text = write_row(1e-3, 1, 0.004) + '\n[[entity]]\nname = "wall"\npose = { position = [0.3, 0, 0] }\n'
    text += "box = { size = [0.001, 1, 1], restitution = 1 }\n"
    scene = tmp_path / "row.toml"
    scene.write_text(text)
    check_resume(scene, steps=4, more=20)
    world = load_text(text)
    check_memory(world, steps=20)


@pytest.mark.parametrize("step", [0.001, 0.01])
def test_a_stack_that_could_bounce_rests(load_text, step):
    text = write_run(step, 0.5, 9.81) + '[[entity]]\nname = "floor"\nplane = { restitution = 0.9 }\n'
    for k in range(5):
        text += f"""
        [[entity]]
        name = "box{k}"
        pose = {{ position = [0, {0.05 + 0.1 * k}, 0] }}
        box = {{ size = [0.2, 0.1, 0.2], restitution = 0.9 }}
        body = {{}}
        """
    world = load_text(text)
    world.step(round(0.5 / step))
    assert np.abs(world.array("rigid.v")).max() < 1e-7


def test_a_rack_breaks_symmetrically(load_text):
    radius, text = 0.0285, write_run(0.004, 0.1)
    text += write_ball("cue", (-0.3, 0, 0), velocity=(5, 0, 0), e=0.95, friction=0.1, radius=radius)
    for row in range(4):
        for k in range(row + 1):
            place = (row * 3**0.5 * radius, 0, (2 * k - row) * radius)
            text += write_ball(f"r{row}{k}", place, e=0.95, friction=0.1, radius=radius)
    world = load_text(text)
    world.step(25)
    v = world.array("rigid.v")
    assert v[:, 0].sum() == pytest.approx(5.0, rel=1e-9)
    for row in range(4):
        for k in range(row + 1):
            a, b = world[f"r{row}{k}"].velocity[:3], world[f"r{row}{row - k}"].velocity[:3]
            np.testing.assert_allclose(a, b * (1, 1, -1), atol=1e-9)


def test_a_hammer_drives_a_bone_no_farther_than_the_wall(load_text):
    """A bone on a hinge that rests 5 mm from a thin wall is hit at 10 m/s."""
    text = write_run(0.004, 0.05) + write_ball("hammer", (-0.06, -0.5, 0), velocity=(10, 0, 0), e=0.5)
    text += f"""
    [[entity]]
    name = "arm"
    skeleton = {{}}
    [[entity]]
    name = "arm/rod"
    bone = {{ joint = "hinge", axis = [0, 0, 1], mass = 0.1, centre = [0, -0.5, 0], inertia = [1e-4, 1e-4, 1e-4] }}
    [[entity]]
    name = "arm/rod/fist"
    pose = {{ position = [0, -0.5, 0] }}
    sphere = {{ radius = {RADIUS}, restitution = 0.5 }}
    [[entity]]
    name = "wall"
    pose = {{ position = [{RADIUS + 0.0055}, -0.5, 0] }}
    box = {{ size = [0.001, 0.2, 1], restitution = 0.5 }}
    """
    world = load_text(text)
    for _ in range(12):
        world.step()
        assert 0.5 * np.sin(world.array("skeleton.q")[0]) < 0.0052


def test_a_struck_ball_does_not_pass_through_flesh(load_text):
    """Driven at 10 m/s into a soft box 5 mm away, 40 mm thick: no ball comes out on its other side."""
    text = write_run(0.004, 0.06)
    text += write_ball("cue", (-0.1, 0, 0), velocity=(10, 0, 0), e=0.5) + write_ball("ball", (0, 0, 0), e=0.5)
    text += f"""
    [[entity]]
    name = "pad"
    pose = {{ position = [{RADIUS + 0.005 + 0.02}, 0, 0] }}
    fleshed_box = {{ size = [0.04, 0.2, 0.2], cells = 4, mass = 5.0, state = "soft" }}
    """
    world = load_text(text)
    for _ in range(15):
        world.step()
        pad = world.array("flesh.position")[:, 0].mean()
        x = {name: world[name].position[0] for name in ("cue", "ball")}
        assert x["cue"] < x["ball"] < pad


SHAPES = (
    "capsule = { radius = 0.03, length = 0.4",
    "box = { size = [0.3, 0.1, 0.2]",
    "sphere = { radius = 0.1",
)


TURNING = 1e-9
"""Part of the energy that an impact of a fast turning body may change; see the limitations of supple_rigid."""


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SHAPES), st.sampled_from([0.5, 0.8, 1.0]), st.booleans())
def test_bodies_that_fly_between_walls_never_gain_energy(tmp_path_factory, seed, shape, e, rough):
    """Without gravity, three bodies in a corner, with friction or without."""
    rng = np.random.default_rng(seed)
    text = write_run(0.002, 0.2)
    for name, turn in (("floor", "axis = [1, 0, 0], angle = 0"), ("wall", "axis = [0, 0, 1], angle = -90")):
        text += f"""
        [[entity]]
        name = "{name}"
        pose = {{ {turn} }}
        plane = {{ friction = 2, restitution = 1 }}
        """
    for k in range(3):
        axis = rng.normal(size=3).tolist()
        text += f"""
        [[entity]]
        name = "body{k}"
        pose = {{ position = [0.4, {0.4 + 0.6 * k}, 0], axis = {axis}, angle = {rng.uniform(0, 180)} }}
        {shape}, restitution = {e}, friction = {rng.uniform(0.1, 1.2) if rough else 0.0} }}
        body = {{ mass = 1, velocity = {rng.normal(-1, 2, 3).tolist()}, spin = {rng.normal(0, 4, 3).tolist()} }}
        """
    scene = tmp_path_factory.mktemp("flight") / "scene.toml"
    scene.write_text(text)
    world = supple.load(scene)
    energy, depth = [], []
    for _ in range(100):
        world.step()
        energy.append(world.array("energy.kinetic")[0])
        depth.append(world.array("rows.penetration")[0])
    # What overlaps is pushed apart, which is work; where nothing does, nothing may be gained.
    sound = np.array(depth[1:]) < 1e-9
    gained = np.diff(energy)[sound] / energy[0]
    # Slow bodies keep it to round-off; one that turns by more than 0.02 rad in the step of its impact nearly so.
    assert gained.max(initial=0.0) < TURNING
    if e == 1.0 and not rough:
        assert np.abs(gained).max(initial=0.0) < TURNING
