"""From MuJoCo's joints and inertias to bones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple_robot.frames import Place, turn_of, vector
from supple_robot.servos import BOUNDLESS, Drive
from supple_skeleton.components import Servo


def inertia_of(model: Any, body: int, origin: FloatArray) -> dict[str, Any]:
    """Mass, centre and inertia of a body as keys of a bone whose origin is there in the body's frame."""
    mass = float(model.body_mass[body])
    if mass == 0.0:
        return {}
    turn = turn_of(model.body_iquat[body])
    full = turn @ np.diag(model.body_inertia[body]) @ turn.T
    entries = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]
    return {
        "mass": mass,
        "centre": vector(model.body_ipos[body] - origin),
        "inertia": tuple(float(entry) + 0.0 for entry in entries),
    }


class JointReader:
    """Reads the joints of a model that starts at the coordinates q; `drives` are the actuators of joints.

    A bone's neutral pose is that of the file's reference, so its coordinates are those of the file less `ref`.
    """

    def __init__(self, model: Any, q: FloatArray, drives: dict[int, Drive]) -> None:
        import mujoco

        kinds = mujoco.mjtJoint
        self.model, self.q, self.drives = model, q, drives
        self.kinds = {
            int(kinds.mjJNT_FREE): "free", int(kinds.mjJNT_BALL): "ball",
            int(kinds.mjJNT_SLIDE): "slider", int(kinds.mjJNT_HINGE): "hinge",
        }  # fmt: skip
        self.rubbing: list[tuple[str, float]] = []
        self._said: list[str] = []

    @property
    def left_out(self) -> list[str]:
        """What bones do not have, once all joints were read."""
        if not self.rubbing:
            return self._said
        (name, loss), more = self.rubbing[0], len(self.rubbing) - 1
        rest = f" and those of {more} more" if more else ""
        return [*self._said, f"dry friction {loss:g} of joint {name}{rest}: bones have damping alone"]

    def of_body(self, body: int) -> range:
        """The joints of a body, the outermost first."""
        first = int(self.model.body_jntadr[body])
        return range(first, first + int(self.model.body_jntnum[body])) if first >= 0 else range(0)

    def floats(self, body: int) -> bool:
        """Whether a body moves freely."""
        return any(self.kind(joint) == "free" for joint in self.of_body(body))

    def start_of(self, body: int) -> Place:
        """The pose of a body in its parent's frame before its joints move it; of one that floats, at the start."""
        if self.floats(body):
            first = int(self.model.jnt_qposadr[self.of_body(body)[0]])
            return Place(self.q[first : first + 3].copy(), self.q[first + 3 : first + 7].copy())
        return Place(self.model.body_pos[body].copy(), self.model.body_quat[body].copy())

    def kind(self, joint: int) -> str:
        """The kind of bone's joint."""
        return self.kinds[int(self.model.jnt_type[joint])]

    def name(self, joint: int) -> str:
        """As in the file."""
        return str(self.model.joint(joint).name)

    def anchor(self, joint: int) -> FloatArray:
        """Where the joint is in the frame of its body [m]. A slider is everywhere."""
        if self.kind(joint) in ("free", "slider"):
            return np.zeros(3)
        return np.array(self.model.jnt_pos[joint])

    def read(self, joint: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Keys of the bone, and the components beside it."""
        kind = self.kind(joint)
        bone: dict[str, Any] = {"joint": kind}
        if kind in ("hinge", "slider"):
            bone["axis"] = vector(self.model.jnt_axis[joint])
        self._add_drive_terms(joint, kind, bone)
        if kind == "ball":
            self._read_ball(joint, bone)
            return bone, {}
        if kind == "free":
            return bone, {}
        return bone, self._read_single(joint, kind, bone)

    def _add_drive_terms(self, joint: int, kind: str, bone: dict[str, Any]) -> None:
        first = int(self.model.jnt_dofadr[joint])
        count = {"free": 6, "ball": 3}.get(kind, 1)
        mine = slice(first, first + count)
        for key, values in (("armature", self.model.dof_armature), ("damping", self.model.dof_damping)):
            numbers = tuple(float(value) for value in values[mine])
            if not any(numbers):
                continue
            if kind == "free" and key == "armature":
                self._leave_out(joint, "its armature: a free joint has none")
                continue
            bone[key] = numbers[0] if len(set(numbers)) == 1 else numbers
        if any(self.model.dof_frictionloss[mine]):
            self.rubbing.append((self.name(joint), float(np.max(self.model.dof_frictionloss[mine]))))
        stiffness = float(np.atleast_1d(self.model.jnt_stiffness[joint])[0])
        if stiffness and kind == "free":
            self._leave_out(joint, "its spring: a free joint has none")

    def _read_ball(self, joint: int, bone: dict[str, Any]) -> None:
        first = int(self.model.jnt_qposadr[joint])
        start = self.q[first : first + 4]
        if not np.array_equal(start, [1.0, 0.0, 0.0, 0.0]):
            bone["start"] = tuple(float(value) for value in start)
        stiffness = float(np.atleast_1d(self.model.jnt_stiffness[joint])[0])
        if stiffness:
            bone["stiffness"] = stiffness
        if self.model.jnt_limited[joint]:
            most = math.degrees(float(self.model.jnt_range[joint, 1]))
            if 0 < most < 180:
                bone |= {"axis": (0.0, 0.0, 1.0), "upper": most, "twist": (-most, most)}
                said = "its limit of the whole turn became one of the swing of its z axis and one of the twist about it"
                self._said.append(f"joint {self.name(joint) or joint}: {said}")

    def _read_single(self, joint: int, kind: str, bone: dict[str, Any]) -> dict[str, Any]:
        """Start, limits, spring and servo of a hinge or slider."""
        model, angular = self.model, kind == "hinge"
        place = int(model.jnt_qposadr[joint])
        zero = float(model.qpos0[place])

        def said(value: float) -> float:
            return math.degrees(value - zero) if angular else value - zero

        if self.q[place] != zero:
            bone["start"] = (said(float(self.q[place])),)
        if model.jnt_limited[joint]:
            low, high = (float(value) for value in model.jnt_range[joint])
            bone |= {"lower": said(low), "upper": said(high)}
        drive = self.drives.get(joint)
        others = {} if drive is None else {"servo": drive.servo(angular, zero)}
        stiffness, rest = float(np.atleast_1d(model.jnt_stiffness[joint])[0]), float(model.qpos_spring[place])
        if stiffness and rest == zero:
            bone["stiffness"] = stiffness
        elif stiffness and drive is None:
            others["servo"] = Servo(target=said(rest), stiffness=stiffness, limit=BOUNDLESS)
        elif stiffness:
            self._leave_out(
                joint, "its spring: it rests elsewhere than the neutral pose, and a servo drives the joint"
            )
        if zero:
            unit = f"{math.degrees(zero):g} degrees" if angular else f"{zero:g} m"
            self._said.append(f"joint {self.name(joint)}: its coordinate is counted from its ref, {unit}")
        return others

    def _leave_out(self, joint: int, what: str) -> None:
        self._said.append(f"joint {self.name(joint) or joint} is without {what}")
