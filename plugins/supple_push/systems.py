"""Pushes become wrenches on the frames of all carriers."""

from __future__ import annotations

from supple.core.schedule import Bound, Call, Each, Phase, System
from supple_push.kernels import apply_forces

PUSHES = (
    "push.carrier", "push.frame", "push.point", "push.force", "push.start", "push.end", "run.time",
)  # fmt: skip


class ApplyForces(System):
    """Adds the force of every push to the frame it acts on."""

    phase = Phase.ACTUATE
    reads = (*PUSHES, Each("carriers", "rotation"))
    adds = (Each("carriers", "wrench"),)

    def bind(self, arrays: Bound) -> list[Call]:
        """One call for every carrier: a push acts on the frame of one of them."""
        pushes = [arrays[name] for name in PUSHES]
        return [
            Call(apply_forces, arrays.h, number, *pushes, arrays[carrier.rotation], arrays[carrier.wrench])
            for number, carrier in enumerate(arrays.build.members("carriers"))
        ]
