"""Springs that swing faster than steps can follow, and joints whose sides do not meet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.errors import Problem
from supple_joints.codes import MOVE

if TYPE_CHECKING:
    from supple.core.world import World

#: Radians of a swing that one step may take; with more, numerical damping is all that is left of it.
LONG = 1.0


def warn_of_springs(world: World) -> Iterator[Problem]:
    """Springs between bodies whose step is too long."""
    h = world.blueprint.run.step
    for entity in world.build.having("spring"):
        spring = entity.components["spring"]
        masses = [world[path].mass for path in spring.between if "mass" in world.build.exposed.get(path, ())]
        if not masses or spring.stiffness == 0.0:
            continue
        swing = math.sqrt(spring.stiffness * sum(1.0 / mass for mass in masses))
        if swing * h > LONG:
            what = (
                f"swings with {swing:.3g} rad/s, {swing * h:.2g} rad in a step: it will look stiff and damped"
            )
            remedy = f"make run.step shorter than {LONG / swing:.1e} s"
            yield Problem(None, f"{entity.path}.spring.stiffness", what, remedy)


def warn_of_distances(world: World) -> Iterator[Problem]:
    """Joints that are apart before anything moved, as where bones start at angles, or clamps contradict each other."""
    most, jointed = world.blueprint.run.allowed_joint_error, {e.path for e in world.build.having("joint")}
    paths = world.build.arrays.specs["joints.kind"].labels
    active, errors = world.array("joints.active"), world.array("joints.error")[:, MOVE]
    for path, holds, error in zip(paths, active, errors, strict=True):
        distance = float(np.linalg.norm(error))
        if holds and distance > most and path in jointed:
            what = f"its sides are {distance:.3g} m apart at the start, and will be pulled together"
            yield Problem(None, f"{path}.joint", what, "place it where they meet, bones at their start")
