"""The systems of skeletons."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple.errors import SimulationError
from supple.mechanics.spring_tables import find_implicitness, read_implicitness
from supple_bones.compile import list_bones
from supple_bones.layout import BONE
from supple_bones.tables import Bones, Limits, Motion, name_arrays, take_next_motion
from supple_skeleton.flow_tables import Ended, Flow, find_heads, make_flow_scratch
from supple_skeleton.loaded_kernels import LARGEST_TURN, find_turning_bone
from supple_skeleton.loaded_step import bind_loaded_step
from supple_skeleton.loads import BoneLoad
from supple_skeleton.mechanism import Skeletons
from supple_skeleton.observe_kernels import observe_step
from supple_skeleton.step_kernels import (
    SPINS_FAST,
    advance_fast,
    advance_slowly,
    find_arrears,
    keep_fast,
    move_fast,
    try_freely,
)
from supple_skeleton.step_tables import (
    Balance,
    FreeStep,
    Gains,
    Masses,
    Tie,
    find_least_inertias,
    make_observe_scratch,
    make_step_scratch,
)
from supple_skeleton.steppers import BoneStepper
from supple_skeleton.tension_kernels import RowImpulses, keep_tension

BONES, MOTION, NEXT_MOTION = (
    name_arrays(Bones, "skeleton"), name_arrays(Motion, "skeleton"), name_arrays(Motion, "skeleton", NEXT),
)  # fmt: skip
MASSES = name_arrays(Masses, "skeleton")
GAINS = tuple(f"skeleton.{name}" for name in (*Gains._fields[1:], "response"))
NEXT_TIE = name_arrays(Tie, "skeleton", NEXT)
TIE, FLOW, ENDED = (name_arrays(group, "skeleton") for group in (Tie, Flow, Ended))


def take_gains(arrays: Bound) -> Gains:
    """Springs, dampers and gains, with where in the step of h those of the joints are taken."""
    stiffness, damping, response = (
        arrays[f"skeleton.{name}"] for name in ("stiffness", "damping", "response")
    )
    setting = read_implicitness(arrays.build.settings("skeleton").springs)
    theta = find_implicitness(arrays.h, setting, stiffness, damping, response)
    others = {name: arrays[f"skeleton.{name}"] for name in ("gain_p", "gain_d")}
    return Gains(theta=theta, damping=damping, stiffness=stiffness, **others)


def find_skeletons(arrays: Bound) -> Skeletons:
    """The mechanism of all skeletons."""
    return next(each for each in arrays.build.members("mechanisms") if isinstance(each, Skeletons))


class MoveFreely(System):
    """Factor of A, and velocities after the step if nothing touched."""

    phase = Phase.FREE
    own_reads = (
        *BONES,
        *MASSES,
        *GAINS,
        *MOTION,
        *TIE,
        "run.gravity",
        "skeleton.wrench",
        "skeleton.force",
        "skeleton.spun",
        "skeleton.arrears",
    )
    own_writes = (
        "skeleton.factor",
        "skeleton.applied",
        "skeleton.v_free",
        "skeleton.pulled",
        "skeleton.any_fast",
        *FLOW,
    )

    def __init__(self, build: Build) -> None:
        self.loads: list[BoneLoad] = build.members("bone_loads")
        taken = (name for load in self.loads for name in load.takes)
        self.reads = tuple(dict.fromkeys((*self.own_reads, *taken)))
        self.writes = (*self.own_writes, *(name for load in self.loads for name in load.makes))

    def bind(self, arrays: Bound) -> Work:
        """Bind masses, forces and scratch."""
        settings = arrays.build.settings("skeleton")
        bones, motion = arrays.take(Bones, "skeleton"), arrays.take(Motion, "skeleton")
        step = FreeStep(
            h=arrays.h,
            corrections=settings.corrections,
            implicitness=settings.implicitness,
            bones=bones,
            masses=arrays.take(Masses, "skeleton"),
            gains=take_gains(arrays),
            gravity=arrays["run.gravity"],
            motion=motion,
            wrench=arrays["skeleton.wrench"],
            force=arrays["skeleton.force"],
            tie=arrays.take(Tie, "skeleton"),
            scratch=make_step_scratch(len(bones.bone), len(bones.dof), len(motion.axis)),
            factor=arrays["skeleton.factor"],
            applied=arrays["skeleton.applied"],
            v_free=arrays["skeleton.v_free"],
            pull=arrays["skeleton.pulled"],
        )
        forest = find_skeletons(arrays).forest
        for load in self.loads:
            load.attach(arrays)
        heads, flow = find_heads(forest), arrays.take(Flow, "skeleton")
        before = (arrays["skeleton.spun"], arrays["skeleton.arrears"])
        take_fast_step = bind_kernel(move_fast, step, heads, *before, flow, make_flow_scratch(forest))
        any_fast, ended = arrays["skeleton.any_fast"], np.zeros(1, np.int64)
        labels = [entity.path for entity in list_bones(arrays.build, "skeleton")]

        def finish(empty: int) -> None:
            if empty == SPINS_FAST:
                empty = take_fast_step()
            if empty >= 0:
                raise SimulationError(
                    f"the mass matrix lost its inertia at rate {empty}",
                    entity=labels[bones.dof[empty, BONE]],
                )

        if not self.loads:
            return Call(
                try_freely, step, heads, *before, flow.fast, any_fast, ended,
                otherwise=lambda: finish(ended.item(0)),
            )  # fmt: skip
        take_step = bind_loaded_step(step, self.loads)

        find_turning = bind_kernel(find_turning_bone, arrays.h, heads.spinning, motion.spatial_velocity)

        def move() -> None:
            turning = find_turning()
            if turning >= 0:
                what = f"turns by more than {LARGEST_TURN:g} rad in a step, too much with flesh: shorten run.step"
                raise SimulationError(what, entity=labels[turning])
            empty = take_step()
            any_fast[0] = empty == SPINS_FAST
            finish(empty)

        return move


class AdvanceBones(System):
    """Row impulses change the rates; coordinates follow, and with them poses of bones, and what pulled at them."""

    phase = Phase.ADVANCE
    own_reads = (
        *BONES, *MASSES, *MOTION, *TIE, *FLOW, "skeleton.factor", "skeleton.v_free", "skeleton.impulse", "rows.problem",
        "rows.impulse", "run.gravity", "skeleton.pulled", "skeleton.any_fast",
    )  # fmt: skip
    writes = (*NEXT_MOTION, *ENDED, "skeleton.spun.next")

    def __init__(self, build: Build) -> None:
        self.watched = any(
            isinstance(each, Skeletons) and each.watched for each in build.members("mechanisms")
        )
        if self.watched:
            self.writes = (*self.writes, *NEXT_TIE)
        self.owes = len(build.arrays["skeleton.arrears"]) > 0
        if self.owes:
            self.writes = (*self.writes, "skeleton.arrears.next")
        self.steppers: list[BoneStepper] = build.members("bone_steppers")
        taken = (name for stepper in self.steppers for name in stepper.takes)
        self.reads = tuple(dict.fromkeys((*self.own_reads, *taken)))
        self.writes = (*self.writes, *(name for stepper in self.steppers for name in stepper.makes))

    def bind(self, arrays: Bound) -> Work:
        """Bind both states and the rows."""
        skeletons, problem = find_skeletons(arrays), arrays.record("rows.problem")
        motion, after = arrays.take(Motion, "skeleton"), take_next_motion(arrays, "skeleton")
        bones, masses = arrays.take(Bones, "skeleton"), arrays.take(Masses, "skeleton")
        heads, flow = find_heads(skeletons.forest), arrays.take(Flow, "skeleton")
        scratch, ended = make_flow_scratch(skeletons.forest), arrays.take(Ended, "skeleton")
        given = (arrays["skeleton.v_free"], arrays["skeleton.impulse"])
        factor, spins_fast = arrays["skeleton.factor"], arrays["skeleton.any_fast"]
        advance_quickly = bind_kernel(
            advance_fast, arrays.h, bones, masses, heads, factor, motion, flow, *given, scratch, ended, after
        )

        steps: list[Work] = [
            Call(
                advance_slowly, spins_fast, arrays.h, bones, factor, motion.q, *given, ended, after,
                otherwise=advance_quickly,
            ),
            Call(keep_fast, flow.fast, arrays["skeleton.spun.next"]),
            *(stepper.attach(arrays, after) for stepper in self.steppers),
        ]  # fmt: skip

        if self.owes:
            implicitness = arrays.build.settings("skeleton").implicitness
            owe = Call(
                find_arrears, arrays.h, implicitness, bones, masses, heads, flow.fast, motion, given[0], ended.v_rows,
                scratch, arrays["skeleton.arrears.next"],
            )  # fmt: skip
            steps.append(owe)

        if not self.watched:
            return steps
        kept = arrays.take(Tie, "skeleton", **{name: f"skeleton.{name}{NEXT}" for name in Tie._fields})
        rows = RowImpulses(
            blocks=skeletons.jacobian.arrays,
            acts=skeletons.acts,
            law=problem.law,
            impulse=arrays["rows.impulse"],
        )
        count = len(bones.bone)
        keep = Call(
            keep_tension, arrays.h, bones, masses, heads, find_least_inertias(bones.bone, masses.inertia),
            arrays["run.gravity"], rows, flow.fast, scratch.v, motion, after, arrays.take(Tie, "skeleton"), kept,
            arrays["skeleton.pulled"], np.zeros((2, count, 3)), np.zeros(count),
        )  # fmt: skip

        return [*steps, keep]


class ObserveBones(System):
    """Energy and metrics."""

    phase = Phase.OBSERVE
    reads = (
        *BONES, *MASSES, *GAINS, *name_arrays(Limits, "skeleton"), *MOTION, *NEXT_MOTION,
        "run.gravity", "skeleton.x_start", "skeleton.applied", "skeleton.fast",
    )  # fmt: skip
    writes = ("skeleton.observed_bone", "skeleton.observed")
    adds = name_arrays(Balance, "energy")

    def bind(self, arrays: Bound) -> Call:
        """Bind both states, the sums and scratch."""
        bones, limits = arrays.take(Bones, "skeleton"), arrays.take(Limits, "skeleton")
        observed = arrays["skeleton.observed"]
        half = 0.0 if arrays.build.members("bone_loads") else 0.5 * arrays.h
        return Call(
            observe_step,
            arrays.h,
            bones,
            arrays.take(Masses, "skeleton"),
            take_gains(arrays),
            find_heads(find_skeletons(arrays).forest),
            arrays["skeleton.fast"],
            arrays["run.gravity"],
            limits,
            arrays["skeleton.x_start"],
            arrays["skeleton.applied"],
            arrays.take(Motion, "skeleton"),
            take_next_motion(arrays, "skeleton"),
            make_observe_scratch(len(bones.bone), len(bones.dof), len(limits.limit), len(observed), half),
            arrays["skeleton.observed_bone"],
            observed,
            arrays.take(Balance, "energy"),
        )
