"""What all pictures of one strip or film have in common, so that nothing jumps from frame to frame."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple.errors import Problem, UserError, suggest
from supple.run.stage import Stage, Thing, is_plane
from supple_picture.arrows import nice_number
from supple_picture.camera import framed_things

#: What can be hidden besides the layers.
EXTRAS = ("contacts", "labels", "shadow")
#: Length of the arrow of a strong force, and greatest length of any, in radii of the scene.
_STRONG, _LONGEST = 0.30, 0.8
_SAMPLED = 60


@dataclass(frozen=True)
class Look:
    """Lengths in m. `metres_per_newton` is 0 where no force is to be seen; no arrow is longer than `longest`.

    Layers in `hidden` are left out; those in `through` shine through what hides them.
    """

    middle: FloatArray
    radius: float
    tile: float
    metres_per_newton: float
    longest: float
    hidden: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    title: str = ""
    samples: int = 2

    def shows(self, thing: Thing) -> bool:
        """Whether the layer of a thing is on."""
        return thing.drawing.layer not in self.hidden


def plan_look(
    stage: Stage,
    frames: Sequence[int],
    *,
    hidden: Collection[str] = (),
    through: Collection[str] = (),
    title: str = "",
) -> Look:
    """The look of pictures of these frames. A layer to hide, or to show through others, that nothing has is refused."""
    layers = set(stage.layers)
    for option, names, known in (("--hide", hidden, layers | {*EXTRAS}), ("--through", through, layers)):
        for name in names:
            if name not in known:
                raise UserError(
                    Problem(None, f"{option} {name}", "nothing of this name", suggest(name, known))
                )
    things = framed_things(stage)
    low, high = stage.bounds(frames, things)
    radius = max(0.5 * float(np.linalg.norm(high - low)), 1e-6)
    per_newton = 0.0 if "contacts" in hidden else _scale_forces(stage, frames, radius)
    return Look(
        middle=(low + high) / 2,
        radius=radius,
        tile=nice_number(0.35 * radius),
        metres_per_newton=per_newton,
        longest=_LONGEST * radius,
        hidden=frozenset(hidden),
        through=frozenset(through),
        title=title,
    )


def _scale_forces(stage: Stage, frames: Sequence[int], radius: float) -> float:
    """A rare blow is not to make all other arrows too short to see: nine of ten frames decide."""
    picked = np.linspace(0, len(frames) - 1, min(len(frames), _SAMPLED)).round().astype(int)
    strongest = []
    for index in picked:
        _, forces = stage.contacts(frames[index])
        if len(forces):
            strongest.append(float(np.linalg.norm(forces, axis=1).max()))
    strongest = [force for force in strongest if force > 0.0 and math.isfinite(force)]
    return _STRONG * radius / float(np.quantile(strongest, 0.9)) if strongest else 0.0


def planes_of(stage: Stage, look: Look) -> list[Thing]:
    """The planes that are shown."""
    return [thing for thing in stage.things if is_plane(thing.drawing) and look.shows(thing)]
