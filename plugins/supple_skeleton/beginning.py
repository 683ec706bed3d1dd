"""Servos that are faster than steps can follow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.errors import Problem
from supple_bones.components import find_anchor

if TYPE_CHECKING:
    from supple.core.world import World

#: Radians of a swing that one step may take; with more, numerical damping is all that is left of it.
LONG = 1.0


def warn_of_servos(world: World) -> Iterator[Problem]:
    """Servos whose step is too long for the inertia that they drive, all other joints being free."""
    h, graph = world.blueprint.run.step, world.build.graph
    servos = [
        entity
        for entity in graph.having("servo")
        if entity.components["servo"].stiffness > 0 and find_anchor(entity, graph) is not None
    ]
    for anchor in graph.having("skeleton"):
        mine = [entity for entity in servos if entity.path.startswith(f"{anchor.path}/")]
        if not mine:
            continue
        dynamics = world.dynamics(anchor.path)
        mobility = np.diagonal(np.linalg.inv(dynamics.mass_matrix()))
        for entity in mine:
            stiffness = entity.components["servo"].stiffness
            swing = math.sqrt(stiffness * float(mobility[dynamics.rates(entity.path).here].max()))
            if swing * h > LONG:
                what = f"answers with {swing:.3g} rad/s, {swing * h:.2g} rad in a step: it will look stiff and damped"
                remedy = f"make run.step shorter than {LONG / swing:.1e} s, or the servo softer"
                yield Problem(None, f"{entity.path}.servo.stiffness", what, remedy)
