"""Pliant joints: the plan against inverse dynamics, rows against implicit PD, and what the plan foresees."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supple.testing import audit_step

ARM = """
format = 1
[run]
step = {step}
duration = 1.0
gravity = [0, -9.81, 0]
[run.skeleton]
implicitness = 0.0
[run.newton]
tolerance = 1e-13

[[entity]]
name = "arm"
pose = {{ position = [0, 1, 0] }}
skeleton = {{}}
pliant = {{ stiffness = {stiffness}, damping = {damping}, plan = {plan}, probe = {plan} }}

[entity.motion]
keys = [
    {{ at = 0, pose = {{ "upper" = {{ axis = [0, 0, 1], angle = 0 }}, "upper/lower" = {start} }} }},
    {{ at = 0.5, pose = {{ "upper" = {{ axis = [0, 0.6, 0.8], angle = 80 }}, "upper/lower" = {end} }} }},
]

[[entity]]
name = "arm/upper"
bone = {{ joint = "ball", axis = [0, 1, 0], rate = {rate} }}
capsule = {{ radius = 0.04, length = 0.3 }}

[[entity]]
name = "arm/upper/lower"
pose = {{ position = [0.05, -0.3, 0.02] }}
bone = {{ joint = "hinge", axis = [1, 0, 0], start = [{start}] }}
box = {{ size = [0.1, 0.2, 0.3] }}
"""

angles = st.floats(-90, 90)
rates = st.floats(-5, 5)


def arm(load_text, **changes):
    values = {
        "step": 0.004, "stiffness": 3.0, "damping": 0.2, "plan": "true", "start": 10.0, "end": 60.0, "rate": [0.0] * 3,
    } | changes  # fmt: skip
    return load_text(ARM.format(**values))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=angles, end=angles, rate=st.lists(rates, min_size=3, max_size=3))
def test_planned_torques_are_those_of_the_inverse_dynamics(load_text, start, end, rate):
    world = arm(load_text, start=round(start, 3), end=round(end, 3), rate=rate)
    skeletons = next(one for one in world.members("mechanisms") if one.name == "skeleton")
    dynamics = skeletons.dynamics("arm")
    for _ in range(3):
        world.step()
    v = world.array("skeleton.v").copy()
    M, force = dynamics.mass_matrix(), dynamics.bias() + dynamics.gravity()
    world.step()
    exact = M @ ((world.array("skeleton.target_rate") - v) / 0.004) + force
    assert world.array("pliant.torque") == pytest.approx(exact, rel=1e-7, abs=1e-7)


def test_plan_changes_no_state_and_says_what_it_touches(load_text):
    world = arm(load_text)
    for _ in range(5):
        audit_step(world)
    assert world.metrics()["arm.state_changed"] == 0


@pytest.mark.parametrize("stiffness", [1e-2, 1.0, 1e2, 1e4])
def test_free_tracking_does_not_depend_on_the_gains(load_text, stiffness):
    world = arm(load_text, stiffness=stiffness, damping=0.1 * stiffness)
    for _ in range(150):
        world.step()
    assert world.metrics()["arm.error_worst"] < 1e-9


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stiffness=st.floats(0.0, 1e4), damping=st.floats(0.01, 1e3), start=angles,
    rate=st.lists(rates, min_size=3, max_size=3),
)  # fmt: skip
def test_rows_are_implicit_pd_control(load_text, stiffness, damping, start, rate):
    """A v' = M v + h (K (q* - q) - bias - gravity + D w*), A = M + h D + h^2 K, by a dense solve."""
    h = 0.004
    world = arm(
        load_text, stiffness=stiffness, damping=damping, plan="false", start=round(start, 3), rate=rate
    )
    skeletons = next(one for one in world.members("mechanisms") if one.name == "skeleton")
    dynamics = skeletons.dynamics("arm")
    v = world.array("skeleton.v").copy()
    M, force = dynamics.mass_matrix(), dynamics.bias() + dynamics.gravity()
    world.step()
    error, wanted = world.array("pliant.error"), world.array("pliant.desired")
    A = M + (h * damping + h * h * stiffness) * np.eye(len(v))
    b = M @ v + h * (-stiffness * error + damping * wanted - force)
    exact = np.linalg.solve(A, b)
    assert np.abs(world.array("skeleton.v") - exact).max() <= 1e-12 * max(
        1.0, np.abs(v).max(), np.abs(exact).max()
    )


