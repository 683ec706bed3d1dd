"""Many runs of one scene: one built world serves where only numbers differ, and gives the bits of single runs."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import supple
from supple.core.mould import Mould
from supple.core.world import World
from supple.errors import UserError
from supple.plugin import load_plugins
from supple.scene.load import build_world, read_scene

SCENES = Path(__file__).resolve().parents[2] / "scenes"
DROP = SCENES / "first" / "drop.toml"


def as_bytes(metrics: dict[str, float]) -> dict[str, bytes]:
    return {name: np.float64(value).tobytes() for name, value in metrics.items()}


def run_alone(path: Path, cell: dict[str, Any], until: float) -> World:
    world = supple.load(path, overrides=cell, until=until)
    world.step(world.blueprint.run.steps)
    return world


DROP_CELLS = [
    {},
    {"ball.pose.position": [0.1, 1.3, 0]},
    {"ball.body.velocity": [0.5, 0, 0], "crate.pose.angle": 20},
    {"crate.box.friction": 0.1, "crate.body.spin": [0, 3, 0]},
    {"ball.body.density": 300.0},
    {"crate.box.size": [0.3, 0.2, 0.4]},
    {"floor.pose.position": [0, -0.1, 0], "floor.pose.angle": 5},  # another component is built anew
    {"floor.pose.position": [0, 0.05, 0], "floor.pose.angle": 3},
    {"floor.pose.position": [0, 0.05, 0], "floor.pose.angle": 3, "floor.plane.friction": 0.2},
    {"run.seed": 3, "run.gravity": [0.4, -9, 0]},
    {"run.seed": 4},
    {"run.newton.weight_tolerance": 1e-8},  # another setting is built anew, and so is gravity with this one
    {"run.newton.weight_tolerance": 1e-8, "run.gravity": [0, -1.6, 0]},
    {"shove.push.force": [3, 0, 0], "shove.at": 0.1},
    {"run.gravity": [0, -1.6, 0]},
    {},
]


def test_one_world_serves_for_numbers_and_gives_the_state_of_a_built_one_to_the_bit() -> None:
    plugins = load_plugins()
    scene = read_scene(DROP, plugins)
    mould = Mould(lambda blueprint: build_world(scene, blueprint, plugins))
    events = [entity.path for entity in scene.blueprint().graph.having("push")]
    for cell in DROP_CELLS:
        named = {name.replace("shove", events[0]): value for name, value in cell.items()}
        world = mould.cast(scene.blueprint(overrides=named, until=0.3))
        world.step(150)
        alone = run_alone(DROP, named, 0.3)
        alone.restore(alone.snapshot())
        assert world.steps == alone.steps
        mine, other = world.snapshot(), alone.snapshot()
        assert {name for name in mine if mine[name].tobytes() != other[name].tobytes()} == set()
    # The first, a floor with a pose, one without, the other setting, with other gravity, and back.
    assert mould.built == 6


@pytest.mark.parametrize(
    ("scene", "cells"),
    [
        ("mechanics/bridge.toml", [{}, {"run.step": 0.005}, {}]),
        ("control/cart_pole.toml", [{"cart/base/pole.bone.start": [3]}, {"cart/base/pole.bone.start": [9]}]),
        ("mechanics/chain.toml", [{}, {}]),
    ],
)
def test_rollouts_of_other_scenes_are_those_of_single_runs(scene: str, cells: list[dict[str, Any]]) -> None:
    runs = supple.rollouts(SCENES / scene, cells, until=0.1)
    for cell, run in zip(cells, runs, strict=True):
        assert as_bytes(run.metrics) == as_bytes(run_alone(SCENES / scene, cell, 0.1).metrics())


def test_numbers_of_the_start_are_those_of_the_scene() -> None:
    cells = [{"ball.velocity": [0.1 * k, 0, 0, 0, 0, 0]} for k in range(3)]
    runs = supple.rollouts(DROP, cells, until=0.2, outputs=["ball.position", "ball.height"])
    for k, run in enumerate(runs):
        world = run_alone(DROP, {"ball.body.velocity": [0.1 * k, 0, 0]}, 0.2)
        assert run.outputs["ball.position"].tobytes() == world["ball"].position.tobytes()
        assert run.outputs["ball.height"] == world.metrics()["ball.height"]


def tell(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_subnormal=False)


#: Numbers of the scene that reach arrays alone.
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "ball.body.density": tell(100, 5000),
        "ball.sphere.radius": tell(0.03, 0.12),
        "crate.box.size": st.tuples(tell(0.1, 0.4), tell(0.1, 0.4), tell(0.1, 0.4)).map(list),
        "pill.capsule.length": tell(0.05, 0.4),
        "run.gravity": st.tuples(tell(-3, 3), tell(-20, 2), tell(-3, 3)).map(list),
        "run.seed": st.integers(0, 9),
        "pill.body.mass": tell(0.1, 20),
        "crate.body.spin": st.tuples(tell(-9, 9), tell(-9, 9), tell(-9, 9)).map(list),
        "pill.body.velocity": st.tuples(tell(-2, 2), tell(-2, 2), tell(-2, 2)).map(list),
        "crate.pose.angle": tell(-180, 180),
        "ball.pose.position": st.tuples(tell(-1, 1), tell(0.12, 1), tell(-1, 1)).map(list),
        "floor.plane.friction": tell(0, 1),
        "ball.sphere.restitution": tell(0, 1),
        "nudge.push.force": st.tuples(tell(-9, 9), tell(-9, 9), tell(-9, 9)).map(list),
        "nudge.push.duration": tell(0.01, 1),
    },
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CHANGES, min_size=2, max_size=4))
def test_whatever_numbers_change_a_world_that_is_used_again_moves_as_a_built_one(
    changes: list[dict[str, Any]],
) -> None:
    plugins = load_plugins()
    scene = read_scene(DROP, plugins)
    mould = Mould(lambda blueprint: build_world(scene, blueprint, plugins))
    for change in changes:
        blueprint = scene.blueprint(overrides=change, until=0.3)
        world, alone = mould.cast(blueprint), build_world(scene, blueprint, plugins)
        for each in (world, alone):
            each.step(each.blueprint.run.steps)
        mine, other = world.snapshot(), alone.snapshot()
        assert {name for name in mine if mine[name].tobytes() != other[name].tobytes()} == set()
    assert mould.built == 1


BALLS = """format = 1
about = "one ball strikes another"
[run]
step = 0.004
duration = 0.4
gravity = [0, 0, 0]
[[entity]]
name = "cue"
sphere = { radius = 0.1, restitution = 1 }
body = { velocity = [2, 0, 0] }
[[entity]]
name = "ball"
pose = { position = [0.5, 0.1, 0] }
sphere = { radius = 0.1, restitution = 0 }
body = {}
"""


def test_cells_in_which_balls_bounce_and_do_not_are_those_of_single_runs(tmp_path: Path) -> None:
    scene = tmp_path / "balls.toml"
    scene.write_text(BALLS)
    cells = [{"ball.sphere.restitution": value} for value in (0.0, 0.8, 0.0, 0.5)]
    runs = supple.rollouts(scene, cells, until=0.4, outputs=["ball.velocity"])
    for cell, run in zip(cells, runs, strict=True):
        assert (
            run.outputs["ball.velocity"].tobytes() == run_alone(scene, cell, 0.4)["ball"].velocity.tobytes()
        )


def feel_mass(world: World) -> None:
    """Hold the crate up by its weight, as its mass matrix has it."""
    matrix = world.dynamics("crate").mass_matrix()
    world["crate"].apply_force([0, 9.81 * matrix[0, 0], 0])


def test_who_asks_for_masses_sees_those_of_the_cell() -> None:
    cells = [{"crate.body.density": density} for density in (300.0, 900.0, 300.0)]
    runs = supple.rollouts(DROP, cells, until=0.02, control=feel_mass, outputs=["crate.position"])
    heights = [run.outputs["crate.position"][1] for run in runs]
    assert heights == pytest.approx([0.5] * 3, abs=1e-9)


def nudge(world: World) -> None:
    world["ball"].apply_force([0.3, 0, 0])


def test_control_acts_in_every_run_and_ends_with_it() -> None:
    controlled = supple.rollouts(DROP, [{}, {}], until=0.1, control=nudge, outputs=["ball.velocity"])
    free = supple.rollouts(DROP, [{}], until=0.1, outputs=["ball.velocity"])
    assert controlled[0].outputs["ball.velocity"][0] > 0
    assert (
        controlled[0].outputs["ball.velocity"].tobytes() == controlled[1].outputs["ball.velocity"].tobytes()
    )
    assert free[0].outputs["ball.velocity"][0] == 0


@pytest.mark.parametrize(
    ("cells", "outputs", "words"),
    [
        ([{"ball.velocit": [0] * 6}], [], ["velocity"]),
        ([{"ball.mass": 2.0}], [], ["not part of the state"]),
        ([{"bll.velocity": [0] * 6}], [], ["ball"]),
        ([{"ball.velocity": [0, 0]}], [], ["(6,)"]),
        ([{"ball.body.velocit": [0, 0, 0]}], [], ["velocity"]),
        ([{}], ["ball.positon"], ["position"]),
    ],
)
def test_wrong_cell_is_refused_with_a_remedy(cells: Any, outputs: Any, words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        supple.rollouts(DROP, cells, until=0.01, outputs=outputs)
    for word in words:
        assert word in str(caught.value)


def die_once(world: World) -> None:
    if world["ball"].velocity[0] == 7.0:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")
def test_worker_that_dies_costs_only_its_own_runs() -> None:
    cells = [{"ball.velocity": [float(k), 0, 0, 0, 0, 0]} for k in range(9)]
    runs = supple.rollouts(DROP, cells, jobs=2, until=0.02, control=die_once)
    lost = [k for k, run in enumerate(runs) if run.error]
    assert 7 in lost
    assert len(lost) <= 2
    alone = supple.rollouts(DROP, cells[:1], until=0.02, control=die_once)
    assert as_bytes(runs[0].metrics) == as_bytes(alone[0].metrics)
