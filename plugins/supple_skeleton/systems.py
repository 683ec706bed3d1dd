"""The systems of skeletons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Phase, System
from supple.errors import SimulationError
from supple_skeleton.compile import list_bones
from supple_skeleton.forest import count_rows
from supple_skeleton.kinematics_kernels import follow_state
from supple_skeleton.layout import BONE
from supple_skeleton.loaded_step import bind_loaded_step
from supple_skeleton.loads import BoneLoad
from supple_skeleton.observe_kernels import observe_step
from supple_skeleton.step_kernels import advance_bones, move_freely


class PlaceBones(System):
    """Poses, twists and axes of all bones follow from the state."""

    phase = Phase.DETECT
    reads = ("skeleton.bone", "skeleton.dof", "skeleton.frame", "skeleton.q", "skeleton.v")
    writes = (
        "skeleton.x", "skeleton.rotation", "skeleton.twist",
        "skeleton.axis", "skeleton.axis_rate", "skeleton.spatial_velocity",
    )  # fmt: skip

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind state and frames."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        return bind_kernel(follow_state, *inputs, *outputs)


class MoveFreely(System):
    """Factor of A, and velocities after the step if nothing touched."""

    phase = Phase.FREE
    reads = (
        "skeleton.bone", "skeleton.dof", "skeleton.inertia", "skeleton.armature", "skeleton.damping",
        "skeleton.stiffness", "run.gravity", "skeleton.x", "skeleton.rotation", "skeleton.axis",
        "skeleton.axis_rate", "skeleton.spatial_velocity", "skeleton.q", "skeleton.v",
        "skeleton.wrench", "skeleton.force", "skeleton.gain_p", "skeleton.gain_d",
    )  # fmt: skip
    writes = ("skeleton.factor", "skeleton.applied", "skeleton.v_free")

    def __init__(self, build: Build) -> None:
        self.loads: list[BoneLoad] = build.members("bone_loads")
        taken = (name for load in self.loads for name in load.takes)
        self.reads = tuple(dict.fromkeys((*MoveFreely.reads, *taken)))
        self.writes = (*MoveFreely.writes, *(name for load in self.loads for name in load.makes))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind masses, forces and scratch."""
        inputs = [arrays[name] for name in MoveFreely.reads]
        outputs = [arrays[name] for name in MoveFreely.writes]
        bone, dof = inputs[:2]
        bones, rates, rows = len(bone), len(dof), len(arrays["skeleton.axis"])
        scratch = [
            np.zeros((bones, 10)), np.zeros((bones, 10)), np.zeros((2, bones, 6)),
            np.zeros((bones, 6)), np.zeros((rows, 6)), np.zeros((4, rates)),
        ]  # fmt: skip
        h = arrays.h
        settings = arrays.build.settings("skeleton")
        corrections, implicitness = settings.corrections, settings.implicitness
        labels = [entity.path for entity in list_bones(arrays.build, "skeleton")]
        if self.loads:
            for load in self.loads:
                load.attach(arrays)
            take_step = bind_loaded_step(h, corrections, implicitness, self.loads, inputs, scratch, outputs)
        else:
            take_step = bind_kernel(move_freely, h, corrections, implicitness, *inputs, *scratch, *outputs)

        def move() -> None:
            empty = take_step()
            if empty >= 0:
                raise SimulationError(
                    f"the mass matrix lost its inertia at rate {empty}", entity=labels[dof[empty, BONE]]
                )

        return move


class AdvanceBones(System):
    """Row impulses change the rates; coordinates follow."""

    phase = Phase.ADVANCE
    reads = (
        "skeleton.bone", "skeleton.dof", "skeleton.factor", "skeleton.q", "skeleton.v_free", "skeleton.impulse",
    )  # fmt: skip
    writes = ("skeleton.q.next", "skeleton.v.next")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        h = arrays.h
        return bind_kernel(advance_bones, h, *inputs, *outputs)


class ObserveBones(System):
    """Poses after the step, energy, and metrics."""

    phase = Phase.OBSERVE
    reads = (
        "skeleton.bone", "skeleton.dof", "skeleton.frame", "skeleton.inertia", "skeleton.armature",
        "skeleton.damping", "skeleton.stiffness", "run.gravity", "skeleton.limit", "skeleton.bound",
        "skeleton.x_start", "skeleton.q", "skeleton.v", "skeleton.x", "skeleton.rotation", "skeleton.twist",
        "skeleton.gain_p", "skeleton.gain_d", "skeleton.applied", "skeleton.q.next", "skeleton.v.next",
    )  # fmt: skip
    writes = (
        "skeleton.position.next", "skeleton.orientation.next", "skeleton.velocity.next",
        "skeleton.observed_bone", "skeleton.observed",
    )  # fmt: skip
    adds = ("energy.before", "energy.kinetic", "energy.potential", "energy.applied")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states, the sums and scratch."""
        inputs = [arrays[name] for name in self.reads]
        outputs = [arrays[name] for name in (*self.writes, *self.adds)]
        bones, rates = len(arrays["skeleton.bone"]), len(arrays["skeleton.dof"])
        rows = count_rows(arrays["skeleton.bone"], arrays["skeleton.dof"])
        limits, trees = len(arrays["skeleton.limit"]), len(arrays["skeleton.observed"])
        scratch = [
            np.zeros((rows, 6)), np.zeros((rows, 6)), np.zeros((bones, 6)), np.zeros(rates),
            np.zeros(limits), np.zeros((trees, 2)), np.zeros((trees, 2)), np.zeros((trees, 5)),
        ]  # fmt: skip
        h = arrays.h
        return bind_kernel(observe_step, h, *inputs, *scratch, *outputs)
