"""Shapes that touch. A shape moves with the body at or above its entity; without one it stands still."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph

FRICTION_DOC = "Coefficient of friction; a pair takes the smaller of its two."
RESTITUTION_DOC = "Part of the approach speed that comes back; a pair takes the smaller of its two."
SPINNING_DOC = (
    "Torque of contacts against spinning about their normal, by normal force; a pair takes the greater."
)
ROLLING_DOC = "Torque of contacts against rolling, by normal force; a pair takes the greater of its two."
PENETRATION = Metric("penetration", "m", "Deepest penetration of any contact of this shape.", "max")


@component
class Sphere:
    """A ball about the entity's origin."""

    radius: float = field(unit="m", doc="Distance from the centre to the surface.", gt=0)
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)
    numbers = ("radius", "friction", "restitution")
    placed_by_arrays = True


@component
class Box:
    """A cuboid about the entity's origin, its edges along the entity's axes."""

    size: Vector = field(unit="m", doc="Lengths of the edges along x, y and z.")
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)
    numbers = ("size", "friction", "restitution")
    placed_by_arrays = True

    def __post_init__(self) -> None:
        if min(self.size) <= 0:
            raise ValueError(f"the edges in size must be longer than 0, are {list(self.size)}")


@component
class Capsule:
    """A cylinder along the entity's y axis with round ends, about the entity's origin."""

    radius: float = field(unit="m", doc="Radius of the cylinder and of its round ends.", gt=0)
    length: float = field(unit="m", doc="Length of the straight part, without the round ends.", gt=0)
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)
    numbers = ("radius", "length", "friction", "restitution")
    placed_by_arrays = True


@component
class Cylinder:
    """A cylinder along the entity's y axis with flat ends, about the entity's origin."""

    radius: float = field(unit="m", doc="Radius of the cylinder.", gt=0)
    length: float = field(unit="m", doc="Distance between its flat ends.", gt=0)
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)
    numbers = ("radius", "length", "friction", "restitution")
    placed_by_arrays = True


@component
class Cone:
    """A cone along the entity's y axis, its apex up. The origin is half-way between base and apex."""

    radius: float = field(unit="m", doc="Radius of the base.", gt=0)
    height: float = field(unit="m", doc="Distance of the apex from the base.", gt=0)
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)
    numbers = ("radius", "height", "friction", "restitution")
    placed_by_arrays = True


@component
class Ellipsoid:
    """An ellipsoid about the entity's origin, its axes along the entity's."""

    radii: Vector = field(unit="m", doc="Half lengths along x, y and z.")
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)
    numbers = ("radii", "friction", "restitution")
    placed_by_arrays = True

    def __post_init__(self) -> None:
        if min(self.radii) <= 0:
            raise ValueError(f"the radii must be longer than 0, are {list(self.radii)}")


@component
class Plane:
    """The ground: everything below the entity's xz plane is solid."""

    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)
    numbers = ("friction", "restitution")
    placed_by_arrays = True

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A plane has no end and so no mass."""
        for above in graph.ancestors(entity.path):
            if "body" in above.components:
                yield f"a plane cannot move, but {above.path} has a body; use a box, or take the body away"


SHAPES = ("box", "capsule", "cone", "cylinder", "ellipsoid", "plane", "sphere")
"""The kinds of all shapes."""


@component
class Collide:
    """How contacts are looked for."""

    sudden_speed: float = field(
        default=0.1,
        unit="m/s",
        gt=0,
        doc="Speed that a push may give to a shape within a step; so far ahead a shape at rest looks for contacts.",
    )
    margin: float = field(
        default=0.0,
        unit="m",
        ge=0,
        doc="Distance that every shape looks farther than it may come within the step.",
    )
    looks: int = field(
        default=32,
        unit="1",
        ge=0,
        doc="How often a step is looked at again, because its impulses drove something beyond what was looked at.",
    )
    most_contacts_per_pair: int = field(
        default=32,
        unit="1",
        ge=4,
        doc="Contacts that a mesh keeps with one other rigid shape; the deepest and the outermost stay.",
    )
