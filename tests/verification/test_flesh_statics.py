"""Flesh at rest, in flight, and in hard steps: closed forms and conservation laws."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import set_random_state, write_scene
from supple_flesh.oracle import read_world
from supple_skeleton.oracle import find_motions

G = 9.81
BOX = """
format = 1
[run]
step = {step}
duration = {duration}
[[entity]]
name = "floor"
plane = {{}}
[[entity]]
name = "box"
pose = {{ position = [0, {height}, 0] }}
fleshed_box = {{ size = [0.2, 0.1, 0.16], cells = 4, mass = 1.0, flesh_part = 0.2, stiffness = {stiffness}, damping = {damping}, friction = 0.8 }}
{more}
"""  # noqa: E501
ONLY_VERTICAL = """
[set]
"box/frame.flesh.edge_stiffness" = 0.0
"""


def load_box(load_text, step=0.002, duration=1.0, height=0.052, stiffness=2000.0, damping=6.0, more=""):
    return load_text(
        BOX.format(
            step=step, duration=duration, height=height, stiffness=stiffness, damping=damping, more=more
        )
    )


@pytest.mark.parametrize("step", [0.002, 0.008])
def test_a_box_sinks_until_its_springs_carry_it(load_text, step) -> None:
    """Without springs along edges all sole vertices carry the same: k_v d = (weight less that of the sole) / number."""
    world = load_box(load_text, step=step, more=ONLY_VERTICAL)
    world.step(int(1.5 / step))
    rest, mass = world.array("flesh.rest"), world.array("flesh.mass")
    sole = rest[:, 1] < -0.0499
    assert sole.sum() == 25
    sink = G * (1.0 - mass[sole].sum()) / (sole.sum() * 0.4 * 2000.0)
    assert 0.05 - world.array("skeleton.x")[0, 1] == pytest.approx(sink, rel=1e-6)
    force = world.array("flesh.force").sum(axis=0)
    np.testing.assert_allclose(force, [0, G, 0], atol=1e-5)
    assert not world.array("flesh.force")[~sole].any()
    metrics = world.metrics()
    assert metrics["box/frame.force"] == pytest.approx(G, rel=1e-3)
    assert metrics["run.residual_settled"] < 1e-10
    assert metrics["run.penetration_worst"] < 1e-9


def test_springs_along_edges_spread_the_load(load_text) -> None:
    world = load_box(load_text)
    world.step(700)
    force = world.array("flesh.force")
    assert force.sum(axis=0)[1] == pytest.approx(G, rel=1e-6)
    pressure = world.array("flesh.pressure")[0]
    np.testing.assert_allclose(pressure[:3], force.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(pressure[3:6], [0, 0, 0], atol=1e-6)
    mechanism = next(each for each in world.members("mechanisms") if each.name == "flesh")
    total, centre = mechanism.pressure("box/frame", "box/frame/core")
    np.testing.assert_array_equal(total, pressure[:3])
    np.testing.assert_array_equal(centre, pressure[3:6])
    np.testing.assert_array_equal(mechanism.forces("box/frame"), force)
    assert world.array("flesh.displacement").max() > 1e-4


@pytest.mark.parametrize(("step", "factor"), [(0.008, 1), (0.008, 20), (0.004, 10), (0.0005, 20)])
def test_large_steps_and_stiff_springs_are_stable(load_text, step, factor) -> None:
    world = load_box(load_text, step=step, height=0.3, stiffness=2e4 * factor, damping=2e3 * factor)
    start = world.array("skeleton.x")[0, 1] * G
    for _ in range(int(1.0 / step)):
        world.step()
        energy = world.array("energy.kinetic")[0] + world.array("energy.potential")[0]
        assert energy < start * 1.02
    assert world.array("energy.kinetic")[0] < 1e-6
    assert world.array("skeleton.x")[0, 1] == pytest.approx(0.05, abs=2e-4)
    assert world.metrics()["run.solver_failures"] == 0


def momentum_drift(load_text, step, seed, corrections=2) -> float:
    """Greatest change of linear and angular momentum of a wobbling chain in free flight over 0.1 s, relative."""
    joints = ["free", "ball"]
    rng = np.random.default_rng(seed)
    extra = f"[run.skeleton]\ncorrections = {corrections}"
    text = write_scene(rng, joints, state="soft", step=step, extra=extra, stiffness=200.0, damping=0.0)
    world = load_text(text.replace("gravity = [0.7, -9.81, 1.3]", "gravity = [0, 0, 0]"))
    set_random_state(world, rng, joints, active=1.0, stretch=0.002, speed=1.0)
    momenta = []
    for _ in range(10):
        twin = read_world(world, mask="flesh.active")
        # The components of M v for the root's own rates: the momentum, and the angular momentum about the root.
        linear, angular = np.split(twin.momentum()[:6], 2)
        turned = find_motions(twin.forest, twin.q, twin.r)[0].R @ angular
        momenta.append(np.concatenate([linear, turned + np.cross(twin.q[:3], linear)]))
        world.step(round(0.01 / step))
    drift = np.abs(np.array(momenta) - momenta[0]).max()
    return float(drift / np.abs(momenta[0]).max())


@pytest.mark.parametrize("seed", [1, 2])
def test_momentum_in_flight_drifts_with_the_order_of_the_step(load_text, seed) -> None:
    coarse, fine = (momentum_drift(load_text, step, seed) for step in (0.002, 0.0005))
    assert coarse < 0.005
    assert fine < 0.45 * coarse


def test_flesh_across_bones_stays_bounded_without_damping(load_text) -> None:
    """Springs between bones see the other end as it was: the energy of stiff, undamped flesh must not grow."""
    joints = ["free", "ball", "hinge"]
    rng = np.random.default_rng(3)
    text = write_scene(rng, joints, state="soft", step=0.004, stiffness=3e4, damping=0.0, mass=0.2, cells=2)
    world = load_text(text.replace("gravity = [0.7, -9.81, 1.3]", "gravity = [0, 0, 0]"))
    set_random_state(world, rng, joints, active=1.0, stretch=0.002, speed=0.2)
    world.step()
    start = world.array("energy.before")[0]
    worst = 0.0
    for _ in range(1500):
        world.step()
        worst = max(worst, world.array("energy.kinetic")[0] + world.array("energy.potential")[0])
    pool = next(each for each in world.members("mechanisms") if each.name == "flesh").pool
    across = (
        pool.patch_of[np.repeat(np.arange(pool.count), np.diff(pool.first))] != pool.patch_of[pool.neighbour]
    )
    assert across.mean() > 0.3
    assert worst < 1.01 * start


def test_two_boxes_of_flesh_carry_each_other(load_text) -> None:
    second = """
