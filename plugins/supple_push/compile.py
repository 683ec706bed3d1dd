"""From push events to arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import rotate
from supple.mechanics.points import HeldPoint, find_surface_of, hold_nearest, refuse_scattered

HELD = ("push.held_surface", "push.held_now")


class PushedPoints:
    """Which points of surfaces are pushed; member of the collection `point_holders`."""

    name = "push"
    held_surface, held_element = HELD
    reads = ()

    def bind(self, arrays: object) -> None:
        """Nothing to look up: others read the arrays that it names."""


def compile_pushes(build: Build) -> None:
    """Declare one row for every push, sorted by the event's name; those on surfaces that bend form their own table."""
    on_frames, on_surfaces = [], []
    for event in build.having("push"):
        held = _hold(build, event)
        if held is None:
            on_frames.append(event)
        else:
            on_surfaces.append((event, held))
    _declare_on_frames(build, on_frames)
    if on_surfaces:
        _declare_on_surfaces(build, on_surfaces)


def _hold(build: Build, event: Entity) -> HeldPoint | None:
    """The point of a surface that bends which is nearest to where the push acts."""
    push = event.components["push"]
    surface = find_surface_of(build, push.on, f"{event.path}.push.on")
    if surface is None:
        return None
    position, rotation = build.pose(push.on)
    return hold_nearest(build, surface, position + rotate(rotation, np.array(push.point)))


def _declare_on_frames(build: Build, events: list[Entity]) -> None:
    labels = [event.path for event in events]
    carriers = [carrier.name for carrier in build.members("carriers")]
    owners, frames, points = [], [], []
    for event in events:
        push = event.components["push"]
        place = build.pose_in_frame(push.on)
        if place is None:
            blame = f"{event.path}.push.on"
            refuse_scattered(build, blame, push.on)
            remedy = "push an entity that has a body, or lies below one"
            raise build.refuse(blame, f"'{push.on}' stands still", remedy)
        frame, position, rotation = place
        owners.append(carriers.index(frame.carrier))
        frames.append(frame.index)
        points.append(position + rotate(rotation, np.array(push.point)))
    build.add_model(
        "push.carrier", owners, unit="1", doc="Carrier of the frame.", labels=labels, dtype=np.int64
    )
    build.add_model(
        "push.frame", frames, unit="1", doc="Frame that is pushed.", labels=labels, dtype=np.int64
    )
    build.add_model(
        "push.point",
        np.array(points).reshape(-1, 3),
        unit="m",
        doc="Where, in the frame.",
        labels=labels,
        plain=True,
    )
    _declare_forces(build, "push.", events)


def _declare_on_surfaces(build: Build, held: list[tuple[Entity, HeldPoint]]) -> None:
    labels = [event.path for event, _ in held]

    def model(name: str, values: Iterable[Any], doc: str, dtype: type) -> None:
        build.add_model(f"push.held_{name}", list(values), unit="1", doc=doc, labels=labels, dtype=dtype)

    model("surface", (point.surface for _, point in held), "Surface that is pushed.", np.int64)
    model("element", (point.element for _, point in held), "Triangle of it.", np.int64)
    model("weights", (point.weights for _, point in held), "Weights of its corners.", np.float64)
    _declare_forces(build, "push.held_", [event for event, _ in held])
    doc = "Triangles that are pushed in this step, or -1."
    build.add_step(HELD[1], (len(held),), unit="1", doc=doc, labels=labels, dtype=np.int64)
    build.add_member("point_holders", PushedPoints())


def _declare_forces(build: Build, owner: str, events: list[Entity]) -> None:
    labels, pushes = [event.path for event in events], [event.components["push"] for event in events]
    forces = np.array([push.force for push in pushes]).reshape(-1, 3)
    build.add_model(f"{owner}force", forces, unit="N", doc="Force.", labels=labels, plain=True)
    starts = [event.at or 0.0 for event in events]
    build.add_model(f"{owner}start", starts, unit="s", doc="Start.", labels=labels, plain=True)
    rises, doc = [push.rise for push in pushes], "Time in which it rises from zero."
    build.add_model(f"{owner}rise", rises, unit="s", doc=doc, labels=labels, plain=True)
    ends = [start + push.duration for start, push in zip(starts, pushes, strict=True)]
    build.add_model(f"{owner}end", ends, unit="s", doc="End.", labels=labels, plain=True)
