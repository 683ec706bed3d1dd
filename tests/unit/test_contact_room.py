"""Room for contacts grows by itself, and nothing of the motion shows it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.core.world import World
from supple.errors import CapacityError
from supple.plugin import load_plugins
from supple.run.recording import open_recording
from supple.run.simulate import RunOptions, simulate
from supple.scene.load import read_scene

HEAD = """
format = 1
[run]
step = 0.004
duration = 0.4
[[entity]]
name = "floor"
plane = { friction = 0.5 }
"""
CRATES = "".join(
    f"""
[[entity]]
name = "crate{k}"
pose = {{ position = [{0.3 * k}, {0.11 + 0.02 * k}, 0] }}
box = {{ size = [0.2, 0.2, 0.2] }}
body = {{}}
"""
    for k in range(4)
)
MESH = """
[[entity]]
name = "stone"
pose = { position = [0, 0.3, 1] }
convex = { points = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2], [0.2, 0.2, 0.2]] }
body = {}
"""


@pytest.fixture(scope="module")
def plugins():
    return load_plugins()


def build(tmp_path: Path, plugins, room: int, text: str = HEAD + CRATES + MESH, **overrides: object) -> World:
    path = tmp_path / "scene.toml"
    path.write_text(text)
    scene = read_scene(path, plugins)
    return World(scene.blueprint(overrides=overrides), plugins.registry, room)


@pytest.mark.parametrize("warm_start", ["pairs", "neighbours"])
def test_a_world_that_made_room_goes_on_bit_for_bit(tmp_path: Path, plugins, warm_start: str) -> None:
    small = build(tmp_path, plugins, 2, **{"run.warm_start": warm_start})
    large = build(tmp_path, plugins, 0, **{"run.warm_start": warm_start})
    for _ in range(100):
        small.step()
        large.step()
        for name in ("rigid.x", "rigid.q", "rigid.v"):
            assert small.array(name).tobytes() == large.array(name).tobytes()
    assert small.generation >= 3
    assert 16 <= small.array("run.room")[0] < large.array("run.room")[0]
    assert small.metrics() == large.metrics()
    assert (small.steps, small.time) == (large.steps, large.time)


def test_snapshots_know_the_room(tmp_path: Path, plugins) -> None:
    world = build(tmp_path, plugins, 2)
    early = world.snapshot()
    world.step(60)
    late = world.snapshot()
    world.step(40)
    end = world.array("rigid.x").copy()
    fresh = build(tmp_path, plugins, 0)
    fresh.restore(late)
    assert fresh.array("run.room")[0] == late["run.room"][0]
    fresh.step(40)
    assert fresh.array("rigid.x").tobytes() == end.tobytes()
    world.restore(early)
    assert world.array("run.room")[0] == 2
    world.step(100)
    assert world.array("rigid.x").tobytes() == end.tobytes()


def test_the_room_that_a_scene_asks_for_is_all_there_is(tmp_path: Path, plugins) -> None:
    world = build(tmp_path, plugins, 0, **{"run.capacity.contacts": 6})
    with pytest.raises(CapacityError, match=r"raise run\.capacity\.contacts above 6"):
        world.step(100)
    assert world.generation == 0


def test_recordings_and_checkpoints_of_a_run_that_makes_room(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(HEAD + CRATES)

    def run(name: str, **options: object):
        files = {"record": tmp_path / f"{name}.h5", "checkpoint": tmp_path / f"{name}.npz", "every": 0.1}
        return simulate(RunOptions(path, **{**files, **options}))

    run("plain")
    small = World.__init__
    monkeypatch.setattr(World, "__init__", lambda self, b, r, room=0: small(self, b, r, room or 3))
    grown = run("grown")
    assert grown.world.generation > 0
    assert grown.exit_code == 0
    with open_recording(tmp_path / "plain.h5") as one, open_recording(tmp_path / "grown.h5") as other:
        for name in ("rigid.x", "contacts.force", "contacts.gap"):
            assert np.array_equal(one.array(name), other.array(name))
    monkeypatch.undo()
    resumed = run("resumed", resume=tmp_path / "grown.npz", until=0.6, record=None)
    assert resumed.world.array("run.room")[0] == grown.world.array("run.room")[0]
    straight = run("straight", until=0.6)
    assert resumed.world.array("rigid.x").tobytes() == straight.world.array("rigid.x").tobytes()
