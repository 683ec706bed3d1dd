"""Springs and dampers of the joints, fitted to what hangs on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple_characters.plan import BonePlan, Mass, Numbers, add_masses

GRAVITY = 9.81  # [m/s^2]
# A sliding joint of firmness 1 gives way by this much [m] under the weight that it carries.
SLIDE = 0.02
# Part of the arm of the weight that counts at least, for axes that run through the middle of what they carry.
LEAST_ARM = 0.1


@dataclass(frozen=True)
class Springs:
    """Stiffness [N m/rad, N/m] and damping [N m s/rad, N s/m] of a joint, one for every rate."""

    stiffness: Numbers
    damping: Numbers


def _about(mass: Mass, origin: FloatArray) -> FloatArray:
    """Inertia about another point [3, 3]."""
    arm = np.array(mass.centre) - origin
    return mass.matrix + mass.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def _turning_axes(bone: BonePlan) -> list[FloatArray]:
    joint = bone.joint
    if joint.kind == "ball":
        return [np.eye(3)[k] for k in range(3)]
    axes = {"hinge": [joint.axis], "universal": [joint.axis, joint.second_axis]}.get(joint.kind, [])
    return [np.array(axis) / np.linalg.norm(axis) for axis in axes]


def fit_springs(bones: Sequence[BonePlan], firmness: float, damping: float) -> dict[str, Springs]:
    """Springs by the path of the bone; README eq. (7) and (8)."""
    found = {}
    for bone in bones:
        carried = add_masses(
            other.mass
            for other in bones
            if other.mass and (other.path == bone.path or other.path.startswith(f"{bone.path}/"))
        )
        weight, origin = carried.mass * GRAVITY, np.array(bone.origin)
        if bone.joint.kind == "translation":
            references, inertias = [weight / SLIDE] * 3, [carried.mass] * 3
        else:
            arm = np.array(carried.centre) - origin
            inertia = _about(carried, origin)
            axes = _turning_axes(bone)
            least = LEAST_ARM * float(np.linalg.norm(arm))
            if bone.joint.kind == "ball":
                references = [weight * float(np.linalg.norm(arm))] * 3
            else:
                references = [weight * max(least, float(np.linalg.norm(np.cross(a, arm)))) for a in axes]
            inertias = [float(a @ inertia @ a) for a in axes]
        found[bone.path] = Springs(
            tuple(firmness * reference for reference in references),
            tuple(
                2.0 * damping * float(np.sqrt(max(firmness, 1.0) * reference * inertia))
                for reference, inertia in zip(references, inertias, strict=True)
            ),
        )
    return found
