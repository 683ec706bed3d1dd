"""Which skeletons are ever looked at for tension."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple_bones.forest import Forest
from supple_bones.layout import PARENT, POSITION
from supple_skeleton.step_tables import find_least_inertias

#: Times its own weight that a bone bears without a look.
BORNE_WEIGHTS = 10.0
GRAVITY = 9.81


def may_be_taut(build: Build, forest: Forest) -> bool:
    """Whether a bone's own joint chain, or a joint that is tied to it, may pull so much that h^2 |H| exceeds I/4.

    Bones that hold what hangs on them at ten times its weight need no look: README eq. (16). Loads know no tension.
    """
    if build.members("bone_loads"):
        return False
    if build.having("joint") or build.having("grasp"):
        return True
    bone, inertia = forest.bone, forest.inertia
    weight = BORNE_WEIGHTS * max(GRAVITY, float(np.linalg.norm(build.run.gravity)))
    mass, reach = inertia[:, 0].copy(), np.linalg.norm(inertia[:, 1:4], axis=1)
    for i in range(len(bone) - 1, -1, -1):
        parent = bone[i, PARENT]
        if parent >= 0:
            mass[parent] += mass[i]
            reach[parent] += mass[i] * float(np.linalg.norm(forest.frame[i, POSITION : POSITION + 3]))
    least = find_least_inertias(bone, inertia)
    return bool(((2.0 * build.longest_step() ** 2 * weight * reach > 0.25 * least) & (least > 0.0)).any())
