"""Free bodies against closed forms and conservation laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple_collide.components import Box, Capsule, Sphere
from supple_rigid.mass import unit_inertia_of, volume_of

FLIGHT = """
format = 1
[run]
step = {h}
duration = {duration}
gravity = {gravity}
[[entity]]
name = "brick"
pose = {{ position = [0.1, 2, 0.3], axis = [1, 2, 3], angle = 40 }}
box = {{ size = [0.1, 0.2, 0.4] }}
body = {{ velocity = [1, 2, -0.5], spin = {spin} }}
"""


def flight(load_text, h, duration, gravity=(0, 0, 0), spin=(0, 0, 0)):
    world = load_text(FLIGHT.format(h=h, duration=duration, gravity=list(gravity), spin=list(spin)))
    world.step(round(duration / h))
    return world


def momentum(world):
    """Angular momentum about the centre of mass, in the world."""
    turn = Rotation.from_quat(world["brick"].rotation, scalar_first=True)
    return turn.apply(world.array("rigid.inertia")[0] @ world["brick"].velocity[3:])


def test_free_fall_is_a_parabola_to_first_order(load_text) -> None:
    gravity, duration = (0.0, -9.81, 0.0), 0.5
    exact = np.array([0.1, 2, 0.3]) + duration * np.array([1, 2, -0.5]) + duration**2 / 2 * np.array(gravity)
    errors = [
        np.linalg.norm(flight(load_text, h, duration, gravity)["brick"].position - exact)
        for h in (0.01, 0.005)
    ]
    assert errors[0] == pytest.approx(9.81 * duration * 0.01 / 2, rel=1e-9), (
        "n (n + 1) / 2 instead of n^2 / 2"
    )
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=1e-6)


def test_linear_momentum_is_kept_to_round_off(load_text) -> None:
    world = flight(load_text, 0.004, 4.0, spin=(3, 1, -2))
    assert np.abs(world["brick"].velocity[:3] - [1, 2, -0.5]).max() <= 1e-15


def test_rotational_energy_and_length_of_momentum_are_kept(load_text) -> None:
    start = flight(load_text, 0.004, 0.004, spin=(3, 1, -2))
    end = flight(load_text, 0.004, 8.0, spin=(3, 1, -2))

    def energy(world):
        spin = world["brick"].velocity[3:]
        return spin @ world.array("rigid.inertia")[0] @ spin / 2

    assert energy(end) == pytest.approx(energy(start), rel=1e-12)
    assert np.linalg.norm(momentum(end)) == pytest.approx(np.linalg.norm(momentum(start)), rel=1e-12)


def test_direction_of_momentum_drifts_to_first_order(load_text) -> None:
    exact = momentum(load_text(FLIGHT.format(h=0.01, duration=1.0, gravity=[0, 0, 0], spin=[6, 2, -4])))
    errors = [
        np.linalg.norm(momentum(flight(load_text, h, 1.0, spin=(6, 2, -4))) - exact)
        for h in (0.002, 0.001, 0.0005)  # slow: a body that turns by more than 0.02 rad in a step keeps it
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.15)


def test_spin_of_a_symmetric_top_precesses_at_the_closed_form_rate(load_text) -> None:
    text = """
    format = 1
    [run]
    step = {h}
    duration = 1.0
    gravity = [0, 0, 0]
    [[entity]]
    name = "top"
    capsule = {{ radius = 0.1, length = 0.5 }}
    body = {{ spin = [2, 8, 0] }}
    """
    errors = []
    for h in (0.002, 0.001):
        world = load_text(text.format(h=h))
        across, along = world.array("rigid.inertia")[0].diagonal()[:2]
        world.step(round(1.0 / h))
        rate = (along - across) / across * 8.0
        # Euler's equations: dw_x/dt = rate * w_z and dw_z/dt = -rate * w_x up to the sign of the axes.
        expected = [2 * math.cos(rate), 8.0, 2 * math.sin(rate)]
        spin = world["top"].velocity[3:]
        errors.append(
            min(np.abs(spin - expected).max(), np.abs(spin - expected * np.array([1, 1, -1])).max())
        )
    assert errors[0] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05), "the midpoint rule is of second order"


@pytest.mark.parametrize("h", [0.003, 0.0071, 0.02])
def test_the_impulse_of_a_push_does_not_depend_on_the_step(load_text, h) -> None:
    text = (
        FLIGHT.format(h=h, duration=1.0, gravity=[0, 0, 0], spin=[0, 0, 0])
        + """
    [[event]]
    name = "shove"
    at = 0.1234
    push = { on = "brick", force = [3, 0, -1], duration = 0.2 }
    """
    )
    world = load_text(text)
    world.step(round(0.5 / h))
    mass = 1000 * 0.1 * 0.2 * 0.4
    gained = world["brick"].velocity[:3] - [1, 2, -0.5]
    assert gained == pytest.approx(np.array([3, 0, -1]) * 0.2 / mass, rel=1e-12)


def test_an_eccentric_push_turns_by_the_moment_of_its_force(load_text) -> None:
    text = """
    format = 1
    [run]
    step = 0.001
    duration = 1.0
    gravity = [0, 0, 0]
    [[entity]]
    name = "ball"
    sphere = { radius = 0.2 }
    body = { mass = 3 }
    [[event]]
    name = "shove"
    at = 0.0
    push = { on = "ball", force = [0, 0, 2], duration = 0.001, point = [0.1, 0, 0] }
    """
    world = load_text(text)
    world.step(2)
    moment = np.cross([0.1, 0, 0], [0, 0, 2]) * 0.001
    assert world["ball"].velocity[3:] == pytest.approx(moment / (0.4 * 3 * 0.2**2), rel=1e-9)


def test_inertia_of_a_capsule_against_slices() -> None:
    # A capsule as a pile of thin discs, each with its exact inertia: converges with the number of slices.
    radius, length, slices = 0.3, 0.7, 200_000
    half = length / 2 + radius
    y = (np.arange(slices) + 0.5) / slices * 2 * half - half
    beyond = np.clip(np.abs(y) - length / 2, 0, None)
    squared = radius**2 - beyond**2
    volume = math.pi * squared * (2 * half / slices)
    capsule = Capsule(radius=radius, length=length)
    assert volume.sum() == pytest.approx(volume_of("capsule", capsule), rel=1e-8)
    along = (volume * squared / 2).sum() / volume.sum()
    across = (volume * (squared / 4 + y**2)).sum() / volume.sum()
    assert unit_inertia_of("capsule", capsule) == pytest.approx([across, along, across], rel=1e-8)


def test_inertia_of_box_and_ball_against_moments() -> None:
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (400_000, 3))
    box = Box(size=(0.2, 0.6, 1.0))
    inside = points * np.array(box.size) / 2
    squares = (inside**2).mean(axis=0)
    assert unit_inertia_of("box", box) == pytest.approx(squares.sum() - squares, rel=5e-3)
    ball = points[(points**2).sum(axis=1) < 1] * 0.7
    squares = (ball**2).mean(axis=0)
    assert unit_inertia_of("sphere", Sphere(radius=0.7)) == pytest.approx(squares.sum() - squares, rel=1e-2)


def test_a_compound_body_follows_the_parallel_axis_theorem(load_text) -> None:
    world = load_text("""
    format = 1
    [run]
    step = 0.01
    duration = 1.0
    [[entity]]
    name = "dumbbell"
    body = { density = 1000 }
    [[entity]]
    name = "dumbbell/left"
    pose = { position = [-1, 0, 0] }
    sphere = { radius = 0.1 }
    [[entity]]
    name = "dumbbell/right"
    pose = { position = [2, 0, 0] }
    sphere = { radius = 0.1 }
    """)
    ball = 1000 * 4 / 3 * math.pi * 0.1**3
    inertia = world.array("rigid.inertia")[0]
    assert world["dumbbell"].mass == pytest.approx(2 * ball, rel=1e-14)
    assert world["dumbbell"].position == pytest.approx([0.5, 0, 0], abs=1e-15)
    own = 2 * 0.4 * ball * 0.1**2
    assert inertia.diagonal() == pytest.approx(
        [own, own + 2 * ball * 1.5**2, own + 2 * ball * 1.5**2], rel=1e-13
    )
