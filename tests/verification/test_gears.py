"""Gears against closed forms, and against MuJoCo, which knows them as equalities of joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import supple
from imported_robots import Pair, write_scene

HEAD = "format = 1\n[run]\nstep = {step}\nduration = 1.0\ngravity = [0, {down}, 0]\n"
ROTOR = """
[[entity]]
name = "{path}"
pose = {{ position = [{x}, 0, 0] }}
bone = {{ joint = "{joint}", axis = [0, 0, 1], mass = 2.0, centre = [0, 0, 0], inertia = [0.1, 0.1, {inertia}] {more} }}
{gear}
"""


def rotors(folder: Path, joint: str = "hinge", apart: bool = False, gear: str = "ratio = -2") -> Path:
    """A large wheel of 0.1 kg m^2 that drives a small one, or a slider of 2 kg, in one skeleton or in two."""
    other = "other" if apart else "box"
    text = HEAD.format(step=0.002, down=0) + '[[entity]]\nname = "box"\nskeleton = {}\n'
    text += '[[entity]]\nname = "other"\nskeleton = {}\n' if apart else ""
    text += ROTOR.format(path="box/large", x=1, joint="hinge", inertia=0.1, more="", gear="")
    text += ROTOR.format(
        path=f"{other}/small", x=0, joint=joint, inertia=0.02, more="", gear=f'gear = {{ of = "box/large", {gear} }}'
    )  # fmt: skip
    scene = folder / "rotors.toml"
    scene.write_text(text)
    return scene


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("joint", "inertia", "ratio"), [("hinge", 0.02, -2.0), ("slider", 2.0, 0.3)])
def test_geared_rotors_accelerate_as_one(
    joint: str, inertia: float, ratio: float, apart: bool, tmp_path: Path
) -> None:
    """Torque t on the large wheel: a = t / (I + r^2 i), and the gear passes on i r a."""
    world = supple.load(rotors(tmp_path, joint, apart, f"ratio = {ratio}"))
    small = "other/small" if apart else "box/small"
    world["box/large"].torque = 0.3
    world.step(500)
    expected = 0.3 / (0.1 + ratio**2 * inertia)
    place = world[small].angle if joint == "hinge" else world[small].displacement
    assert world["box/large"].rate == pytest.approx(expected, rel=1e-12)
    assert world[small].rate == pytest.approx(ratio * expected, rel=1e-12)
    assert place == pytest.approx(ratio * world["box/large"].angle, abs=1e-14)
    assert world[small].gear_force == pytest.approx(inertia * ratio * expected, rel=1e-10)
    kinetic = 0.5 * (0.1 + ratio**2 * inertia) * expected**2
    assert world.metrics()["run.kinetic_energy"] == pytest.approx(kinetic, rel=1e-11)
    assert world.metrics()[f"{small}.gear_error"] < 1e-14


def geared_pendulum(folder: Path, step: float) -> Path:
    """Two rods of 0.5 m and 1 kg; the second is held at minus 1.5 times the angle of the first."""
    rod = 'bone = { joint = "hinge", axis = [0, 0, 1], mass = 1.0, centre = [0, -0.25, 0], '
    rod += "inertia = [0.021, 0.001, 0.021] "
    text = HEAD.format(step=step, down=-9.81) + '[[entity]]\nname = "it"\nskeleton = {}\n'
    text += f'[[entity]]\nname = "it/upper"\n{rod}, start = [80] }}\n'
    text += f'[[entity]]\nname = "it/upper/lower"\npose = {{ position = [0, -0.5, 0] }}\n{rod}, start = [-120] }}\n'
    text += 'gear = { of = "it/upper", ratio = -1.5 }\n'
    scene = folder / f"pendulum{step}.toml"
    scene.write_text(text)
    return scene


def swing(times: np.ndarray) -> np.ndarray:
    """Angle of the first rod: Lagrange's equation in one coordinate, written out by hand."""
    m, length, c, inertia, g, r = 1.0, 0.5, 0.25, 0.021, 9.81, -1.5
    s = 1.0 + r  # the second rod turns with s times the rate of the first

    def rhs(_: float, y: np.ndarray) -> list[float]:
        a, w = y
        b = r * a  # angle of the second rod against the first
        # T = w^2/2 (A + B cos b)
        total = inertia + m * c * c + m * length**2 + s * s * (inertia + m * c * c)
        mass = total + 2 * m * length * c * s * np.cos(b)
        slope = -2 * m * length * c * s * np.sin(b) * r
        pull = -m * g * (c * np.sin(a) + length * np.sin(a) + c * s * np.sin(s * a))
        return [w, (pull - 0.5 * slope * w * w) / mass]

    return solve_ivp(rhs, (0, times[-1]), [np.radians(80), 0.0], t_eval=times, rtol=1e-11, atol=1e-12).y[0]


