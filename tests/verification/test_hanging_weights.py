"""Heavy weights on light chains: bodies with joints, and bones."""

from __future__ import annotations

import numpy as np
import pytest

LINKS, LENGTH, LINK = 10, 0.1, 0.01


def begin(h: float, angle: float) -> str:
    return (
        f"format = 1\n[run]\nstep = {h}\nduration = 100.0\n"
        f'[[entity]]\nname = "c"\npose = {{ axis = [0, 0, 1], angle = {angle} }}\n'
    )


def chain_of_bodies(h: float, weight: float, angle: float, kind: str = "ball") -> str:
    """Ten links of 10 g and 0.1 m with a ball at the end, turned by `angle` [deg] from hanging."""
    text = begin(h, angle)
    for i in range(LINKS):
        above = f', "c/l{i - 1}"' if i else ""
        text += f"""
        [[entity]]
        name = "c/l{i}"
        pose = {{ position = [0, {-LENGTH * (i + 0.5)}, 0] }}
        box = {{ size = [0.01, {LENGTH}, 0.01] }}
        body = {{ mass = {LINK} }}
        [[entity]]
        name = "c/j{i}"
        pose = {{ position = [0, {-LENGTH * i}, 0] }}
        joint = {{ kind = "{kind}", between = ["c/l{i}"{above}], axis = [0, 0, 1] }}
        """
    end = -LENGTH * LINKS
    return f"""{text}
    [[entity]]
    name = "c/w"
    pose = {{ position = [0, {end}, 0] }}
    sphere = {{ radius = 0.04 }}
    body = {{ mass = {weight} }}
    [[entity]]
    name = "c/jw"
    pose = {{ position = [0, {end}, 0] }}
    joint = {{ kind = "ball", between = ["c/w", "c/l{LINKS - 1}"] }}
    """


def chain_of_bones(h: float, weight: float, angle: float, kind: str = "ball") -> str:
    """The same as bones."""
    text, name, across = f"{begin(h, angle)}skeleton = {{}}\n", "c", LINK * LENGTH**2 / 12
    for i in range(LINKS):
        name += "/b"
        text += f"""
        [[entity]]
        name = "{name}"
        pose = {{ position = [0, {-LENGTH if i else 0}, 0] }}
        bone.joint = "{kind}"
        bone.axis = [0, 0, 1]
        bone.mass = {LINK}
        bone.centre = [0, {-LENGTH / 2}, 0]
        bone.inertia = [{across}, 1e-7, {across}]
        """
    return f"""{text}
    [[entity]]
    name = "{name}/w"
    pose = {{ position = [0, {-LENGTH}, 0] }}
    bone = {{ joint = "ball", mass = {weight}, inertia = [{weight * 1e-3}, {weight * 1e-3}, {weight * 1e-3}] }}
    """


def swing(world, steps: int) -> np.ndarray:
    """Energy [J] after every step."""
    energy = []
    for _ in range(steps):
        world.step()
        energy.append(world.array("energy.kinetic")[0] + world.array("energy.potential")[0])
    return np.array(energy)


@pytest.mark.parametrize("weight", [10.0, 100.0])
@pytest.mark.parametrize("h", [0.004, 0.002])
@pytest.mark.parametrize("make", [chain_of_bodies, chain_of_bones])
def test_a_weight_swings_on_links_of_a_thousandth_of_its_mass(load_text, make, h, weight) -> None:
    world = load_text(make(h, weight, 90))
    energy = swing(world, round(2.0 / h))
    scale = weight * 9.81
    metrics = world.metrics()
    assert metrics["run.joint_error_worst"] < 1e-4
    assert energy.max() < 0.01 * scale, "symplectic steps err by about m g v h / 2 to either side"
    assert energy.min() > -0.02 * scale


@pytest.mark.parametrize("make", [chain_of_bodies, chain_of_bones])
def test_energy_errs_by_the_square_of_the_step(load_text, make) -> None:
    """Energies are those of the middle of a step."""
    spans = [np.ptp(swing(load_text(make(h, 10.0, 20)), round(1.0 / h))) for h in (0.004, 0.002)]
    assert spans[0] / spans[1] == pytest.approx(4.0, rel=0.25)


