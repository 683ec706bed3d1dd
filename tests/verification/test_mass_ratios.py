"""Light things on heavy ones: each carries its weight, whatever the ratio of the masses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple

SCENE = """
format = 1
[run]
step = 0.002
duration = 0.5
[[entity]]
name = "floor"
plane = { friction = 0.5 }
[[entity]]
name = "anvil"
pose = { position = [0, 0.5, 0] }
box = { size = [1, 1, 1] }
body = { mass = 1e9 }
[[entity]]
name = "grain"
pose = { position = [0.2, 1.05, 0] }
box = { size = [0.1, 0.1, 0.1] }
body = { mass = 1e-6 }
"""
ARM = """
[[entity]]
name = "arm"
pose = { position = [9, 2, 0] }
skeleton = {}
[[entity]]
name = "arm/bone"
bone = { joint = "hinge", axis = [0, 0, 1], mass = 1.0, centre = [0.2, 0, 0], inertia = [0.01, 0.01, 0.01] }
"""


@pytest.mark.parametrize("beside", ["", ARM])
@pytest.mark.parametrize(("heavy", "light"), [(1e9, 1e-6), (1e9, 1e-9), (1e3, 1e-9), (1.0, 1.0)])
def test_a_grain_on_an_anvil(tmp_path: Path, heavy: float, light: float, beside: str) -> None:
    path = tmp_path / "anvil.toml"
    path.write_text(SCENE + beside)
    world = supple.load(path, overrides={"anvil.body.mass": heavy, "grain.body.mass": light})
    world.step(250)
    figures = world.metrics()
    assert figures["anvil.height"] == pytest.approx(0.5, abs=1e-9)
    assert figures["grain.height"] == pytest.approx(1.05, abs=1e-9)
    assert figures["run.unsolved_steps"] == 0
    count = world.array("contacts.count")[0]
    force = world.array("contacts.force")[:count]
    element = world.array("contacts.element")[:count]
    touching = np.array(world.arrays.specs["collide.kind"].labels)[element]
    on_floor, on_grain = (abs(force[(touching == name).any(axis=1), 1]).sum() for name in ("floor", "grain"))
    assert on_floor == pytest.approx(9.81 * (heavy + light), rel=1e-6)
    assert on_grain == pytest.approx(9.81 * light, rel=1e-6)
