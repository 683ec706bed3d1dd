"""What an author says about points and centres of pressure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from supple.core.component import Metric, Vector, component, field
from supple.core.curves import Interpolation, check_times
from supple.core.entity import Entity, SceneGraph
from supple_motion.components import Quaternion
from supple_tracking.pose.components import check_bones


@component
class PointKey:
    """Where a point should be at one time, in the world."""

    at: float = field(unit="s", ge=0, doc="Time of the key.")
    position: Vector | None = field(default=None, unit="m", doc="Where the point should be.")
    axis: Vector = field(default=(0.0, 1.0, 0.0), unit="1", doc="Axis of the bone's turn in the world.")
    angle: float | None = field(default=None, unit="deg", doc="Angle of the bone's turn about the axis.")
    rotation: Quaternion | None = field(
        default=None, unit="1", doc="Quaternion w, x, y, z, instead of axis and angle."
    )

    def __post_init__(self) -> None:
        if self.position is None and self.angle is None and self.rotation is None:
            raise ValueError("says nothing; give position, or axis and angle, or rotation")
        if self.angle is not None and self.rotation is not None:
            raise ValueError("has both an angle and a rotation; give one of them")
        if self.angle is not None and not any(self.axis):
            raise ValueError(
                "the axis of a turn must not be zero; give axis = [0, 1, 0] or another direction"
            )
        if self.rotation is not None and not any(self.rotation):
            raise ValueError("rotation is zero; a quaternion has length 1, such as [1, 0, 0, 0]")


@component
class TrackedPoint:
    """A point on a bone and where it should be."""

    bone: str = field(unit="", min_length=1, doc="Path of the bone below this entity.")
    point: Vector = field(default=(0.0, 0.0, 0.0), unit="m", doc="The point in the bone's frame.")
    keys: tuple[PointKey, ...] = field(
        unit="m, deg, s", min_length=1, doc="Targets in the order of their times."
    )
    interpolation: Interpolation = field(default="min_jerk", unit="", doc="Between the keys.")
    weight: float = field(default=1.0, unit="1", gt=0, doc="How much it counts beside others.")
    turn_weight: float = field(default=0.1, unit="m", gt=0, doc="Length that an error of a radian counts as.")

    def __post_init__(self) -> None:
        check_times(key.at for key in self.keys)


@component
class PointTracking:
    """Shifts the pose that is tracked so that points on bones, and turns of bones, come where they should be."""

    points: tuple[TrackedPoint, ...] = field(unit="SI", min_length=1, doc="The points.")
    metrics = (
        Metric("miss", "m", "Greatest distance of a point from its target at the end.", "last"),
        Metric("turn_miss", "rad", "Greatest angle of a bone from its target at the end.", "last"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Its bones exist, and joints are driven."""
        yield from check_tasks(entity, graph, "points", [point.bone for point in self.points])


@component
class PressureKey:
    """The vector that centres of pressure should have at one time."""

    at: float = field(unit="s", ge=0, doc="Time of the key.")
    vector: Vector = field(
        unit="m", doc="From the other centre to this one; without another, place in the world."
    )


@component
class PressureTarget:
    """The centre of pressure of one bone, alone or against that of another."""

    bone: str = field(unit="", min_length=1, doc="Path of the bone below this entity that is pressed.")
    against: str = field(default="", unit="", doc="Path of the other bone; empty: none.")
    keys: tuple[PressureKey, ...] = field(
        unit="m, s", min_length=1, doc="Targets in the order of their times."
    )
    interpolation: Interpolation = field(default="min_jerk", unit="", doc="Between the keys.")
    weights: Vector = field(
        default=(1.0, 1.0, 1.0),
        unit="1",
        doc="How much x, y and z of the world count; 0 leaves one to the pose.",
    )
    least: float = field(
        default=0.01,
        unit="N",
        gt=0,
        doc="Force from which on a centre counts; without it nothing is shifted.",
    )

    def __post_init__(self) -> None:
        check_times(key.at for key in self.keys)
        if min(self.weights) < 0 or not any(self.weights):
            raise ValueError(
                "weights must be 0 or more and not all 0; leave them out to track all directions"
            )
        if self.bone == self.against:
            raise ValueError("against is the bone itself; name another one, or none")


@component
class PressureTracking:
    """Shifts the pose that is tracked so that centres of pressure come where they should be."""

    targets: tuple[PressureTarget, ...] = field(unit="SI", min_length=1, doc="The centres of pressure.")
    metrics = (
        Metric(
            "pressure_miss",
            "m",
            "Greatest distance of a centre from its target; counts in contact only.",
            "last",
        ),
        Metric("pressure", "N", "Normal force on the first bone named, on average.", "mean"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Its bones exist, and joints are driven."""
        names = [name for target in self.targets for name in (target.bone, target.against) if name]
        yield from check_tasks(entity, graph, "targets", names)


def check_tasks(entity: Entity, graph: SceneGraph, key: str, names: Iterable[str]) -> Iterator[str]:
    """Complaints about tasks without pose tracking, or about bones that do not exist."""
    if "pose_tracking" not in entity.components:
        yield "shifts the pose that pose_tracking drives to, and the entity has none; add pose_tracking"
        return
    yield from check_bones(entity, graph, key, names)
