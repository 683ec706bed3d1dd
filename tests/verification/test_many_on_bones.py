"""Hundreds of contacts on few bones, of which few bear: the same motion as with all of W."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from supple.mechanics import sieve, systems
from supple_flesh.shapes import make_box_surface

CELLS, LENGTH = 9, 0.1
#: The square sole of a box of two bones that lies on a floor, and another that lies on it.
SCENE = """
format = 1
[run]
step = 0.002
duration = 1.0
[run.capacity]
contacts = 1500
[[entity]]
name = "floor"
plane = {{ friction = {friction} }}
[[entity]]
name = "lower"
pose = {{ position = [0, {height}, 0] }}
skeleton = {{}}
flesh = {{ vertices = {vertices}, triangles = {triangles}, mass = 0.2, stiffness = 1e4, state = "rigid" }}
[[entity]]
name = "lower/core"
bone = {{ joint = "free", mass = 0.8, inertia = [3e-4, 3e-4, 3e-4], rate = [{speed}, 0, 0, 0, {spin}, 0] }}
[[entity]]
name = "lower/core/arm"
pose = {{ position = [0, 0.2, 0] }}
bone = {{ joint = "hinge", axis = [1, 0, 0], mass = 0.3, inertia = [3e-4, 3e-4, 3e-4], rate = [{swing}] }}
[[entity]]
name = "upper"
pose = {{ position = [0.02, {above}, 0.01], axis = [0, 1, 0], angle = 20.0 }}
skeleton = {{}}
flesh = {{ vertices = {vertices}, triangles = {triangles}, mass = 0.2, stiffness = 1e4, state = "rigid" }}
[[entity]]
name = "upper/core"
bone = {{ joint = "free", mass = 0.8, inertia = [3e-4, 3e-4, 3e-4] }}
"""


STEPS = 4
FIGURES = ("skeleton.v", "flesh.position")


def write(lift: float, friction: float, speed: float, spin: float, swing: float) -> str:
    vertices, triangles = make_box_surface((LENGTH, LENGTH, LENGTH), CELLS)
    surface = {"vertices": [list(point) for point in vertices], "triangles": [list(c) for c in triangles]}
    height = 0.5 * LENGTH + lift
    numbers = {"friction": friction, "speed": speed, "spin": spin, "swing": swing}
    return SCENE.format(**surface, **numbers, height=height, above=height + LENGTH + 1e-5)


def note_open_steps(monkeypatch) -> list[bool]:
    """For every step with many contacts whether few of them did."""
    known, solve = [], sieve.Sieve.solve

    def note(self, *given):
        found = solve(self, *given)
        known.append(found is not None)
        return found

    monkeypatch.setattr(sieve.Sieve, "solve", note)
    return known


@given(
    lift=st.floats(-2e-5, 2e-5), friction=st.sampled_from([0.0, 0.3, 1.0]), speed=st.floats(-0.3, 0.3),
    spin=st.floats(-1.0, 1.0), swing=st.floats(-2.0, 2.0),
)  # fmt: skip
@example(lift=0.0, friction=0.5, speed=0.1, spin=0.5, swing=1.0)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_motions_are_those_with_all_of_w(load_text, lift, friction, speed, spin, swing) -> None:
    text = write(lift, friction, speed, spin, swing)
    with mock.patch.object(systems, "find_sieve", return_value=None):
        whole = load_text(text)
    few = load_text(text)
    for _ in range(STEPS):
        for world in (whole, few):
            world.step(1)
            assert world.array("rows.residual")[0] <= 1e-9
        for name in FIGURES:
            np.testing.assert_allclose(few.array(name), whole.array(name), rtol=0, atol=1e-10, err_msg=name)


def test_few_do_for_a_stack_that_slides(load_text, monkeypatch) -> None:
    done = note_open_steps(monkeypatch)
    world = load_text(write(0.0, 0.3, 0.1, 0.5, 1.0))
    world.step(STEPS)
    assert world.array("rows.count")[0] > 200
    assert any(done)
