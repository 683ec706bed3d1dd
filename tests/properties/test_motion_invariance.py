"""The motion does not depend on where the author puts the origin, nor on the order of the file."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple

HEAD = """
format = 1
[run]
step = 0.004
duration = 0.4
[[entity]]
name = "place"
pose = {{ position = [{x}, {y}, {z}], axis = [0, 1, 0], angle = {angle} }}
"""
PARTS = [
    """
[[entity]]
name = "place/floor"
plane = { friction = 0.4 }
""",
    """
[[entity]]
name = "place/crate"
pose = { position = [0, 0.35, 0], axis = [1, 1, 0.3], angle = 25 }
box = { size = [0.3, 0.4, 0.5] }
body = { spin = [0, 0, 0] }
""",
    """
[[entity]]
name = "place/ball"
pose = { position = [0.05, 0.8, 0.02] }
sphere = { radius = 0.15 }
body = {}
""",
    """
[[entity]]
name = "place/pill"
pose = { position = [0.4, 0.2, 0.1], axis = [1, 0, 1], angle = 60 }
capsule = { radius = 0.08, length = 0.3 }
body = {}
""",
]
BODIES = ("place/crate", "place/ball", "place/pill")


def final_state(folder, parts, x=0.0, y=0.0, z=0.0, angle=0.0):
    file = folder / "scene.toml"
    file.write_text(HEAD.format(x=x, y=y, z=z, angle=angle) + "".join(parts), encoding="utf-8")
    world = supple.load(file)
    world.step(100)
    return world


@settings(max_examples=8, deadline=None)
@given(st.floats(-5, 5), st.floats(-5, 5), st.floats(-5, 5), st.floats(-180, 180))
def test_a_moved_scene_moves_alike(tmp_path_factory, x, y, z, angle) -> None:
    folder = tmp_path_factory.mktemp("moved")
    home, moved = final_state(folder, PARTS), final_state(folder, PARTS, x, y, z, angle)
    turn = Rotation.from_euler("y", angle, degrees=True)
    for path in BODIES:
        expected = turn.apply(home[path].position) + np.array([x, y, z])
        assert np.abs(moved[path].position - expected).max() < 1e-6


@settings(max_examples=8, deadline=None)
@given(st.permutations(PARTS))
def test_the_order_of_the_file_changes_no_bit(tmp_path_factory, parts) -> None:
    folder = tmp_path_factory.mktemp("order")
    one, other = final_state(folder, PARTS).snapshot(), final_state(folder, parts).snapshot()
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].tobytes() == other[name].tobytes(), name
