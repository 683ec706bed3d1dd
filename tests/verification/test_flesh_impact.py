"""What is observed of an impact, and the probe, against closed forms and states that are known to be wrong."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import set_random_state, write_scene
from supple_flesh.dynamics import CoupledDynamics
from supple_flesh.oracle import read_world
from supple_flesh.probe import compare
from supple_flesh.systems import find_flesh

STEP = 1e-4
DROP = """
format = 1
[run]
step = {step}
duration = 1
solver = "penalty"
[run.penalty]
stiffness = {stiffness}
damping = 0
[[entity]]
name = "floor"
plane = {{ friction = 0 }}
[[entity]]
name = "box"
pose = {{ position = [0, {height}, 0] }}
fleshed_box = {{ size = [0.2, 0.1, 0.16], cells = 2, mass = 2.0, state = "rigid" }}
"""


def test_a_box_on_undamped_springs_bounces_as_high_as_it_fell(load_text) -> None:
    fall, stiffness, contacts, mass = 0.02, 4000.0, 9, 2.0
    world = load_text(DROP.format(step=STEP, stiffness=stiffness, height=0.05 + fall))
    rate = np.sqrt(contacts * stiffness / mass)
    speed, sag = np.sqrt(2 * 9.81 * fall), 9.81 / rate**2
    # Falling begins at the springs' ends; m x'' = m g - k x until x' = 0.
    stop = (np.pi - np.arctan(speed / (rate * sag))) / rate
    deepest = sag + np.hypot(sag, speed / rate)
    world.step(round((2 * fall / speed + 2 * stop + 2 * speed / 9.81) / STEP))
    metrics = world.metrics()
    assert metrics["box/frame.stop_time"] == pytest.approx(stop, abs=2.5 * STEP)
    assert metrics["box/frame.peak_force"] == pytest.approx(contacts * stiffness * deepest, rel=0.01)
    assert metrics["run.penetration_worst"] == pytest.approx(deepest, rel=0.01)
    assert metrics["box/frame.bounce"] == pytest.approx(fall, rel=0.03)


def test_a_box_that_never_touches_has_no_impact(load_text) -> None:
    world = load_text(DROP.format(step=1e-3, stiffness=1e3, height=5.0))
    world.step(20)
    metrics = world.metrics()
    assert (
        metrics["box/frame.bounce"]
        == metrics["box/frame.stop_time"]
        == metrics["box/frame.peak_force"]
        == 0.0
    )


@pytest.mark.parametrize("joints", [["free", "hinge"], ["ball", "slider", "universal"]], ids="-".join)
def test_the_probe_tells_wrong_dynamics_from_right_ones(load_text, joints) -> None:
    rng = np.random.default_rng(5)
    world = load_text(write_scene(rng, joints, probe=1))
    set_random_state(world, rng, joints)
    world.compute_step()
    probed = world.array("flesh.probed")[0]
    assert probed.shape == (4,)
    assert (probed < 1e-12).all()
    twin = read_world(world, mask="flesh.active")
    dynamics = CoupledDynamics(world.arrays, find_flesh(world.build)[0])
    twin.x[twin.active[0]] += 1e-3
    moved = compare(dynamics, twin)
    assert moved[0] > 1e-8
    assert moved[1] > 1e-8
    assert moved[2] > 1e-8
    twin.x[twin.active[0]] -= 1e-3
    twin.w[twin.active[-1]] += 0.1
    assert compare(dynamics, twin)[1] > 1e-8


def test_without_a_probe_nothing_is_measured(load_text) -> None:
    world = load_text(DROP.format(step=1e-3, stiffness=1e3, height=1.0))
    world.step(2)
    assert np.isnan(world.array("flesh.probed")).all()
