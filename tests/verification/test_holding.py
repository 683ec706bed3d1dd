"""Steps in which soft bodies are held where they stick are those that the solver finds."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.mechanics import systems

SCENE = """format = 1
[run]
step = 0.004
duration = 4.0
gravity = [{pull}, -9.81, 0.4]
[[entity]]
name = "floor"
plane = {{ friction = {friction} }}
{more}
[[entity]]
name = "bar"
pose = {{ position = [0, {height}, 0], axis = [0.3, 1, 0.2], angle = {angle} }}
tet_block = {{ size = [0.4, 0.1, 0.1], cells = [6, 2, 2] }}
tets = {{ stiffness = {stiffness}, poisson = 0.4, density = 400, damping = 0.01, friction = {friction} }}
"""
BOXES = """[[entity]]
name = "left"
pose = { position = [-0.15, 0.05, 0] }
box = { size = [0.1, 0.1, 0.4], friction = 0.7 }
[[entity]]
name = "right"
pose = { position = [0.15, 0.05, 0.02] }
box = { size = [0.1, 0.1, 0.4], friction = 0.7 }
"""


def load(tmp_path, name, **numbers):
    told = {
        "pull": 0.0,
        "friction": 0.6,
        "height": 0.052,
        "angle": 0.0,
        "stiffness": 5e4,
        "more": "",
    } | numbers
    scene = tmp_path / f"{name}.toml"
    scene.write_text(SCENE.format(**told), encoding="utf-8")
    return supple.load(scene)


def holder_of(world):
    return next(each for each in world.members("mechanisms") if each.name == "tets")


@pytest.mark.parametrize(
    ("told", "sticks", "some_slide"),
    [
        ({}, True, True),
        ({"angle": 12.0, "height": 0.09}, True, True),
        ({"pull": 4.0}, True, False),
        ({"pull": 8.0}, False, False),  # all of it slides
        ({"more": BOXES, "height": 0.155}, False, False),  # edges touch within triangles
        ({"stiffness": 3e3, "friction": 0.3}, True, True),
    ],
    ids=["rests", "falls on an edge", "leans", "slides", "on two boxes", "soft"],
)
def test_a_held_step_is_the_one_that_the_solver_finds(tmp_path, monkeypatch, told, sticks, some_slide):
    """From the same state, in every step: velocities within 1e-10 m/s, impulses within 1e-10 N s; and momentum."""
    holding = load(tmp_path, "holding", **told)
    monkeypatch.setattr(systems, "find_holder", lambda *_: None)
    plain = load(tmp_path, "plain", **told)
    mechanism, held, slid = holder_of(holding), 0, 0
    mass, h, g = holding.array("tets.mass"), 0.004, np.array([told.get("pull", 0.0), -9.81, 0.4])
    for _ in range(90):
        before = mass @ holding.array("tets.v")
        plain.restore(holding.snapshot())
        holding.step()
        plain.step()
        if not mechanism.held.state[0]:
            continue
        held += 1
        slid += mechanism.sliding > 0
        assert np.abs(holding.array("tets.v") - plain.array("tets.v")).max() < 1e-10
        assert np.abs(holding.array("tets.impulse") - plain.array("tets.impulse")).max() < 1e-10
        given = holding.array("tets.impulse").sum(axis=0)
        assert mass @ holding.array("tets.v") - before == pytest.approx(given + mass.sum() * h * g, abs=1e-12)
    assert (held > slid) == sticks
    assert (slid > 0) == some_slide


def test_who_asks_for_more_gets_an_ordinary_step(tmp_path):
    """After a held step A^-1 and W are whole again for those that ask, and W gives the velocities found."""
    world = load(tmp_path, "held")
    world.step(80)
    mechanism, problem = holder_of(world), world.arrays.records["rows.problem"]
    assert mechanism.held.state[0] == 1
    impulse, ended = world.array("rows.impulse")[: problem.count].copy(), world.array("tets.v").copy()
    problem.save(tmp_path / "problem.npz")
    assert mechanism.held.state[0] == 0
    u = np.zeros((problem.count, 3))
    problem.W.multiply(impulse, u)
    expected = np.array(problem.bias[: problem.count])
    mechanism.jacobian.add_row_velocities(ended.reshape(-1), expected)
    assert np.abs(u + problem.free[: problem.count] - expected).max() < 1e-11


def test_a_resumed_run_holds_alike(tmp_path):
    """Bit for bit, from amid steps that are held."""
    world, other = load(tmp_path, "one"), load(tmp_path, "two")
    world.step(60)
    other.restore(world.snapshot())
    world.step(20)
    other.step(20)
    assert holder_of(world).held.state[0] == 1
    for name in ("tets.x", "tets.v", "tets.turn", "rows.last_impulse"):
        assert np.array_equal(world.array(name), other.array(name))