def test_chains_of_hinges_swing_as_those_of_balls(load_text) -> None:
    balls, hinges = (load_text(chain_of_bodies(0.004, 10.0, 60, kind)) for kind in ("ball", "hinge"))
    balls.step(200)
    hinges.step(200)
    np.testing.assert_allclose(hinges["c/w"].position, balls["c/w"].position, atol=1e-6)


def test_a_weight_at_rest_stays_at_rest(load_text) -> None:
    world = load_text(chain_of_bodies(0.004, 100.0, 0))
    world.step(250)
    assert world["c/w"].position == pytest.approx([0, -LENGTH * LINKS, 0], abs=1e-9)


def test_an_ordinary_pendulum_is_left_alone(load_text) -> None:
    world = load_text(chain_of_bodies(0.004, LINK, 30))
    for _ in range(100):
        world.step()
        np.testing.assert_array_equal(world.array("rigid.response"), world.array("rigid.inverse_inertia"))


def test_a_chain_that_comes_apart_is_told(load_text) -> None:
    from supple.run.summary import find_troubles, summarise

    world = load_text(chain_of_bodies(0.004, 10.0, 0).replace("[run]\n", "[run]\nhalvings = 0\n"))
    world.step()
    quiet = summarise(world, wall=1.0, startup=0.0, versions={})
    assert quiet["joint_error_worst"] < 1e-9
    assert not find_troubles(quiet)
    world.array("rigid.v")[3, 5] += 5000.0
    world.step()
    torn = summarise(world, wall=1.0, startup=0.0, versions={})
    assert torn["joint_error_worst"] == torn["metrics"]["run.joint_error_worst"] > 0.005
    assert any("joints came apart" in each.what for each in find_troubles(torn))


def slack_chain(h: float, weight: float, drop: float) -> str:
    """Ten links in a zigzag, `drop` [m] short of their whole length, with a ball at the end."""
    text, top = f"format = 1\n[run]\nstep = {h}\nduration = 100.0\n", np.zeros(3)
    across = np.sqrt(1.0 - (1.0 - drop) ** 2)
    for i in range(LINKS):
        along = np.array([across * (-1) ** i, drop - 1.0, 0.0])
        turn = np.degrees(np.arctan2(along[0], -along[1]))
        middle, above = top + 0.5 * LENGTH * along, f', "l{i - 1}"' if i else ""
        text += f"""
        [[entity]]
        name = "l{i}"
        pose = {{ position = {middle.tolist()}, axis = [0, 0, 1], angle = {turn} }}
        box = {{ size = [0.006, {LENGTH}, 0.006] }}
        body = {{ mass = {LINK} }}
        [[entity]]
        name = "j{i}"
        pose = {{ position = {top.tolist()} }}
        joint = {{ kind = "ball", between = ["l{i}"{above}] }}
        """
        top = top + LENGTH * along
    return f"""{text}
    [[entity]]
    name = "w"
    pose = {{ position = {top.tolist()} }}
    sphere = {{ radius = 0.04 }}
    body = {{ mass = {weight} }}
    [[entity]]
    name = "jw"
    pose = {{ position = {top.tolist()} }}
    joint = {{ kind = "ball", between = ["w", "l{LINKS - 1}"] }}
    """


@pytest.mark.parametrize("h", [0.004, 0.002])
@pytest.mark.parametrize(("weight", "drop"), [(1.0, 0.5), (10.0, 0.3), (10.0, 0.8)])
def test_a_slack_chain_that_snaps_tight_holds(load_text, weight, drop, h) -> None:
    """Joints came apart by up to 0.8 m and made 1300 J where errors were taken back at any price."""
    world = load_text(slack_chain(h, weight, drop))
    energy, apart = [], []
    for _ in range(round(1.2 / h)):
        world.step()
        energy.append(world.array("energy.kinetic")[0] + world.array("energy.potential")[0])
        apart.append(world.array("run.joint_error")[0])
    assert max(apart) < 0.015
    assert max(energy) < energy[0] + 1e-3 * weight * 9.81 * drop
    assert np.linalg.norm(world["w"].position) < LENGTH * LINKS + 0.015
