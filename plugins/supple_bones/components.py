"""What an author says about bones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeGuard

import numpy as np

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple_bones.layout import JOINTS
from supple_bones.mass import full_inertia, owner_of, shapes_of_bone
from supple_rigid.components import WATER

JointName = Literal["fixed", "hinge", "slider", "universal", "ball", "translation", "free"]


Numbers = tuple[float, ...]

PER_DOF = ("armature", "damping", "stiffness")


LIMITED = ("hinge", "slider", "universal", "translation")


TURNING = ("hinge", "universal", "ball")


def spread(value: float | Numbers, count: int) -> Numbers:
    """One number for every rate: the number itself repeated, or the list."""
    return value if isinstance(value, tuple) else (value,) * count


def read_coordinates(joint: str, values: Numbers) -> Numbers:
    """From what authors write [deg, m] to coordinates [rad, m]."""
    return tuple(math.radians(value) for value in values) if joint in TURNING else values


def children_of(entity: Entity, graph: SceneGraph) -> list[Entity]:
    """The entities directly below one."""
    return [other for other in graph.below(entity.path) if other.parent == entity.path]


def is_anchor(value: Any) -> TypeGuard[Anchor]:
    """Whether a component holds a tree of bones."""
    return hasattr(value, "bones_have_mass")


def find_anchor(entity: Entity, graph: SceneGraph) -> tuple[str, Anchor] | None:
    """What the tree of a bone hangs on, the nearest above it, with the name of its component."""
    for above in graph.ancestors(entity.path):
        for kind, value in above.components.items():
            if is_anchor(value):
                return kind, value
    return None


# Variants and sweeps ask the same of the same bones, hundreds of times.
@lru_cache(maxsize=1024)
def _are_parallel(one: Vector, other: Vector) -> bool:
    across = float(np.linalg.norm(np.cross(one, other)))
    return across < 1e-6 * (math.hypot(*one) * math.hypot(*other))


@lru_cache(maxsize=1024)
def _is_of_solid(inertia: Numbers) -> bool:
    low, middle, high = np.linalg.eigvalsh(full_inertia(inertia))
    return not (low < 0 or high > (low + middle) * (1 + 1e-9))


class Anchor(Protocol):
    """A component that holds a tree of bones: its root bones hang on this entity. `skeleton` is one.

    `bones_have_mass` says whether masses decide how the bones move. Where they do not, none are asked for, and any
    joint may have springs.
    """

    bones_have_mass: bool


@component
class Bone:
    """A rigid bone. Its pose is its neutral pose in the parent's frame; the joint to the parent is at its origin."""

    joint: JointName = field(default="fixed", unit="", doc="How it moves against its parent.")
    axis: Vector = field(
        default=(1.0, 0.0, 0.0), unit="1",
        doc="Axis of hinge, slider and the first of universal, in the bone's neutral frame; "
        "for ball, what the limit of the swing is measured by.",
    )  # fmt: skip
    second_axis: Vector = field(
        default=(0.0, 0.0, 1.0), unit="1",
        doc="Second axis of universal; the first one turns it. Of ball, what the first of two swings is about.",
    )  # fmt: skip
    lower: float | Numbers | None = field(
        default=None, unit="deg, m", doc="Least coordinate; one, or one by rate."
    )
    upper: float | Numbers | None = field(
        default=None,
        unit="deg, m",
        doc="Greatest coordinate, one, or one by rate; for ball the greatest swing, or two: about second_axis and "
        "across it.",
    )
    middle: Vector | None = field(
        default=None, unit="1",
        doc="Of ball: where its axis points in the middle of its swings; none: where it does in the neutral pose.",
    )  # fmt: skip
    twist: tuple[float, float] | None = field(
        default=None, unit="deg", doc="Of ball: least and greatest turn about its axis."
    )
    armature: float | Numbers = field(
        default=0.0, unit="kg m^2, kg", doc="Inertia of the drive, seen from the joint; one, or one by rate."
    )
    damping: float | Numbers = field(
        default=0.0, unit="N m s/rad, N s/m", doc="Resistance to the rates; one, or one by rate."
    )
    stiffness: float | Numbers = field(
        default=0.0, unit="N m/rad, N/m", doc="Spring towards the neutral pose; one, or one by rate."
    )
    start: Numbers | None = field(
        default=None, unit="deg, m", doc="Coordinates at the start; a quaternion w, x, y, z for ball."
    )
    rate: Numbers | None = field(
        default=None, unit="rad/s, m/s",
        doc="Rates at the start; ball in the bone's axes, free: velocity in the parent's frame, then that.",
    )  # fmt: skip
    density: float = field(
        default=WATER, unit="kg/m^3", doc="Density of its shapes, if no mass is given.", gt=0
    )
    mass: float = field(default=0.0, unit="kg", doc="Mass; 0 takes it from the density.", ge=0)
    centre: Vector | None = field(default=None, unit="m", doc="Centre of mass, if the inertia is given.")
    inertia: Numbers | None = field(
        default=None, unit="kg m^2",
        doc="Inertia about the centre in the bone's axes: xx, yy, zz, or xx, yy, zz, xy, xz, yz.",
    )  # fmt: skip
    metrics = (
        Metric("height", "m", "Height of the bone's origin.", "last"),
        Metric("speed", "m/s", "Speed of the bone's origin.", "last"),
        Metric("travel", "m", "Distance of the bone's origin from its start.", "last"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Whether the bone stands where bones can, and its numbers fit its joint."""
        yield from self._check_place(entity, graph)
        yield from self._check_axes()
        if self.mass and self.density != WATER:
            yield "mass and density are both given, and only the mass would count; take one of the two away"
        anchor = find_anchor(entity, graph)
        massive = anchor is None or anchor[1].bones_have_mass
        yield from self._check_lengths(springs_anywhere=not massive)
        yield from self._check_limits()
        if massive:
            yield from self._check_mass(entity, graph)

    def _check_place(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        if "body" in entity.components:
            yield "the entity has both body and bone; take one of the two away"
        parent = graph[entity.parent].components if entity.parent is not None else {}
        if "bone" not in parent and not any(is_anchor(value) for value in parent.values()):
            where = f"its parent {entity.parent} has neither" if entity.parent else "it has no parent"
            yield f"a bone hangs on a bone or a skeleton, but {where}; put it below an entity with skeleton = {{}}"
        for other in graph.below(entity.path):
            if "body" in other.components and other.path != entity.path:
                yield f"the body {other.path} lies below the bone; make it a bone, or put it beside the skeleton"
            if "plane" in other.components and owner_of(other.path, graph) == entity.path:
                yield f"a plane cannot move, but {other.path} moves with the bone; use a box"

    def _check_axes(self) -> Iterator[str]:
        used = {"hinge": 1, "slider": 1, "universal": 2, "ball": 1}.get(self.joint, 0)
        for name in ("axis", "second_axis")[:used]:
            if not any(getattr(self, name)):
                yield f"{name} must not be zero; give a direction such as [1, 0, 0]"
        if used == 2 and _are_parallel(self.axis, self.second_axis):
            yield "second_axis is parallel to axis; a universal joint needs two directions"
        if self.middle is not None and not any(self.middle):
            yield "middle must not be zero; give a direction such as [0, -1, 0]"

    def _check_lengths(self, *, springs_anywhere: bool) -> Iterator[str]:
        kind = JOINTS[self.joint]
        if self.joint == "free" and self.start is not None:
            yield "start is not for a free joint; it starts at the bone's pose"
        elif self.start is not None and len(self.start) != kind.q_count:
            yield f"start has {len(self.start)} numbers; joint {self.joint} has {kind.q_count} coordinates"
        elif self.joint == "ball" and self.start is not None and not any(self.start):
            yield "start is no rotation; a quaternion must not be zero"
        if self.rate is not None and len(self.rate) != kind.v_count:
            yield f"rate has {len(self.rate)} numbers; joint {self.joint} has {kind.v_count} rates"
        for name in PER_DOF:
            value = getattr(self, name)
            if isinstance(value, tuple) and len(value) != kind.v_count:
                yield f"{name} has {len(value)} numbers; joint {self.joint} has {kind.v_count} rates"
            values = spread(value, 1)
            if values and min(values) < 0:
                yield f"{name} is negative; use 0 or more"
            drag = self.joint == "free" and (name == "damping" or (name == "stiffness" and springs_anywhere))
            if self.joint in ("free", "fixed") and any(values) and not drag:
                yield f"{name} is not for a {self.joint} joint; give it to a joint between bones"

    def _check_swings(self) -> Iterator[str]:
        if isinstance(self.upper, tuple):
            if len(self.upper) != 2 or not all(0 < angle < 90 for angle in self.upper):
                yield "upper of a ball joint is one angle, or two between 0 and 90: about second_axis and across it"
            axis, middle = np.array(self.second_axis), np.array(self.middle or self.axis)
            if np.linalg.norm(np.cross(axis, middle)) <= 1e-6 * np.linalg.norm(axis) * np.linalg.norm(middle):
                yield "second_axis is parallel to the middle of the swings; give what the first swing turns about"
        elif self.upper is not None and not 0 < self.upper < 180:
            yield "upper of a ball joint is one angle between 0 and 180; it limits the swing of its axis"

    def _check_limits(self) -> Iterator[str]:
        given = [name for name in ("lower", "upper") if getattr(self, name) is not None]
        if self.joint == "ball":
            if self.lower is not None:
                yield "lower is not for a ball joint; its swing has only an upper limit"
            yield from self._check_swings()
            if self.middle is not None and self.upper is None:
                yield "middle is given without upper; say how far the axis swings from there"
            if self.twist is not None and not -180 < self.twist[0] < self.twist[1] < 180:
                yield "twist is from one angle to a greater one, both between -180 and 180"
            return
        for name in ("middle", "twist"):
            if getattr(self, name) is not None:
                yield f"{name} is not for a {self.joint} joint; it is part of the range of a ball joint"
        if given and self.joint not in LIMITED:
            yield f"{given[0]} is not for a {self.joint} joint; limits go with {', '.join(LIMITED)} and ball"
            return
        count = JOINTS[self.joint].v_count
        fits = True
        for name in given:
            value = getattr(self, name)
            if isinstance(value, tuple) and len(value) != count:
                fits = False
                yield f"{name} has {len(value)} numbers; joint {self.joint} has {count} coordinates"
        if self.lower is not None and self.upper is not None and fits:
            for low, high in zip(spread(self.lower, count), spread(self.upper, count), strict=True):
                if low >= high:
                    yield f"lower limit {low:g} is not below the upper limit {high:g}; exchange them"

    def _check_mass(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        shapes = any(True for _ in shapes_of_bone(entity.path, graph))
        if self.inertia is not None:
            if len(self.inertia) not in (3, 6):
                yield f"inertia has {len(self.inertia)} numbers; give xx, yy, zz, or these and xy, xz, yz"
                return
            if self.mass == 0:
                yield "inertia is given without a mass; give the mass as well"
            if not _is_of_solid(self.inertia):
                yield "inertia is that of no solid; no principal moment exceeds the sum of the other two"
        elif self.centre is not None:
            yield "centre is given without an inertia; give both, or leave both to the shapes"
        elif self.mass > 0 and not shapes:
            yield "mass is given without shape or inertia; give the bone a shape, or an inertia"
        holds = any("bone" in child.components for child in children_of(entity, graph))
        if not shapes and self.inertia is None and self.mass == 0 and not holds:
            yield "the bone has no inertia; give it, or an entity below it, a shape, or mass and inertia"
