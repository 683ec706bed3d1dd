"""The systems of ghosts."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.schedule import Bound, Call, Phase, System
from supple_bones.coordinate_kernels import subtract_coordinates
from supple_bones.observe_kernels import observe_bones
from supple_bones.tables import Bones, Motion, name_arrays, take_next_motion
from supple_ghost.ghost_kernels import (
    Change,
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
        wanted, rate = arrays["ghost.wanted"], arrays["ghost.wanted_rate"]
        return Call(
            foresee_motion, arrays.h, arrays["ghost.bone"], arrays["ghost.recovery"], arrays["ghost.q"],
            arrays["ghost.target_now"], arrays["ghost.target"], np.zeros_like(rate), wanted, rate,
        )  # fmt: skip


class FollowMotion(System):
    """Rates as if nothing touched."""

    phase = Phase.FREE
    reads = (
        "ghost.bone", *MOBILITY, "ghost.axis", "ghost.x", "ghost.wanted_rate", "ghost.wrench", "ghost.force",
    )  # fmt: skip
    writes = ("ghost.pushed", "ghost.v_free")

    def bind(self, arrays: Bound) -> Call:
        """Bind the wrenches, and scratch."""
        x = arrays["ghost.x"]
        return Call(
            add_wrenches, arrays.h, arrays["ghost.bone"], find_mobility(arrays), arrays["ghost.axis"], x,
            arrays["ghost.wanted_rate"], arrays["ghost.wrench"], arrays["ghost.force"], np.zeros((2, len(x), 6)),
            arrays["ghost.pushed"], arrays["ghost.v_free"],
        )  # fmt: skip


class AdvanceBones(System):
    """Impulses correct the rates; coordinates follow, and with them the poses of all bones."""

    phase = Phase.ADVANCE
    reads = (*name_arrays(Bones, "ghost"), *MOBILITY, *name_arrays(Change, "ghost"))
    writes = name_arrays(Motion, "ghost", NEXT)

    def bind(self, arrays: Bound) -> Call:
        """Bind both states."""
        bones, after = arrays.take(Bones, "ghost"), take_next_motion(arrays, "ghost")
        return Call(
            advance_ghosts, arrays.h, bones, find_mobility(arrays), arrays.take(Change, "ghost"), after
        )


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
        bone, dof, stiffness = arrays["ghost.bone"], arrays["ghost.dof"], arrays["ghost.stiffness"]
        target_now, target = arrays["ghost.target_now"], arrays["ghost.target"]
        observed = arrays["ghost.observed"]
        trees = len(observed)
        deviation, before, count = np.zeros(len(dof)), np.zeros((trees, 2)), np.zeros(trees)
        return [
            Call(
                observe_bones, arrays["ghost.x_start"], arrays["ghost.x.next"], arrays["ghost.twist.next"],
                arrays["ghost.observed_bone"],
            ),
            Call(subtract_coordinates, bone, arrays["ghost.q"], target_now, deviation),
            Call(add_spring_energies, bone, dof, stiffness, deviation, 1, before),
            Call(subtract_coordinates, bone, arrays["ghost.q.next"], target, deviation),
            Call(observe_ghosts, bone, dof, stiffness, arrays["ghost.turning"], deviation, count, observed),
            Call(
                balance_ghosts, before, observed, arrays["ghost.v"], arrays["ghost.v.next"], arrays["ghost.impulse"],
                arrays["energy.before"], arrays["energy.potential"], arrays["energy.applied"],
            ),
        ]  # fmt: skip