BLOCKED = """
format = 1
[run]
step = 0.004
duration = 1.0

[[entity]]
name = "floor"
plane = {{ friction = 0.5 }}

[[entity]]
name = "rod"
pose = {{ position = [0, 0.2, 0] }}
box = {{ size = [0.6, 0.05, 0.05] }}
body = {{}}

[[entity]]
name = "axle"
pose = {{ position = [-0.3, 0.2, 0] }}
joint = {{ kind = "hinge", between = ["rod"], axis = [0, 0, 1] }}
pliant = {{ stiffness = 1, damping = 0.1, keys = [[0, 0], [0.1, {angle}]], carries = {carries} }}

[[entity]]
name = "crate"
pose = {{ position = [0.2, 0.075, 0] }}
box = {{ size = [0.15, 0.15, 0.15] }}
body = {{ mass = 20 }}
"""


def test_joint_between_bodies_follows_its_keys(load_text):
    world = load_text(BLOCKED.format(angle=30, carries="[]"))
    for _ in range(50):
        world.step()
    assert world.metrics()["axle.position"] == pytest.approx(np.radians(30), abs=1e-4)


def test_contacts_count_in_the_plan_only_if_both_sides_are_carried(load_text):
    """Down onto a crate: carried, the plan presses with what the motion would need to go through it."""
    torques = {}
    for carries in ('["crate"]', "[]", '["floor"]'):
        world = load_text(BLOCKED.format(angle=-40, carries=carries))
        for _ in range(15):
            world.step()
        torques[carries] = abs(world.array("pliant.torque")[0])
        assert world.metrics()["run.penetration_worst"] < 1e-6
    assert torques["[]"] == pytest.approx(torques['["floor"]'], rel=1e-9)
    assert torques['["crate"]'] > 5 * torques["[]"]


def test_co_contraction_scales_both_gains(load_text):
    text = BLOCKED.format(angle=30, carries="[]").replace(
        "stiffness = 1,", "co_contraction = [[0.0, 1], [0.04, 5]], stiffness = 1,"
    )
    world = load_text(text)
    for _ in range(6):
        world.step()
    assert world.array("pliant.gains_now")[0] == pytest.approx([3.0, 0.3])
    for _ in range(20):
        world.step()
    assert world.array("pliant.gains_now")[0] == pytest.approx([5.0, 0.5])


@pytest.mark.parametrize(
    ("interpolation", "at_middle", "rate"), [("linear", 15.0, 300.0), ("min_jerk", 15.0, 562.5), ("constant", 0.0, 0.0)]
)  # fmt: skip
def test_keys_are_joined_as_the_curve_says(load_text, interpolation, at_middle, rate):
    """Half-way between two keys: value and rate of the closed forms [deg, deg/s], by differences over a step."""
    told = f'interpolation = "{interpolation}", stiffness = 1,'
    world = load_text(BLOCKED.format(angle=30, carries="[]").replace("stiffness = 1,", told))
    world.step(12)
    position = world["axle"].position
    world.compute_step()
    target = np.degrees(position - world.array("pliant.error")[0])
    assert target == pytest.approx(at_middle + 0.002 * rate, abs=2e-3)  # at the end of the step, 0.052 s
    assert np.degrees(world.array("pliant.desired")[0]) == pytest.approx(rate, rel=2e-3)


def test_co_contraction_may_be_any_curve(load_text):
    curve = '{ keys = [[0.0, 1], [0.04, 5]], interpolation = "min_jerk" }'
    text = BLOCKED.format(angle=30, carries="[]").replace(
        "stiffness = 1,", f"co_contraction = {curve}, stiffness = 1,"
    )
    world = load_text(text)
    world.step(3)
    world.compute_step()
    u = 0.012 / 0.04
    share = 1 + 4 * (10 * u**3 - 15 * u**4 + 6 * u**5)
    assert world.array("pliant.gains_now")[0] == pytest.approx([share, 0.1 * share])
    steep = "{ keys = [[0.0, 1], [0.004, 0], [0.04, 0], [0.044, 1]], interpolation = 'hermite' }"
    world = load_text(
        BLOCKED.format(angle=30, carries="[]").replace(
            "stiffness = 1,", f"co_contraction = {steep}, stiffness = 1,"
        )
    )
    for _ in range(10):
        world.step()
        assert (world.array("pliant.gains_now") >= 0).all()


def test_a_ball_turns_along_the_shortest_arc(load_text):
    """Rotation vectors about the joint's axis, z here: the angle goes as the number of a hinge would."""
    ball = BLOCKED.format(angle=30, carries="[]").replace('kind = "hinge"', 'kind = "ball"')
    ball = ball.replace(
        "keys = [[0, 0], [0.1, 30]]", 'interpolation = "linear", keys = [[0, 0, 0, 0], [0.1, 30, 0, 0]]'
    )
    world = load_text(ball)
    world.compute_step()
    assert world.array("pliant.desired") == pytest.approx([0, 0, np.radians(300)], abs=1e-9)
    assert world.array("pliant.error") == pytest.approx([0, 0, -np.radians(1.2)], abs=1e-9)
