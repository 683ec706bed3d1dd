"""Joints, motors, limits and springs against closed forms and conservation laws."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

from supple.testing import audit_step

GRAVITY = 9.81
MASS, LENGTH, THICKNESS = 2.0, 1.0, 0.1
INERTIA = MASS * (LENGTH**2 + THICKNESS**2) / 12 + MASS * (LENGTH / 2) ** 2
"""Of the rod about its end [kg m^2]."""


def scene(h: float, entities: str, gravity: Sequence[float] = (0, -GRAVITY, 0)) -> str:
    """A scene of these entities, in the words of an author."""
    return f"format = 1\n[run]\nstep = {h}\nduration = 100.0\ngravity = {list(gravity)}\n{entities}"


def rod(h: float, kind: str, tilt: float, more: str = "", start: str = "") -> str:
    """A rod that hangs by its end from the origin, turned from the x axis by `tilt` [deg]."""
    return scene(h, f"""
    [[entity]]
    name = "top"
    pose = {{ axis = [0, 0, 1], angle = {tilt} }}
    [[entity]]
    name = "top/rod"
    pose = {{ position = [{LENGTH / 2}, 0, 0] }}
    box = {{ size = [{LENGTH}, {THICKNESS}, {THICKNESS}] }}
    body = {{ mass = {MASS}{start} }}
    [[entity]]
    name = "top/pin"
    joint = {{ kind = "{kind}", between = ["top/rod"], axis = [0, 0, 1]{more} }}
    """)  # fmt: skip


def two_bodies(kind: str, between: str = '"a", "b"', more: str = "", h: float = 0.004) -> str:
    """Two bodies in free flight, joined between them so that they cannot touch."""
    return scene(h, f"""
    [[entity]]
    name = "a"
    pose = {{ position = [-0.3, 0, 0] }}
    box = {{ size = [0.16, 0.06, 0.1] }}
    body = {{ mass = 2, velocity = [0.3, 0.1, 0], spin = [0.5, 2, -1] }}
    [[entity]]
    name = "b"
    pose = {{ position = [0.7, 0.1, 0], axis = [1, 0, 1], angle = 20 }}
    box = {{ size = [0.3, 0.1, 0.2] }}
    body = {{ mass = 0.7, velocity = [0, -0.2, 0.4], spin = [1, -1, 2] }}
    [[entity]]
    name = "pin"
    pose = {{ axis = [0, 1, 0], angle = 30 }}
    joint = {{ kind = "{kind}", between = [{between}], axis = [1, 2, 0.5]{more} }}
    """, gravity=(0, 0, 0))  # fmt: skip


def chain(angles: Sequence[float], h: float, joint: str, tied: bool = False) -> str:
    """Planks of 1 kg one after the other, each turned by its angle [deg]; joint k stands before plank k."""
    x, text = np.zeros(2), ""
    for k, angle in enumerate(angles):
        along = 0.25 * np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
        middle, other = x + along / 2, f', "plank{k - 1}"' if k else ""
        text += f"""
        [[entity]]
        name = "plank{k}"
        pose = {{ position = [{middle[0]}, {middle[1]}, 0], axis = [0, 0, 1], angle = {angle} }}
        box = {{ size = [0.2, 0.02, 0.1] }}
        body = {{ mass = 1 }}
        [[entity]]
        name = "joint{k}"
        pose = {{ position = [{x[0]}, {x[1]}, 0] }}
        joint = {{ between = ["plank{k}"{other}], {joint} }}
        """
        x = x + along
    if tied:
        text += f"""
        [[entity]]
        name = "joint{len(angles)}"
        pose = {{ position = [{x[0]}, {x[1]}, 0] }}
        joint = {{ between = ["plank{len(angles) - 1}"], {joint} }}
        """
    return scene(h, text)


def measure_period(load_text, h: float, kind: str) -> float:
    """Time between two crossings of the lowest point in the same direction."""
    world = load_text(rod(h, kind, -30.0))
    crossings, before = [], world["top/rod"].position[0]
    while len(crossings) < 3:
        world.step()
        now = world["top/rod"].position[0]
        if before * now < 0:
            crossings.append(world.time - h * now / (now - before))
        before = now
    return crossings[2] - crossings[0]


@pytest.mark.parametrize("kind", ["hinge", "ball"])
def test_a_pendulum_has_the_period_of_the_elliptic_integral(load_text, kind) -> None:
    amplitude = math.radians(60)  # the rod starts 30 degrees below the horizontal
    exact = 4 * math.sqrt(INERTIA / (MASS * GRAVITY * LENGTH / 2)) * ellipk(math.sin(amplitude / 2) ** 2)
    errors = [abs(measure_period(load_text, h, kind) - exact) for h in (0.016, 0.008, 0.004)]
    assert errors[2] < 1e-4 * exact
    # Symplectic Euler is conjugate to a method of second order, so the period is of second order too.
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.25)


def test_a_pendulum_at_the_bottom_loads_its_hinge_by_the_textbook_force(load_text) -> None:
    world = load_text(rod(0.002, "hinge", 0.0))
    world.step(1000)
    # Released from the horizontal: weight plus m w^2 l/2 with w^2 = m g l / I.
    exact = MASS * GRAVITY * (1 + MASS * LENGTH / 2 * LENGTH / INERTIA)
    assert world.metrics()["top/pin.load"] == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("kind", ["ball", "hinge", "slider", "fixed"])
def test_joints_keep_the_momentum_of_two_bodies(load_text, kind) -> None:
    world = load_text(two_bodies(kind))
    start = (world.array("rigid.mass")[:, None] * world.array("rigid.v")[:, :3]).sum(axis=0)
    passed = 0.0
    for _ in range(500):
        x, turns = (
            world.array("rigid.x").copy(),
            Rotation.from_quat(world.array("rigid.q"), scalar_first=True),
        )
        world.step()
        impulse = world.array("rigid.impulse").copy()
        moment = np.cross(x, impulse[:, :3]) + turns.apply(impulse[:, 3:])
        passed = max(passed, np.abs(moment).max())
        assert np.abs(impulse[:, :3].sum(axis=0)).max() <= 1e-15 * max(1.0, np.abs(impulse).max())
        assert np.abs(moment.sum(axis=0)).max() <= 1e-12 * max(1.0, np.abs(moment).max())
    assert passed > 1e-4, "the joint must have something to do"
    end = (world.array("rigid.mass")[:, None] * world.array("rigid.v")[:, :3]).sum(axis=0)
    assert np.abs(end - start).max() < 1e-12


@pytest.mark.parametrize("kind", ["ball", "hinge", "slider", "fixed"])
def test_errors_are_those_of_one_step_however_long_the_run(load_text, kind) -> None:
    h = 0.004
    world = load_text(two_bodies(kind, h=h))
    arms = np.linalg.norm(world.array("joints.anchor_x")[0], axis=1)
    for _ in range(4000):
        world.step()
        spin = np.linalg.norm(world.array("rigid.v")[:, 3:], axis=1)
        reach = arms + (abs(world["pin"].position) if kind == "slider" else 0.0)
        # A point at the distance r leaves its tangent by h^2 w^2 r / 2 within a step; the rest is taken back.
        assert world["pin"].error <= 1.3 * h**2 / 2 * (spin**2 @ reach) + 1e-12
        assert world["pin"].turn_error <= 1.3 * h**2 / 2 * spin.sum() ** 2 + 1e-12


def test_swapping_the_two_mirrors_the_position_and_changes_no_motion(load_text) -> None:
    more = ", lower = -{}, upper = {}, friction = 0.02, damping = 0.03"
    one = load_text(two_bodies("hinge", more=more.format(20, 45)))
    other = load_text(two_bodies("hinge", '"b", "a"', more.format(45, 20)))
    for _ in range(200):
        one.step()
        other.step()
    assert one["pin"].position == pytest.approx(-other["pin"].position, abs=1e-8)
    assert np.abs(one.array("rigid.x") - other.array("rigid.x")).max() < 1e-8
    assert abs(one["pin"].position) > 0.01


def test_a_hinge_counts_full_turns(load_text) -> None:
    world = load_text(scene(0.01, """
    [[entity]]
    name = "wheel"
    sphere = { radius = 0.2 }
    body = { mass = 1, spin = [0, 3, 0] }
    [[entity]]
    name = "axle"
    joint = { kind = "hinge", between = ["wheel"], axis = [0, 2, 0] }
    """, gravity=(0, 0, 0)))  # fmt: skip
    world.step(1000)
    assert world["axle"].position == pytest.approx(30.0, abs=1e-9)
    assert world["axle"].rate == pytest.approx(3.0, abs=1e-9)


def test_limits_hold_a_pendulum_on_both_sides(load_text) -> None:
    limits, start = ", lower = -130, upper = 15", ", velocity = [0, 2, 0], spin = [0, 0, 4]"
    world = load_text(rod(0.004, "hinge", 0.0, limits, start))
    world.step(1000)
    figures = world.metrics()
    assert math.radians(15) - 1e-3 < figures["top/pin.highest"] <= math.radians(15) + 1e-9
    assert math.radians(-130) - 1e-9 <= figures["top/pin.lowest"] < math.radians(-130) + 1e-3
    assert figures["run.penetration_worst"] == 0.0, "an angle beyond a limit is no penetration of surfaces"


LIFT = """
[[entity]]
name = "load"
box = {{ size = [0.2, 0.2, 0.2] }}
body = {{ mass = 4 }}
[[entity]]
name = "rail"
joint = {{ kind = "slider", between = ["load"] }}
[[entity]]
name = "winch"
motor = {{ on = "rail", speed = 0.5, strongest = {strongest} }}
"""


def test_a_motor_that_is_too_weak_gives_its_strongest_force(load_text) -> None:
    weight = 4 * GRAVITY
    world = load_text(scene(0.004, LIFT.format(strongest=0.9 * weight)))
    world.step(100)
    assert world["load"].velocity[1] == pytest.approx(-0.1 * GRAVITY * 0.4, rel=1e-9)
    assert world["winch"].drive == pytest.approx(0.9 * weight, rel=1e-12)


def test_a_motor_that_is_strong_enough_reaches_its_speed(load_text) -> None:
    weight = 4 * GRAVITY
    world = load_text(scene(0.004, LIFT.format(strongest=1.5 * weight)))
    world.step(20)  # 0.5 g for 0.08 s gives 0.39 m/s
    assert world["load"].velocity[1] == pytest.approx(0.5 * GRAVITY * 0.08, rel=1e-9)
    world.step(80)
    assert world["rail"].rate == pytest.approx(0.5, rel=1e-9)
    assert world["winch"].drive == pytest.approx(weight, rel=1e-9)
    assert world.metrics()["winch.effort"] == pytest.approx(1.5 * weight, rel=1e-12)


def test_friction_of_a_slider_holds_up_to_its_force(load_text) -> None:
    text = """
    [[entity]]
    name = "load"
    box = {{ size = [0.2, 0.2, 0.2] }}
    body = {{ mass = 4 }}
    [[entity]]
    name = "rail"
    joint = {{ kind = "slider", between = ["load"], friction = {friction} }}
    """
    holds = load_text(scene(0.004, text.format(friction=4 * GRAVITY * 1.001)))
    holds.step(100)
    assert abs(holds["rail"].position) < 1e-9
    slips = load_text(scene(0.004, text.format(friction=4 * GRAVITY * 0.5)))
    slips.step(100)
    assert slips["load"].velocity[1] == pytest.approx(-0.5 * GRAVITY * 0.4, rel=1e-9)


def test_a_wheel_on_a_damped_hinge_slows_down_by_the_implicit_factor(load_text) -> None:
    world = load_text(scene(0.01, """
    [[entity]]
    name = "wheel"
    sphere = { radius = 0.2 }
    body = { mass = 1, spin = [0, 0, 5] }
    [[entity]]
    name = "axle"
    joint = { kind = "hinge", between = ["wheel"], axis = [0, 0, 1], damping = 0.03 }
    """))  # fmt: skip
    world.step(100)
    inertia = 0.4 * 0.2**2
    assert world["wheel"].velocity[5] == pytest.approx(5 / (1 + 0.01 * 0.03 / inertia) ** 100, rel=1e-9)


def test_a_weight_hangs_where_spring_and_gravity_balance(load_text) -> None:
    world = load_text(scene(0.01, """
    [[entity]]
    name = "weight"
    sphere = { radius = 0.1 }
    body = { mass = 2 }
    [[entity]]
    name = "hook"
    pose = { position = [0, 0.4, 0] }
    spring = { between = ["weight"], stiffness = 80, damping = 15 }
    """))  # fmt: skip
    world.step(4000)
    assert world["hook"].stretch == pytest.approx(2 * GRAVITY / 80, rel=1e-9)
    assert world["hook"].tension == pytest.approx(2 * GRAVITY, rel=1e-9)


def test_a_spring_gives_no_more_than_its_strongest_force(load_text) -> None:
    world = load_text(scene(0.01, """
    [[entity]]
    name = "weight"
    sphere = { radius = 0.1 }
    body = { mass = 2 }
    [[entity]]
    name = "hook"
    pose = { position = [0, 1, 0] }
    spring = { between = ["weight"], stiffness = 1e5, damping = 10, strongest = 15 }
    """))  # fmt: skip
    world.step(50)
    assert world["weight"].velocity[1] == pytest.approx(-(GRAVITY - 15 / 2) * 0.5, rel=1e-6)
    assert world.metrics()["hook.strain"] == pytest.approx(15.0, rel=1e-12)


def test_a_hanging_bridge_loads_its_ends_by_its_weight(load_text) -> None:
    angles = (-40, -15, 15, 40)
    world = load_text(chain(angles, h=0.01, joint='kind = "hinge", damping = 4, axis = [0, 0, 1]', tied=True))
    world.step(1500)
    ends = [world["joint0"].force, world["joint4"].force]
    assert ends[0] + ends[1] == pytest.approx([0, 4 * GRAVITY, 0], abs=1e-6)
    assert ends[0][1] == pytest.approx(2 * GRAVITY, rel=1e-6), "the bridge is symmetric"
    middle = world["joint2"].force
    assert middle == pytest.approx([ends[0][0], 0, 0], abs=1e-5), "the middle joint passes on the pull alone"


def test_the_default_solver_converges_on_a_chain_of_ten(load_text) -> None:
    world = load_text(chain([0] * 10, h=0.004, joint='kind = "ball"'))
    sweeps = []
    for _ in range(400):
        world.step()
        sweeps.append(world.array("rows.iterations")[0])
    figures = world.metrics()
    assert figures["run.solver_failures"] == 0
    assert figures["run.residual_worst"] <= 1e-10
    assert max(sweeps) < 200


def test_every_system_keeps_to_its_declaration(load_text) -> None:
    world = load_text(
        two_bodies("hinge", more=", upper = 40")
        + """
    [[entity]]
    name = "drive"
    motor = { on = "pin", speed = 1, strongest = 2 }
    spring = { on = "pin", stiffness = 3 }
    [[entity]]
    name = "band"
    spring = { between = ["b"], stiffness = 2, rest = 0 }
    [[event]]
    name = "catch"
    at = 0.04
    grasp = { hand = "band", object = "b", duration = 0.02 }
    """
    )
    for _ in range(20):
        audit_step(world)
    assert world.steps == 20
    assert world.metrics()["catch.closed"] == 0


FAR_SKELETON = """
[[entity]]
name = "z_far"
pose = { position = [50, 0, 0] }
skeleton = {}
[[entity]]
name = "z_far/bone"
bone = { joint = "hinge", axis = [0, 0, 1], mass = 1, inertia = [0.1, 0.1, 0.1], centre = [0, -0.2, 0] }
"""


def test_skeleton_far_away_changes_nothing_that_is_seen_of_a_joint(load_text):
    alone, both = (load_text(rod(0.004, "hinge", 20) + more) for more in ("", FAR_SKELETON))
    for world in (alone, both):
        world.step(40)
    expected, found = alone.metrics(), both.metrics()
    assert abs(expected["top/pin.rate"]) > 0.1
    mine = {name for name in expected if name.startswith("top/")}
    assert {name: repr(found[name]) for name in mine} == {name: repr(expected[name]) for name in mine}


def test_joint_between_bone_and_body_is_seen_after_the_step(load_text):
    """A body that hangs on a swinging bone: the position of the joint is the angle between both as they stand now."""
    world = load_text(scene(0.004, """
    [[entity]]
    name = "arm"
    skeleton = {}
    [[entity]]
    name = "arm/bone"
    bone = { joint = "hinge", axis = [0, 0, 1], mass = 1, inertia = [0.1, 0.1, 0.1], centre = [0.5, 0, 0] }
    [[entity]]
    name = "weight"
    pose = { position = [1.3, 0, 0] }
    box = { size = [0.2, 0.1, 0.1] }
    body = { mass = 0.5 }
    [[entity]]
    name = "pin"
    pose = { position = [1, 0, 0] }
    joint = { kind = "hinge", between = ["weight", "arm/bone"], axis = [0, 0, 1] }
    """))  # fmt: skip
    angles = []
    for _ in range(50):
        world.step()
        turns = [Rotation.from_quat(np.roll(world[path].rotation, -1)) for path in ("arm/bone", "weight")]
        angles.append((turns[0].inv() * turns[1]).as_rotvec()[2])
    assert abs(angles[-1]) > 0.05
    assert world.metrics()["pin.position"] == pytest.approx(angles[-1], abs=1e-9)
    assert world.metrics()["pin.rate"] == pytest.approx((angles[-1] - angles[-2]) / 0.004, rel=1e-6)
