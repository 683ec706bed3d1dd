"""Small steps between contact problems: what they come to in flight, and the force of flesh by its own dynamics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import UserError
from supple.testing import audit_step, check_resume
from supple_simbicon.small_steps import HELD

SCENE = """format = 1
[run]
step = STEP
duration = 8.0
gravity = [0, -9.8, 0]
[run.simbicon]
small_steps = PARTS
[[entity]]
name = "floor"
plane = { friction = 2.5 }
[[entity]]
name = "walker"
pose = { position = [0, HEIGHT, 0] }
biped = { BIPED start = "forward" }
simbicon = { gait = "GAIT", settle = 1.0, MORE }
"""
STIFF_POSE = """format = 1
about = "Holds a pose and turns nothing."
[joints]
pelvis = { stiffness = 300, damping = 30 }
torso = { stiffness = 100, damping = 5 }
thigh = { stiffness = 100, damping = 5 }
shank = { stiffness = 100, damping = 5 }
foot = { stiffness = 20, damping = 1 }
toes = { stiffness = 5, damping = 0.2 }
head = { stiffness = 20, damping = 1 }
upper_arm = { stiffness = 20, damping = 1 }
forearm = { stiffness = 10, damping = 0.5 }
[[phases]]
name = "hold"
duration = 100
[phases.targets]
swing_shank = { x = 1.0 }
stance_shank = { x = 0.5 }
swing_thigh = { x = -0.8, z = 0.2 }
stance_toes = { x = -0.25 }
swing_toes = { x = -0.25 }
stance_forearm = { y = -1.0 }
swing_forearm = { y = 1.0 }
"""
FLIES = {"height": 50.0, "gait": "pose.toml"}


def load(folder: Path, step=0.004, parts=8, height=0.0, biped="", gait="forward_walk", more="noise = 0.0"):
    text = SCENE.replace("STEP", repr(step)).replace("PARTS", str(parts)).replace("HEIGHT", str(height))
    text = text.replace("BIPED", biped).replace("GAIT", gait).replace("MORE", more)
    (folder / "pose.toml").write_text(STIFF_POSE)
    file = folder / "scene.toml"
    file.write_text(text)
    return supple.load(file)


def test_in_flight_small_steps_are_the_steps_of_a_finer_run(tmp_path: Path) -> None:
    rough, fine = load(tmp_path, **FLIES), load(tmp_path, step=0.0005, parts=1, **FLIES)
    plain = load(tmp_path, parts=1, **FLIES)
    rough.step(50)
    fine.step(400)
    plain.step(50)
    ends = [world.array("skeleton.q") for world in (rough, fine, plain)]
    moved = np.abs(ends[0] - load(tmp_path, **FLIES).array("skeleton.q")).max()
    error, coarse = np.abs(ends[0] - ends[1]).max(), np.abs(ends[2] - ends[1]).max()
    assert moved > 0.3
    assert error < 0.2 * coarse
    assert error < 2e-3


def test_nothing_is_held_in_flight_but_what_the_step_errs_by(tmp_path: Path) -> None:
    held = []
    for step in (0.002, 0.001):
        world = load(tmp_path, step=step, **FLIES)
        world.step(round(0.02 / step))
        held.append(np.abs(world.array(HELD)).max())
    torque = np.abs(world.array("simbicon.push")).max()
    assert held[1] < 0.01 * torque
    assert held[0] / held[1] == pytest.approx(4, rel=0.4)


def find_flesh_force(folder: Path, step: float, time: float) -> tuple[np.ndarray, np.ndarray]:
    """What is held in a step on the soft left foot, and eq. (20) of the paper from the coupled dynamics, bones only."""
    options = {"biped": 'feet = "soft", flesh = { state = "soft" },', "step": step}
    world, ahead = load(folder, **options), load(folder, **options)
    world.step(round(time / step))
    ahead.step(round(time / step) + 1)
    coupled, rigid = world.dynamics("walker/bones.flesh"), world.dynamics("walker/bones")
    n = rigid.size
    change = np.zeros(coupled.size)
    change[:n] = ahead.array("skeleton.v_rows") - world.array("skeleton.v")
    change[n:] = (ahead.array("flesh.v") - world.array("flesh.v")).ravel()
    whole = coupled.inverse_dynamics(change / step)[:n]
    return ahead.array(HELD).copy(), rigid.inverse_dynamics(change[:n] / step) - whole


@pytest.mark.parametrize("step", [0.002, 0.001])
def test_the_force_of_flesh_is_that_of_its_masses(tmp_path: Path, step: float) -> None:
    # A soft foot lands. Knees and toes have limits, which are held too: only the root is compared.
    held, expected = (force[:6] for force in find_flesh_force(tmp_path, step, 0.58))
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(held, expected, atol=0.03 * np.abs(expected).max())


def test_a_walk_of_small_steps_touches_what_it_declares_and_resumes(tmp_path: Path) -> None:
    world = load(tmp_path, biped='feet = "soft",', more="noise = 0.5")
    world.step(100)
    audit_step(world)
    for steps in (7, 53):
        check_resume(tmp_path / "scene.toml", steps=steps, more=5)


def test_on_soft_feet_he_walks(tmp_path: Path) -> None:
    world = load(tmp_path, biped='feet = "soft",', more="implicit = false")
    world.step(1000)
    figures = world.metrics()
    assert figures["walker.upright"] == 1
    assert figures["walker.speed"] == pytest.approx(0.9, rel=0.15)


@pytest.mark.parametrize(
    ("field", "value"), [("small_steps", "0"), ("stiffness", "-1"), ("contact_forces", '"no"')]
)
def test_bad_settings_are_refused(tmp_path: Path, field: str, value: str) -> None:
    load(tmp_path)
    file = tmp_path / "scene.toml"
    file.write_text(file.read_text().replace("small_steps = 8", f"{field} = {value}"))
    with pytest.raises(UserError, match=field):
        supple.load(file)
