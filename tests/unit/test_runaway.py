"""A run that runs away stops while its numbers still mean something, and says who."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.errors import SimulationError

SCENE = """
format = 1
[run]
step = 0.01
duration = 100
gravity = [0, 0, 0]
[[entity]]
name = "calm"
pose = { position = [0, 3, 0] }
sphere = { radius = 0.1 }
body = {}
[[entity]]
name = "rocket"
sphere = { radius = 0.1 }
body = { mass = 1.0, velocity = [10, 0, 0] }
"""
EXPLOSIVE = """
format = 1
[run]
step = 0.01
duration = 100
solver = "penalty"
[run.penalty]
stiffness = 1e9
damping = 0
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "box"
pose = { position = [0, 0.1, 0] }
box = { size = [0.2, 0.2, 0.2] }
body = { mass = 1 }
"""


def load(tmp_path: Path, text: str = SCENE, **overrides: object):
    path = tmp_path / "scene.toml"
    path.write_text(text)
    return supple.load(path, overrides=overrides)


def test_who_is_too_fast_is_named(tmp_path: Path) -> None:
    world = load(tmp_path, **{"rocket.body.velocity": [2e6, 0, 0]})
    with pytest.raises(
        SimulationError, match=r"rocket moves at 2e\+06 .*run\.fastest = 1e\+06.*entity rocket"
    ):
        world.step()
    assert world.steps == 0
    load(tmp_path, **{"rocket.body.velocity": [2e6, 0, 0], "run.fastest": 1e7, "run.farthest": 1e9}).step(10)


def test_who_is_too_far_is_named(tmp_path: Path) -> None:
    world = load(tmp_path, **{"run.farthest": 5.05, "run.halvings": 0})
    with pytest.raises(SimulationError, match=r"rocket is at 5\.1 m, beyond run\.farthest = 5\.05"):
        world.step(1000)
    assert world.steps == 50
    assert world["rocket"].position[0] == pytest.approx(5.0)


def test_an_explosion_ends_long_before_numbers_do(tmp_path: Path) -> None:
    """Springs of the penalty law with a step ten times too long double their energy in every step."""
    world = load(tmp_path, EXPLOSIVE)
    with pytest.raises(SimulationError, match=r"box .*the run has run away"):
        world.step(5000)
    assert abs(world["box"].position).max() < 1e6
    assert abs(world.array("rigid.v")).max() < 1e6


def test_skeletons_are_looked_at_too(tmp_path: Path) -> None:
    text = """
format = 1
[run]
step = 0.01
duration = 1
[[entity]]
name = "arm"
skeleton = {}
[[entity]]
name = "arm/bone"
bone = { joint = "hinge", rate = [3e6], mass = 1.0, inertia = [1, 1, 1] }
"""
    with pytest.raises(SimulationError, match=r"moves at 3e\+06 m/s or rad/s"):
        load(tmp_path, text).step()
