"""What an author says about free bodies."""

from __future__ import annotations

import math
from collections.abc import Iterator

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.pose import Pose
from supple.core.scene_files import SceneFiles
from supple_collide.components import Box
from supple_collide.mesh_components import Convex, Mesh
from supple_rigid.mass import shapes_of

WATER = 1000.0
"""The density of what has neither mass nor density [kg/m^3]."""


@component
class Body:
    """A free rigid body, made of the shapes at and below its entity. It starts at the entity's pose."""

    mass: float = field(
        default=0.0, unit="kg", doc="Mass of all shapes together; 0 takes it from the density.", ge=0
    )
    density: float = field(
        default=WATER, unit="kg/m^3", doc="Density of all shapes, if no mass is given.", gt=0
    )
    velocity: Vector = field(
        default=(0.0, 0.0, 0.0), unit="m/s", doc="Velocity of the centre of mass at the start, in the world."
    )
    spin: Vector = field(
        default=(0.0, 0.0, 0.0), unit="rad/s", doc="Angular velocity at the start, in the world."
    )
    numbers = ("mass", "density", "velocity", "spin")
    placed_by_arrays = True
    metrics = (
        Metric("height", "m", "Height of the centre of mass.", "last"),
        Metric("speed", "m/s", "Speed of the centre of mass.", "last"),
        Metric("travel", "m", "Distance of the centre of mass from its start.", "last"),
        Metric(
            "acceleration",
            "m/s^2",
            "Acceleration in the last fifth of the run, on average.",
            "mean",
            settled=True,
        ),
        Metric("creep", "m/s", "Greatest speed in the last fifth of the run.", "max", settled=True),
        Metric(
            "drift",
            "m",
            "Greatest distance in the last half from where that half began.",
            "max",
            last_half=True,
        ),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A body needs a shape to have an inertia, and no body moves within another."""
        if not list(shapes_of(entity.path, graph)):
            yield "the body has no shape; give the entity, or one below it, a sphere, box or capsule"
        if self.mass and self.density != WATER:
            yield "mass and density are both given, and only the mass would count; take one of the two away"
        for above in graph.ancestors(entity.path):
            if above.path != entity.path and "body" in above.components:
                yield f"the body lies below the body {above.path}; put it beside it, or take one of the two away"


@component
class Scatter:
    """Moves the start of a body by chance, by the run's seed."""

    position: float = field(
        default=0.0, unit="m", doc="Standard deviation of the start along each axis.", ge=0
    )
    velocity: float = field(
        default=0.0, unit="m/s", doc="Standard deviation of the velocity along each axis.", ge=0
    )
    spin: float = field(
        default=0.0, unit="rad/s", doc="Standard deviation of the spin about each axis.", ge=0
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Only a body can be scattered."""
        if "body" not in entity.components:
            yield "scatter moves a body, but the entity has none; add body = {}"


@component
class Aim:
    """Measures how well a body is thrown: its velocity when it was last touched against a wanted direction."""

    direction: Vector = field(unit="1", doc="Where it should fly to, in the world; not straight up or down.")
    metrics = (
        Metric(
            "miss", "deg", "Angle between the velocity when it was last touched and the direction.", "last"
        ),
        Metric("miss_aside", "deg", "The part of it about the vertical; more is to the left.", "last"),
        Metric("miss_above", "deg", "How much steeper than the direction it flies.", "last"),
        Metric("launch_speed", "m/s", "Speed when it was last touched.", "last"),
        Metric("launch_spin", "rad/s", "Angular speed when it was last touched.", "last"),
    )

    def __post_init__(self) -> None:
        if math.hypot(self.direction[0], self.direction[2]) < 1e-6:
            raise ValueError(f"the direction {list(self.direction)} has no bearing; give it an x or a z")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Only a body flies."""
        if "body" not in entity.components:
            yield "aim watches a body, but the entity has none; add body = {}"


@component
class Tilt:
    """Measures how far an axis of a body has turned from where it pointed at the start."""

    axis: Vector = field(unit="1", doc="The axis, in the entity's frame.")
    metrics = (
        Metric("tilt", "deg", "Angle between the axis and where it pointed at the start.", "last"),
        Metric("tilt_worst", "deg", "Greatest such angle.", "max"),
    )

    def __post_init__(self) -> None:
        if math.hypot(*self.axis) < 1e-6:
            raise ValueError("the axis has no length; name a direction, as [1, 0, 0]")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Only a body tilts."""
        if "body" not in entity.components:
            yield "tilt watches a body, but the entity has none; add body = {}"


@component
class Marble:
    """A ball with an uneven surface about the entity's origin; child `ball`."""

    radius: float = field(unit="m", doc="Mean radius.", gt=0)
    roughness: float = field(
        default=0.0, unit="m", ge=0, doc="Corners stand off the radius by chance, by up to this, in and out."
    )
    rounds: int = field(
        default=2, unit="1", ge=0, le=5, doc="How often the icosahedron is refined; 2 gives 162 corners."
    )
    seed: int = field(default=0, unit="1", ge=0, doc="Seed of the surface.")
    density: float = field(default=2500.0, unit="kg/m^3", doc="Density.", gt=0)
    friction: float = field(default=0.5, unit="1", doc="Coefficient of friction.", ge=0)

    def __post_init__(self) -> None:
        if self.roughness > 0.2 * self.radius:
            raise ValueError(f"roughness = {self.roughness:g} must be at most 0.2 of the radius")

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The ball: a mesh and a body."""
        from supple_rigid.marble import make_marble

        points, triangles = make_marble(self.radius, self.roughness, self.rounds, self.seed)
        corners = tuple((float(x), float(y), float(z)) for x, y, z in points)
        faces = tuple((int(a), int(b), int(c)) for a, b, c in triangles)
        mesh = Mesh(vertices=corners, triangles=faces, friction=self.friction)
        return [Entity(f"{entity.path}/ball", {"mesh": mesh, "body": Body(density=self.density)})]


@component
class Stack:
    """Boxes on top of each other, standing on the entity's xz plane; children box0 (lowest), box1, ..."""

    boxes: int = field(unit="1", doc="Number of boxes.", gt=0, le=1000)
    size: Vector = field(unit="m", doc="Lengths of a box's edges along x, y and z.")
    friction: float = field(default=0.5, unit="1", doc="Coefficient of friction of every box.", ge=0)
    density: float = field(default=1000.0, unit="kg/m^3", doc="Density of every box.", gt=0)

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """One child with pose, box and body for every box."""
        return [
            Entity(
                f"{entity.path}/box{level}",
                {
                    "pose": Pose(position=(0.0, (level + 0.5) * self.size[1], 0.0)),
                    "box": Box(size=self.size, friction=self.friction),
                    "body": Body(density=self.density),
                },
            )
            for level in range(self.boxes)
        ]


@component
class Arch:
    """A half circle of wedges that stands on the entity's xz plane; children block0 (at +x), block1, ..."""

    blocks: int = field(unit="1", doc="Number of wedges.", gt=1, le=1000)
    inner: float = field(unit="m", doc="Radius below the arch.", gt=0)
    outer: float = field(unit="m", doc="Radius above the arch.", gt=0)
    depth: float = field(unit="m", doc="Length along z.", gt=0)
    friction: float = field(default=0.5, unit="1", doc="Coefficient of friction of every wedge.", ge=0)
    density: float = field(default=1000.0, unit="kg/m^3", doc="Density of every wedge.", gt=0)

    def __post_init__(self) -> None:
        if self.outer <= self.inner:
            raise ValueError(f"outer = {self.outer:g} must be greater than inner = {self.inner:g}")

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """One child with pose, hull and body for every wedge."""
        return [
            Entity(
                f"{entity.path}/block{index}",
                {
                    "pose": Pose(axis=(0.0, 0.0, 1.0), angle=180.0 * (index + 0.5) / self.blocks),
                    "convex": Convex(points=self._corners(), friction=self.friction),
                    "body": Body(density=self.density),
                },
            )
            for index in range(self.blocks)
        ]

    def _corners(self) -> tuple[Vector, ...]:
        """Corners of a wedge about the x axis, seen from the centre of the arch."""
        half = math.pi / (2 * self.blocks)
        return tuple(
            (radius * math.cos(half), side * radius * math.sin(half), z)
            for radius in (self.inner, self.outer)
            for side in (-1, 1)
            for z in (-self.depth / 2, self.depth / 2)
        )
