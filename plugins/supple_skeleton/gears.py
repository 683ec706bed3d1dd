"""Gears: joints whose coordinates are tied to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from supple.core.arrays import NEXT, FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.jit import bind_first_arguments
from supple.core.schedule import Bound, Call, Phase, System
from supple.mechanics.dynamics import Arrays, Dynamics
from supple.mechanics.problem import ConstraintProblem
from supple_bones.components import read_coordinates
from supple_bones.forest import Forest
from supple_bones.layout import Q_FIRST
from supple_bones.limits import key_of
from supple_bones.tables import name_arrays
from supple_skeleton.gear_kernels import GearTree, append_gears, find_gear_error, observe_gears
from supple_skeleton.mechanism import Skeletons

NAME = "skeleton.gears"
TREE = name_arrays(GearTree, "skeleton")
OBSERVED = ("gear_error", "gear_force", "gear_load")
"""Columns of skeleton.gear_observed."""
#: What the coordinates at the start may be off [rad, m].
CLOSED = 1e-6


def declare_gears(build: Build, entities: list[Entity], forest: Forest, q: FloatArray) -> None:
    """Declare skeleton.gear and its numbers, and refuse gears that do not mesh at the start."""
    bones = {entity.path: index for index, entity in enumerate(entities)}
    geared = [entity for entity in entities if "gear" in entity.components]
    labels = [entity.path for entity in geared]
    gears, numbers = [], []
    for entity in geared:
        gear = entity.components["gear"]
        gears.append((bones[entity.path], bones[gear.of] if gear.of else -1))
        numbers.append((gear.ratio, *read_coordinates(entity.components["bone"].joint, (gear.offset,))))
    table, values = np.array(gears, np.int64).reshape(-1, 2), np.array(numbers, float).reshape(-1, 2)
    build.add_model(
        "skeleton.gear", table, unit="1", doc="Bone that is driven, bone that drives it.", dtype=np.int64, labels=labels
    )  # fmt: skip
    build.add_model("skeleton.gear_numbers", values, unit="SI", doc="Ratio, offset.", labels=labels)
    tree = GearTree(bone=forest.bone, gear=table, gear_numbers=values, q=q)
    for index, entity in enumerate(geared):
        off = find_gear_error(index, tree, q)
        if abs(off) > CLOSED:
            raise _refuse_start(build, entity, float(q[forest.bone[table[index, 0], Q_FIRST]] - off))
    build.add_step(
        "skeleton.gear_observed", (len(geared), 3), unit="SI", doc="Error, force on what is driven, its size.",
        labels=labels,
    )  # fmt: skip
    for index, entity in enumerate(geared):
        _show(build, entity, index)


def _refuse_start(build: Build, entity: Entity, there: float) -> Exception:
    turns = entity.components["bone"].joint == "hinge"
    said = f"{np.degrees(there):.6g}" if turns else f"{there:.6g}"
    what = f"the gear has this joint at {said} {'degrees' if turns else 'm'} at the start, and it starts elsewhere"
    return build.refuse(
        f"{entity.path}.gear", what, f"give the bone start = [{said}], or the gear another offset"
    )


def _show(build: Build, entity: Entity, index: int) -> None:
    """Metrics of a gear, and what `world[path]` has of it."""
    turns = entity.components["bone"].joint == "hinge"
    for metric in entity.components["gear"].metrics:
        unit = metric.unit.split(", ")[0 if turns else 1]
        place = ("skeleton.gear_observed", (index, OBSERVED.index(metric.name)))
        build.bind_metric(entity.path, replace(metric, unit=unit), *place)
    for column, name in enumerate(OBSERVED[:2]):
        build.expose(entity.path, name, "skeleton.gear_observed", (index, column))


class JointGears:
    """One bilateral row for every gear."""

    name = NAME
    reads = TREE
    constraint_reads = TREE

    def __init__(self, skeletons: Skeletons, count: int, fastest: float) -> None:
        """`fastest` is the greatest speed at which coordinates that were set by hand come back."""
        self.skeletons, self.count, self.fastest = skeletons, count, fastest
        self.key = key_of(self.name)

    def bind(self, arrays: Bound) -> None:
        """Bind gears and state."""
        blocks = self.skeletons.jacobian.arrays
        fixed = (arrays.h, self.fastest, arrays.take(GearTree, "skeleton"), self.key, blocks)
        example = (0, np.zeros((1, 2), np.int64), np.zeros((1, 3)))
        self._append = bind_first_arguments(append_gears, fixed, example)

    def append(self, problem: ConstraintProblem) -> None:
        """Bias and Jacobian of all gears; groups are bilateral until somebody says otherwise."""
        first = problem.reserve(self.count)
        self.skeletons.refuse_overflow(2 * self.count)
        self._append(first, problem.key, problem.bias)

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Nothing to do: the bias depends on coordinates only and is set with the rest."""

    def bind_constraints(self, dynamics: Dynamics, arrays: Arrays, build: Build) -> GearConstraints:
        """The gears among what `dynamics` knows, as equations."""
        return GearConstraints(dynamics, arrays, build)


class GearConstraints:
    """Gears between joints of one `Dynamics`; one that is driven by something that was not asked for is left out."""

    def __init__(self, dynamics: Dynamics, arrays: Arrays, build: Build) -> None:
        """`arrays` hands out the arrays of JointGears.reads by name."""
        self.dynamics = dynamics
        self.tree = GearTree(*(arrays[name] for name in TREE))
        paths = [*build.arrays.spec("skeleton.bone").labels]
        self.rows = [
            (index, [paths[bone] for bone in pair if bone >= 0])
            for index, pair in enumerate(self.tree.gear)
            if all(bone < 0 or dynamics.owns(paths[bone]) for bone in pair)
        ]
        self.capacity = len(self.rows)

    def update(self) -> int:
        """All of them hold at all times."""
        return self.capacity

    def labels(self) -> Sequence[str]:
        """The driven bone of every row."""
        return [paths[0] for _, paths in self.rows]

    def fill(self, matrix_out: FloatArray, drift_out: FloatArray, error_out: FloatArray) -> None:
        """L, Ldot v, which is zero, and errors: README eq. (9a)."""
        for row, (index, paths) in enumerate(self.rows):
            matrix_out[row] = 0.0
            drift_out[row] = 0.0
            error_out[row] = find_gear_error(index, self.tree, self.tree.q)
            for path, number in zip(paths, (1.0, -self.tree.gear_numbers[index, 0]), strict=False):
                matrix_out[row, self.dynamics.rates(path).here] = number


class ObserveGears(System):
    """What gears pass on, and what is left of their errors."""

    phase = Phase.OBSERVE
    reads = (*TREE, "skeleton.q" + NEXT, "rows.problem", "rows.count", "rows.impulse")
    writes = ("skeleton.gear_observed",)

    def bind(self, arrays: Bound) -> Call:
        """Bind gears, coordinates after the step, and impulses."""
        return Call(
            observe_gears, arrays.h, arrays.take(GearTree, "skeleton"), arrays["skeleton.q" + NEXT], key_of(NAME),
            arrays["rows.count"], arrays.record("rows.problem").key, arrays["rows.impulse"],
            arrays["skeleton.gear_observed"],
        )  # fmt: skip
