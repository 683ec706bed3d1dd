"""Control from Python: commands, forces and callbacks are State, and repeat to the bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.core.control import COMMANDED, WIDTH, Given, count_interval
from supple.core.world import World
from supple.errors import SimulationError, UserError
from supple.run.recording import open_recording

LoadText = Callable[..., Any]
SCENES = Path(__file__).resolve().parents[2] / "scenes" / "control"
BALL = """
format = 1
[run]
step = 0.004
duration = 3.0
[[entity]]
name = "ball"
pose = { position = [0, 1, 0] }
sphere = { radius = 0.1 }
body = { mass = 0.5 }
"""
GATE = """
format = 1
[run]
step = 0.002
duration = 3.0
gravity = [0, 0, 0]
[[entity]]
name = "gate"
box = { size = [1, 1, 0.1] }
body = { mass = 3.0 }
[[entity]]
name = "gate/hinge"
joint = { kind = "hinge", between = ["gate"], axis = [0, 0, 1] }
[[entity]]
name = "sled"
pose = { position = [3, 0, 0] }
box = { size = [0.2, 0.2, 0.2] }
body = { mass = 2.0 }
[[entity]]
name = "rail"
pose = { position = [3, 0, 0] }
joint = { kind = "slider", between = ["sled"], axis = [1, 0, 0] }
"""


def hover(world: World) -> None:
    ball = world["ball"]
    lift = 0.5 * (9.81 + 30 * (1.0 - ball.position[1]) - 9 * ball.velocity[1])
    ball.apply_force([0, lift, 0])


def balance(world: World) -> None:
    cart, pole = world["cart/base"], world["cart/base/pole"]
    cart.force = 2 * cart.displacement + 3 * cart.rate - 40 * pole.angle - 8 * pole.rate


def hash_state(world: World) -> dict[str, bytes]:
    return {name: values.tobytes() for name, values in world.snapshot().items()}


@pytest.mark.parametrize(
    ("scene", "callback", "rate"), [("hovering_ball", hover, None), ("cart_pole", balance, 100)]
)
def test_controlled_scene_does_what_it_should_and_resumes_to_the_bit(
    scene: str, callback: Any, rate: float | None
) -> None:
    whole, part, later = (supple.load(SCENES / f"{scene}.toml") for _ in range(3))
    for world in (whole, part, later):
        world.on_step(callback, rate=rate)
    whole.step(700)
    part.step(313)  # no multiple of the steps between two calls
    later.restore(part.snapshot())
    later.step(700 - 313)
    assert hash_state(later) == hash_state(whole)
    if scene == "cart_pole":
        assert abs(whole["cart/base/pole"].angle) < 0.1
    else:
        assert whole["ball"].position[1] == pytest.approx(1.0, abs=0.05)


def test_recorded_commands_repeat_the_run_without_the_callback(tmp_path: Path) -> None:
    world, again = (supple.load(SCENES / "cart_pole.toml") for _ in range(2))
    world.on_step(balance, rate=100)
    with supple.record(world, tmp_path / "run.h5", fps=50):
        world.step(120)
        world["cart/base/pole"].apply_force([0, 0, 0.3], duration=0.011)
        world.step(180)
    assert supple.replay(again, tmp_path / "run.h5") == 61
    again.step(300)
    assert hash_state(again) == hash_state(world)
    with open_recording(tmp_path / "run.h5") as recording:
        assert recording.frames == 31


def test_damaged_recording_that_pushes_what_nothing_moves_is_refused(load_text: LoadText) -> None:
    world = load_text(BALL + '\n[[entity]]\nname = "mark"\npose = {}\n')
    labels = world.control.labels
    world.control.replay(labels, [Given(2, labels.index("mark force"), (1.0,) * WIDTH)])
    with pytest.raises(UserError, match="mark: a force cannot act on what no frame moves"):
        world.step(3)


def test_force_gives_the_impulse_of_its_duration_whatever_the_step(load_text: LoadText) -> None:
    for step in (0.004, 0.003):
        world = load_text(BALL.replace("0.004", str(step)))
        world["ball"].apply_force([5, 0, 0], duration=0.0101)
        world.step(10)
        assert world["ball"].velocity[0] == pytest.approx(5 * 0.0101 / 0.5, rel=1e-12)


def test_force_beside_the_centre_turns_the_body(load_text: LoadText) -> None:
    world = load_text(BALL)
    world["ball"].apply_force([0, 0, 1], point=[0.1, 1, 0])
    world.step()
    inertia = 0.4 * 0.5 * 0.1**2
    assert world["ball"].velocity[3:] == pytest.approx([0, -0.1 * 0.004 / inertia, 0], rel=1e-9)
    other = load_text(BALL)
    other["ball"].apply_force([0, 0, 1], point=[0.1, 0, 0], in_world=False)
    other.step()
    assert other["ball"].velocity == pytest.approx(world["ball"].velocity, rel=1e-9)


def test_torque_and_force_on_free_axes_of_joints_accelerate_as_newton_says(load_text: LoadText) -> None:
    world = load_text(GATE)
    world["gate/hinge"].axis_torque = 2.0
    world["rail"].axis_force = 4.0
    world.step(50)
    inertia = 3.0 * (1 + 1) / 12
    assert world["gate/hinge"].rate == pytest.approx(2.0 / inertia * 0.1, rel=1e-6)
    assert world["rail"].rate == pytest.approx(4.0 / 2.0 * 0.1, rel=1e-6)
    world["rail"].axis_force = 0.0
    world.step(5)
    before = world["rail"].rate
    world.step(5)
    assert world["rail"].rate == pytest.approx(before, rel=1e-9)


def test_nothing_is_bound_and_nothing_changes_until_something_is_commanded(load_text: LoadText) -> None:
    world = load_text(BALL)
    assert world.array(COMMANDED)[0] == 0
    assert "push.apply_commanded" not in [entry.name for entry, _ in world.calls()]
    world["ball"].apply_torque([0, 1, 0])
    assert "push.apply_commanded" in [entry.name for entry, _ in world.calls()]
    start = load_text(BALL).snapshot()
    world.restore(start)
    assert "push.apply_commanded" not in [entry.name for entry, _ in world.calls()]


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (lambda w: setattr(w["ball"], "position", 1), AttributeError, ["only be looked at", "rigid.x"]),
        (lambda w: setattr(w["ball"], "positon", 1), AttributeError, ["'position'"]),
        (lambda w: setattr(w, "gravity", 1), AttributeError, ["overrides"]),
        (lambda w: w["ball"].apply_force([1, 2]), UserError, ["(2,)", "give 3 numbers"]),
        (lambda w: w["ball"].apply_force([1, 2, math.nan]), UserError, ["not finite"]),
        (lambda w: w["ball"].apply_force([1, 2, 3], duration=-1), UserError, ["-1", "above 0"]),
        (lambda w: w.on_step(hover, rate=60), UserError, ["62.5 or 50"][:1]),
        (lambda w: w.on_step(hover, rate=-1), UserError, ["calls per second"]),
        (lambda w: w.labels("rigid.w"), UserError, ["Did you mean 'rigid."]),
        (lambda w: w.array("metrics.now").__setitem__(0, 1.0), ValueError, ["read-only"]),
    ],
)  # fmt: skip
def test_what_would_do_nothing_is_refused_with_a_remedy(
    load_text: LoadText, act: Any, kind: type, words: list[str]
) -> None:
    world = load_text(BALL)
    with pytest.raises(kind) as caught:
        act(world)
    for word in words:
        assert word.split(" or ")[0] in str(caught.value)


def test_too_many_forces_at_once_are_refused_and_places_become_free(load_text: LoadText) -> None:
    world = load_text(BALL)
    for _ in range(64):
        world["ball"].apply_force([0, 0, 0.1])
    with pytest.raises(UserError, match="64 forces"):
        world["ball"].apply_force([0, 0, 0.1])
    world.step()
    world["ball"].apply_force([0, 0, 0.1])


def test_callback_that_raises_leaves_all_as_it_was(load_text: LoadText) -> None:
    world = load_text(BALL)

    def spoil(world: World) -> None:
        world["ball"].apply_force([1, 0, 0], duration=1.0)
        raise SimulationError("enough")

    world["ball"].apply_force([0, 0, 1])
    world.step()
    before = hash_state(world)
    world.on_step(spoil)
    with pytest.raises(SimulationError):
        world.step()
    assert hash_state(world) == before
    world.remove_callback(spoil)
    world.step()
    with pytest.raises(UserError, match="is not called"):
        world.remove_callback(spoil)


def test_contacts_are_named_and_known_in_a_resumed_run(load_text: LoadText) -> None:
    text = BALL.replace("[0, 1, 0]", "[0, 0.1, 0]") + '[[entity]]\nname = "floor"\nplane = {}\n'
    world, later = load_text(text), load_text(text)
    assert world.contacts() == []
    world.step(100)
    (contact,) = world.contacts()
    assert {contact.a, contact.b} == {"ball", "floor"}
    sign = 1.0 if contact.a == "ball" else -1.0
    assert sign * contact.force == pytest.approx([0, 0.5 * 9.81, 0], rel=1e-6)
    assert sign * contact.normal == pytest.approx([0, 1, 0])
    assert contact.point == pytest.approx([0, 0, 0], abs=1e-6)
    later.restore(world.snapshot())
    (known,) = later.contacts()
    assert known.force.tobytes() == contact.force.tobytes()
    blind = load_text(text)
    blind.step(100)
    later.restore(blind.snapshot())
    with pytest.raises(UserError, match="not known"):
        later.contacts()


def test_state_that_nobody_writes_can_be_set_by_its_array(load_text: LoadText) -> None:
    text = (
        GATE + '[[entity]]\nname = "gate/motor"\nmotor = { on = "gate/hinge", speed = 0, strongest = 50 }\n'
    )
    world, other = load_text(text), load_text(text)
    row = world.labels("joints.row_target").index("gate/hinge")
    world.array("joints.row_target")[-2:] = 1.0
    other["gate/motor"].speed = 1.0
    assert row >= 0
    world.step(50)
    other.step(50)
    assert other["gate/hinge"].rate == pytest.approx(1.0, rel=1e-6)


def test_interval_is_a_whole_number_of_steps() -> None:
    assert count_interval(None, 0.004) == 1
    assert count_interval(50, 0.004) == 5
    assert count_interval(1000, 0.001) == 1
    assert np.isclose(1.0 / (count_interval(125.0, 0.002) * 0.002), 125.0)


def test_steps_between_calls_are_taken_at_once_and_calls_come_when_they_are_due(load_text: LoadText) -> None:
    """However the steps are asked for, callbacks and followers see the same steps, and the bits are the same."""
    seen: dict[int, list[tuple[str, int]]] = {}
    ends = {}
    for at_once in (1, 7, 100):
        world = load_text(BALL)
        calls = seen.setdefault(at_once, [])

        def hover_and_note(world: World, calls: list[tuple[str, int]] = calls) -> None:
            hover(world)
            calls.append(("called", world.steps))

        world.on_step(hover_and_note, rate=50)
        world.control.follow(
            lambda world=world, calls=calls: calls.append(("followed", world.steps)), every=3
        )
        done = 0
        while done < 100:
            world.step(min(at_once, 100 - done))
            done += min(at_once, 100 - done)
        ends[at_once] = world.array("rigid.x").copy()
    assert seen[1] == seen[7] == seen[100]
    assert [step for who, step in seen[1] if who == "called"] == list(range(0, 100, 5))
    assert [step for who, step in seen[1] if who == "followed"] == list(range(3, 100, 3))
    np.testing.assert_array_equal(ends[1], ends[100])
    np.testing.assert_array_equal(ends[1], ends[7])


def test_commands_stay_when_a_later_step_of_a_stretch_fails(
    load_text: LoadText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps that were taken followed the command; only a step that was not may undo it."""
    world = load_text(BALL)
    world.on_step(lambda world: world["ball"].apply_force([0, 3, 0], duration=1.0), rate=25)
    take = world._take_steps

    def fail_after_four(most: int) -> int:
        if world.steps == 4:
            raise SimulationError("made up")
        return take(1)

    monkeypatch.setattr(world, "_take_steps", fail_after_four)
    with pytest.raises(SimulationError):
        world.step(10)
    assert world.steps == 4
    monkeypatch.setattr(world, "_take_steps", take)
    world.step(6)
    other = load_text(BALL)
    other.on_step(lambda world: world["ball"].apply_force([0, 3, 0], duration=1.0), rate=25)
    other.step(10)
    np.testing.assert_array_equal(world.array("rigid.x"), other.array("rigid.x"))
