"""Uneven balls, and how thrown bodies are judged."""

from __future__ import annotations

import math

import numpy as np
import pytest

from supple.errors import UserError
from supple_rigid.marble import make_icosphere, make_marble
from supple_rigid.systems import judge_throw

THROW = """
format = 1
[run]
step = 0.001
duration = 0.3
[[entity]]
name = "floor"
plane = {{ friction = 0 }}
[[entity]]
name = "stone"
pose = {{ position = [0, {height}, 0] }}
marble = {{ radius = 0.01, density = 2500 }}
[set]
"stone/ball.body.velocity" = [2, -1, 0]
"stone/ball.aim" = {{ direction = [1, 0, 0] }}
"""


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_an_icosphere_is_closed_round_and_faces_outwards(rounds) -> None:
    points, triangles = make_icosphere(rounds)
    assert len(triangles) == 20 * 4**rounds
    assert len(points) == 10 * 4**rounds + 2
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, rtol=1e-14)
    edges = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    assert len(edges) == triangles.size
    assert all((b, a) in edges for a, b in edges)
    volume = np.linalg.det(points[triangles]).sum() / 6
    # The volume of a ball is approached from below, by the square of the edges.
    assert 0 < 4 / 3 * math.pi - volume < 2.4 / 4**rounds


def test_a_marble_belongs_to_its_seed() -> None:
    points, _ = make_marble(0.01, 3e-4, 2, 7)
    off = np.linalg.norm(points, axis=1) - 0.01
    assert -3e-4 <= off.min() < -2.5e-4
    assert 2.5e-4 < off.max() <= 3e-4
    np.testing.assert_array_equal(points, make_marble(0.01, 3e-4, 2, 7)[0])
    assert np.abs(points - make_marble(0.01, 3e-4, 2, 8)[0]).max() > 1e-4


@pytest.mark.parametrize(
    ("velocity", "miss", "aside", "above"),
    [
        ((0, 0, 2), 0, 0, 0),
        ((1, 0, 1), 45, 45, 0),
        ((-1, 0, 1), 45, -45, 0),
        ((0, 1, 1), 45, 0, 45),
        ((0, 0, -1), 180, 180, 0),
        ((0, 0, 0), 90, 90, 90),
    ],
)
def test_a_throw_along_z_is_judged(velocity, miss, aside, above) -> None:
    found = judge_throw(np.array(velocity, float), np.array([0.0, 0.0, 5.0]))
    assert found[:3] == pytest.approx((miss, aside, above), abs=1e-9)
    assert found[3] == pytest.approx(np.linalg.norm(velocity))


def test_the_launch_is_the_velocity_at_the_last_touch(load_text) -> None:
    """Without friction or bounce the floor takes the fall and leaves the rest; gravity later does not count."""
    touching = load_text(THROW.format(height=0.0101))
    touching.step(300)
    metrics = touching.metrics()
    assert metrics["stone/ball.launch_speed"] == pytest.approx(2.0, rel=0.05)
    assert metrics["stone/ball.miss"] < 5.0
    high = load_text(THROW.format(height=5.0))
    high.step(50)
    assert high.metrics()["stone/ball.launch_speed"] == 0.0


TURN = """
format = 1
[run]
step = 0.001
duration = 1.0
gravity = [0, 0, 0]
[[entity]]
name = "rod"
pose = {{ axis = [0, 1, 0], angle = 30 }}
box = {{ size = [0.2, 0.02, 0.02] }}
body = {{ mass = 0.1, spin = {spin} }}
tilt = {{ axis = {axis} }}
"""


@pytest.mark.parametrize(
    ("axis", "spin", "tilt"),
    [
        ("[2, 0, 0]", "[0, 1, 0]", 57.29578),
        ("[0, 1, 0]", "[0, 1, 0]", 0.0),
        ("[0, 0, 1]", "[0, -3, 0]", 171.88734),
    ],
)
def test_the_tilt_is_the_angle_that_an_axis_has_turned(load_text, axis, spin, tilt) -> None:
    world = load_text(TURN.format(axis=axis, spin=spin))
    world.step(1000)
    assert world.metrics()["rod.tilt"] == pytest.approx(tilt, abs=1e-3)
    assert world.metrics()["rod.tilt_worst"] == pytest.approx(tilt, abs=1e-3)


def test_tilt_needs_an_axis_and_a_body(load_text) -> None:
    with pytest.raises(UserError, match="no length"):
        load_text(TURN.format(axis="[0, 0, 0]", spin="[0, 0, 0]"))
    with pytest.raises(UserError, match="tilt watches a body"):
        load_text(TURN.format(axis="[1, 0, 0]", spin="[0, 0, 0]").replace("body =", "# body ="))
