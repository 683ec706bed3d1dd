"""Stopping a run that runs away, while its numbers still mean something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.schedule import Call
from supple.errors import SimulationError


@dataclass(frozen=True)
class Bound:
    """Size that no number of an array may have after a step, and the words to say so."""

    array: str
    verb: str
    unit: str
    most: float
    setting: str


class Runaways:
    """Looks at how fast every mechanism is after a step, and how far every frame is."""

    def __init__(self, build: Build) -> None:
        self._arrays = build.arrays
        self._bounds = _list_bounds(build)

    def list_looks(self) -> list[Call]:
        """Kernels that look whether all is well, and what refuses a step where it is not."""
        from supple.core.state_kernels import is_any_beyond  # numba takes a second to import

        return [
            Call(is_any_beyond, self._arrays[each.array].reshape(-1), each.most, otherwise=self.refuse)
            for each in self._bounds
        ]

    def refuse(self) -> None:
        """Raise SimulationError for the first that has run away."""
        for bound in self._bounds:
            values, spec = self._arrays[bound.array], self._arrays.spec(bound.array)
            beyond = np.argwhere(np.abs(values) > bound.most)
            if len(beyond):
                row = int(beyond[0][0])
                entity = spec.labels[row] if row < len(spec.labels) else ""
                element = f"{bound.array.removesuffix(NEXT)}[{', '.join(map(str, beyond[0]))}]"
                size = f"{abs(values[tuple(beyond[0])]):.3g} {bound.unit}"
                what = (
                    f"{entity or element} {bound.verb} {size}, beyond {bound.setting} = {bound.most:g}: "
                    "the run has run away; shorten run.step, or look at what drives it"
                )
                raise SimulationError(what, entity=entity, element=element)


def _list_bounds(build: Build) -> list[Bound]:
    run, found = build.run, {}
    for mechanism in build.members("mechanisms"):
        name = str(mechanism.v_next)
        found[name] = Bound(name, "moves at", "m/s or rad/s", run.fastest, "run.fastest")
    for carrier in build.members("carriers"):
        name = str(carrier.position)
        if build.arrays.specs[name].kind == "state":
            found[name + NEXT] = Bound(name + NEXT, "is at", "m", run.farthest, "run.farthest")
    return [found[name] for name in sorted(found)]
