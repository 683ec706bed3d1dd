"""The system that applies pushes."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.schedule import Bound, Each, Phase, System
from supple_push.kernels import apply_forces


class ApplyForces(System):
    """Adds the force of every push to the frame it acts on."""

    phase = Phase.ACTUATE
    reads = (
        "push.carrier", "push.frame", "push.point", "push.force", "push.start", "push.end", "run.time",
        Each("carriers", "rotation"),
    )  # fmt: skip
    adds = (Each("carriers", "wrench"),)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the pushes and the frames of all carriers."""
        pushes = [arrays[name] for name in self.reads[:7]]
        carriers = [
            (number, arrays[carrier.rotation], arrays[carrier.wrench])
            for number, carrier in enumerate(arrays.build.members("carriers"))
        ]
        h = arrays.h

        def apply() -> None:
            for number, rotation, wrench in carriers:
                apply_forces(h, number, *pushes, rotation, wrench)

        return apply
