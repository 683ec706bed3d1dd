"""What there is to see: plugins say it when a world is built, recordings carry it, and pictures and viewers obey.

A drawing names arrays and so never goes stale; whoever draws it knows geometry and nothing of the plugin.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

#: Things that are switched on and off together in a viewer. A plugin may name others.
LAYERS = ("ground", "bodies", "bones", "skin", "muscles", "joints")
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """A ball, block, rod, drum or ground about its own origin: `size` as for the shapes of the same names.

    "sphere": radius, 0, 0. "box": half sizes. "capsule": radius, half length of the straight part along y, 0.
    "cylinder": radius, half length along y, 0. "cone": radius of the base, half height, 0. "ellipsoid": half axes.
    "plane": 0, 0, 0; its outside is +y.
    """

    kind: str
    size: Vector


@dataclass(frozen=True)
class Mesh:
    """Rows `first` to `last` of the triangles [nt, 3], which count the rows of `vertices` [nv, 3] in m.

    `vertices` is constant if something carries the drawing, and otherwise follows the run in the world. `last` = -1
    means all. `flat` asks for sharp edges between the triangles. `surface` is the number of the surface whose elements
    the triangles are, as `contacts.surface` counts: whoever builds the world finds it out.
    """

    vertices: str
    triangles: str
    first: int = 0
    last: int = -1
    flat: bool = False
    surface: int = -1


@dataclass(frozen=True)
class Lines:
    """Tubes of `radius` [m] between the points [np, 3] that the rows of `segments` [ns, 2] name."""

    points: str
    segments: str
    radius: float = 0.005


@dataclass(frozen=True)
class Span:
    """A tube of `radius` [m] from one thing to another, such as a spring; in the world, whatever its drawing's place.

    Each end is a place in a frame: row of a position [n, 3] and of a rotation [n, 4]; without names, in the world.
    """

    positions: tuple[str, str]
    rotations: tuple[str, str]
    rows: tuple[int, int]
    start: Vector
    end: Vector
    radius: float


@dataclass(frozen=True)
class Carried:
    """The frame that moves a drawing: row `row` of `position` [n, 3] and of `rotation` [n, 4]; place within it."""

    position: str
    rotation: str
    row: int
    offset: Vector = (0.0, 0.0, 0.0)
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Placed:
    """A drawing that stands still in the world."""

    offset: Vector = (0.0, 0.0, 0.0)
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Channel:
    """Values that colour a drawing: one a vertex of its mesh or a segment of its lines, from `low` to `high`."""

    array: str
    low: float
    high: float
    unit: str
    says: str


@dataclass(frozen=True)
class Hangs:
    """How the vertices of a mesh that bends hang on the bones of `owner`, for programs that know skins.

    Row i of `bone` [nv, k] names rows of `owner.x` and `owner.rotation`, -1 for none; `weight` [nv, k] are their
    shares, without a name one each; `local` [nv, k, 3] or [nv, 3] are the places of the vertex in their frames [m].
    `owner.bind` [n, 7] are the poses in which the vertices of all bones fit together. What the mesh does beside that
    is its own.
    """

    owner: str
    bone: str
    local: str
    weight: str = ""


@dataclass(frozen=True)
class Drawing:
    """One thing to see. `path` is its entity, `colour` red, green, blue from 0 to 1; None leaves it to the viewer."""

    name: str
    path: str
    layer: str
    form: Solid | Mesh | Lines | Span
    place: Carried | Placed = Placed()
    colour: Vector | None = None
    channel: Channel | None = None
    hangs: Hangs | None = None

    @property
    def arrays(self) -> Sequence[str]:
        """The arrays it names."""
        names: list[str] = []
        if isinstance(self.form, Mesh):
            names += [self.form.vertices, self.form.triangles]
        elif isinstance(self.form, Lines):
            names += [self.form.points, self.form.segments]
        elif isinstance(self.form, Span):
            names += [name for name in (*self.form.positions, *self.form.rotations) if name]
        if isinstance(self.place, Carried):
            names += [self.place.position, self.place.rotation]
        if self.hangs is not None:
            names += [name for name in (self.hangs.bone, self.hangs.local, self.hangs.weight) if name]
            names += [f"{self.hangs.owner}.{array}" for array in ("x", "rotation", "bind")]
        return names + ([self.channel.array] if self.channel else [])


_PARTS: dict[str, Any] = {
    kind.__name__: kind for kind in (Solid, Mesh, Lines, Span, Carried, Placed, Channel, Hangs)
}


def write_drawings(drawings: Sequence[Drawing]) -> str:
    """The drawings as JSON."""

    def plain(part: Any) -> Any:
        return None if part is None else {"is": type(part).__name__, **asdict(part)}

    rows = [
        {
            "name": each.name, "path": each.path, "layer": each.layer, "colour": each.colour,
            **{part: plain(getattr(each, part)) for part in ("form", "place", "channel", "hangs")},
        }
        for each in drawings
    ]  # fmt: skip
    return json.dumps(rows, sort_keys=True)


def read_drawings(text: str) -> list[Drawing]:
    """The drawings from JSON. Raises ValueError, KeyError or TypeError when it is not whole."""

    def part(table: Mapping[str, Any] | None) -> Any:
        if table is None:
            return None
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
        return _PARTS[str(values.pop("is"))](**values)

    return [
        Drawing(
            row["name"], row["path"], row["layer"], part(row["form"]), part(row["place"]),
            tuple(row["colour"]) if row["colour"] else None, part(row["channel"]), part(row.get("hangs")),
        )
        for row in json.loads(text)
    ]  # fmt: skip
