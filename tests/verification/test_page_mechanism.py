"""The mechanism of tetrahedra on the page for plugin authors: it falls, rests, and keeps what mechanisms promise."""

import re
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.testing import audit_step, check_mechanism, check_memory

PAGE = Path(__file__).resolve().parents[2] / "framework" / "WRITING_PLUGINS.md"
STEP = """
format = 1
[run]
step = 0.004
duration = 5.0
"""
PLANE = """
[[entity]]
name = "floor"
plane = {}
"""
EDGE = """
[[entity]]
name = "table"
pose = { position = [0, 0.1, 0.01], angle = ANGLE }
box = { size = [0.25, 0.2, 0.6] }
"""
BAR = """
[[entity]]
name = "bar"
pose = { position = [0.05, HEIGHT, 0] }
jelly = { size = [0.6, 0.1, 0.2] }
"""


@pytest.fixture
def load(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    code = re.search(r"```python\n(# jelly\.py\n.*?)```", text, re.DOTALL).group(1)
    (tmp_path / "jelly.py").write_text(code, encoding="utf-8")

    def make(scene):
        path = tmp_path / "scene.toml"
        path.write_text(STEP + scene, encoding="utf-8")
        return supple.load(path, plugins=[tmp_path / "jelly.py"])

    return make


@pytest.mark.parametrize(
    "scene",
    [
        PLANE + BAR.replace("HEIGHT", "0.2"),
        EDGE.replace("ANGLE", "0") + BAR.replace("HEIGHT", "0.27"),
        EDGE.replace("ANGLE", "17") + BAR.replace("HEIGHT", "0.27"),
    ],
    ids=["plane", "edges", "turned edges"],
)
def test_a_soft_bar_falls_and_rests(load, scene):
    world = load(scene)
    world.step(1250)
    assert world.metrics()["bar.speed"] < 1e-8
    assert world.metrics()["run.solver_failures"] == 0
    assert world.metrics()["run.penetration_worst"] < 1e-6
    mass, force = world.array("jelly.mass").sum(), world["bar"].contact_force
    np.testing.assert_allclose(force, [0.0, mass * 9.81, 0.0], atol=1e-5)


def test_it_is_a_mechanism_that_declares_all_and_remembers_nothing_else(load):
    world = load(EDGE.replace("ANGLE", "17") + BAR.replace("HEIGHT", "0.27"))
    world.step(60)
    check_mechanism(world, "jelly")
    check_memory(world)
    audit_step(world)


def test_free_fall_keeps_momentum_and_shape(load):
    world = load(BAR.replace("HEIGHT", "2.0"))
    world.step(100)
    mass, v = world.array("jelly.mass"), world.array("jelly.v")
    np.testing.assert_allclose(mass @ v / mass.sum(), [0.0, -9.81 * 0.4, 0.0], atol=1e-10)
    moved = world.array("jelly.x") - world.array("jelly.rest")
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-9)
