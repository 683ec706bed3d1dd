"""The systems of links: measure them for the rows, and look at them after the step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.schedule import Access, Bound, Each, Phase, System
from supple.mechanics.problem import ConstraintProblem
from supple_joints.anchor_kernels import (
    close_grasps,
    close_still_grasps,
    find_active,
    place_anchors,
    place_still_anchors,
)
from supple_joints.held import SURFACE, HeldSides
from supple_joints.measure_kernels import measure_links
from supple_joints.observe_kernels import gather_forces, observe_links, observe_springs

ANCHORS = ("joints.anchor_x", "joints.anchor_q")


class MeasureLinks(System):
    """Anchors follow their frames, grasps close, and errors and positions are measured."""

    phase = Phase.DETECT
    of_links: tuple[Access, ...] = (
        "run.step", "grasps.link", "grasps.first", "grasps.last", "joints.kind", "joints.carrier", "joints.frame",
        *ANCHORS, "joints.position", Each("carriers", "position"), Each("carriers", "rotation"),
    )  # fmt: skip
    made = (
        "joints.active", "joints.anchor_x.next", "joints.anchor_q.next", "joints.x", "joints.q",
        "joints.axes", "joints.error", "joints.point", "joints.coordinate",
    )  # fmt: skip

    def __init__(self, build: Build) -> None:
        self.held = HeldSides(build)
        self.reads, self.writes = (*self.of_links, *self.held.reads), (*self.made, *self.held.writes)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the links and the frames of all carriers."""
        step, grasp, first, last, kind, carrier, frame = (arrays[name] for name in self.reads[:7])
        anchors, position = [arrays[name] for name in ANCHORS], arrays["joints.position"]
        active, *written = (arrays[name] for name in self.made)
        kept, placed, measured = written[:2], written[2:4], written[4:]
        frames = [
            (number, arrays[one.position], arrays[one.rotation])
            for number, one in enumerate(arrays.build.members("carriers"))
        ]
        hold, share = self.held.bind_measuring(arrays, (grasp, first, step), frames, placed, kept)

        def measure() -> None:
            find_active(grasp, first, last, step, active)
            place_still_anchors(carrier, *anchors, *placed)
            for number, x, q in frames:
                place_anchors(carrier, frame, number, *anchors, x, q, *placed)
            hold()
            close_still_grasps(carrier, grasp, first, step, *placed, *kept)
            for number, x, q in frames:
                close_grasps(carrier, frame, number, grasp, first, step, x, q, *placed, *kept)
            measure_links(kind, *placed, position, *measured)
            share()

        return measure


class ObserveLinks(System):
    """Forces of the links, what is left of their errors, and their positions after the step."""

    phase = Phase.OBSERVE
    writes = (
        "joints.row_force", "joints.row_effort", "joints.force", "joints.torque",
        "joints.observed", "joints.position.next", "springs.observed",
    )  # fmt: skip

    def __init__(self, build: Build) -> None:
        self.held = HeldSides(build)
        self.frames = [(one.position + NEXT, one.rotation + NEXT) for one in build.members("carriers")]
        self.vertices = tuple(name + NEXT for name in self.held.positions)
        self.rows = tuple(f"joints.row_{name}" for name in ("link", "role", "motion", "column"))
        self.links = ("joints.kind", "joints.carrier", "joints.frame", *(name + NEXT for name in ANCHORS))
        self.springs = ("springs.link", "springs.row", "springs.size")
        self.reads = (
            *self.rows, *self.links, *self.springs, *(name for pair in self.frames for name in pair),
            "joints.row_target", "joints.active", "joints.axes", "joints.position",
            "rows.problem", "rows.count", "rows.impulse",
            *((SURFACE, *self.held.writes, *self.vertices) if self.held.surfaces else ()),
        )  # fmt: skip

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the links, both states, and the impulses; what is measured anew is scratch."""
        problem: ConstraintProblem = arrays.record("rows.problem")
        rows, springs = [arrays[name] for name in self.rows], [arrays[name] for name in self.springs]
        kind, carrier, frame, *anchors = (arrays[name] for name in self.links)
        frames = [(number, arrays[x], arrays[q]) for number, (x, q) in enumerate(self.frames)]
        count, impulse, axes = arrays["rows.count"], arrays["rows.impulse"], arrays["joints.axes"]
        active, before = arrays["joints.active"], arrays["joints.position"]
        target, h = arrays["joints.row_target"], arrays.h
        row_force, row_effort, force, torque, observed, position, spring_observed = (
            arrays[name] for name in self.writes
        )
        n = len(kind)
        placed = [np.zeros((n, 2, 3)), np.zeros((n, 2, 4))]
        error, coordinate = np.zeros((n, 2, 3)), np.zeros(n)
        measured = [np.zeros((n, 2, 3, 3)), error, np.zeros((n, 2, 3)), coordinate]
        place_held = self.held.bind_placing(arrays, self.vertices, placed[0])

        def observe() -> None:
            gather_forces(
                *rows, h, count, problem.key, impulse, axes, row_force, row_effort, force, torque
            )  # fmt: skip
            place_still_anchors(carrier, *anchors, *placed)
            for number, x, q in frames:
                place_anchors(carrier, frame, number, *anchors, x, q, *placed)
            place_held()
            measure_links(kind, *placed, before, *measured)
            observe_links(
                kind, h, active, force, torque, before, error, coordinate, observed, position
            )  # fmt: skip
            observe_springs(*springs, kind, target, row_force, error, coordinate, spring_observed)

        return observe
