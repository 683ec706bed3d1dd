"""What an author says about joints, motors and springs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.errors import list_choices
from supple.mechanics.spring_tables import Implicitness
from supple_joints.paths import check_pair, check_path, find_joint

FREE_AXIS = ("hinge", "slider")
"""The kinds of joints that leave one axis free."""


@component
class Joints:
    """How joints take back their errors, in `[run.joints]`."""

    recovery: float = field(
        default=1.0, unit="1", ge=0, le=1, doc="Part of an error that is taken back within one step."
    )
    recovery_speed: float = field(
        default=10.0,
        unit="m/s",
        ge=0,
        doc="Greatest speed of taking a distance back; also along a slider's limit.",
    )
    recovery_spin: float = field(
        default=100.0,
        unit="rad/s",
        ge=0,
        doc="Greatest rate of taking an angle back; also at a hinge's limit.",
    )


@component
class Joint:
    """Ties two things together where the entity is placed at the start, and leaves part of their motion free."""

    kind: Literal["ball", "hinge", "slider", "fixed"] = field(unit="", doc="What motion is left free.")
    between: tuple[str, ...] = field(
        unit="", min_length=1, max_length=2, doc="Paths of the two; one alone is tied to the world."
    )
    axis: Vector = field(
        default=(0.0, 1.0, 0.0),
        unit="1",
        doc="Axis of a hinge or slider in the entity's frame, of any length.",
    )
    lower: float | None = field(
        default=None, unit="deg, m", doc="Least position of the first relative to the second; it starts at 0."
    )
    upper: float | None = field(
        default=None, unit="deg, m", doc="Greatest position of the first relative to the second."
    )
    friction: float = field(default=0.0, unit="N m, N", ge=0, doc="Dry friction about or along the axis.")
    damping: float = field(
        default=0.0,
        unit="N m s/rad, N s/m",
        ge=0,
        doc="Resistance in proportion to the rate of the position.",
    )
    touch: bool = field(
        default=False, unit="", doc="Whether the two things collide with each other all the same."
    )
    placed_by_arrays = True
    metrics = (
        Metric(
            "error",
            "m",
            "Greatest distance between the anchors across what is free.",
            "max",
            headline="worst joint error",
        ),
        Metric("turn_error", "rad", "Greatest angle between the anchors beside what is free.", "max"),
        Metric("position", "rad, m", "Angle of a hinge, displacement of a slider; 0 at the start.", "last"),
        Metric("lowest", "rad, m", "Least position.", "min"),
        Metric("highest", "rad, m", "Greatest position.", "max"),
        Metric("rate", "rad/s, m/s", "Rate of the position over the last step.", "last"),
        Metric("load", "N", "Greatest force that the joint passes on.", "max"),
        Metric("moment", "N m", "Greatest torque that the joint passes on.", "max"),
        Metric(
            "lift", "N", "Force on the first, upward, on average over the last fifth.", "mean", settled=True
        ),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """The two exist and differ; axis and limits make sense for the kind."""
        yield from check_pair("between", self.between, graph)
        if self.kind in FREE_AXIS:
            yield from self._check_axis()
            return
        for key in ("lower", "upper", "friction", "damping"):
            if getattr(self, key) not in (None, 0.0):
                yield f"{key} acts on a free axis, and a {self.kind} joint has none; make it a hinge or slider"

    def _check_axis(self) -> Iterator[str]:
        if not any(self.axis):
            yield "axis is zero; give axis = [0, 1, 0] or another direction"
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            yield f"lower = {self.lower:g} is not below upper = {self.upper:g}; swap them, or use a fixed joint"
        elif self.lower is not None and self.lower > 0:
            yield f"lower = {self.lower:g} lies above the start, which is 0; make it 0 or less"
        elif self.upper is not None and self.upper < 0:
            yield f"upper = {self.upper:g} lies below the start, which is 0; make it 0 or more"


@component
class Motor:
    """Drives the free axis of a joint at a speed, as far as its force suffices."""

    on: str = field(default="", unit="", doc="Path of the joint; empty for the joint of the same entity.")
    speed: float = field(unit="rad/s, m/s", doc="Rate that it drives the joint's position at.")
    strongest: float = field(unit="N m, N", gt=0, doc="Greatest torque or force, either way.")
    numbers = ("speed",)
    placed_by_arrays = True
    metrics = (
        Metric("drive", "N m, N", "Torque or force of the motor at the end.", "last"),
        Metric("effort", "N m, N", "Greatest torque or force of the motor, either way.", "max"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """The joint exists and has a free axis."""
        yield from check_axis_of("on", self.on or entity.path, graph)


@component
class Spring:
    """A spring with a damper, between the origins of two things or on the free axis of a joint."""

    between: tuple[str, ...] = field(
        default=(),
        unit="",
        max_length=2,
        doc="Paths of the two; one alone is tied to where the entity stands.",
    )
    on: str = field(
        default="", unit="", doc="Path of a hinge or slider to act on; empty for that of the same entity."
    )
    stiffness: float = field(
        default=0.0, unit="N/m, N m/rad", ge=0, doc="Force per length, or torque per angle."
    )
    damping: float = field(
        default=0.0, unit="N s/m, N m s/rad", ge=0, doc="Force per speed, or torque per angular velocity."
    )
    rest: float | None = field(
        default=None,
        unit="m, deg",
        doc="Length, position or angle without force; by default that of the start.",
    )
    offset: float = field(
        default=0.0, unit="N, N m", doc="Force besides: drives the two apart, or the joint forward."
    )
    strongest: float | None = field(
        default=None,
        unit="N, N m",
        gt=0,
        doc="Greatest force or torque, either way; by default without bound.",
    )
    implicitness: Implicitness = field(
        default="automatic", unit="1", ge=0.5, le=1,
        doc="Where in the step it is taken: 0.5 at its middle, which keeps energy, 1 at its end, which damps; "
        "automatic: at the middle unless the spring is too fast for the step.",
    )  # fmt: skip
    placed_by_arrays = True
    metrics = (
        Metric("stretch", "m, rad", "How far it is beyond its rest at the end.", "last"),
        Metric("tension", "N, N m", "Force at the end; positive draws back from a stretch.", "last"),
        Metric("strain", "N, N m", "Greatest force, either way.", "max"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """It is told where to act, and has something to act with."""
        if self.stiffness == 0.0 and self.damping == 0.0:
            yield "the spring has neither stiffness nor damping; give it one of them"
        if not self.between:
            yield from check_axis_of("on", self.on or entity.path, graph)
            return
        if self.on:
            yield "on and between are both given; a spring acts either on a joint or between two things"
        yield from check_pair("between", self.between, graph)
        if self.rest is not None and self.rest < 0:
            yield f"rest = {self.rest:g} is no length; give 0 or more"
        if self.rest == 0.0 and (self.offset or self.strongest is not None):
            yield "rest = 0 draws towards a point, without offset or strongest; leave these out"


def check_axis_of(key: str, path: str, graph: SceneGraph) -> Iterator[str]:
    """What is wrong with `path` as that of a joint with a free axis."""
    problems = list(check_path(key, path, graph))
    joint = None if problems else find_joint(path, graph)
    if joint is not None and joint.kind not in FREE_AXIS:
        yield f"{key} = '{path}' is a {joint.kind} joint without a free axis; choose a hinge or slider"
    elif joint is None and not problems:
        joints = list_choices(other.path for other in graph.having("joint"))
        yield f"{key} = '{path}' has no joint; the scene's joints: {joints}"
    yield from problems
