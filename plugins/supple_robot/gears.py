"""Joints that follow others: MuJoCo's equality constraints between joints, which `mimic` of URDF is too, as gears."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.entity import Entity
from supple_skeleton.components import Gear
from supple_skeleton.gears import CLOSED

if TYPE_CHECKING:
    from supple_robot.robot import ReadRobot


def list_gears(model: Any) -> dict[int, int]:
    """The equality that ties every joint which is driven."""
    found: dict[int, int] = {}
    for index in range(model.neq):
        if _ties_joints(model, index) and not _why_not(model, index):
            found.setdefault(int(model.eq_obj1id[index]), index)
    return found


def why_no_gear(model: Any, index: int) -> str:
    """Why an equality between joints is no gear; empty if it is one."""
    driven = int(model.eq_obj1id[index])
    why = _why_not(model, index)
    if not why and list_gears(model)[driven] != index:
        why = "is tied by another equality already"
    return f"joint {model.joint(driven).name} {why}" if why else ""


def mesh_gears(model: Any, q_inout: FloatArray) -> list[str]:
    """Puts joints at the start where their gears have them; one line for every joint that started elsewhere."""
    gears, moved = list_gears(model), {}
    for _ in gears:  # A joint that drives another may be driven itself.
        for driven, index in gears.items():
            there = _follow(model, index, q_inout)
            place = int(model.jnt_qposadr[driven])
            if abs(there - q_inout[place]) > CLOSED:
                moved[driven] = there
            q_inout[place] = there
    return [
        f"joint {model.joint(driven).name} starts at {there:.4g}, where its equality has it, not where the file does"
        for driven, there in moved.items()
    ]


def add_gears(robot: ReadRobot) -> None:
    """Give the driven bones their gears."""
    gears = {robot.joint[driven]: index for driven, index in list_gears(robot.model).items()}
    for place, entity in enumerate(robot.entities):
        index = gears.get(entity.path)
        if index is not None:
            gear = _make_gear(robot, index, entity.components["bone"].joint == "hinge")
            robot.entities[place] = Entity(entity.path, {**entity.components, "gear": gear})


def _make_gear(robot: ReadRobot, index: int, turns: bool) -> Gear:
    driver, numbers = int(robot.model.eq_obj2id[index]), robot.model.eq_data[index]
    offset = math.degrees(float(numbers[0])) if turns else float(numbers[0])
    if driver < 0 or numbers[1] == 0.0:
        return Gear(offset=offset)
    return Gear(of=robot.joint[driver], ratio=float(numbers[1]), offset=offset)


def _ties_joints(model: Any, index: int) -> bool:
    import mujoco

    return bool(model.eq_active0[index]) and int(model.eq_type[index]) == mujoco.mjtEq.mjEQ_JOINT


def _why_not(model: Any, index: int) -> str:
    import mujoco

    single = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    driver = int(model.eq_obj2id[index])
    for joint in (int(model.eq_obj1id[index]), driver):
        if joint >= 0 and int(model.jnt_type[joint]) not in single:
            return f"is tied by an equality to a joint of several coordinates, {model.joint(joint).name}"
    if driver >= 0 and np.any(model.eq_data[index, 2:5]):
        name = model.joint(driver).name
        return f"follows {name} by a curve, and moves by itself here: a gear has one ratio"
    return ""


def _follow(model: Any, index: int, q: FloatArray) -> float:
    """The coordinate that an equality gives its joint: a polynomial about the neutral pose."""
    driven, driver = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    there = float(model.qpos0[model.jnt_qposadr[driven]] + model.eq_data[index, 0])
    if driver >= 0:
        place = int(model.jnt_qposadr[driver])
        there += float(model.eq_data[index, 1] * (q[place] - model.qpos0[place]))
    return there
