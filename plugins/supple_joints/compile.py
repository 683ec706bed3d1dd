"""From joints, motors, springs and grasps to arrays: links sorted by kind and path, rows sorted by link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from supple.core.build import Build, Index
from supple.core.entity import Entity
from supple.core.settings import NEVER
from supple.mechanics.filters import ignore_pair
from supple_joints.codes import FREE, HINGE, STANDS_STILL
from supple_joints.commands import COMMAND
from supple_joints.drawings import draw_links
from supple_joints.held import ELEMENT, SURFACE, WEIGHTS, HeldPoints, list_held
from supple_joints.links import Link, link_grasp, link_joint, link_spring
from supple_joints.row_table import COLUMNS, RowTable
from supple_joints.rows import LinkRows

Places = dict[str, tuple[str, Index]]

TARGET = "joints.row_target"
OBSERVED = ("error", "turn_error", "position", "rate", "load", "moment", "lift", "closed")
"""Columns of joints.observed."""
OBSERVED_SPRING = ("stretch", "tension", "strain")
"""Columns of springs.observed."""


def compile_links(build: Build) -> None:
    """Declare all links with their rows, and what can be seen of them."""
    joints, grasps = build.having("joint"), build.having("grasp")
    springs = build.having("spring")
    stretched = [entity for entity in springs if entity.components["spring"].between]
    links = [link_joint(build, entity) for entity in joints]
    links += [link_spring(build, entity) for entity in stretched]
    links += [link_grasp(build, event) for event in grasps]
    rows = RowTable()
    for number, entity in enumerate(joints):
        rows.add_joint(number, links[number].kind, entity.components["joint"])
        if not entity.components["joint"].touch:
            _let_pass(build, links[number])
    first_grasp = len(joints) + len(stretched)
    for number in range(first_grasp, len(links)):
        rows.add_locks(number, links[number].kind)
    # A grasp has the name of its event, which is no entity's: paths tell all links apart.
    numbers = {link.path: number for number, link in enumerate(links[: len(joints)])}
    _compile_motors(build, links, numbers, rows)
    numbers_of_springs = {entity.path: len(joints) + k for k, entity in enumerate(stretched)}
    _compile_springs(build, springs, links, numbers, numbers_of_springs, rows)
    _declare_links(build, links)
    _declare_grasps(build, grasps, first_grasp)
    _declare_rows(build, links, rows)
    for kind, entities, first in (("joint", joints, 0), ("grasp", grasps, first_grasp)):
        for index, entity in enumerate(entities, first):
            _show_link(build, entity, kind, index, links[index])
    draw_links(build, links)
    stiff = sum(1 for stiffness in rows.columns["stiffness"] if stiffness > 0.0)
    build.add_member("row_sources", LinkRows(len(rows), stiff, list_held(build)))


def pick_unit(unit: str, *, turns: bool) -> str:
    """Of the units of something that may turn or slide, the one of this joint: `rad, m` of a hinge is `rad`."""
    parts = unit.split(", ")
    turning = [part for part in parts if "rad" in part or part.startswith("N m")]
    if len(parts) != 2 or len(turning) != 1:
        return unit
    return turning[0] if turns else next(part for part in parts if part not in turning)


def _let_pass(build: Build, link: Link) -> None:
    """The things that a joint ties do not collide: their shapes overlap where it lies."""
    if link.a.carrier != STANDS_STILL and link.b.carrier != STANDS_STILL:
        carriers = [carrier.name for carrier in build.members("carriers")]
        surfaces = [surface.name for surface in build.members("surfaces")]
        sides = [
            (surfaces[anchor.held.surface], 0) if anchor.held else (carriers[anchor.carrier], anchor.frame)
            for anchor in (link.a, link.b)
        ]
        ignore_pair(build, sides[0], sides[1])


def _compile_motors(build: Build, links: list[Link], numbers: dict[str, int], rows: RowTable) -> None:
    for entity in build.having("motor"):
        motor = entity.components["motor"]
        link = numbers[motor.on or entity.path]
        row = rows.add_motor(link, links[link].kind, motor)
        places: Places = {"drive": ("joints.row_force", row), "effort": ("joints.row_effort", row)}
        turns = links[link].kind == HINGE
        for metric in motor.metrics:
            unit = pick_unit(metric.unit, turns=turns)
            build.bind_metric(entity.path, replace(metric, unit=unit), *places[metric.name])
        build.expose(entity.path, "drive", "joints.row_force", row)
        build.offer_command(
            entity.path, "speed", TARGET, row, unit="rad/s, m/s",
            doc="Rate that the motor drives the joint's position at.",
        )  # fmt: skip


def _compile_springs(
    build: Build,
    springs: list[Entity],
    links: list[Link],
    joints: dict[str, int],
    stretched: dict[str, int],
    rows: RowTable,
) -> None:
    spans, numbers = [], []
    for index, entity in enumerate(springs):
        spring = entity.components["spring"]
        link = stretched[entity.path] if spring.between else joints[spring.on or entity.path]
        start = _distance(links[link], build) if spring.between else 0.0
        spans.append(rows.add_spring(link, links[link].kind, spring, start))
        numbers.append(link)
        places: Places = {
            name: ("springs.observed", (index, column)) for column, name in enumerate(OBSERVED_SPRING)
        }
        turns = not spring.between and links[link].kind == HINGE
        for metric in spring.metrics:
            unit = pick_unit(metric.unit, turns=turns)
            build.bind_metric(entity.path, replace(metric, unit=unit), *places[metric.name])
        for name in OBSERVED_SPRING[:2]:
            build.expose(entity.path, name, *places[name])
        if spans[-1][1] == 1:
            doc = "Length, position or angle without force."
            build.offer_command(entity.path, "rest", TARGET, spans[-1][0], unit="m, rad", doc=doc)
    labels = [entity.path for entity in springs]
    for name, values, doc in (
        ("link", numbers, "Link of the spring."),
        ("row", [first for first, _ in spans], "First row of the spring."),
        ("size", [size for _, size in spans], "Number of its rows."),
    ):
        build.add_model(f"springs.{name}", values, unit="1", doc=doc, labels=labels, dtype=np.int64)
    build.add_step(
        "springs.observed", (len(springs), len(OBSERVED_SPRING)), unit="SI",
        doc="Values of the metrics of a spring.", labels=labels,
    )  # fmt: skip


def _distance(link: Link, build: Build) -> float:
    """Distance of the two things between which a spring acts, at the start [m]."""
    spring = build.graph[link.path].components["spring"]
    first, second = (
        anchor.held.position if anchor.held else build.pose(path)[0]
        for anchor, path in zip((link.a, link.b), (*spring.between, link.path)[:2], strict=True)
    )
    return float(np.linalg.norm(first - second))


def _declare_links(build: Build, links: list[Link]) -> None:
    labels, n = [link.path for link in links], len(links)
    sides = [(link.a, link.b) for link in links]

    def model(name: str, values: Sequence[Any], doc: str) -> None:
        build.add_model(f"joints.{name}", values, unit="1", doc=doc, labels=labels, dtype=np.int64)

    model("kind", [link.kind for link in links], "Kind of the link; see codes.")
    model("carrier", [(a.carrier, b.carrier) for a, b in sides], "Carriers of both sides; -1: the world.")
    model("frame", [(a.frame, b.frame) for a, b in sides], "Frames of both sides.")
    _declare_held(build, links, labels)
    anchors = np.array([(a.position, b.position) for a, b in sides])
    turns = np.array([(a.rotation, b.rotation) for a, b in sides])
    build.add_state("joints.anchor_x", anchors, unit="m", doc="Anchors in their frames.", labels=labels)
    build.add_state("joints.anchor_q", turns, unit="1", doc="Their rotations in their frames.", labels=labels)
    build.add_state("joints.position", np.zeros(n), unit="rad, m", doc="Positions on the free axes.",
                    labels=labels, record=True)  # fmt: skip
    doc = "Rates of these over the last step."
    build.add_state("joints.rate", np.zeros(n), unit="rad/s, m/s", doc=doc, labels=labels)
    doc = "Torques or forces on the free axes that are given from Python."
    build.add_state(COMMAND, np.zeros(n), unit="N m, N", doc=doc, labels=labels)
    build.add_step("joints.active", (n,), unit="1", doc="1 for links that hold in this step.",
                   labels=labels, dtype=np.int64)  # fmt: skip
    for name, shape, unit, doc in (
        ("x", (2, 3), "m", "Anchors in the world at the start of the step."),
        ("q", (2, 4), "1", "Their rotations in the world."),
        ("axes", (2, 3, 3), "1", "Directions n, t, s of moving and of turning."),
        ("error", (2, 3), "m, rad", "Errors along these directions."),
        ("point", (2, 3), "m", "Points at which the link acts on its sides."),
        ("coordinate", (), "rad, m", "Positions on the free axes at the start of the step."),
        ("force", (3,), "N", "Force on side A, in the world."),
        ("torque", (3,), "N m", "Torque on side A about the common point, in the world."),
        ("observed", (len(OBSERVED),), "SI", "Values of the metrics of a link."),
    ):
        build.add_step(f"joints.{name}", (n, *shape), unit=unit, doc=doc, labels=labels)


def _declare_held(build: Build, links: list[Link], labels: list[str]) -> None:
    """Points of surfaces that links hold, if any do. What a grasp holds is found when it closes."""
    held = [(link.a.held, link.b.held) for link in links]
    if not any(side for sides in held for side in sides):
        return
    surface = [[side.surface if side else -1 for side in sides] for sides in held]
    element = [[side.element if side else -1 for side in sides] for sides in held]
    weights = [[side.weights if side else np.zeros(3) for side in sides] for sides in held]
    doc = "Surfaces that bend of both sides, or -1."
    build.add_model(SURFACE, surface, unit="1", doc=doc, labels=labels, dtype=np.int64)
    doc = "Triangles there, or -1 while nothing is held."
    build.add_state(ELEMENT, element, unit="1", doc=doc, labels=labels, dtype=np.int64)
    build.add_state(WEIGHTS, weights, unit="1", doc="Weights of their corners.", labels=labels)
    build.add_member("point_holders", HeldPoints())


def _declare_grasps(build: Build, grasps: list[Entity], first: int) -> None:
    labels = [event.path for event in grasps]
    spans = [_span(build, event) for event in grasps]
    links = list(range(first, first + len(grasps)))
    build.add_model("grasps.link", links, unit="1", doc="Link of the grasp.", labels=labels, dtype=np.int64)
    follow = any(event.components["grasp"].while_active for event in grasps)
    for name, values, doc in (
        ("first", [start for start, _ in spans], "Step in which it closes."),
        ("last", [end for _, end in spans], "Step in which it is open again."),
    ):
        # What phases decide is known when they do; what the scene says is known for good.
        declare = build.add_state if follow else build.add_model
        declare(f"grasps.{name}", values, unit="1", doc=doc, labels=labels, dtype=np.int64)


def _span(build: Build, event: Entity) -> tuple[int, int]:
    """The step in which a grasp closes, and that in which it is open again."""
    if event.components["grasp"].while_active:
        return NEVER, NEVER
    start = event.at or 0.0
    duration = event.components["grasp"].duration
    ends = [other.at or 0.0 for other in build.having("release")
            if other.components["release"].grasp == event.path]  # fmt: skip
    if duration is not None:
        ends.append(start + duration)
    last = build.run.step_at(min(ends)) if ends else NEVER
    return build.run.step_at(start), last


def _declare_rows(build: Build, links: list[Link], rows: RowTable) -> None:
    labels = [links[link].path for link in rows.columns["link"]]
    for name, unit, doc, kind in COLUMNS:
        dtype = np.int64 if kind is int else np.float64
        # Speeds of motors and rests of springs can be set from Python.
        declare = build.add_state if f"joints.row_{name}" == TARGET else build.add_model
        declare(f"joints.row_{name}", rows.columns[name], unit=unit, doc=doc, labels=labels, dtype=dtype)
    for name, doc in (("force", "Force or torque of a row."), ("effort", "Its size.")):
        build.add_step(f"joints.row_{name}", (len(rows),), unit="N, N m", doc=doc, labels=labels)


def _show_link(build: Build, entity: Entity, kind: str, index: int, link: Link) -> None:
    """Metrics of a joint or grasp, and its attributes in Python."""
    columns: Places = {name: ("joints.observed", (index, column)) for column, name in enumerate(OBSERVED)}
    columns |= {"lowest": columns["position"], "highest": columns["position"]}
    for metric in entity.components[kind].metrics:
        unit = pick_unit(metric.unit, turns=link.kind == HINGE)
        build.bind_metric(entity.path, replace(metric, unit=unit), *columns[metric.name])
    for name in ("force", "torque"):
        build.expose(entity.path, name, f"joints.{name}", index)
    for name in ("error", "turn_error"):
        build.expose(entity.path, name, *columns[name])
    if kind == "grasp":
        build.expose(entity.path, "closed", "joints.active", index)
    elif link.kind in FREE:
        build.expose(entity.path, "position", "joints.position", index)
        build.expose(entity.path, "rate", "joints.rate", index)
        turns = link.kind == HINGE
        build.expose(entity.path, "angle" if turns else "displacement", "joints.position", index)
        build.offer_command(
            entity.path, "axis_torque" if turns else "axis_force", COMMAND, index, wakes=True,
            unit="N m" if turns else "N", doc="Drives the joint forward: acts on the first, against the second.",
        )  # fmt: skip