[[entity]]
name = "lid"
pose = { position = [0.01, 0.154, 0.005] }
fleshed_box = { size = [0.15, 0.1, 0.12], cells = 4, mass = 0.5, stiffness = 2000, damping = 6, friction = 0.8 }
"""
    world = load_box(load_text, more=second)
    world.step(800)
    mechanism = next(each for each in world.members("mechanisms") if each.name == "flesh")
    lower = mechanism.forces("box/frame").sum(axis=0)
    upper = mechanism.forces("lid/frame").sum(axis=0)
    np.testing.assert_allclose(upper, [0, 0.5 * G, 0], atol=5e-3)
    np.testing.assert_allclose(lower, [0, G, 0], atol=5e-3)
    assert world.metrics()["run.penetration_worst"] < 1e-4


def test_the_skin_can_be_seen(load_text) -> None:
    """What is drawn is the skin in the world: where bones and springs have brought it."""
    world = load_box(load_text)
    drawing = next(each for each in world.build.drawings if each.name == "box/frame.flesh")
    assert (drawing.layer, drawing.channel.array) == ("skin", "flesh.displacement")
    assert {"flesh.position", "flesh.triangles", "flesh.displacement"} <= {
        name for name, spec in world.arrays.specs.items() if spec.record
    }
    np.testing.assert_allclose(world.array(drawing.form.vertices)[:, 1].min(), 0.002, atol=1e-12)
    world.step(300)
    twin = read_world(world, mask="flesh.active")
    bone = find_motions(twin.forest, twin.q, twin.r)[0]
    np.testing.assert_allclose(world.array("flesh.position"), bone.x + twin.x @ bone.R.T, atol=1e-12)
    assert world.array("flesh.position")[:, 1].min() == pytest.approx(0.0, abs=1e-9)
    away = np.linalg.norm(twin.x - twin.pool.rest, axis=1)
    np.testing.assert_allclose(world.array("flesh.displacement"), away, atol=1e-15)
