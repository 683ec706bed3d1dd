"""From shape components to arrays: one row for every shape of the scene, sorted by entity and kind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple_collide.components import SHAPES
from supple_collide.drawings import draw_shape
from supple_collide.shape_kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, PLANE, SPHERE, STANDS_STILL
from supple_collide.surface import PrimitiveSurface

CODES = {
    "sphere": SPHERE, "box": BOX, "capsule": CAPSULE, "plane": PLANE, "cylinder": CYLINDER, "cone": CONE,
    "ellipsoid": ELLIPSOID,
}  # fmt: skip
COLUMNS = (
    ("kind", (), "1", "Which primitive; see shape_kinds.", np.int64),
    ("size", (3,), "m", "Half sizes; see shape_kinds.", np.float64),
    ("friction", (), "1", "Coefficient of friction.", np.float64),
    ("restitution", (), "1", "Coefficient of restitution.", np.float64),
    ("bounces", (), "1", "Whether any of the approach speed comes back, 0 or 1.", np.int64),
    ("carrier", (), "1", "Which carrier moves the shape; -1: it stands still.", np.int64),
    ("frame", (), "1", "Which frame of the carrier.", np.int64),
    ("group", (), "1", "Shapes of one frame share a group and do not touch each other.", np.int64),
    ("local_position", (3,), "m", "Place in the frame; in the world if it stands still.", np.float64),
    ("local_rotation", (4,), "1", "Turn in the frame; in the world if it stands still.", np.float64),
    ("extent", (), "m", "Distance from the frame's origin to the shape's farthest point.", np.float64),
)
#: Columns that nothing is derived from when systems are bound; whether something bounces is another column.
PLAIN = ("size", "friction", "restitution", "local_position", "local_rotation", "extent")


def size_of(kind: str, shape: Any) -> tuple[float, float, float]:
    """The three numbers that kernels know a shape by; see `shape_kinds`."""
    if kind == "sphere":
        return shape.radius, 0.0, 0.0
    if kind == "box":
        return shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2
    if kind in ("capsule", "cylinder"):
        return shape.radius, shape.length / 2, 0.0
    if kind == "cone":
        return shape.radius, shape.height / 2, 0.0
    if kind == "ellipsoid":
        return shape.radii[0], shape.radii[1], shape.radii[2]
    return 0.0, 0.0, 0.0


def extent_of(kind: str, size: tuple[float, float, float]) -> float:
    """Distance from a shape's centre to its farthest point [m]; 0 for a plane, which has none."""
    if kind == "sphere":
        return size[0]
    if kind == "box":
        return float(np.linalg.norm(size))
    if kind == "capsule":
        return size[0] + size[1]
    if kind in ("cylinder", "cone"):
        return math.hypot(size[0], size[1])
    if kind == "ellipsoid":
        return max(size)
    return 0.0


def list_shapes(build: Build) -> list[tuple[Entity, str]]:
    """Entity and kind of every primitive, in the order of the shape table."""
    return [
        (entity, kind) for entity in build.having(*SHAPES) for kind in SHAPES if kind in entity.components
    ]


def compile_shapes(build: Build) -> None:
    """Declare the shape table and the surface that all primitives form."""
    shapes = list_shapes(build)
    labels = [entity.path for entity, _ in shapes]
    rows = [_describe(build, entity, kind) for entity, kind in shapes]
    count = len(shapes)
    for name, shape, unit, doc, dtype in COLUMNS:
        values = np.array([row[name] for row in rows], dtype).reshape(count, *shape)
        build.add_model(
            f"collide.{name}", values, unit=unit, doc=doc, labels=labels, dtype=dtype, record=True,
            plain=name in PLAIN,
        )  # fmt: skip
    build.add_step("collide.x", (count, 3), unit="m", doc="Centres of the shapes.", labels=labels)
    build.add_step("collide.q", (count, 4), unit="1", doc="Rotations of the shapes.", labels=labels)
    build.add_step(
        "collide.reach", (count,), unit="m", doc="How far a shape may come in a step.", labels=labels
    )
    declare_ahead(build, "collide.ahead", count, "Speeds of shapes that an earlier look at the step led to.")
    doc = "How often this step was looked at again."
    build.add_state("collide.looks", [0], unit="1", doc=doc, dtype=np.int64)
    build.find_out("collide.looks")
    build.add_step(
        "collide.penetration", (count,), unit="m", doc="Deepest contact of a shape.", labels=labels
    )
    build.add_member("surfaces", PrimitiveSurface(labels))
    for index, (entity, kind) in enumerate(shapes):
        build.bind_metrics(entity, kind, {"penetration": ("collide.penetration", index)})
        size = size_of(kind, entity.components[kind])
        draw_shape(build, entity.path, kind, size, find_owner(build, entity.path))


def declare_ahead(build: Build, name: str, count: int, doc: str) -> None:
    """Declare speeds that are known from one look at a step to the next; see `looking`."""
    build.add_state(name, np.zeros(count), unit="m/s", doc=doc)
    build.find_out(name)


def find_owner(build: Build, path: str) -> dict[str, Any]:
    """What moves the shape at `path`, and its place there (or in the world)."""
    carriers = [carrier.name for carrier in build.members("carriers")]
    carried = build.pose_in_frame(path)
    if carried is None:
        position, rotation = build.pose(path)
        return {
            "carrier": STANDS_STILL, "frame": 0, "group": STANDS_STILL,
            "local_position": position, "local_rotation": rotation,
        }  # fmt: skip
    place, position, rotation = carried
    carrier = carriers.index(place.carrier)
    return {
        "carrier": carrier, "frame": place.index, "group": carrier + place.index * len(carriers),
        "local_position": position, "local_rotation": rotation,
    }  # fmt: skip


def _describe(build: Build, entity: Entity, kind: str) -> dict[str, Any]:
    shape = entity.components[kind]
    size = size_of(kind, shape)
    owner = find_owner(build, entity.path)
    extent = extent_of(kind, size)
    if owner["carrier"] != STANDS_STILL:
        extent += float(np.linalg.norm(owner["local_position"]))
    return {
        "kind": CODES[kind], "size": size, "friction": shape.friction, "restitution": shape.restitution,
        "extent": extent, "bounces": int(shape.restitution > 0.0), **owner,
    }  # fmt: skip
