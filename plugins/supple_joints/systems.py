"""The systems of links: measure them for the rows, and look at them after the step."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT, IntArray
from supple.core.build import Build
from supple.core.schedule import Access, Bound, Call, Each, Phase, System, Work
from supple.errors import SimulationError
from supple.mechanics.mechanism import Carrier
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
from supple_joints.observe_kernels import (
    find_worst_error,
    gather_forces,
    is_any_widened,
    observe_links,
    observe_springs,
)
from supple_joints.tables import (
    FORCES,
    LINKS,
    MEASURED,
    ROWS,
    SPRINGS,
    Anchors,
    Forces,
    Frames,
    Links,
    Measured,
    Springs,
    make_anchors,
    make_measured,
    name_grasps,
    take_anchors,
    take_grasps,
    take_rows,
)

ANCHORS = ("joints.anchor_x", "joints.anchor_q")
NEXT_ANCHORS = tuple(name + NEXT for name in ANCHORS)


def take_frames(arrays: Bound, end: str = "") -> list[Frames]:
    """Poses of the frames of all carriers; with `.next` those after the step."""
    carriers: list[Carrier] = arrays.build.members("carriers")
    return [
        Frames(position=arrays[one.position + end], rotation=arrays[one.rotation + end]) for one in carriers
    ]


def place_all(links: Links, frames: list[Frames], anchors: Anchors, placed: Anchors) -> list[Call]:
    """What places the anchors that stand still, and those that frames carry."""
    moving = (Call(place_anchors, number, each, links, anchors, placed) for number, each in enumerate(frames))
    return [Call(place_still_anchors, links.carrier, anchors, placed), *moving]


class MeasureLinks(System):
    """Anchors follow their frames, grasps close, and errors and positions are measured."""

    phase = Phase.DETECT
    of_links: tuple[Access, ...] = (
        *LINKS, *ANCHORS, "joints.position", Each("carriers", "position"), Each("carriers", "rotation"),
    )  # fmt: skip
    made = ("joints.active", *NEXT_ANCHORS, "joints.x", "joints.q", *MEASURED)

    def __init__(self, build: Build) -> None:
        self.held = HeldSides(build)
        self.reads = (*name_grasps(build), *self.of_links, *self.held.reads)
        self.writes = (*self.made, *self.held.writes)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the links and the frames of all carriers."""
        links, grasps = arrays.take(Links, "joints"), take_grasps(arrays)
        placed, kept = arrays.take(Anchors, "joints"), take_anchors(arrays, NEXT)
        measured, frames = arrays.take(Measured, "joints"), take_frames(arrays)
        hold, share = self.held.bind_measuring(arrays, links, grasps, frames, placed, kept)
        return [
            Call(find_active, grasps, arrays["joints.active"]),
            *place_all(links, frames, take_anchors(arrays), placed),
            *hold,
            Call(close_still_grasps, grasps, links.carrier, placed, kept),
            *(Call(close_grasps, n, each, grasps, links, placed, kept) for n, each in enumerate(frames)),
            Call(measure_links, links.kind, placed, arrays["joints.position"], measured),
            *share,
        ]


def bind_watch(arrays: Bound, kind: IntArray, measured: Measured) -> list[Call]:
    """What asks for a shorter step where this one takes a joint apart; nothing if there is none."""
    run = arrays.build.run
    if arrays.h < 1.5 * run.step / 2**run.halvings:
        return []
    allowed = run.allowed_joint_error
    active, before, link = arrays["joints.active"], arrays["joints.error"], np.zeros(1, np.int64)

    def refuse() -> None:
        what = f"a joint comes apart by more than {allowed:g} m within a step"
        raise SimulationError(what, entity=arrays.build.arrays.specs["joints.kind"].labels[link.item(0)])

    return [Call(is_any_widened, kind, active, before, measured, allowed, link, otherwise=refuse)]


class ObserveLinks(System):
    """Forces of the links, what is left of their errors, and their positions after the step."""

    phase = Phase.OBSERVE
    writes = (*FORCES, "joints.observed", "joints.position.next", "joints.rate.next", "springs.observed")
    adds = ("run.joint_error",)

    def __init__(self, build: Build) -> None:
        self.held = HeldSides(build)
        carriers: list[Carrier] = build.members("carriers")
        frames = (name + NEXT for one in carriers for name in (one.position, one.rotation))
        self.vertices = tuple(name + NEXT for name in self.held.positions)
        self.reads = (
            *ROWS, *LINKS, *NEXT_ANCHORS, *SPRINGS, *frames, "joints.active", "joints.axes", "joints.error",
            "joints.position",
            "rows.problem", "rows.count", "rows.impulse",
            *((SURFACE, *self.held.writes, *self.vertices) if self.held.surfaces else ()),
        )  # fmt: skip

    def bind(self, arrays: Bound) -> list[Work]:
        """Bind the links, both states, and the impulses; what is measured anew is scratch."""
        problem: ConstraintProblem = arrays.record("rows.problem")
        links, table, forces = arrays.take(Links, "joints"), take_rows(arrays), arrays.take(Forces, "joints")
        n, h, before = len(links.kind), arrays.h, arrays["joints.position"]
        placed, measured = make_anchors(n), make_measured(n)
        return [
            Call(
                gather_forces, h, table, arrays["rows.count"], problem.key, arrays["rows.impulse"],
                arrays["joints.axes"], forces,
            ),
            *place_all(links, take_frames(arrays, NEXT), take_anchors(arrays, NEXT), placed),
            *self.held.bind_placing(arrays, self.vertices, placed.x),
            Call(measure_links, links.kind, placed, before, measured),
            *bind_watch(arrays, links.kind, measured),
            Call(
                observe_links, h, links.kind, arrays["joints.active"], forces, before, measured,
                arrays["joints.observed"], arrays["joints.position.next"], arrays["joints.rate.next"],
            ),
            Call(
                find_worst_error, links.kind, arrays["joints.active"], measured, arrays["run.joint_error"],
            ),
            Call(
                observe_springs, arrays.take(Springs, "springs"), links.kind, table.target, forces.row_force, measured,
                arrays["springs.observed"],
            ),
        ]  # fmt: skip
