"""Joints and springs are seen where they are, and move with what they tie."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from supple.run.recording import open_recording
from supple.run.simulate import RunOptions, simulate
from supple.run.stage import Stage

SCENE = """
format = 1
about = "A rod hangs from a pin, and a ball from a spring below it."
[run]
step = 0.004
duration = 0.2

[[entity]]
name = "rod"
pose = { position = [0.5, 1, 0] }
box = { size = [1, 0.05, 0.05] }
body = {}

[[entity]]
name = "pin"
pose = { position = [0, 1, 0] }
joint = { kind = "hinge", between = ["rod"], axis = [0, 0, 1] }

[[entity]]
name = "ball"
pose = { position = [1, 0.5, 0] }
sphere = { radius = 0.05 }
body = {}

[[entity]]
name = "tie"
spring = { between = ["rod", "ball"], stiffness = 50 }
"""


def test_pins_and_springs_are_drawn_and_follow(tmp_path: Path) -> None:
    scene, record = tmp_path / "hung.toml", tmp_path / "hung.h5"
    scene.write_text(SCENE)
    simulate(RunOptions(scene, record=record))
    with open_recording(record) as recording:
        stage = Stage(recording)
        things = {thing.drawing.name: thing for thing in stage.things if thing.drawing.layer == "joints"}
        assert sorted(things) == ["pin.joint", "tie.spring"]
        rod, ball = (stage.find(name)[0] for name in ("rod", "ball"))
        last = stage.frames - 1
        assert np.linalg.norm(ball.pose(last)[0] - ball.pose(0)[0]) > 0.01
        for frame in (0, last):
            pin = things["pin.joint"].vertices(frame)
            np.testing.assert_allclose(
                things["pin.joint"].pose(frame)[0], [0, 1, 0], atol=1e-4
            )  # the error of a step
            # The pin lies along the axis of the hinge.
            assert np.ptp(pin[:, 2]) > 3 * max(np.ptp(pin[:, 0]), np.ptp(pin[:, 1]))
            # The tube of the spring lies about the line between the two bodies, and reaches from one to the other.
            tube = things["tie.spring"].vertices(frame)
            ends = np.array([rod.pose(frame)[0], ball.pose(frame)[0]])
            along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            way = (tube - ends[0]) @ along
            off = np.linalg.norm(tube - ends[0] - way[:, None] * along, axis=1)
            assert off.max() < 0.03
            length = float(np.linalg.norm(ends[1] - ends[0]))
            assert -0.03 < way.min() <= 0 <= length <= way.max() < length + 0.03


def test_grasps_are_not_drawn(tmp_path: Path) -> None:
    """Before it closes a grasp ties nothing, and what it would tie may be metres apart."""
    scene, record = tmp_path / "held.toml", tmp_path / "held.h5"
    scene.write_text(
        SCENE + '[[event]]\nname = "grip"\nat = 0.1\ngrasp = { hand = "rod", object = "ball" }\n'
    )
    simulate(RunOptions(scene, record=record))
    with open_recording(record) as recording:
        drawn = [thing.drawing.name for thing in Stage(recording).things if thing.drawing.layer == "joints"]
    assert sorted(drawn) == ["pin.joint", "tie.spring"]
