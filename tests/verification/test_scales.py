"""Scales: a block on a slope slides ahead as Coulomb says, and holds backward and aside as it should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple_locomotion.body import SoftBody
from supple_locomotion.components import Scales
from supple_locomotion.scales import Way
from supple_qpcc.contact_problem import ContactResponse, make_contact_problem
from supple_qpcc.contacts import hold_and_touch
from supple_qpcc.objective import want_nothing
from supple_qpcc.pieces import make_pieces
from supple_qpcc.records import Budget
from supple_qpcc.search import Search

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


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 1.0), st.floats(0.05, 2.0))
def test_only_friction_against_sliding_back_is_stronger(seed, friction, backward):
    """Forces are those of README eq. (9), seen from all sides, and every direction bounds them."""
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((6, 3))
    body = SoftBody(x, np.zeros_like(x), np.ones(6), x.copy(), slice(0, 6))
    way = Way(Scales(ahead=(1.0, 0.0, 0.0), backward=backward), body)
    turn = draw.uniform(-np.pi, np.pi)
    t = np.array([np.cos(turn), 0.0, np.sin(turn)])
    s = np.cross([0.0, 1.0, 0.0], t)
    directions = way.scale_directions(np.array([[t, s]]), np.array([friction]))[0]
    forces = friction * (directions @ np.array([t, s]))[:, [0, 2]]
    angle = np.pi / 4 * np.arange(8)
    told = friction * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    told[0] = [backward, 0.0]
    seen = np.stack([np.cos(np.linspace(0, 7, 400)), np.sin(np.linspace(0, 7, 400))])
    assert (forces @ seen).max(axis=0) == pytest.approx((told @ seen).max(axis=0), rel=2e-6)
    after, before = np.roll(forces, -1, axis=0) - forces, forces - np.roll(forces, 1, axis=0)
    turns = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    assert (turns * np.sign(turns.sum()) >= -1e-12).all()


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 20.0))
def test_what_contacts_do_with_muscles_held_is_a_mode(seed, stretch):
    """So a step always has a solution: the linear complementarity problem gives one, whatever the scales."""
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((6, 3))
    body = SoftBody(x, np.zeros_like(x), np.ones(6), x.copy(), slice(0, 6))
    way = Way(Scales(ahead=(1.0, 0.0, 0.0), backward=0.1 * stretch), body)
    count = 3
    tangents = np.repeat([[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]], count, axis=0)
    A = draw.standard_normal((3 * count, 3 * count))
    response = ContactResponse(
        free=draw.standard_normal(3 * count) - np.tile([1.0, 0.0, 0.0], count), muscles=np.zeros((3 * count, 1)),
        W=A @ A.T + 0.1 * np.eye(3 * count), friction=np.full(count, 0.1), gap_speed=np.zeros(count),
        directions=way.scale_directions(tangents, np.full(count, 0.1)),
    )  # fmt: skip
    asked = make_contact_problem(response, want_nothing(1 + 3 * count), np.array([-1.0]), np.array([1.0]))
    held = hold_and_touch(asked.qpcc, np.zeros(asked.qpcc.size))
    assert held is not None
    search = Search(asked.qpcc, make_pieces(asked.qpcc.pairs, asked.contacts), Budget())
    assert search.locate(held) is not None
