"""Tolerances in parts of the speed that gravity gives in a step."""

from __future__ import annotations

import math

import pytest

import supple
from supple.errors import UserError
from supple.run.summary import describe_tolerance

SCENE = """
format = 1
[run]
step = {step}
duration = 1.0
gravity = [0, {gravity}, 0]
solver = "{solver}"
[run.{solver}]
{setting}
[[entity]]
name = "floor"
plane = {{}}
[[entity]]
name = "box"
pose = {{ position = [0, 0.0999, 0], angle = 1, axis = [0, 0, 1] }}
box = {{ size = [0.4, 0.2, 0.2] }}
body = {{ velocity = [1, 0, 0] }}
"""


def run(tmp_path, setting, *, step=0.002, gravity=-9.81, solver="newton"):
    file = tmp_path / "scene.toml"
    file.write_text(
        SCENE.format(step=step, gravity=gravity, setting=setting, solver=solver), encoding="utf-8"
    )
    world = supple.load(file)
    world.step(200)
    return world


@pytest.mark.parametrize("solver", ["newton", "gauss_seidel"])
@pytest.mark.parametrize(("step", "gravity"), [(0.002, -9.81), (1e-4, -1.62), (0.01, -274.0)])
def test_part_of_what_gravity_gives_in_a_step_is_asked_and_reached(tmp_path, solver, step, gravity):
    part, speed = 1e-7, abs(gravity) * step
    world = run(tmp_path, f"weight_tolerance = {part}", step=step, gravity=gravity, solver=solver)
    metrics = world.metrics()
    asked = describe_tolerance(world, metrics)
    assert math.isclose(asked["tolerance"], part * speed, rel_tol=1e-12)
    assert math.isclose(asked["weight_tolerance"], part, rel_tol=1e-12)
    assert 0.0 < metrics["run.residual_worst"] <= part * speed
    assert math.isclose(asked["of_weight"], metrics["run.residual_worst"] / speed, rel_tol=1e-12)
    same = run(tmp_path, f"tolerance = {part * speed!r}", step=step, gravity=gravity, solver=solver)
    assert (same["box"].position == world["box"].position).all()


def test_the_default_is_in_metres_a_second(tmp_path):
    world = run(tmp_path, "")
    asked = describe_tolerance(world, world.metrics())
    assert asked["tolerance"] == 1e-10
    assert math.isclose(asked["weight_tolerance"], 1e-10 / (9.81 * 0.002), rel_tol=1e-12)


def test_without_gravity_there_is_no_such_scale(tmp_path):
    with pytest.raises(UserError, match="there is no gravity; give run"):
        run(tmp_path, "weight_tolerance = 1e-8", gravity=0.0)
