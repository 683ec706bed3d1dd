"""Scales: a block on a slope slides ahead as Coulomb says, and holds backward and aside as it should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple_locomotion.body import SoftBody
from supple_locomotion.components import Scales
from supple_locomotion.scales import Way

SCENE = """format = 1
[run]
step = 0.005
duration = 1.0
gravity = [{0}, -9.81, {1}]
[[entity]]
name = "floor"
plane = {{ friction = 0.9 }}
[[entity]]
name = "block"
pose = {{ position = [0, 0.05, 0] }}
tet_block = {{ size = [0.4, 0.1, 0.4], cells = [4, 1, 4] }}
tets = {{ stiffness = 1e6, friction = 0.1 }}
scales = {{ ahead = [{2}, 0, {3}], backward = 0.6 }}
"""


@pytest.mark.parametrize(
    ("pull", "ahead", "friction"),
    [((3, 0), (1, 0), 0.1), ((-3, 0), (1, 0), 0.6), ((0, 3), (1, 0), 0.1), ((0, -3), (0, 1), 0.6),
     ((-6.5, 0), (1, 0), 0.6), ((2, 2), (1, 1), 0.1), ((-2, -2), (1, 1), 0.6)],
)  # fmt: skip
def test_a_block_slides_and_holds_as_the_slope_says(tmp_path, pull, ahead, friction):
    """It slides with g_along - mu g, or not at all."""
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE.format(*pull, *ahead), encoding="utf-8")
    world = supple.load(scene)
    world.step(60)
    x, v, mass = (world.array(f"tets.{name}") for name in ("x", "v", "mass"))
    before = mass @ v / mass.sum()
    world.step(60)
    after = mass @ world.array("tets.v") / mass.sum()
    along = np.array([pull[0], 0.0, pull[1]])
    force = float(np.linalg.norm(along))
    expected = max(force - friction * 9.81, 0.0)
    assert (after - before) @ along / force == pytest.approx(0.3 * expected, abs=0.01)
    assert (expected > 0) == (float(np.linalg.norm(after)) > 0.05)
    assert x.shape == v.shape


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 1.0), st.floats(0.1, 2.0))
def test_only_friction_against_sliding_back_is_stronger(seed, friction, backward):
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((6, 3))
    body = SoftBody(x, np.zeros_like(x), np.ones(6), x.copy(), slice(0, 6))
    way = Way(Scales(ahead=(1.0, 0.0, 0.0), backward=backward), body)
    turn = draw.uniform(-np.pi, np.pi)
    t = np.array([np.cos(turn), 0.0, np.sin(turn)])
    s = np.cross([0.0, 1.0, 0.0], t)
    directions = way.scale_directions(np.array([[t, s]]), np.array([friction]))[0]
    forces = friction * directions @ np.array([t, s])
    assert forces[0] == pytest.approx([backward, 0, 0], abs=1e-9)
    assert np.linalg.norm(forces[1:], axis=1) == pytest.approx(friction, rel=1e-9)
