"""Pushes that a controller knows of, against the laws of momentum and against the pushes that act."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple_locomotion.body import SoftBody
from supple_locomotion.compile import list_controlled
from supple_locomotion.known import KnownImpulses, KnownPush, find_torque
from supple_locomotion.preview import Announced

SCENE = Path(__file__).parents[2] / "scenes" / "soft_body_locomotion" / "foresee_i.toml"
H = 0.01
numbers = st.floats(-2, 2)


class StoppedClock:
    h = H

    def __init__(self, time):
        self.time = time


def make_push(force, weights, start=0.0, rise=0.0):
    force = np.array(force, float)
    announced = Announced(force[[0, 2]], 1.0, start, start + 10.0, rise)
    return KnownPush(announced, force, np.arange(4), np.array(weights, float))


def make_body(seed, first=3):
    rng = np.random.default_rng(seed)
    x, mass = rng.normal(size=(12, 3)), rng.uniform(0.5, 2.0, 12)
    return SoftBody(x, np.zeros((12, 3)), mass, x, slice(first, 12)), mass


@given(st.tuples(numbers, numbers, numbers), st.integers(0, 99))
def test_known_pushes_change_momenta_as_forces_do(force, seed):
    body, mass = make_body(seed)
    weights = np.random.default_rng(seed + 1).dirichlet(np.ones(4))
    push, clock = make_push(force, weights), StoppedClock(1.0)
    about = np.array([0.1, -0.2, 0.3])
    rows = np.concatenate([body.mass * body.map_centre(), body.make_rows(3)])
    body.fill_angular_momentum(about, np.eye(3), rows[3:])
    # Masses that nothing connects: A is their diagonal.
    answer = rows / np.repeat(mass, 3)
    change = KnownImpulses([push], body, clock).find_change(answer)
    assert np.allclose(change[:3], H * np.array(force), atol=1e-14)
    torque = find_torque([push], body, 1.0, H, about)
    assert np.allclose(change[3:], H * torque, atol=1e-13)
    point = weights @ body.x[:4]
    assert np.allclose(torque, np.cross(point - about, force), atol=1e-13)


@pytest.mark.parametrize(("time", "share"), [(0.0, 0.0), (1.0 - H / 2, 0.5), (2.0, 1.0), (20.0, 0.0)])
def test_a_known_push_acts_while_it_lasts(time, share):
    push = make_push([3.0, 0.0, 4.0], [1, 0, 0, 0], start=1.0)
    assert np.allclose(push.find_force(time, H), [3.0 * share, 0.0, 4.0 * share])


def test_a_known_push_is_the_push_that_acts():
    """An I in the air, pushed from the first step on: what is foreseen of its momentum is what the step does."""
    force = [30.0, 5.0, -20.0]
    goals = {"of": "balance", "part": "base", "axes": "xz", "foresees": ["shove"], "weight": 1, "begin": 0.5}
    over = {
        "i.pose.position": [0.2, 1.0, 0.1], "i.pose.axis": [0, 1, 0], "i.pose.angle": 40.0,
        "i.tet_letter.tets": 100, "i.locomotion.goals.balance": goals, "shove.at": 0.0, "shove.push.force": force,
    }  # fmt: skip
    world = supple.load(SCENE, overrides=over)
    (each,) = list_controlled(world.build)
    x, mass = world.array("tets.x").copy(), world.array("tets.mass")
    body = SoftBody(x, np.zeros_like(x), mass, x, each.body.vertices)
    expected = find_torque(each.known, body, 0.0, H, np.zeros(3))
    world.step(1)
    moved, v = world.array("tets.x"), world.array("tets.v")
    momentum = mass @ v + H * mass.sum() * np.array([0, 9.81, 0])
    spin = np.cross(moved, mass[:, None] * v).sum(axis=0)
    weight = np.cross(mass @ x / mass.sum(), mass.sum() * np.array([0, -9.81, 0]))
    assert np.allclose(momentum, H * np.array(force), rtol=1e-9, atol=1e-9)
    assert np.allclose(spin, H * (expected + weight), rtol=1e-3, atol=1e-3)
