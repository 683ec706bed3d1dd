"""Frames that are kept as part of the steps are those that are kept between steps, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.core.world import World
from supple.errors import SimulationError
from supple.run.recorder import Recorder, start_recording
from supple.run.recording import open_recording
from supple.run.recording_layout import make_header
from supple.run.runner import Runner

#: Balls that fall in a heap need more room than there is at first; the rod is so quick that steps are taken in parts.
CROWD = """format = 1
[run]
step = 0.004
duration = 1.0
[[entity]]
name = "floor"
plane = {}
""" + "".join(
    f"""[[entity]]
name = "box{k}"
pose = {{ position = [{0.21 * (k % 6)}, {0.11 + 0.21 * (k // 6)}, 0] }}
box = {{ size = [0.2, 0.2, 0.2] }}
body = {{}}
"""
    for k in range(48)
)
DROP = Path(__file__).resolve().parents[2] / "scenes" / "first" / "drop.toml"


def read(path: Path) -> dict[str, bytes]:
    with open_recording(path) as recording:
        values = {name: np.array(recording.array(name)[:]).tobytes() for name in recording.names}
        return {**values, "steps": recording.steps.tobytes(), "times": recording.times.tobytes()}


def record(world: World, path: Path, every: int, steps: int, follow: bool) -> Recorder:
    header = make_header(world.blueprint, every=every, versions={}, overrides=[])
    recorder = start_recording(path, header, world, resuming=False)
    if follow:
        Runner(world, [recorder]).advance(steps)
    else:
        generation = world.generation
        recorder.observe(world)
        for _ in range(steps):
            world.step()
            if world.generation != generation:
                recorder.take_arrays(world)
            recorder.observe(world)
    recorder.close()
    return recorder


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("failing", [False, True])
def test_followed_frames_are_those_between_steps(tmp_path: Path, every: int, failing: bool) -> None:
    for name, follow in (("followed.h5", True), ("looked.h5", False)):
        world = supple.load(DROP)
        world.patience = 20
        if failing:
            fail_at(world, 33)
        record(world, tmp_path / name, every, 500, follow)
        assert world.metrics()["run.halved_steps"] == failing
    assert read(tmp_path / "followed.h5") == read(tmp_path / "looked.h5")


def fail_at(world: World, step: int) -> None:
    """Divide one step."""
    run, stepper = world._stepper.run, world._stepper

    def refuse(first: bool, commit: bool, times: int = 1) -> None:
        if world.steps == step and world.arrays["run.part"][0] == 0 and stepper._parts == 1:
            raise SimulationError("no")
        run(first, commit, times=min(times, step - world.steps) if world.steps < step else times)

    stepper.run = refuse


def test_room_that_is_made_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "crowd.toml"
    file.write_text(CROWD)
    for name, follow in (("followed.h5", True), ("looked.h5", False)):
        world = supple.load(file)
        world._change_room(16, world.arrays.state_copy())
        before = world.generation
        record(world, tmp_path / name, 3, 60, follow)
        assert world.generation > before
    assert read(tmp_path / "followed.h5") == read(tmp_path / "looked.h5")


def test_nobody_follows_once_a_recording_is_closed(tmp_path: Path) -> None:
    world = supple.load(DROP)
    recorder = record(world, tmp_path / "run.h5", 1, 10, True)
    world.step(300)
    assert recorder._state[0] == 0
    with open_recording(tmp_path / "run.h5") as recording:
        assert recording.steps.tolist() == list(range(11))
