"""A humanoid of 47 degrees of freedom: standing on a plane by joint springs, falling, and its mass matrix.

MuJoCo and pinocchio do the same work in the same run where they are installed.
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

from humanoid_model import STANDING_HEIGHT, write_mujoco, write_supple
from measuring import Result, time_repeatedly, time_worlds

import supple

STEP, STEPS, CALLS = 0.002, 1500, 2000
# name, height of the pelvis [m], joint stiffness [N m/rad], joint damping [N m s/rad]
CASES = (("stand", STANDING_HEIGHT, 400.0, 20.0), ("fall", 1.3, 0.0, 1.0))


def load(height: float, stiffness: float, damping: float, solver: str = "newton"):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "humanoid.toml"
        file.write_text(write_supple(height, stiffness, damping, STEP, solver), encoding="utf-8")
        return supple.load(file)


def measure_supple(repeat: int) -> list[Result]:
    worlds = {f"supple {name}": load(*rest) for name, *rest in CASES}
    for world in worlds.values():
        start = world.snapshot()
        world.step(STEPS)  # compiles
        world.restore(start)
    results = time_worlds(worlds, steps=STEPS, repeat=repeat)
    skeleton = next(mechanism for mechanism in world.members("mechanisms") if mechanism.name == "skeleton")
    dynamics = skeleton.dynamics("man")

    q = world.array("skeleton.q")

    def mass_matrix() -> None:
        for call in range(CALLS):
            q[-1] = 1e-6 * call  # a new state each time, for an old one is remembered
            dynamics.mass_matrix()

    results.append(
        time_repeatedly("supple: mass matrix with kinematics", mass_matrix, repeat=repeat, per=CALLS)
    )
    return results


def measure_mujoco(repeat: int) -> list[Result]:
    import mujoco

    results = []
    for cone in ("pyramidal", "elliptic"):
        for name, height, stiffness, damping in CASES:
            model = mujoco.MjModel.from_xml_string(write_mujoco(height, stiffness, damping, STEP, cone))
            state = mujoco.MjData(model)

            def run(model=model, state=state) -> None:
                mujoco.mj_resetData(model, state)
                for _ in range(STEPS):
                    mujoco.mj_step(model, state)

            results.append(time_repeatedly(f"mujoco {cone} {name}: step", run, repeat=repeat, per=STEPS))
    return results


def make_pinocchio():
    import numpy as np
    import pinocchio
    from humanoid_model import links

    model = pinocchio.Model()
    frames = {"": 0}
    for link in links():
        joint = pinocchio.JointModelFreeFlyer()
        if link.parent:
            joint = getattr(pinocchio, f"JointModelR{link.axis.upper()}")()
        place = pinocchio.SE3(np.eye(3), np.array(link.offset, float))
        number = model.addJoint(frames[link.parent], joint, place, link.name)
        inertia = pinocchio.Inertia(link.mass, np.array(link.centre, float), np.diag(link.inertia))
        model.appendBodyToJoint(number, inertia, pinocchio.SE3.Identity())
        frames[link.name] = number
    return model


def measure_pinocchio(repeat: int) -> list[Result]:
    import pinocchio

    model = make_pinocchio()
    state, q = model.createData(), pinocchio.neutral(model)

    def mass_matrix() -> None:
        for _ in range(CALLS):
            pinocchio.crba(model, state, q)

    return [time_repeatedly("pinocchio: mass matrix with kinematics", mass_matrix, repeat=repeat, per=CALLS)]


def measure(repeat: int) -> list[Result]:
    results = measure_supple(repeat)
    if importlib.util.find_spec("mujoco"):
        results += measure_mujoco(repeat)
    if importlib.util.find_spec("pinocchio"):
        results += measure_pinocchio(repeat)
    return results
