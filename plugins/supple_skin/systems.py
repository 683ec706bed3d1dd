"""The systems of ghosts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Phase, System
from supple_skeleton.kinematics_kernels import follow_state
from supple_skeleton.observe_kernels import observe_bones
from supple_skin.ghost_kernels import (
    add_spring_energies,
    add_wrenches,
    advance_ghosts,
    balance_ghosts,
    foresee_motion,
    observe_ghosts,
    subtract_coordinates,
)


class PlaceBones(System):
    """Poses, twists and axes of all bones follow from the state."""

    phase = Phase.DETECT
    reads = ("ghost.bone", "ghost.dof", "ghost.frame", "ghost.q", "ghost.v")
    writes = (
        "ghost.x", "ghost.rotation", "ghost.twist", "ghost.axis", "ghost.axis_rate", "ghost.spatial_velocity",
    )  # fmt: skip

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind state and frames."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        return bind_kernel(follow_state, *inputs, *outputs)


class ForeseeMotion(System):
    """Where the ghost goes in this step if nothing touches; collision wants to know."""

    phase = Phase.DETECT
    reads = ("ghost.bone", "ghost.recovery", "ghost.q", "ghost.target_now", "ghost.target")
    writes = ("ghost.wanted", "ghost.wanted_rate")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both configurations, and scratch."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        difference, h = np.zeros_like(outputs[1]), arrays.h
        return bind_kernel(foresee_motion, h, *inputs, difference, *outputs)


class FollowMotion(System):
    """Rates as if nothing touched."""

    phase = Phase.FREE
    reads = (
        "ghost.bone", "ghost.mobility", "ghost.axis", "ghost.x", "ghost.wanted_rate", "ghost.wrench",
        "ghost.force",
    )  # fmt: skip
    writes = ("ghost.pushed", "ghost.v_free")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the wrenches, and scratch."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        work, h = np.zeros((2, len(arrays["ghost.x"]), 6)), arrays.h
        return bind_kernel(add_wrenches, h, *inputs, work, *outputs)


class AdvanceBones(System):
    """Impulses correct the rates; coordinates follow."""

    phase = Phase.ADVANCE
    reads = (
        "ghost.bone", "ghost.mobility", "ghost.q", "ghost.wanted", "ghost.pushed", "ghost.v_free",
        "ghost.impulse",
    )  # fmt: skip
    writes = ("ghost.q.next", "ghost.v.next")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        h = arrays.h
        return bind_kernel(advance_ghosts, h, *inputs, *outputs)


class ObserveBones(System):
    """Poses after the step, deviation from the free configuration, and energy."""

    phase = Phase.OBSERVE
    reads = (
        "ghost.bone", "ghost.dof", "ghost.frame", "ghost.stiffness", "ghost.turning", "ghost.x_start",
        "ghost.q", "ghost.v", "ghost.q.next", "ghost.v.next", "ghost.target_now", "ghost.target", "ghost.impulse",
    )  # fmt: skip
    writes = (
        "ghost.position.next", "ghost.orientation.next", "ghost.velocity.next",
        "ghost.observed_bone", "ghost.observed",
    )  # fmt: skip
    adds = ("energy.before", "energy.potential", "energy.applied")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states, the sums and scratch."""
        bone, dof, frame, stiffness, turning, x_start, q, v, q_next, v_next, target_now, target, impulse = (
            arrays[name] for name in self.reads
        )
        x, rotation, twist, observed_bone, observed = (arrays[name] for name in self.writes)
        sums = [arrays[name] for name in self.adds]
        rates, trees = len(dof), len(observed)
        axes = [np.zeros((rates, 6)), np.zeros((rates, 6)), np.zeros((len(bone), 6))]
        deviation, before, count = np.zeros(rates), np.zeros((trees, 2)), np.zeros(trees)

        def observe() -> None:
            follow_state(bone, dof, frame, q_next, v_next, x, rotation, twist, *axes)
            observe_bones(x_start, x, twist, observed_bone)
            subtract_coordinates(bone, q, target_now, deviation)
            add_spring_energies(bone, dof, stiffness, deviation, 1, before)
            subtract_coordinates(bone, q_next, target, deviation)
            observe_ghosts(bone, dof, stiffness, turning, deviation, count, observed)
            balance_ghosts(before, observed, v, v_next, impulse, *sums)

        return observe
