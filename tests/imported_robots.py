"""Robots of tests/robots in supple and in MuJoCo side by side, for tests that hold one against the other."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

import supple
from supple.core.pose import rotate, turn
from supple_bones.layout import Q_FIRST, V_FIRST
from supple_bones.tables import follow_coordinates
from supple_robot.frames import Z_TO_Y, turn_of

ROBOTS = Path(__file__).parent / "robots"
NAMES = ("arm.urdf", "quadruped.xml", "humanoid.xml", "hand.xml", "gripper.xml")
POSE = {"position": [0.3, 0.5, -0.2], "axis": [0, 1, 0], "angle": 40}
#: How many numbers a joint has in MuJoCo's qpos and qvel.
WIDTHS = {"free": (7, 6), "ball": (4, 3), "slider": (1, 1), "hinge": (1, 1)}


def write_scene(folder: Path, name: str, keys: str = "", more: str = "") -> Path:
    """A scene with one robot, everything that its file names beside it."""
    shutil.copytree(ROBOTS, folder, dirs_exist_ok=True)
    scene = folder / "scene.toml"
    place = ", ".join(f"{key} = {value}" for key, value in POSE.items())
    scene.write_text(
        f'format = 1\n[run]\nstep = 0.002\nduration = 0.1\n[[entity]]\nname = "it"\npose = {{ {place} }}\n'
        f'robot = {{ file = "{name}"{keys} }}\n{more}'
    )
    return scene


class Pair:
    """One robot in both. T takes MuJoCo's rates to ours: only the velocity of a free base is turned."""

    def __init__(self, scene: Path) -> None:
        import mujoco

        from supple_robot.joints import JointReader
        from supple_robot.robot import make_robot

        self.mujoco = mujoco
        self.world = supple.load(scene)
        blueprint = self.world.blueprint
        self.robot = make_robot(blueprint.graph["it"].components["robot"], "it", blueprint.files)
        self.model = self.robot.model
        self.data = mujoco.MjData(self.model)
        self.reader = JointReader(self.model, self.model.qpos0, {})
        self.position, self.turned = np.array(POSE["position"]), turn(tuple(POSE["axis"]), POSE["angle"])
        self.world_turn = turn_of(self.turned) @ turn_of(Z_TO_Y)
        paths = sorted(entity.path for entity in blueprint.graph.having("bone"))
        self.rows = {path: self.world.array("skeleton.bone")[index] for index, path in enumerate(paths)}
        self.T = np.zeros((self.model.nv, self.model.nv))
        for joint, path in self.robot.joint.items():
            kind = self.reader.kind(joint)
            block = np.eye(WIDTHS[kind][1])
            if kind == "free":
                block[:3, :3] = self.world_turn
            mine, theirs = self.rows[path][V_FIRST], self.model.jnt_dofadr[joint]
            self.T[mine : mine + len(block), theirs : theirs + len(block)] = block

    def pose(self, rng: np.random.Generator) -> None:
        """Random coordinates and rates, the same in both."""
        model, data, mujoco = self.model, self.data, self.mujoco
        data.qpos[:] = model.qpos0
        data.qvel[:] = rng.normal(size=model.nv)
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
        mujoco.mj_forward(model, data)
        q = self.world.array("skeleton.q")
        for joint, path in self.robot.joint.items():
            kind = self.reader.kind(joint)
            place, first = model.jnt_qposadr[joint], self.rows[path][Q_FIRST]
            theirs = data.qpos[place : place + WIDTHS[kind][0]].copy()
            if kind == "free":
                theirs[:3] = self.position + self.world_turn @ theirs[:3]
                both = turn_of(theirs[3:])
                self.mujoco.mju_mat2Quat(theirs[3:], (self.world_turn @ both).ravel())
            elif kind != "ball":
                theirs -= model.qpos0[place]
            q[first : first + len(theirs)] = theirs
        self.world.array("skeleton.v")[:] = self.T @ data.qvel
        follow_coordinates(self.world.arrays, "skeleton")

    def place_of(self, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A point of a body in the world: ours, and MuJoCo's as ours should be."""
        view = self.world[self.robot.link[body]]
        ours = view.position + rotate(view.rotation, point - self.robot.offset[body])
        theirs = self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ point
        return ours, self.position + self.world_turn @ theirs
