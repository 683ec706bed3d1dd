"""Contacts that resist spinning and rolling, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.testing import audit_step, check_memory

GRAVITY = 9.81
RADIUS = 0.1


def write_scene(step, ball, floor="", more=""):
    return f"""
    format = 1
    [run]
    step = {step}
    duration = 1
    {more}
    [[entity]]
    name = "floor"
    plane = {{ friction = 0.5 {floor} }}
    [[entity]]
    name = "ball"
    pose = {{ position = [0, {RADIUS}, 0] }}
    {ball}
    """


@pytest.mark.parametrize("step", [0.001, 0.004])
@pytest.mark.parametrize("on_floor", [False, True])
def test_a_ball_spins_down_by_length_times_weight(load_text, step, on_floor):
    length = ", spinning = 0.002"
    body = f"sphere = {{ radius = {RADIUS} {'' if on_floor else length} }}\nbody = {{ mass = 1, spin = [0, 5, 0] }}"
    world = load_text(write_scene(step, body, length if on_floor else ""))
    world.step(round(0.3 / step))
    spin = 5 - 0.002 * GRAVITY * 0.3 / (0.4 * RADIUS**2)
    np.testing.assert_allclose(world.array("rigid.v")[0], [0, 0, 0, 0, spin, 0], atol=1e-8)
    assert world.metrics()["run.contacts"] == 1
    world.step(round(0.8 / step))
    np.testing.assert_allclose(world.array("rigid.v")[0], 0.0, atol=1e-8)


@pytest.mark.parametrize("solver", ["newton", "gauss_seidel"])
def test_a_rolling_ball_slows_down_by_five_sevenths_of_length_by_radius(load_text, solver):
    body = f"sphere = {{ radius = {RADIUS}, rolling = 0.003 }}\n"
    body += "body = { mass = 1, velocity = [0.6, 0, 0.8], spin = [8, 0, -6] }"
    world = load_text(write_scene(0.004, body, more=f'solver = "{solver}"'))
    world.step(100)
    speed = 1 - 5 / 7 * 0.003 / RADIUS * GRAVITY * 0.4
    velocity = world.array("rigid.v")[0, :3]
    np.testing.assert_allclose(velocity, speed * np.array([0.6, 0, 0.8]), atol=1e-7)
    assert world.metrics()["run.residual_worst"] < 1e-8


@settings(max_examples=12, deadline=None)
@given(st.floats(0.0005, 0.02), st.floats(0.0005, 0.02), st.integers(0, 2**32 - 1))
def test_torques_never_exceed_their_limits_nor_push(tmp_path_factory, spinning, rolling, seed):
    import supple

    rng = np.random.default_rng(seed)
    velocity, spin = rng.normal(size=3) * (1, 0, 1), rng.normal(size=3) * 10
    text = write_scene(
        0.004,
        f"box = {{ size = [0.2, 0.2, 0.2], friction = 0.1, spinning = {spinning}, rolling = {rolling} }}\n"
        f"body = {{ mass = 1, velocity = {velocity.tolist()}, spin = [0, {spin[1]}, 0] }}",
    )
    scene = tmp_path_factory.mktemp("torque") / "scene.toml"
    scene.write_text(text)
    world = supple.load(scene)
    energy = []
    for _ in range(20):
        world.step()
        problem = world.arrays.records["rows.problem"]
        coupled, impulse = problem.coupled, world.array("rows.impulse")
        for group, contact, length in zip(coupled.group, coupled.contact, coupled.length, strict=True):
            if length == 0.0:
                break
            most = length * impulse[contact, 0] * (1 + 1e-9) + 1e-12
            one = problem.size[group] == 1
            assert (abs(impulse[group, 0]) if one else np.hypot(*impulse[group, 1:])) <= most
        energy.append(world.metrics()["run.kinetic_energy"])
    assert (np.diff(energy) <= 1e-9).all()
    assert world.metrics()["run.residual_worst"] < 1e-7


def test_a_step_with_torques_is_declared_and_remembers_nothing(load_text):
    body = f"sphere = {{ radius = {RADIUS}, rolling = 0.003, spinning = 0.01 }}\n"
    body += "body = { velocity = [1, 0, 0], spin = [0, 9, 0] }"
    world = load_text(write_scene(0.004, body))
    world.step(3)
    check_memory(world)
    audit_step(world)


def test_a_negative_length_is_refused(load_text):
    from supple.errors import SceneError

    with pytest.raises(SceneError, match="rolling"):
        load_text(write_scene(0.004, f"sphere = {{ radius = {RADIUS}, rolling = -1 }}\nbody = {{}}"))
