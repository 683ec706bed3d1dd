"""Springs that swing faster than steps can follow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from supple.errors import Problem

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
