"""The systems of ghosts."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.schedule import Bound, Call, Phase, System
from supple_bones.coordinate_kernels import subtract_coordinates
from supple_bones.observe_kernels import observe_bones
from supple_bones.tables import Bones, Motion, name_arrays, take_next_motion
from supple_ghost.ghost_kernels import (
    add_spring_energies,
    add_wrenches,
    advance_ghosts,
    balance_ghosts,
    foresee_motion,
    observe_ghosts,
)
from supple_ghost.mechanism import MOBILITY, find_mobility


class ForeseeMotion(System):
    """Where the ghost goes in this step if nothing touches; collision wants to know."""

    phase = Phase.DETECT
    reads = ("ghost.bone", "ghost.recovery", "ghost.q", "ghost.target_now", "ghost.target")
    writes = ("ghost.wanted", "ghost.wanted_rate")

    def bind(self, arrays: Bound) -> Call:
        """Bind both configurations, and scratch."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        return Call(foresee_motion, arrays.h, *inputs, np.zeros_like(outputs[1]), *outputs)


class FollowMotion(System):
    """Rates as if nothing touched."""

    phase = Phase.FREE
    given = ("ghost.axis", "ghost.x", "ghost.wanted_rate", "ghost.wrench")
    reads = ("ghost.bone", *MOBILITY, *given)
    writes = ("ghost.pushed", "ghost.v_free")

    def bind(self, arrays: Bound) -> Call:
        """Bind the wrenches, and scratch."""
        inputs, outputs = [arrays[name] for name in self.given], [arrays[name] for name in self.writes]
        work = np.zeros((2, len(arrays["ghost.x"]), 6))
        return Call(
            add_wrenches, arrays.h, arrays["ghost.bone"], find_mobility(arrays), *inputs, work, *outputs
        )


class AdvanceBones(System):
    """Impulses correct the rates; coordinates follow, and with them the poses of all bones."""

    phase = Phase.ADVANCE
    given = ("ghost.q", "ghost.wanted", "ghost.pushed", "ghost.v_free", "ghost.impulse")
    reads = (*name_arrays(Bones, "ghost"), *MOBILITY, *given)
    writes = name_arrays(Motion, "ghost", NEXT)

    def bind(self, arrays: Bound) -> Call:
        """Bind both states."""
        bones, after = arrays.take(Bones, "ghost"), take_next_motion(arrays, "ghost")
        inputs = [arrays[name] for name in self.given]
        return Call(advance_ghosts, arrays.h, bones, find_mobility(arrays), *inputs, after)


class ObserveBones(System):
    """Deviation from the free configuration, and energy."""

    phase = Phase.OBSERVE
    reads = (
        "ghost.bone", "ghost.dof", "ghost.stiffness", "ghost.turning", "ghost.x_start", "ghost.q", "ghost.v",
        "ghost.q.next", "ghost.v.next", "ghost.x.next", "ghost.twist.next", "ghost.target_now", "ghost.target",
        "ghost.impulse",
    )  # fmt: skip
    writes = ("ghost.observed_bone", "ghost.observed")
    adds = ("energy.before", "energy.potential", "energy.applied")

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind both states, the sums and scratch."""
        bone, dof, stiffness = (arrays[f"ghost.{name}"] for name in ("bone", "dof", "stiffness"))
        q, v, q_next, v_next = (arrays[f"ghost.{name}"] for name in ("q", "v", "q.next", "v.next"))
        observed_bone, observed = (arrays[name] for name in self.writes)
        seen = [arrays[f"ghost.{name}"] for name in ("x_start", "x.next", "twist.next")]
        trees = len(observed)
        deviation, before, count = np.zeros(len(dof)), np.zeros((trees, 2)), np.zeros(trees)
        return [
            Call(observe_bones, *seen, observed_bone),
            Call(subtract_coordinates, bone, q, arrays["ghost.target_now"], deviation),
            Call(add_spring_energies, bone, dof, stiffness, deviation, 1, before),
            Call(subtract_coordinates, bone, q_next, arrays["ghost.target"], deviation),
            Call(observe_ghosts, bone, dof, stiffness, arrays["ghost.turning"], deviation, count, observed),
            Call(
                balance_ghosts, before, observed, v, v_next, arrays["ghost.impulse"],
                *(arrays[name] for name in self.adds),
            ),
        ]  # fmt: skip
