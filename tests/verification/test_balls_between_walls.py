"""Balls on a line between two walls, or above a floor: where a reckoning from blow to blow says they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

RADIUS, LENGTH = 0.05, 3.0
WALL = """
[[entity]]
name = "{}"
pose = {{ axis = [0, 0, 1], angle = {}, position = [{}, 0, 0] }}
plane = {{ restitution = 1, friction = 0 }}
"""
KNOB = """
[[entity]]
name = "ball0/knob"
pose = { position = [0, 0.05, 0] }
sphere = { radius = 0.02, restitution = 1 }
"""
BALL = """
[[entity]]
name = "ball{}"
pose = {{ position = [{}, 0, 0] }}
sphere = {{ radius = 0.05, restitution = {}, friction = 0 }}
body = {{ mass = {}, velocity = [{}, 0, 0] }}
"""


def write_scene(step, x, v, mass, restitution):
    text = f"format = 1\n[run]\nstep = {step}\nduration = 10\ngravity = [0, 0, 0]\n"
    text += WALL.format("left", -90, 0) + WALL.format("right", 90, LENGTH)
    return text + "".join(BALL.format(i, x[i], restitution, mass[i], v[i]) for i in range(len(x)))


def reckon(x, v, mass, e, duration):
    """Places and velocities of balls after `duration`, blow by blow; and the least time between two blows."""
    x, v, left, apart = x.copy(), v.copy(), duration, math.inf
    last = -1
    while True:
        gaps = np.diff(np.concatenate([[-RADIUS], x, [LENGTH + RADIUS]])) - 2 * RADIUS
        closing = -np.diff(np.concatenate([[0.0], v, [0.0]]))
        times = np.where(
            closing > 1e-12, np.maximum(gaps, 0.0) / np.where(closing > 1e-12, closing, 1.0), math.inf
        )
        k = int(np.argmin(times))
        if times[k] >= left:
            return x + left * v, v, apart
        if last >= 0:
            apart = min(apart, times[k])
        x, left, last = x + times[k] * v, left - times[k], k
        inverse = np.concatenate([[0.0], 1.0 / mass, [0.0]])
        blow = (1 + e) * closing[k] / (inverse[k] + inverse[k + 1])
        if k > 0:
            v[k - 1] -= blow * inverse[k]
        if k < len(x):
            v[k] += blow * inverse[k + 1]


def test_balls_are_where_their_blows_send_them(load_text) -> None:
    @settings(max_examples=25, deadline=None)
    @given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 5), e=st.sampled_from([1.0, 0.8]))
    def check(seed, count, e) -> None:
        rng = np.random.default_rng(seed)
        place = np.sort(rng.uniform(0, 1, count)) * (LENGTH - 2 * RADIUS * count)
        x = place + RADIUS + 2 * RADIUS * np.arange(count)
        v, mass = 2 * rng.normal(size=count), rng.uniform(0.5, 2, count)
        wanted, speeds, apart = reckon(x, v, mass, e, 0.8)
        # What follows within a hundredth of a step is struck together.
        assume(apart > 1e-4)
        world = load_text(write_scene(0.004, x, v, mass, e))
        world.step(200)
        np.testing.assert_allclose(world.array("rigid.v")[:, 0], speeds, atol=1e-9)
        np.testing.assert_allclose([world[f"ball{i}"].position[0] for i in range(count)], wanted, atol=1e-9)

    check()


@pytest.mark.parametrize("knob", ["", KNOB])
def test_what_is_off_the_centre_is_struck_as_before_and_gains_nothing(load_text, knob) -> None:
    text = write_scene(0.004, np.array([1.0]), np.array([3.0]), np.array([1.0]), 1.0)
    world = load_text(
        text.replace("velocity = [3.0, 0, 0]", "velocity = [3.0, 0, 0], spin = [2, 3, 5]") + knob
    )
    world.step(1)
    before = world.metrics()["run.kinetic_energy"]
    for _ in range(300):
        world.step(1)
        assert world.metrics()["run.kinetic_energy"] <= before * (1 + 1e-12)
