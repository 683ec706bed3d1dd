"""Rigged glTF figures walk as their file says, as skin and as flesh, whatever unit it has; bad files get one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import supple
from rigged_walker import DURATION, FRAMES, JOINTS, make_mesh, skinned_at, world_at, write_walker
from supple.errors import UserError
from supple.plugin import load_plugins
from supple.scene.load import read_scene

pytest.importorskip("pygltflib", reason="rigs are written by pygltflib")

PLUGINS = load_plugins()
FRAME = DURATION / (FRAMES - 1)
SCENE = """format = 1
[run]
step = {step}
duration = 1.0
[[entity]]
name = "man"
pose = {{ position = [0.5, 0, -0.2], axis = [0, 1, 0], angle = {angle} }}
rig = {{ file = "man.glb", {keys} }}
"""


def load(folder: Path, keys: str, step: float = FRAME / 8, angle: float = 0.0, **options: object):
    (folder / "scene.toml").write_text(SCENE.format(step=step, keys=keys, angle=angle))
    return supple.load(folder / "scene.toml", **options)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_skin_walks_as_the_definition_of_the_file_says(unit: float, tmp_path: Path) -> None:
    write_walker(tmp_path / "man.glb", unit)
    world = load(tmp_path, 'covering = "skin"')
    shift = np.array([0.5, 0.0, -0.2])
    for _ in range(6):
        expected = skinned_at(world.time) + shift
        np.testing.assert_allclose(world.array("skin0.position"), expected, atol=1e-6)
        world.step(8 * 4)


def test_skin_turns_with_its_entity(tmp_path: Path) -> None:
    from supple.core.pose import rotate, turn

    write_walker(tmp_path / "man.glb")
    world = load(tmp_path, 'covering = "skin"', angle=70.0)
    world.step(8 * 6)
    expected = rotate(turn((0, 1, 0), 70.0), skinned_at(world.time)) + np.array([0.5, 0, -0.2])
    np.testing.assert_allclose(world.array("skin0.position"), expected, atol=1e-6)


@pytest.mark.parametrize("covering", ["flesh", "capsules"])
def test_skeleton_follows_the_clip(covering: str, tmp_path: Path) -> None:
    """Driven by forces, so near and not exactly there; joints that carry nothing are no bones."""
    write_walker(tmp_path / "man.glb")
    world = load(tmp_path, f'covering = "{covering}", mass = 70')
    labels = world.build.arrays.specs["skeleton.bone"].labels
    assert not any(label.endswith("Toe_End") for label in labels)
    places = [number for number, joint in enumerate(JOINTS) if joint[0] != "mixamorig:Toe_End"]
    paths = {
        number: next(p for p in labels if p.endswith(JOINTS[number][0].split(":")[1])) for number in places
    }
    assert world.array("skeleton.inertia")[:, 0].sum() == pytest.approx(70.0, rel=1e-9)
    for _ in range(4):
        world.step(48)
        for number, path in paths.items():
            expected = world_at(number, world.time)[0] + np.array([0.5, 0, -0.2])
            assert np.linalg.norm(world[path].position - expected) < 0.01, path
    if covering == "flesh":
        apart = np.linalg.norm(
            world.array("flesh.position") - skinned_at(world.time) - [0.5, 0, -0.2], axis=1
        )
        assert apart.mean() < 5e-3


def test_still_figure_is_as_bound(tmp_path: Path) -> None:
    write_walker(tmp_path / "man.glb")
    world = load(tmp_path, "still = true")
    np.testing.assert_allclose(world.array("skin0.position"), make_mesh()[0] + [0.5, 0, -0.2], atol=1e-6)


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ('clip = "wlak"', "Did you mean 'walk'?"),
        ('flesh = { stifness = 1 }, covering = "flesh"', "stifness"),
        ('skin = { friction = -1 }', "friction"),
    ],
)  # fmt: skip
def test_wrong_words_get_one_line(keys: str, word: str, tmp_path: Path) -> None:
    write_walker(tmp_path / "man.glb")
    with pytest.raises(UserError) as caught:
        load(tmp_path, keys)
    (line,) = str(caught.value).splitlines()
    assert word in line


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 9000), put=st.binary(max_size=6), cut=st.integers(0, 40))
def test_damaged_files_never_crash(at: int, put: bytes, cut: int, tmp_path: Path) -> None:
    whole = tmp_path / "whole.glb"
    if not whole.exists():
        write_walker(whole)
    content = whole.read_bytes()
    (tmp_path / "man.glb").write_bytes(content[:at] + put + content[at + cut :])
    (tmp_path / "scene.toml").write_text(SCENE.format(step=0.01, keys='covering = "capsules"', angle=0))
    try:
        read_scene(tmp_path / "scene.toml", PLUGINS).blueprint()
    except UserError as error:
        assert all(problem.what and "\n" not in str(problem) for problem in error.problems)


def test_file_without_a_skin_is_refused(tmp_path: Path) -> None:
    (tmp_path / "man.glb").write_text('{"asset": {"version": "2.0"}, "nodes": [{"name": "a"}]}')
    with pytest.raises(UserError, match="has no skin"):
        load(tmp_path, "")
