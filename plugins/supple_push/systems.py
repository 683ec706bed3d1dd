"""The systems that apply pushes: to frames as wrenches, to surfaces that bend as planned impulses."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Access, Bound, Call, Each, Phase, System, Work
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.points import make_points
from supple_push.compile import HELD
from supple_push.kernels import apply_forces, fill_pushes, hold_points

PUSHES = (
    "push.carrier", "push.frame", "push.point", "push.force", "push.start", "push.end", "push.rise", "run.time",
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


class HoldPoints(System):
    """Which points of surfaces are pushed in this step; without such pushes there is nothing to do."""

    phase = Phase.DETECT
    pushes = ("push.held_element", "push.held_start", "push.held_end", "run.time")

    def __init__(self, build: Build) -> None:
        self.any = HELD[0] in build.arrays.specs
        self.reads, self.writes = (self.pushes, HELD[1:]) if self.any else ((), ())

    def bind(self, arrays: Bound) -> Work:
        """Bind the times."""
        if not self.any:
            return []
        return Call(hold_points, arrays.h, *(arrays[name] for name in (*self.pushes, HELD[1])))


class PushSurfaces(System):
    """Adds the impulses of pushes on surfaces to the plans of the mechanisms that move these."""

    phase = Phase.PLAN
    pushes = (
        *HELD, "push.held_weights", "push.held_force", "push.held_start", "push.held_end", "push.held_rise",
        "run.time",
    )  # fmt: skip
    moved: tuple[Access, ...] = (
        Each("surfaces", "reads"), Each("carriers", "reads"), Each("mechanisms", "reads"),
    )  # fmt: skip

    def __init__(self, build: Build) -> None:
        self.any = HELD[0] in build.arrays.specs
        self.reads = (*self.pushes, *self.moved, "rows.problem") if self.any else ()
        self.adds = (Each("mechanisms", "plan"),) if self.any else ()

    def bind(self, arrays: Bound) -> Work:
        """Bind the pushes and the mechanisms. The rows of a push are taken back at once: it is no constraint."""
        if not self.any:
            return []
        surface, *pushes = (arrays[name] for name in self.pushes)
        points, impulse = make_points(len(surface)), np.zeros((len(surface), 3))
        surfaces = arrays.build.members("surfaces")
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms")
        plans = [(one.jacobian, arrays[one.plan].reshape(-1)) for one in mechanisms]
        pushed = [
            (surfaces[n], bind_kernel(fill_pushes, arrays.h, n, surface, *pushes, points, impulse))
            for n in sorted(set(surface.tolist()))
        ]

        def push() -> None:
            for member, fill in pushed:
                fill()
                if points.span[1] == 0:
                    continue
                before = [jacobian.count.item(0) for jacobian, _ in plans]
                member.add_rows(points)
                for first, (jacobian, plan) in zip(before, plans, strict=True):
                    jacobian.take_back(first, impulse, plan)

        return push
