"""From a compiled MuJoCo model to entities: links are bones, one for every joint; geoms are shapes below them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.entity import Entity
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError, suggest
from supple_robot.components import Robot
from supple_robot.frames import NOWHERE, UNTURNED, Z_TO_Y, Place, as_pose, moved
from supple_robot.gears import add_gears, mesh_gears
from supple_robot.joints import JointReader, inertia_of
from supple_robot.left_out import list_left_out
from supple_robot.loops import make_loops
from supple_robot.model_file import read_model
from supple_robot.names import Names
from supple_robot.servos import read_drives
from supple_robot.shapes import make_shape, place_of, touches
from supple_robot.touching import Masks
from supple_skeleton.components import Skeleton


@dataclass
class ReadRobot:
    """Entities below a path, and one line for everything that was not taken over.

    `link` is the path of every body, `offset` where the origin of its entity lies in the body's frame [m]; `joint` is
    the path of the bone that every joint moves.
    """

    model: Any
    entities: list[Entity] = field(default_factory=list)
    link: dict[int, str] = field(default_factory=dict)
    offset: dict[int, FloatArray] = field(default_factory=dict)
    joint: dict[int, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    names: Names = field(default_factory=Names)


def make_robot(options: Robot, path: str, files: SceneFiles) -> ReadRobot:
    """The robot of a file, below the entity `path`."""
    model = read_model(options.file, options.base, f"{path}.robot", files)
    q, controls = _start(model, options.keyframe, f"{path}.robot.keyframe")
    moved = mesh_gears(model, q)
    motors = (options.motor_stiffness, options.motor_damping)
    drives = read_drives(model, controls, motors, q)
    reader = JointReader(model, q, drives.of_joint)
    upright = Place(np.zeros(3), Z_TO_Y if options.up == "z" else UNTURNED)
    robot = ReadRobot(model)
    _Tree(robot, reader, path, upright).build()
    add_gears(robot)
    robot.entities += make_loops(robot)
    robot.left_out = drives.left_out + reader.left_out + moved + list_left_out(model)
    return robot


def _start(model: Any, keyframe: str, path: str) -> tuple[FloatArray, FloatArray]:
    """Coordinates and controls at the start."""
    if not keyframe:
        return model.qpos0.copy(), np.zeros(model.nu)
    names = [model.key(index).name for index in range(model.nkey)]
    if keyframe not in names:
        raise UserError(
            Problem(None, path, f"no keyframe '{keyframe}'", suggest(keyframe, names, "the file has"))
        )
    index = names.index(keyframe)
    return model.key_qpos[index].copy(), model.key_ctrl[index].copy()


class _Tree:
    """Walks over the bodies. Static ones are plain entities, moving ones bones of a skeleton."""

    def __init__(self, robot: ReadRobot, reader: JointReader, path: str, upright: Place) -> None:
        self.robot, self.model, self.reader, self.path = robot, robot.model, reader, path
        self.upright, self.names, self.masks = upright, robot.names, Masks(robot.model, path)
        count = self.model.nbody
        self.children: list[list[int]] = [[] for _ in range(count)]
        for body in range(1, count):
            self.children[self.model.body_parentid[body]].append(body)

    def build(self) -> None:
        """Add everything below the world."""
        self.robot.link[0], self.robot.offset[0] = self.path, np.zeros(3)
        self._add_shapes(0, self.path, self.upright)
        moving = [body for body in self.children[0] if self._moves(body)]
        for body in self.children[0]:
            if body not in moving:
                self._add_plain(body, self.path, self.upright)
        fixed = [body for body in moving if not self.reader.floats(body)]
        if fixed:
            self._add_skeleton("bones", fixed)
        for body in moving:
            if body not in fixed:
                name = "bones" if not fixed and body == moving[0] else f"{self.model.body(body).name}_bones"
                self._add_skeleton(name, [body])
        self.robot.entities += self.masks.finish()

    def _moves(self, body: int) -> bool:
        return bool(self.model.body_jntnum[body]) or any(self._moves(child) for child in self.children[body])

    def _weighs(self, body: int) -> bool:
        """Whether a body, or one below it, moves or has a mass of its own."""
        heavy = self.model.body_mass[body] > 0 or self.model.body_jntnum[body] > 0
        return bool(heavy) or any(self._weighs(child) for child in self.children[body])

    def _add_skeleton(self, name: str, roots: list[int]) -> None:
        path = self.names.below(self.path, name, "bones")
        self.robot.entities.append(Entity(path, {"skeleton": Skeleton()}))
        for root in roots:
            self._add_link(root, path, self.upright)

    def _add_link(self, body: int, parent: str, frame: Place) -> None:
        """A bone for every joint of a body, the last of which is its link; `frame`: the body's parent in `parent`."""
        model = self.model
        place = frame.then(self.reader.start_of(body))
        path, before = parent, np.zeros(3)
        joints = self.reader.of_body(body)
        for count, joint in enumerate(joints, 1):
            anchor = self.reader.anchor(joint)
            name = model.body(body).name if count == len(joints) else self.reader.name(joint)
            path = self.names.below(
                path, name, f"body{body}" if count == len(joints) else f"body{body}_joint{count}"
            )
            pose = place.then(moved(anchor)) if count == 1 else moved(anchor - before)
            bone, others = self.reader.read(joint)
            if count == len(joints):
                bone |= inertia_of(model, body, anchor)
            self._add_bone(path, pose, bone, others)
            self.robot.joint[joint], before = path, anchor
        if not joints:
            path = self.names.below(parent, model.body(body).name, f"body{body}")
            self._add_bone(path, place, inertia_of(model, body, before), {})
        self.robot.link[body], self.robot.offset[body] = path, before
        inner = moved(-before)
        self._add_shapes(body, path, inner)
        for child in self.children[body]:
            (self._add_link if self._weighs(child) else self._add_plain)(child, path, inner)

    def _add_bone(self, path: str, pose: Place, bone: dict[str, Any], others: dict[str, Any]) -> None:
        from supple_bones.components import Bone

        self.robot.entities.append(Entity(path, {"pose": as_pose(pose), "bone": Bone(**bone), **others}))

    def _add_plain(self, body: int, parent: str, frame: Place) -> None:
        """A body that moves with what it hangs on, and has no mass that counts."""
        place = frame.then(Place(self.model.body_pos[body].copy(), self.model.body_quat[body].copy()))
        path = self.names.below(parent, self.model.body(body).name, f"body{body}")
        self.robot.entities.append(Entity(path, {"pose": as_pose(place)}))
        self.robot.link[body], self.robot.offset[body] = path, np.zeros(3)
        self._add_shapes(body, path, NOWHERE)
        for child in self.children[body]:
            self._add_plain(child, path, NOWHERE)

    def _add_shapes(self, body: int, path: str, frame: Place) -> None:
        first, count = self.model.body_geomadr[body], self.model.body_geomnum[body]
        for geom in range(first, first + count):
            made = make_shape(self.model, geom) if touches(self.model, geom) else None
            if made is None:
                continue
            kind, shape, turn = made
            own = self.names.below(path, self.model.geom(geom).name or f"{kind}{geom}", f"{kind}{geom}")
            place = frame.then(place_of(self.model, geom)).then(Place(np.zeros(3), turn))
            self.masks.add(geom, Entity(own, {"pose": as_pose(place), kind: shape}))
