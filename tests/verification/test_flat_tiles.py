"""A floor of level tiles is a plane: same contacts, same motion; and what stands still is placed once."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.testing import audit_step

SCENE = """
format = 1
[run]
step = 0.002
duration = 1.0
[run.newton]
tolerance = 1e-12

[[entity]]
name = "floor"
{floor}

[[entity]]
name = "box"
pose = {{ position = [0.013, {height}, 0.021], axis = [0, 1, 0], angle = 20 }}
box = {{ size = [0.31, 0.1, 0.17], friction = 0.4 }}
body = {{ density = 500, velocity = {velocity} }}
"""
PLANE = "plane = { friction = 0.4 }"
TILES = "bumpy = { size = [2, 2], tile = 0.05, amplitude = 0.0, friction = 0.4 }"


def build(
    folder: Path, floor: str, height: float = 0.05, velocity: tuple[float, ...] = (0, 0, 0)
) -> supple.World:
    scene = folder / "scene.toml"
    scene.write_text(SCENE.format(floor=floor, height=height, velocity=list(velocity)), encoding="utf-8")
    return supple.load(scene)


@pytest.mark.parametrize("velocity", [(0, 0, 0), (0.7, 0, 0.3)])
def test_a_box_moves_on_level_tiles_as_on_a_plane(tmp_path: Path, velocity: tuple[float, ...]) -> None:
    tiles, plane = build(tmp_path, TILES, velocity=velocity), build(tmp_path, PLANE, velocity=velocity)
    for world in (tiles, plane):
        world.step(300)
        assert world.array("contacts.count")[0] == 4
    np.testing.assert_allclose(tiles["box"].position, plane["box"].position, atol=1e-7)
    speed = np.linalg.norm(velocity)
    travelled = np.linalg.norm(tiles["box"].position[[0, 2]] - [0.013, 0.021])
    assert travelled == pytest.approx(speed**2 / (2 * 0.4 * 9.81), abs=1e-9 + speed * 0.002)


def test_floors_that_stand_still_are_placed_once_where_they_belong(tmp_path: Path) -> None:
    tilted = "pose = { position = [0.2, -0.3, 0.1], axis = [0, 0, 1], angle = 5 }\n" + TILES
    world = build(tmp_path, tilted, height=0.5)
    first, last = world.array("mesh.table")[0, 5:7]
    turned = Rotation.from_rotvec([0, 0, np.deg2rad(5)]).apply(world.array("mesh.rest")[first:last].copy())
    placed = turned + np.array([0.2, -0.3, 0.1])
    np.testing.assert_allclose(world.array("mesh.x")[first:last], placed, atol=1e-14)
    before = world.array("mesh.x")[first:last].copy()
    box = world.array("mesh.x")[last:].copy()
    world.step(20)
    np.testing.assert_array_equal(world.array("mesh.x")[first:last], before)
    assert np.abs(world.array("mesh.x")[last:] - box).max() > 1e-3, "the box that falls is placed anew"
    audit_step(world)
