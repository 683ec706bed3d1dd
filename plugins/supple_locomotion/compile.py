"""From controllers in a scene to their memory, and everything about them that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple_locomotion.components import Locomotion
from supple_locomotion.controller import COUNTS, UNKNOWN
from supple_locomotion.gait import GaitMemory
from supple_locomotion.goals import GOAL_MEMORY
from supple_locomotion.known import KnownPush, find_known
from supple_locomotion.parts import cut_patches, find_parts
from supple_locomotion.preview import Announced, read_announced
from supple_tets.compile import TetBody

OBSERVED = (
    "distance", "sideways", "strayed", "turned", "tilt", "stature", "rise", "steps", "least_lift", "jitter", "programs",
    "decisions", "infeasible", "pivoted", "folded",
)  # fmt: skip
"""Columns of locomotion.observed."""
SHAKE = ("shake", "motion", "begun", "start_x", "start_y", "start_z")
"""Sums of second differences and of speeds, whether anything was decided, and where the centre of mass was then."""


@dataclass(frozen=True)
class Controlled:
    """A body with a controller: its parts, its patches, and where its memory is."""

    entity: Entity
    told: Locomotion
    body: TetBody
    surface: int
    parts: dict[str, IntArray]
    patch_parts: list[str]
    owner: IntArray
    neutral: FloatArray
    left: BoolArray
    announced: list[list[Announced]]
    known: list[KnownPush]
    period: float
    memory: dict[str, tuple[int, tuple[int, ...]]]
    patches: slice

    def view(self, memory: FloatArray, name: str) -> FloatArray:
        """One thing of its memory."""
        first, shape = self.memory[name]
        return memory[first : first + int(np.prod(shape))].reshape(shape)


def list_controlled(build: Build) -> list[Controlled]:
    """All bodies with controllers, sorted by path."""
    mechanism = next(each for each in build.members("mechanisms") if each.name == "tets")
    bodies: dict[str, TetBody] = {body.path: body for body in mechanism.bodies}
    surfaces = [surface.name for surface in build.members("surfaces")]
    found, used, patches = [], 0, 0
    for entity in build.having("locomotion"):
        told: Locomotion = entity.components["locomotion"]
        body = bodies[entity.path]
        parts = find_parts(build, told, body)
        labels, owner = cut_patches(build, told, body, parts)
        shapes: dict[str, tuple[int, ...]] = {
            "goals": (len(told.goals), GOAL_MEMORY), "load": (len(labels),), "counts": (len(COUNTS),),
        }  # fmt: skip
        if told.gait is not None:
            shapes |= GaitMemory.shapes(len(told.gait.feet))
        memory = {}
        for name, shape in shapes.items():
            memory[name] = used, shape
            used += int(np.prod(shape))
        own = slice(patches, patches + len(labels))
        patches = own.stop
        found.append(
            Controlled(
                entity, told, body, surfaces.index(f"tets {entity.path}"), parts, labels, owner,
                find_neutral(build, entity, told), find_left(build, entity, told),
                [read_announced(build, entity, goal.foresees) for goal in told.goals.values()],
                find_known(build, entity, body, {name for goal in told.goals.values() for name in goal.foresees}),
                find_period(entity, told), memory, own,
            )
        )  # fmt: skip
    return found


def compile_locomotion(build: Build) -> None:
    """Declare memory and metrics."""
    bodies = list_controlled(build)
    used = sum(int(np.prod(shape)) for each in bodies for _, shape in each.memory.values())
    build.add_state(
        "locomotion.memory", np.zeros(used), unit="SI", doc="What controllers of soft bodies remember."
    )
    patches = bodies[-1].patches.stop
    build.add_state(
        "locomotion.modes",
        np.full(patches, UNKNOWN),
        unit="1",
        doc="Modes of contact patches.",
        dtype=np.int64,
    )
    vertices = len(build.arrays["tets.x"])
    build.add_state("locomotion.v_before", np.zeros((vertices, 3)), unit="m/s", doc="Velocities a step ago.")
    build.add_state(
        "locomotion.shake", np.zeros((len(bodies), len(SHAKE))), unit="SI", doc="Sums for jitter."
    )
    build.add_step("locomotion.observed", (len(bodies), len(OBSERVED)), unit="SI", doc="Metrics.")
    for row, each in enumerate(bodies):
        places = {name: ("locomotion.observed", (row, column)) for column, name in enumerate(OBSERVED)}
        build.bind_metrics(each.entity, "locomotion", places)


def find_neutral(build: Build, entity: Entity, told: Locomotion) -> FloatArray:
    """Relative lengths at ease of the entity's segments."""
    neutral = np.ones(len(list_fibres(build, entity)))
    for pattern, length in told.neutral.items():
        neutral[match_fibres(build, entity, "neutral", pattern)] = length
    return neutral


def find_left(build: Build, entity: Entity, told: Locomotion) -> BoolArray:
    """Which of the entity's segments the controller does not move."""
    left = np.zeros(len(list_fibres(build, entity)), bool)
    for pattern in told.leaves:
        left |= match_fibres(build, entity, "leaves", pattern)
    return left


def list_fibres(build: Build, entity: Entity) -> list[str]:
    """The fibre of each of the entity's segments."""
    labels = build.arrays.spec("muscles.asked").labels
    return [label.split(":", 1)[1] for label in labels if label.startswith(f"{entity.path}:")]


def match_fibres(build: Build, entity: Entity, key: str, pattern: str) -> BoolArray:
    """Which of the entity's segments are of fibres that match a pattern."""
    names = list_fibres(build, entity)
    mine = np.array([fnmatchcase(name, pattern) for name in names])
    if not mine.any():
        few = ", ".join(sorted(set(names))[:8])
        raise build.refuse(
            f"{entity.path}.locomotion.{key}", f"no fibre is called '{pattern}'", f"there are {few}, ..."
        )
    return mine


def find_period(entity: Entity, told: Locomotion) -> float:
    """Time of all phases in which feet swing [s]."""
    if told.gait is None:
        return 0.0
    phases = entity.components["phases"].phase.values()
    return float(sum(each.duration or 0.0 for each in phases if set(each.active) & set(told.gait.feet)))