def test_geared_pendulum_swings_as_one_coordinate(tmp_path: Path) -> None:
    """Rates belong to the middle of a step, so that who starts at rest is half a step ahead; what is left is of h^2."""
    errors = []
    for step in (0.004, 0.002, 0.001):
        world = supple.load(geared_pendulum(tmp_path, step))
        found = []
        for _ in range(10):
            world.step(round(0.1 / step))
            found.append(float(world["it/upper"].angle))
            assert world["it/upper/lower"].angle == pytest.approx(-1.5 * found[-1], abs=1e-12)
        errors.append(np.abs(np.array(found) - swing(np.linspace(0.1, 1, 10) + step / 2)).max())
    assert errors[0] < 2e-4
    assert errors[2] < 0.3 * errors[1] < 0.09 * errors[0]


def test_geared_pendulum_keeps_its_energy(tmp_path: Path) -> None:
    world = supple.load(geared_pendulum(tmp_path, 0.002))
    world.step(2500)
    metrics = world.metrics()
    swing_energy = 9.81 * (0.75 * (1 - np.cos(np.radians(80))) + 0.25 * (1 - np.cos(np.radians(40))))
    assert abs(metrics["run.energy_unaccounted"]) < 1e-3 * swing_energy


MIMIC = """<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
 ixz="0" iyz="0"/></inertial></link>
{links}
<joint name="lead" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
 <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
<joint name="turn" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
 <limit lower="-2" upper="2" effort="9" velocity="9"/><mimic joint="lead" multiplier="-0.8" offset="0.3"/></joint>
<joint name="slide" type="prismatic"><parent link="base"/><child link="c"/><axis xyz="1 0 0"/>
 <limit lower="-2" upper="2" effort="9" velocity="9"/><mimic joint="lead" multiplier="0.1"/></joint></robot>"""
LINK = """<link name="{}"><inertial><origin xyz="0.02 0 0.1"/><mass value="2"/><inertia ixx=".02" iyy=".03" izz=".02"
 ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def mimic_scene(folder: Path) -> Path:
    scene = write_scene(folder, "mimic.urdf")
    (folder / "mimic.urdf").write_text(MIMIC.format(links="".join(LINK.format(name) for name in "abc")))
    return scene


@pytest.mark.parametrize("name", ["mimic.urdf", "gripper.xml", "hand.xml"])
def test_equations_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    """L and the errors, row by row; with M and bias, which are MuJoCo's too, they give the accelerations."""
    pytest.importorskip("mujoco")
    pair = Pair(mimic_scene(tmp_path) if name == "mimic.urdf" else write_scene(tmp_path, name))
    dynamics = pair.world.dynamics(*(entity.path for entity in pair.world.blueprint.graph.having("skeleton")))
    kind = pair.mujoco.mjtEq.mjEQ_JOINT
    equalities = [e for e in range(pair.model.neq) if pair.model.eq_type[e] == kind]
    assert equalities
    for seed in range(3):
        pair.pose(np.random.default_rng(seed))
        rows = dynamics.constraints()
        dense = pair.data.efc_J.reshape(-1, pair.model.nv)
        for index in equalities:
            path = pair.robot.joint[int(pair.model.eq_obj1id[index])]
            (mine,) = (k for k, label in enumerate(rows.labels) if label == path)
            (theirs,) = (
                k for k in range(pair.data.ne)
                if pair.data.efc_id[k] == index and pair.data.efc_type[k] == pair.mujoco.mjtConstraint.mjCNSTR_EQUALITY
            )  # fmt: skip
            np.testing.assert_allclose(rows.matrix[mine] @ pair.T, dense[theirs], rtol=0, atol=1e-12)
            assert rows.error[mine] == pytest.approx(pair.data.efc_pos[theirs], abs=1e-12)


def test_mimic_falls_as_in_mujoco(tmp_path: Path) -> None:
    """MuJoCo's equalities are soft springs: made stiff, with a short step, it moves as supple does."""
    mujoco = pytest.importorskip("mujoco")
    scene = mimic_scene(tmp_path)
    scene.write_text(scene.read_text().replace("step = 0.002", "step = 0.0005"))
    pair = Pair(scene)
    model = pair.model
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
    model.eq_solref[:], model.eq_solimp[:, :2] = (1e-3, 1.0), 0.99999
    data = mujoco.MjData(model)
    turn = model.joint("turn").qposadr[0]
    data.qpos[turn] = 0.3
    for _ in range(5000):
        mujoco.mj_step(model, data)
    pair.world.step(1000)
    for name in ("lead", "turn", "slide"):
        view = pair.world[pair.robot.joint[model.joint(name).id]]
        ours = view.displacement if name == "slide" else view.angle
        assert ours == pytest.approx(data.qpos[model.joint(name).qposadr[0]], abs=2e-3), name
