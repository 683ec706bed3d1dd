"""From MuJoCo's actuators to servos of joints."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from supple.core.arrays import FloatArray
from supple_skeleton.components import Servo

#: The limit of a servo whose actuator has none [N m, N].
BOUNDLESS = 1e6


@dataclass
class Drive:
    """What the actuators of one joint do together: force = stiffness (target - q) - damping v, within limit."""

    pull: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    limit: float = 0.0

    def servo(self, angular: bool, zero: float) -> Servo:
        """As a servo of a joint whose neutral coordinate is `zero` in the file."""
        target = self.pull / self.stiffness - zero if self.stiffness else 0.0
        return Servo(
            target=math.degrees(target) if angular else target,
            stiffness=self.stiffness, damping=self.damping, limit=min(self.limit, BOUNDLESS) or BOUNDLESS,
        )  # fmt: skip


@dataclass
class Drives:
    """Servos by joint, and what became of the other actuators."""

    of_joint: dict[int, Drive] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def read_drives(model: Any, controls: FloatArray, motors: tuple[float, float], start: FloatArray) -> Drives:
    """All actuators. `motors`: stiffness and damping for mere torques, which then hold the coordinates `start`."""
    import mujoco

    drives = Drives()
    hinge_or_slide = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    on_joint = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    for index in range(model.nu):
        name = model.actuator(index).name or f"number {index}"
        joint = int(model.actuator_trnid[index, 0])
        if int(model.actuator_trntype[index]) not in on_joint:
            drives.left_out.append(f"actuator {name} acts on no joint")
        elif int(model.jnt_type[joint]) not in hinge_or_slide:
            drives.left_out.append(f"actuator {name} acts on a joint of several axes")
        else:
            law = _read_law(model, index, float(controls[index]))
            if isinstance(law, str):
                drives.left_out.append(f"actuator {name} {law}")
                continue
            if law.stiffness == 0.0 and law.damping == 0.0:
                if not any(motors):
                    drives.left_out.append(
                        f"actuator {name} is a mere torque; give motor_stiffness and motor_damping"
                    )
                    continue
                place = float(start[model.jnt_qposadr[joint]])
                law = Drive(motors[0] * place, motors[0], motors[1], law.limit)
            _add(drives, joint, law)
    return drives


def _read_law(model: Any, index: int, control: float) -> Drive | str:
    """The law of one actuator at its joint, or why it is none that a servo could follow."""
    import mujoco

    gain, bias, gear = (
        model.actuator_gainprm[index], model.actuator_biasprm[index], float(model.actuator_gear[index, 0])
    )  # fmt: skip
    fixed = int(model.actuator_gaintype[index]) == mujoco.mjtGain.mjGAIN_FIXED
    affine = int(model.actuator_biastype[index]) in (mujoco.mjtBias.mjBIAS_NONE, mujoco.mjtBias.mjBIAS_AFFINE)
    if not (fixed and affine):
        return "has a law of its own, such as that of a muscle"
    if int(model.actuator_dyntype[index]) != mujoco.mjtDyn.mjDYN_NONE:
        return "answers late, by an activation of its own"
    if int(model.actuator_biastype[index]) == mujoco.mjtBias.mjBIAS_NONE:
        bias = bias * 0.0
    if bias[1] > 0 or bias[2] > 0:
        return "drives its joint away from its target"
    if model.actuator_ctrllimited[index]:
        low, high = model.actuator_ctrlrange[index]
        control = min(max(control, float(low)), float(high))
    # force = gear (gain control + bias0 + bias1 gear q + bias2 gear v)
    pull = gear * (float(gain[0]) * control + float(bias[0]))
    stiffness, damping = -float(bias[1]) * gear**2, -float(bias[2]) * gear**2
    if stiffness == 0.0 and damping > 0.0 and pull != 0.0:
        return "drives its joint at a speed, and a servo holds a place"
    return Drive(pull, stiffness, damping, _limit(model, index, gear, float(gain[0])))


def _limit(model: Any, index: int, gear: float, gain: float) -> float:
    """The greatest force at the joint."""
    limits = []
    if model.actuator_forcelimited[index]:
        limits.append(float(abs(model.actuator_forcerange[index]).max()) * abs(gear))
    torque = model.actuator_biasprm[index, 1] == 0 and model.actuator_biasprm[index, 2] == 0
    if torque and model.actuator_ctrllimited[index]:
        limits.append(float(abs(model.actuator_ctrlrange[index]).max()) * abs(gear * gain))
    joint = int(model.actuator_trnid[index, 0])
    if model.jnt_actfrclimited[joint]:
        limits.append(float(abs(model.jnt_actfrcrange[joint]).max()))
    return min(limits, default=math.inf)


def _add(drives: Drives, joint: int, law: Drive) -> None:
    """Actuators of one joint add up."""
    sum_ = drives.of_joint.setdefault(joint, Drive())
    sum_.pull += law.pull
    sum_.stiffness += law.stiffness
    sum_.damping += law.damping
    sum_.limit += law.limit
