"""Servos: drives of joints that can give only so much."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.jit import bind_first_arguments
from supple.core.schedule import Bound
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.spring_tables import make_spring_table, read_implicitness
from supple_bones.compile import count_limited
from supple_bones.components import read_coordinates, spread
from supple_bones.limits import key_of
from supple_bones.tables import name_arrays
from supple_skeleton.mechanism import Skeletons
from supple_skeleton.servo_kernels import ServoRows, ServoTree, append_servos


def declare_servos(build: Build, entities: list[Entity]) -> None:
    """Declare skeleton.servo, skeleton.servo_gains and skeleton.servo_target."""
    servos: list[tuple[int, int]] = []
    gains: list[tuple[float, ...]] = []
    aims: list[float] = []
    for index, entity in enumerate(entities):
        bone, servo = entity.components["bone"], entity.components.get("servo")
        if servo is not None:
            count = count_limited(bone.joint)
            servos += [(index, local) for local in range(count)]
            targets = read_coordinates(bone.joint, spread(servo.target, count))
            theta = read_implicitness(servo.implicitness)
            gains += [(servo.stiffness, servo.damping, servo.limit, theta)] * count
            first, aims = len(aims), [*aims, *targets]
            build.offer_command(
                entity.path, "target", "skeleton.servo_target", first if count == 1 else slice(first, len(aims)),
                unit="rad, m", doc="Coordinate that the servo drives the joint to.",
            )  # fmt: skip
    labels = [entities[index].path for index, _ in servos]
    build.add_model(
        "skeleton.servo", np.array(servos, np.int64).reshape(-1, 2), unit="1",
        doc="Bone and coordinate of every servo.", dtype=np.int64, labels=labels,
    )  # fmt: skip
    build.add_model(
        "skeleton.servo_gains", np.array(gains, float).reshape(-1, 4), unit="SI",
        doc="Stiffness, damping, greatest force, implicitness (0: automatic).",
    )  # fmt: skip
    doc = "Coordinates that the servos drive to; set from Python."
    build.add_state("skeleton.servo_target", aims, unit="rad, m", doc=doc, labels=labels)


def take_rows(problem: ConstraintProblem) -> ServoRows:
    """What servos set of a problem."""
    return ServoRows(*(getattr(problem, name) for name in ServoRows._fields))


class JointServos:
    """One compliant row for every driven coordinate: a spring and damper of bounded force."""

    name = "skeleton.servos"
    reads = name_arrays(ServoTree, "skeleton")

    def __init__(self, skeletons: Skeletons, count: int) -> None:
        self.skeletons, self.count, self.springs = skeletons, count, make_spring_table(count)
        self.key = key_of(self.name)

    def bind(self, arrays: Bound) -> None:
        """Bind servos and state."""
        blocks = self.skeletons.jacobian.arrays
        fixed = (arrays.h, arrays.take(ServoTree, "skeleton"), self.key, blocks, self.springs)
        self._append = bind_first_arguments(append_servos, fixed, (0, take_rows(ConstraintProblem(1))))

    def append(self, problem: ConstraintProblem) -> None:
        """Law, bounds, bias and Jacobian of all servos."""
        first = problem.reserve(self.count)
        self.skeletons.refuse_overflow(self.count)
        self._append(first, take_rows(problem))

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Nothing to do: the bias depends on coordinates only and is set with the rest."""
