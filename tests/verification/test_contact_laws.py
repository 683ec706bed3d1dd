"""Bodies in contact against closed forms of Signorini's and Coulomb's laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from supple.testing import audit_step

GRAVITY = 9.81

SLIDE = """
format = 1
[run]
step = {h}
duration = 2.0
[[entity]]
name = "floor"
plane = {{ friction = 0.3 }}
[[entity]]
name = "box"
pose = {{ position = [0, 0.1, 0], axis = [0, 1, 0], angle = {angle} }}
box = {{ size = [0.6, 0.2, 0.4] }}
body = {{ velocity = [1.5, 0, 0] }}
"""

SLOPE = """
format = 1
[run]
step = 0.004
duration = 1.0
[[entity]]
name = "slope"
pose = {{ axis = [0, 0, 1], angle = 20 }}
[[entity]]
name = "slope/ground"
plane = {{ friction = {mu} }}
[[entity]]
name = "slope/box"
pose = {{ position = [0, 0.1, 0], angle = {angle} }}
box = {{ size = [0.4, 0.2, 0.4], friction = 2 }}
body = {{}}
"""


@pytest.mark.parametrize("angle", [0, 30, 45])
def test_a_sliding_box_stops_after_the_textbook_distance(load_text, angle) -> None:
    h = 0.001
    world = load_text(SLIDE.format(h=h, angle=angle))
    world.step(1000)
    exact = 1.5**2 / (2 * 0.3 * GRAVITY)
    # Symplectic Euler sums v_k h with the new velocities: short of the integral by half a step of the start.
    assert world["box"].position[0] == pytest.approx(exact - 1.5 * h / 2, abs=0.3 * GRAVITY * h**2)
    assert abs(world["box"].position[2]) < 1e-9, (
        "friction opposes the motion exactly, however the box is turned"
    )
    assert np.abs(world["box"].velocity).max() < 1e-9


@pytest.mark.parametrize("angle", [0, 45])
@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_box_on_a_slope_sticks_or_slips_at_the_friction_angle(load_text, angle, factor) -> None:
    mu = factor * math.tan(math.radians(20))
    world = load_text(SLOPE.format(mu=mu, angle=angle))
    world.step(250)
    speed = np.linalg.norm(world["slope/box"].velocity[:3])
    if factor > 1:
        assert speed < 1e-8
    else:
        exact = GRAVITY * (math.sin(math.radians(20)) - mu * math.cos(math.radians(20)))
        assert speed == pytest.approx(exact * 1.0, rel=1e-5)


def test_a_ball_bounces_to_the_square_of_its_restitution(load_text) -> None:
    text = """
    format = 1
    [run]
    step = {h}
    duration = 2.0
    [[entity]]
    name = "floor"
    plane = {{ restitution = 0.8 }}
    [[entity]]
    name = "ball"
    pose = {{ position = [0, 1.1, 0] }}
    sphere = {{ radius = 0.1, restitution = 0.9 }}
    body = {{}}
    """
    errors = []
    for h in (0.002, 0.0005):
        world = load_text(text.format(h=h))
        highest, fell = 0.0, False
        for _ in range(round(1.2 / h)):
            world.step()
            fell = fell or world["ball"].velocity[1] > 0
            highest = max(highest, world["ball"].position[1]) if fell else highest
        errors.append(abs(highest - 0.1 - 0.8**2))
    assert errors[1] < 0.005
    assert errors[1] < 0.6 * errors[0]


def test_a_sliding_ball_ends_rolling_at_five_sevenths(load_text) -> None:
    world = load_text("""
    format = 1
    [run]
    step = 0.001
    duration = 2.0
    [[entity]]
    name = "floor"
    plane = { friction = 0.4 }
    [[entity]]
    name = "ball"
    pose = { position = [0, 0.1, 0] }
    sphere = { radius = 0.1 }
    body = { velocity = [1.4, 0, 0] }
    """)
    world.step(1500)
    assert world["ball"].velocity[0] == pytest.approx(1.4 * 5 / 7, rel=1e-9)
    assert world["ball"].velocity[5] == pytest.approx(-1.0 / 0.1, rel=1e-9), "rolls without slipping"


def test_energy_lost_in_sliding_is_the_work_of_friction(load_text) -> None:
    world = load_text(SLIDE.format(h=0.002, angle=0))
    world.step(500)
    mass = 1000 * 0.6 * 0.2 * 0.4
    figures = world.metrics()
    assert figures["run.contact_work"] == pytest.approx(-mass * 1.5**2 / 2, rel=1e-9)
    assert abs(figures["run.energy_unaccounted"]) < 1e-9 * figures["run.energy_initial"]


def test_heavy_on_light_rests_on_the_right_impulses(load_text) -> None:
    world = load_text("""
    format = 1
    [run]
    step = 0.004
    duration = 1.0
    [run.newton]
    tolerance = 1e-12  # 51 kg * 1e-10 m/s / h, what the default leaves open, would be 1.3e-6 N
    [[entity]]
    name = "floor"
    plane = {}
    [[entity]]
    name = "light"
    pose = { position = [0, 0.1, 0] }
    box = { size = [0.2, 0.2, 0.2] }
    body = { mass = 1 }
    [[entity]]
    name = "heavy"
    pose = { position = [0, 0.3, 0] }
    box = { size = [0.2, 0.2, 0.2] }
    body = { mass = 50 }
    """)
    world.step(100)
    count = int(world.array("rows.count")[0])
    impulse = world.array("rows.impulse")[:count, 0]
    on_floor = np.isin(world.array("contacts.element")[:count], [0]).any(axis=1)
    assert on_floor.sum() == 4
    assert impulse[on_floor].sum() == pytest.approx(51 * GRAVITY * 0.004, rel=1e-8)
    assert impulse[~on_floor].sum() == pytest.approx(50 * GRAVITY * 0.004, rel=1e-8)
    # Shapes are sorted by path, so side A of a contact with the floor is the floor: it is pressed down.
    force = world.array("contacts.force")[:count]
    assert force[on_floor].sum(axis=0) == pytest.approx([0, -51 * GRAVITY, 0], rel=1e-8, abs=1e-6)


TURNTABLE = """
format = 1
[run]
step = {h}
duration = 1.0
gravity = [0, 0, 0]
[[entity]]
name = "arm"
box = {{ size = [3.0, 0.1, 0.2], friction = 0 }}
body = {{ mass = 1e4, spin = [0, 0, 1] }}
[[entity]]
name = "arm/pivot"
joint = {{ kind = "hinge", between = ["arm"], axis = [0, 0, 1] }}
[[entity]]
name = "ball"
pose = {{ position = [0.3, 0.15, 0] }}
sphere = {{ radius = 0.1, friction = 0 }}
body = {{ mass = 0.01, velocity = [0.35, 0.3, 0] }}
"""


@pytest.mark.parametrize("h", [0.01, 0.005])
def test_what_slides_on_a_turning_surface_strays_by_one_step_and_no_more(load_text, h) -> None:
    """The arm turns by w h and the ball slides by u h, so that it strays by w u h^2 in every step from its tangent."""
    world = load_text(TURNTABLE.format(h=h))
    strayed = []
    for _ in range(round(0.8 / h)):
        world.step()
        assert world.array("contacts.count")[0] == 1
        along = np.array([math.cos(world.time), math.sin(world.time)])
        strayed.append((world["ball"].position[:2] @ along, -world.array("contacts.gap")[0]))
    r, overlap = np.array(strayed).T
    slip = np.gradient(r, h)
    # One step is not foreseen; after it, only what changes from step to step is left.
    assert overlap.max() < 2.0 * slip.max() * h**2
    assert overlap[-1] < 0.1 * slip[-1] * h**2


def test_every_system_keeps_to_its_declaration(load_text) -> None:
    world = load_text(
        SLIDE.format(h=0.002, angle=10)
        + """
    [[entity]]
    name = "ball"
    pose = { position = [0.3, 0.25, 0] }
    sphere = { radius = 0.1 }
    body = {}
    [[event]]
    name = "shove"
    at = 0.0
    push = { on = "ball", force = [1, 0, 0], duration = 1.0 }
    """
    )
    world.step(20)
    for _ in range(3):
        audit_step(world)
    assert world.steps == 23
