"""What authors may say about gears: each mistake gets one line with a remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import UserError

BONE = '[[entity]]\nname = "it/{}"\nbone = {{ joint = "{}", mass = 1.0, centre = [0, 0, 0], inertia = [1, 1, 1]{} }}\n'


def write(folder: Path, gear: str, driven: str = "hinge", start: str = "") -> Path:
    text = 'format = 1\n[run]\nstep = 0.01\nduration = 1.0\n[[entity]]\nname = "it"\nskeleton = {}\n'
    text += BONE.format("a", "hinge", ", start = [10]") + BONE.format("ball", "ball", "")
    text += BONE.format("b", driven, start) + f"gear = {{ {gear} }}\n"
    scene = folder / "scene.toml"
    scene.write_text(text)
    return scene


@pytest.mark.parametrize(
    ("gear", "driven", "words"),
    [
        ('of = "it/aa"', "hinge", ["it/b.gear", "names no entity", "it/a"]),
        ('of = "it/b"', "hinge", ["names the bone itself"]),
        ('of = "it/ball"', "hinge", ["has no hinge and no slider"]),
        ('of = "it"', "hinge", ["has no hinge and no slider"]),
        ('of = "it/a"', "ball", ["a hinge or a slider"]),
        ('of = "it/a", ratio = 0', "hinge", ["ratio is 0"]),
        ('of = "it/a", ratio = 2', "hinge", ["at 20 degrees at the start", "start = [20]"]),
    ],
)
def test_mistakes_are_named(gear: str, driven: str, words: list[str], tmp_path: Path) -> None:
    scene = write(tmp_path, gear, driven)
    with pytest.raises(UserError) as caught:
        supple.load(scene)
    (line,) = str(caught.value).splitlines()
    assert "scene.toml:" in line
    assert [word for word in words if word not in line] == []


def test_gear_without_a_driver_holds_the_joint_still(tmp_path: Path) -> None:
    world = supple.load(write(tmp_path, "offset = 30", start=", start = [30]"))
    world["it/b"].torque = 5.0
    world.step(50)
    assert world["it/b"].angle == pytest.approx(np.radians(30), abs=1e-14)
    assert world["it/b"].gear_force == pytest.approx(-5.0)


def test_coordinates_that_were_set_by_hand_come_back(tmp_path: Path) -> None:
    world = supple.load(write(tmp_path, 'of = "it/a"', start=", start = [10]"))
    world.step(1)
    world.array("skeleton.q")[world.labels("skeleton.q").index("it/b")] += 0.05
    world.step(20)
    assert world["it/b"].gear_error < 1e-12
