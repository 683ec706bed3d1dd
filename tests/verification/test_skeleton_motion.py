"""Skeletons in motion against closed forms, conservation laws and free bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from supple.testing import audit_step

RUN = """
format = 1
[run]
step = {h}
duration = {duration}
gravity = {gravity}
"""
MASSES = "mass = 1.5, centre = [0.02, -0.15, 0.01], inertia = [0.012, 0.004, 0.011, 0.001, 0.0005, -0.001]"


def head(h, duration, gravity=(0.0, 0.0, 0.0)) -> str:
    return RUN.format(h=h, duration=duration, gravity=list(gravity))


def bone(name, joint, more, position=(0.0, 0.0, 0.0)) -> str:
    parts = f"[[entity]]\nname = '{name}'\npose = {{ position = {list(position)} }}\n"
    return f"{parts}bone = {{ joint = '{joint}', {more} }}\n"


def dynamics_of(world, path):
    return next(m for m in world.members("mechanisms") if m.name == "skeleton").dynamics(path)


def flying_skeleton() -> str:
    """Thirty rates: a free root with two arms of four ball joints each."""
    rng = np.random.default_rng(5)
    text = "[[entity]]\nname = 'thing'\nskeleton = {}\n"
    text += bone("thing/a", "free", f"{MASSES}, rate = {rng.normal(size=6).tolist()}")
    for arm, place in (("b", (0.0, -0.35, 0.0)), ("c", (0.25, 0.0, 0.1))):
        path = "thing/a"
        for level in range(4):
            path = f"{path}/{arm}{level}"
            text += bone(path, "ball", f"{MASSES}, rate = {(2 * rng.normal(size=3)).tolist()}", place)
    return text


def test_free_flight_keeps_momentum_and_energy_at_the_order_of_the_integrator(load_text) -> None:
    drifts = []
    for h in (0.004, 0.002, 0.001, 0.0005):
        world = load_text(head(h, 0.4) + flying_skeleton())
        dynamics = dynamics_of(world, "thing")
        assert len(dynamics.mass_matrix()) == 30
        linear, angular = dynamics.momentum()
        energy = dynamics.kinetic_energy()
        world.step(round(0.4 / h))
        after, turned = dynamics.momentum()
        drifts.append(
            [
                np.linalg.norm(after - linear) / np.linalg.norm(linear),
                np.linalg.norm(turned - angular) / np.linalg.norm(angular),
                abs(dynamics.kinetic_energy() - energy) / energy,
            ]
        )
    ratios = np.array(drifts)[:-1] / np.array(drifts)[1:]
    assert (np.abs(ratios[-1] - 2.0) < 0.15).all(), ratios
    assert (np.abs(ratios[-2] - 2.0) < 0.3).all(), ratios
    assert max(drifts[0]) < 0.05


def test_a_bone_about_its_centre_keeps_linear_momentum_to_round_off(load_text) -> None:
    mass = "mass = 2.0, inertia = [0.1, 0.2, 0.25], rate = [1, 2, -0.5, 3, 1, -2]"
    text = head(0.004, 4.0) + "[[entity]]\nname = 'top'\nskeleton = {}\n" + bone("top/one", "free", mass)
    world = load_text(text)
    world.step(1000)
    assert np.abs(world["top/one"].velocity[:3] - [1, 2, -0.5]).max() < 1e-14
    rotation = world.array("skeleton.q")[3:]
    assert abs(rotation @ rotation - 1) < 1e-15, "quaternions do not drift"


def pendulum(h, duration, start, more="", rate=0.0) -> str:
    """A rod of 1 m and 2 kg that hangs on a hinge."""
    rod = f"mass = 2.0, centre = [0, -0.5, 0], inertia = [{2 / 12}, 0.001, {2 / 12}]"
    values = f"axis = [0, 0, 1], start = [{math.degrees(start)}], rate = [{rate}], {rod}{more}"
    return (
        head(h, duration, (0.0, -9.81, 0.0))
        + "[[entity]]\nname = 'clock'\nskeleton = {}\n" + bone("clock/rod", "hinge", values)
    )  # fmt: skip


def test_small_swings_have_the_period_of_the_physical_pendulum(load_text) -> None:
    h, inertia, weight = 0.001, 2 / 3, 2 * 9.81 * 0.5
    exact = 2 * math.pi * math.sqrt(inertia / weight)
    world = load_text(pendulum(h, 20.0, 1e-3))
    crossings, before = [], 1e-3
    for step in range(round(10.5 * exact / h)):
        world.step()
        now = float(world.array("skeleton.q")[0])
        if before < 0 <= now:
            crossings.append((step + before / (before - now)) * h)
        before = now
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert period == pytest.approx(exact, rel=2e-6)


def double_pendulum(h, settings="") -> str:
    rod = f"axis = [0, 0, 1], mass = 1.0, centre = [0, -0.25, 0], inertia = [{0.25 / 12}, 0.001, {0.25 / 12}]"
    return (
        head(h, 1.0, (0.0, -9.81, 0.0)) + settings + "[[entity]]\nname = 'arm'\nskeleton = {}\n"
        + bone("arm/upper", "hinge", f"{rod}, start = [86]")
        + bone("arm/upper/lower", "hinge", f"{rod}, start = [29]", (0, -0.5, 0))
    )  # fmt: skip


def find_pendulum_energy(q, v) -> float:
    """Of the two rods of `double_pendulum`, from angles and their rates [J]."""
    (a, b), (u, w) = np.cumsum(q), np.cumsum(v)
    elbow = 0.5 * u * np.array([math.cos(a), math.sin(a)])
    lower = elbow + 0.25 * w * np.array([math.cos(b), math.sin(b)])
    kinetic = 0.5 * ((0.25 * u) ** 2 + lower @ lower + 0.0208 * (u * u + w * w))
    return kinetic - 9.81 * (0.75 * math.cos(a) + 0.25 * math.cos(b))


@pytest.mark.parametrize("h", [0.008, 0.004])
def test_the_books_are_those_of_the_middle_of_a_step(load_text, h) -> None:
    """Energies of a double pendulum where it was half a step ago: its own formula, and the balance of the run."""
    world = load_text(double_pendulum(h, ""))
    q, v = (world.array(f"skeleton.{name}") for name in "qv")
    start, worst = find_pendulum_energy(q - 0.5 * h * v, v), 0.0
    for _ in range(round(4.0 / h)):
        world.step()
        here = find_pendulum_energy(q - 0.5 * h * v, v) - start
        worst = max(
            worst,
            abs(world.array("energy.unaccounted")[0] - here) * (not world.array("skeleton.any_fast")[0]),
        )
        assert abs(world.array("energy.unaccounted")[0]) < 0.03, (
            "of 40 J, also while it spins fast and is slow again"
        )
    assert worst < 1200 * h * h


@pytest.mark.parametrize(("implicitness", "order"), [(0.5, 2), (1.0, 1)])
def test_energy_of_a_double_pendulum_strays_by_the_order_of_the_step(load_text, implicitness, order) -> None:
    spans = []
    for h in (0.002, 0.001, 0.0005):
        world, energy = load_text(double_pendulum(h, f"[run.skeleton]\nimplicitness = {implicitness}\n")), []
        for _ in range(round(1.0 / h)):
            world.step()
            energy.append(world.array("energy.unaccounted")[0])
        spans.append(np.ptp(energy))
    assert spans[0] / spans[1] == pytest.approx(2.0**order, rel=0.1)
    assert spans[1] / spans[2] == pytest.approx(2.0**order, rel=0.05)


@pytest.mark.parametrize("theta", [0.5, 0.8, 1.0])
def test_springs_and_dampers_are_implicit_to_the_last_digit(load_text, theta) -> None:
    h, k, d, armature, v = 0.01, 80.0, 3.0, 0.2, -0.7
    more = f", stiffness = {k}, damping = {d}, armature = {armature}"
    settings = {"run.skeleton.springs": theta}
    world = load_text(pendulum(h, 1.0, 0.3, more, rate=v), overrides=settings)
    world.step()
    inertia = 2 / 3 + armature
    late = theta - 1
    force = -2 * 9.81 * 0.5 * math.sin(0.3) - k * (0.3 - late**2 * h * v) + late * d * v
    exact = (inertia * v + h * force) / (inertia + h * theta * d + h * h * theta**2 * k)
    assert world.array("skeleton.v")[0] == pytest.approx(exact, rel=1e-14)


CONTROLLER = """
from supple import Phase, System, hookimpl


