"""Springs and drives: closed forms, and books that close whatever they are taken by."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import UserError
from supple.mechanics.spring_kernels import begins_beyond, choose_implicitness, keep_books, pull_back, resist

HEAD = """
format = 1
about = "springs"
[run]
step = {h}
duration = 10.0
gravity = [0, {gravity}, 0]
[run.newton]
tolerance = 1e-13
"""


def write_chain(rng: np.random.Generator, h: float) -> str:
    """Balls one above the other, springs of all sizes between them, and a floor that the lowest ones hit."""
    text = [HEAD.format(h=h, gravity=-9.81), '[[entity]]\nname = "floor"\nplane = { friction = 0.5 }\n']
    heights = 0.2 + np.cumsum(rng.uniform(0.25, 0.6, 5))
    masses = 10.0 ** rng.uniform(-1, 1, 5)
    for i, (y, mass) in enumerate(zip(heights, masses, strict=True)):
        text.append(
            f'[[entity]]\nname = "b{i}"\npose = {{ position = [0, {y}, 0] }}\nsphere = {{ radius = 0.1 }}\n'
            f"body = {{ mass = {mass}, velocity = [0, {rng.normal()}, 0] }}\n"
        )
    for i in range(4):
        reduced = 1.0 / (1.0 / masses[i] + 1.0 / masses[i + 1])
        swing = 10.0 ** rng.uniform(-2, 1) / h
        stiffness = reduced * swing**2
        damping = rng.choice([0.0, 0.1]) * reduced * swing
        theta = rng.choice(['"automatic"', "0.5", "0.8", "1.0"])
        rest = heights[i + 1] - heights[i] + 0.02 * rng.normal() / (1 + swing * h)
        text.append(
            f'[[entity]]\nname = "s{i}"\nspring = {{ between = ["b{i}", "b{i + 1}"], stiffness = {stiffness}, '
            f"damping = {damping}, rest = {rest}, implicitness = {theta} }}\n"
        )
    return "\n".join(text)


@pytest.mark.parametrize("seed", range(10))
def test_the_balance_closes_over_random_chains_that_hit_a_floor(load_text, seed) -> None:
    """Energy, numerical loss and all work add up to what was there at the start; springs never gain."""
    rng = np.random.default_rng(seed)
    world = load_text(write_chain(rng, 0.004))
    turnover, loss = 0.0, 0.0
    for _ in range(300):
        world.step()
        now = world.metrics()
        assert now["run.numerical_loss"] >= loss * (1 - 1e-12)
        loss = now["run.numerical_loss"]
        turnover = max(
            turnover, abs(now["run.energy_initial"]), now["run.kinetic_energy"] + now["run.stored_energy"]
        )
    assert world.metrics()["run.contacts"] > 0
    assert abs(now["run.energy_unaccounted"]) < 1e-12 * turnover
    assert now["run.contact_work"] < 0.0


@given(
    swing=st.floats(1e-3, 5.0),
    bound=st.floats(0.05, 3.0),
    stretch=st.floats(-3.0, 3.0),
    rate=st.floats(-3.0, 3.0),
    setting=st.sampled_from([0.0, 0.5, 0.7, 1.0]),
)
@settings(max_examples=150, deadline=None)
def test_a_bounded_spring_never_gains(swing, bound, stretch, rate, setting) -> None:
    """A unit mass on a unit spring whose force is bounded: its energy at any time is at most that of the start."""
    h, k = swing, 1.0
    theta = choose_implicitness(h, setting, k, 0.0, 1.0)
    s, w, lost, energies = stretch, rate, 0.0, []
    for _ in range(200):
        late = begins_beyond(h, theta, k, bound, s, 0.0, w)
        force = pull_back(h, theta, late, k, 0.0, 0.0, w, k * s)
        resisting = resist(h, theta, late, k, 0.0)
        impulse = -(w + force / resisting) / (1.0 + 1.0 / (h * resisting))
        impulse = min(max(impulse, -h * bound), h * bound)
        before, after, loss, _ = keep_books(h, theta, k, 0.0, bound, s, w, w + impulse, impulse)
        if not energies:
            start = before + 0.5 * w * w
            slack = 0.5 * ((theta - 0.5) * h * w) ** 2 * k
        w, s = w + impulse, s + h * (w + impulse)
        lost += loss
        energies.append(after + 0.5 * w * w)
        assert energies[-1] + lost == pytest.approx(start, rel=1e-9, abs=1e-12)
    if theta == 0.5:
        assert max(energies) <= start * (1 + 1e-9) + 1e-12
    else:
        assert max(energies) <= start + slack + 1e-9 * (1 + start)


def test_automatic_is_the_middle_for_slow_springs_and_the_end_for_fast_ones() -> None:
    assert choose_implicitness(0.002, 0.0, 400.0, 0.0, 1.0) == 0.5
    assert choose_implicitness(0.002, 0.0, 1e8, 0.0, 1.0) == 1.0
    assert choose_implicitness(0.002, 0.0, 400.0, 1e4, 1.0) == 1.0, "a stiff damper must not swing either"
    assert choose_implicitness(0.002, 0.0, 0.0, 5.0, 1.0) == 1.0, "a damper alone is as it was"
    assert choose_implicitness(0.002, 0.8, 1e8, 0.0, 1.0) == 0.8


WEIGHT = """
[[entity]]
name = "weight"
sphere = { radius = 0.1 }
body = { mass = 1 }
[[entity]]
name = "hook"
pose = { position = [0, 1.1, 0] }
"""


@pytest.mark.parametrize("gravity", [0.0, -9.81])
def test_an_undamped_spring_keeps_its_energy(load_text, gravity) -> None:
    """1 kg on 400 N/m for 5 s at 2 ms; taken at the end of the step hardly anything would be left."""
    left = []
    for theta in ('"automatic"', "1.0"):
        spring = f'spring = {{ between = ["weight"], stiffness = 400, rest = 1, implicitness = {theta} }}'
        world = load_text(HEAD.format(h=0.002, gravity=gravity) + WEIGHT + spring)
        world.step(2500)
        now = world.metrics()
        start = now["run.energy_initial"]
        lowest = -0.5 * gravity**2 / 400 - gravity * 0.1  # where it would come to rest
        left.append((now["run.kinetic_energy"] + now["run.potential_energy"] - lowest) / (start - lowest))
        assert abs(now["run.energy_unaccounted"]) < 1e-11
        assert now["run.numerical_loss"] == pytest.approx((1 - left[-1]) * (start - lowest), abs=1e-11)
    assert left[0] == pytest.approx(1.0, abs=1e-10)
    assert left[1] == pytest.approx(1.0016**-2500, rel=0.1)


ARM = """
[[entity]]
name = "arm"
skeleton = {{}}
{tracking}
[[entity]]
name = "arm/rod"
{servo}
[entity.bone]
joint = "hinge"
axis = [0, 0, 1]
mass = 0.99
centre = [1, 0, 0]
inertia = [0.01, 0.01, 0.01]
start = [20]
{bone}
"""
MOTION = "motion = { keys = [ { at = 0, pose = { 'rod' = 20 } }, { at = 1, pose = { 'rod' = 60 } } ] }\n"


@pytest.mark.parametrize(
    ("what", "kept"),
    [
        ({"bone": "stiffness = 400"}, 1.0),
        ({"servo": 'servo = { stiffness = 400, limit = 1e9, implicitness = "automatic" }'}, 1.0),
        ({"servo": "servo = { stiffness = 400, limit = 1e9 }"}, 1.0016**-2500),
    ],
)
def test_springs_of_joints_and_servos_keep_what_they_say(load_text, what, kept) -> None:
    text = ARM.format(**{"tracking": "", "bone": "", "servo": "", **what})
    world = load_text(HEAD.format(h=0.002, gravity=0) + text)
    world.step(2500)
    now = world.metrics()
    assert now["run.energy_initial"] == pytest.approx(200 * math.radians(20) ** 2, rel=1e-12)
    left = (now["run.kinetic_energy"] + now["run.stored_energy"]) / now["run.energy_initial"]
    assert left == pytest.approx(kept, rel=0.1 if kept < 1 else 1e-9)
    assert abs(now["run.energy_unaccounted"]) < 1e-12 * 5000
    assert now["run.potential_energy"] == now["run.stored_energy"]


@pytest.mark.parametrize("theta", [0.5, 1.0])
@pytest.mark.parametrize("limit", ["", ", limit = 30"])
def test_a_tracker_has_stored_what_its_error_says(load_text, theta, limit) -> None:
    """Its books close while the target moves, and at rest the store is what the load stretches it by."""
    tracking = f"pose_tracking = {{ stiffness = 200, damping = 30{limit}, implicitness = {theta} }}\n{MOTION}"
    for gravity in (0.0, -9.81):
        text = ARM.format(tracking=tracking, bone="", servo="")
        world = load_text(HEAD.format(h=0.002, gravity=gravity) + text)
        world.step(2000)
        now, torque = world.metrics(), 0.99 * -gravity * math.cos(world.array("skeleton.q")[0])
        assert now["run.stored_energy"] == pytest.approx(torque**2 / 400, rel=1e-6, abs=1e-12)
        if gravity == 0.0:
            assert abs(now["run.energy_unaccounted"]) < 1e-12


def test_a_tracker_answers_to_second_order_if_it_is_asked_to(load_text) -> None:
    """The speed at which a step response passes the end of its first half swing is the error of its phase."""
    period = math.pi / 16
    speeds = {}
    for theta in (0.5, 1.0):
        for n in (50, 100):
            tracking = f"pose_tracking = {{ stiffness = 400, damping = 24, implicitness = {theta} }}"
            text = ARM.format(tracking=tracking, bone="", servo="")
            world = load_text(HEAD.format(h=period / n, gravity=0) + text)
            world.array("skeleton.q")[0] = math.radians(30)
            world.step(n)
            answer = math.radians(20) + math.radians(10) * -math.exp(-12 * period)
            speeds[theta, n] = world.array("skeleton.q")[0] - answer
    assert speeds[0.5, 50] / speeds[0.5, 100] == pytest.approx(4, rel=0.1)
    assert speeds[1.0, 50] / speeds[1.0, 100] == pytest.approx(2, rel=0.15)


@pytest.mark.parametrize("told", ["0.4", "1.2", '"late"', "true"])
def test_implicitness_out_of_range_is_refused(load_text, told) -> None:
    spring = f'spring = {{ between = ["weight"], stiffness = 400, implicitness = {told} }}'
    with pytest.raises(UserError, match="implicitness"):
        load_text(HEAD.format(h=0.002, gravity=0) + WEIGHT + spring)