class Hold(System):
    phase = Phase.ACTUATE
    reads = ("skeleton.q",)
    adds = ("skeleton.force", "skeleton.gain_p", "skeleton.gain_d")

    def bind(self, arrays):
        q, force, gain_p, gain_d = (arrays[name] for name in (*self.reads, *self.adds))

        def hold():
            force[0] += 80.0 * (0.1 - q[0])
            gain_p[0] += 80.0
            gain_d[0] += 3.0

        return hold


@hookimpl
def supple_register(registry):
    registry.add_system("controller.hold", Hold, when=["skeleton"])
"""


def test_gains_of_controllers_are_implicit_to_the_last_digit(load_text, tmp_path) -> None:
    h, q, v, inertia = 0.01, 0.3, -0.7, 2 / 3
    (tmp_path / "controller.py").write_text(CONTROLLER)
    world = load_text(pendulum(h, 1.0, q, rate=v), plugins=[tmp_path / "controller.py"])
    world.step()
    force = -2 * 9.81 * 0.5 * math.sin(q) + 80.0 * (0.1 - q)
    exact = (inertia * v + h * force) / (inertia + h * 3.0 + h * h * 80.0)
    assert world.array("skeleton.v")[0] == pytest.approx(exact, rel=1e-14)
    assert abs(world.metrics()["run.energy_unaccounted"]) < 0.02, "the controller's work is accounted for"


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
def test_a_step_without_rows_solves_its_implicit_equation(load_text, theta) -> None:
    h, gravity = 0.004, (0.3, -9.81, 0.2)
    settings = f"[run.skeleton]\nimplicitness = {theta}\ncorrections = 10\n"
    world = load_text(head(h, 1.0, gravity) + settings + flying_skeleton())
    dynamics, v = dynamics_of(world, "thing"), world.array("skeleton.v").copy()
    M, weight = dynamics.mass_matrix(), dynamics.gravity()
    world.compute_step()
    new = world.array("skeleton.v.next").copy()
    bias = (1 - 2 * theta) * dynamics.bias_form(v, v) + 2 * theta * dynamics.bias_form(v, new)
    residual = M @ (new - v) + h * (weight + bias)
    assert np.abs(residual).max() < 1e-11 * np.abs(M @ v).max()


def test_a_servo_within_its_bounds_is_the_implicit_spring(load_text) -> None:
    spring = load_text(pendulum(0.01, 1.0, 0.3, ", stiffness = 80.0, damping = 3.0"))
    told = 'servo = { stiffness = 80.0, damping = 3.0, limit = 1e6, implicitness = "automatic" }\n'
    servo = load_text(pendulum(0.01, 1.0, 0.3) + told)
    for world in (spring, servo):
        world.step(50)
    assert servo.array("skeleton.q")[0] == pytest.approx(spring.array("skeleton.q")[0], abs=1e-9)


def test_a_servo_at_its_bound_gives_constant_torque(load_text) -> None:
    servo = "servo = { stiffness = 1e4, damping = 10.0, target = 3000.0, limit = 4.0 }\n"
    text = pendulum(0.01, 1.0, 0.0) + servo
    world = load_text(text.replace("gravity = [0.0, -9.81, 0.0]", "gravity = [0, 0, 0]"))
    world.step(30)
    assert world.array("skeleton.v")[0] == pytest.approx(0.3 * 4.0 / (2 / 3), rel=1e-9)


def test_a_hinge_comes_to_rest_at_its_limit(load_text) -> None:
    world = load_text(pendulum(0.002, 2.0, 1.2, f", lower = {math.degrees(0.4)}, upper = 100"))
    world.step(1000)
    assert world.array("skeleton.q")[0] == pytest.approx(0.4, abs=1e-9)
    assert world.metrics()["clock.beyond_limits"] < 1e-9
    # What the limit gives is the weight's torque; the row has the unit of an angle, so its impulse is h tau.
    torque = world.array("rows.impulse")[0, 0] / 0.002
    assert torque == pytest.approx(2 * 9.81 * 0.5 * math.sin(0.4), rel=1e-6)


def test_a_ball_swings_up_to_its_limit_and_not_farther(load_text) -> None:
    rod = "mass = 1.0, centre = [0, -0.25, 0], inertia = [0.02, 0.001, 0.02]"
    values = f"axis = [0, 1, 0], upper = {math.degrees(0.5)}, rate = [3.0, 1.0, 2.0], {rod}"
    text = head(0.002, 3.0, (0.0, -9.81, 0.0)) + "[[entity]]\nname = 'lamp'\nskeleton = {}\n"
    world = load_text(text + bone("lamp/rod", "ball", values))
    reached = 0.0
    for _ in range(1500):
        world.step()
        _, x, _, z = world["lamp/rod"].rotation
        reached = max(reached, math.acos(1 - 2 * (x * x + z * z)))
    assert reached > 0.499
    # The row is linear in the step: the axis moves by h |v|, so it may overshoot by (h |v|)^2.
    assert reached < 0.5 + (0.002 * 4) ** 2


def crate(kind) -> str:
    shape = "box = { size = [0.3, 0.2, 0.4] }\n"
    if kind == "body":
        return f"[[entity]]\nname = 'crate'\npose = {{ position = [0, 0.5, 0] }}\nbody = {{}}\n{shape}"
    skeleton = "[[entity]]\nname = 'crate'\npose = { position = [0, 0.5, 0] }\nskeleton = {}\n"
    return skeleton + "[[entity]]\nname = 'crate/bone'\nbone = { joint = 'free' }\n" + shape


def test_a_free_bone_falls_and_lands_like_a_free_body(load_text) -> None:
    rest = "[[entity]]\nname = 'floor'\npose = { axis = [0, 0, 1], angle = 5 }\nplane = { friction = 0.6 }\n"
    rest += "[[event]]\nname = 'shove'\nat = 0.1\npush = { on = '%s', force = [3, 0, 20], duration = 0.05 }\n"
    ends = []
    for kind, path in (("body", "crate"), ("bone", "crate/bone")):
        world = load_text(head(0.002, 1.0, (0.0, -9.81, 0.0)) + crate(kind) + rest % path)
        world.step(160)
        ends.append(np.concatenate([world[path].position, world[path].rotation]))
    # Only the gyroscopic term is integrated in another way.
    assert np.abs(ends[0] - ends[1]).max() < 2e-5
    assert ends[0][1] < 0.2, "it has landed"


CROWD = """
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "ball"
pose = { position = [0.3, 0.6, 0.02] }
sphere = { radius = 0.1 }
body = {}
[[entity]]
name = "seesaw"
pose = { position = [0, 0.4, 0] }
skeleton = {}
[[entity]]
name = "seesaw/plank"
bone = { joint = "hinge", axis = [0, 0, 1], lower = -17, upper = 17, damping = 0.1 }
box = { size = [1.0, 0.05, 0.2] }
[[entity]]
name = "worm"
pose = { position = [2, 0.5, 0] }
skeleton = {}
[[entity]]
name = "worm/head"
bone = { joint = "free", rate = [0, 0, 1, 2, 0, 0] }
sphere = { radius = 0.08 }
[[entity]]
name = "worm/head/neck"
pose = { position = [0.2, 0, 0] }
bone = { joint = "universal", stiffness = [1, 2] }
[[entity]]
name = "worm/head/neck/flesh"
pose = { position = [0.2, 0, 0] }
box = { size = [0.1, 0.1, 0.1] }
[[entity]]
name = "worm/head/neck/tail"
pose = { position = [0.4, 0, 0] }
bone = { joint = "slider", axis = [1, 0, 0], mass = 0.5, inertia = [0.01, 0.01, 0.01] }
servo = { target = 0.1, stiffness = 20, damping = 1, limit = 5 }
[[event]]
name = "kick"
at = 0.01
push = { on = "worm/head/neck", force = [0, 5, 5], duration = 0.1, point = [0.1, 0, 0] }
"""


def test_systems_touch_what_they_declare(load_text) -> None:
    world = load_text(head(0.005, 2.0, (0.0, -9.81, 0.0)) + CROWD)
    world.step(8)
    audit_step(world)
    world.step(50)
    audit_step(world)
    assert world.array("contacts.count")[0] > 0
    assert world.metrics()["run.solver_failures"] == 0


def test_a_body_on_a_bone_is_one_problem(load_text) -> None:
    """The ball pushes the plank down to its limit, and energy is accounted for."""
    world = load_text(head(0.001, 1.0, (0.0, -9.81, 0.0)) + CROWD)
    world.step(250)
    assert world.array("skeleton.q")[0] < -0.05
    assert world.metrics()["seesaw.beyond_limits"] < 1e-9
    values = world.metrics()
    assert abs(values["run.energy_unaccounted"]) < 0.02 * values["run.energy_initial"]


def test_a_restored_world_repeats_bit_for_bit(load_text) -> None:
    world = load_text(head(0.005, 2.0, (0.0, -9.81, 0.0)) + CROWD)
    world.step(40)
    kept = world.snapshot()
    world.step(40)
    end = world.snapshot()
    world.restore(kept)
    world.step(40)
    assert all(np.array_equal(end[name], values) for name, values in world.snapshot().items())


def test_order_of_entities_in_the_file_has_no_meaning(load_text) -> None:
    entities = ["[[" + part for part in CROWD.split("[[")[1:]]
    text = head(0.005, 2.0, (0.0, -9.81, 0.0))
    ends = []
    for order in (entities, entities[::-1]):
        world = load_text(text + "".join(order))
        world.step(60)
        ends.append(world.array("skeleton.q").copy())
    assert np.array_equal(*ends)
