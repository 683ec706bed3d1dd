"""Shapes made of triangles, uneven floors, and who touches whom."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.component import Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.scene_files import SceneFiles
from supple.errors import suggest
from supple_collide.components import (
    FRICTION_DOC,
    PENETRATION,
    RESTITUTION_DOC,
    ROLLING_DOC,
    SPINNING_DOC,
)

FILE_DOC = "An OBJ or STL file beside the scene; with trimesh also PLY, GLB or OFF."
SCALE_DOC = "Metres per unit of the coordinates; 0.001 for millimetres."
THICKNESS_DOC = "How deep an open surface is solid behind its triangles; a closed one is solid throughout."


@component
class Mesh:
    """A surface of triangles, counter-clockwise seen from outside; one that is closed can have a body."""

    file: str = field(default="", unit="", doc=FILE_DOC)
    vertices: tuple[Vector, ...] = field(default=(), unit="m", doc="Corners, instead of a file.")
    triangles: tuple[tuple[int, int, int], ...] = field(
        default=(), unit="1", doc="Three corners of every triangle, counted from 0."
    )
    scale: float = field(default=1.0, unit="1", doc=SCALE_DOC, gt=0)
    thickness: float = field(default=0.05, unit="m", doc=THICKNESS_DOC, gt=0)
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.vertices or self.triangles):
            raise ValueError("give the mesh either a file or vertices and triangles")
        if bool(self.vertices) != bool(self.triangles):
            raise ValueError("vertices and triangles belong together; give both")

    def reads_files(self) -> tuple[str, ...]:
        """The mesh."""
        return (self.file,) if self.file else ()

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Refuse what is no surface."""
        from supple_collide.mesh_shape import load_mesh

        load_mesh("mesh", self, entity.path, files)


@component
class Convex:
    """The convex hull of points."""

    file: str = field(
        default="", unit="", doc="An OBJ or STL file beside the scene, whose corners are wrapped."
    )
    points: tuple[Vector, ...] = field(default=(), unit="m", doc="Points to wrap, instead of a file.")
    scale: float = field(default=1.0, unit="1", doc=SCALE_DOC, gt=0)
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.points):
            raise ValueError("give the hull either a file or points")

    def reads_files(self) -> tuple[str, ...]:
        """The mesh whose corners are wrapped."""
        return (self.file,) if self.file else ()

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Refuse what encloses no volume."""
        from supple_collide.mesh_shape import load_mesh

        load_mesh("convex", self, entity.path, files)


def _complain_of_body(what: str, entity: Entity, graph: SceneGraph) -> Iterator[str]:
    for above in graph.ancestors(entity.path):
        if "body" in above.components or "bone" in above.components:
            yield f"{what} cannot move, but {above.path} does; use a mesh, or put it elsewhere"


@component
class Heightfield:
    """A floor whose height is given at the corners of a grid, about the entity's origin; solid below."""

    size: tuple[float, float] = field(unit="m", doc="Lengths along x and z.")
    cells: tuple[int, int] = field(unit="1", doc="Number of cells along x and z.")
    heights: tuple[float, ...] = field(
        default=(), unit="m", doc="Heights of all corners, row by row along x."
    )
    file: str = field(
        default="", unit="", doc="A text file beside the scene with the heights, instead of a list."
    )
    thickness: float = field(
        default=0.1, unit="m", doc="How deep the floor is solid below its surface.", gt=0
    )
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)

    def __post_init__(self) -> None:
        if min(self.size) <= 0:
            raise ValueError(f"the lengths in size must be greater than 0, are {list(self.size)}")
        if min(self.cells) < 1 or max(self.cells) > 2000:
            raise ValueError(f"cells must be from 1 to 2000 each, are {list(self.cells)}")
        if bool(self.file) == bool(self.heights):
            raise ValueError("give the heights either as a list or as a file")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A height field stands still."""
        yield from _complain_of_body("a height field", entity, graph)

    def reads_files(self) -> tuple[str, ...]:
        """The heights."""
        return (self.file,) if self.file else ()

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Refuse heights that are no numbers, too many or too few."""
        from supple_collide.meshes.terrain import make_terrain

        make_terrain("heightfield", self, entity.path, files, seed=0)


@component
class Bumpy:
    """A random uneven floor of tiles about the entity's origin; solid below."""

    size: tuple[float, float] = field(unit="m", doc="Lengths along x and z.")
    tile: float = field(default=0.05, unit="m", doc="Length of a tile's edge; fitted to the size.", gt=0)
    amplitude: float = field(default=0.02, unit="m", doc="Heights are even between 0 and this.", ge=0)
    sway: float = field(
        default=0.0,
        unit="1",
        doc="Corners also stand off sideways, by up to this part of a tile; from a quarter on tiles would fold over.",
        ge=0,
        le=0.24,
    )
    flat: float = field(
        default=0.0, unit="m", doc="Radius about the origin within which the floor is level.", ge=0
    )
    seed: int | None = field(default=None, unit="1", doc="Seed of the bumps, if not that of the run.", ge=0)
    thickness: float = field(
        default=0.1, unit="m", doc="How deep the floor is solid below its surface.", gt=0
    )
    friction: float = field(default=0.5, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    spinning: float = field(default=0.0, unit="m", doc=SPINNING_DOC, ge=0)
    rolling: float = field(default=0.0, unit="m", doc=ROLLING_DOC, ge=0)
    metrics = (PENETRATION,)

    def __post_init__(self) -> None:
        if min(self.size) <= 0:
            raise ValueError(f"the lengths in size must be greater than 0, are {list(self.size)}")
        if max(self.size) / self.tile > 2000:
            raise ValueError("the floor has more than 2000 tiles along a side; make the tiles larger")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A floor stands still."""
        yield from _complain_of_body("a bumpy floor", entity, graph)


@component
class Collides:
    """What the shapes at and below an entity do not touch."""

    group: str = field(
        default="", unit="", doc="Name of the group that they belong to; the nearest one counts."
    )
    ignores: tuple[str, ...] = field(
        default=(), unit="", doc="Groups, and entities with all below them, that they pass through."
    )

    def __post_init__(self) -> None:
        if not self.group and not self.ignores:
            raise ValueError("says nothing; give it a group, or what it ignores")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """What is ignored must exist."""
        groups = {each.components["collides"].group for each in graph.having("collides")} - {""}
        for name in self.ignores:
            if name not in groups and name not in graph:
                known = [*groups, *(each.path for each in graph if each.at is None)]
                yield f"ignores '{name}', which is no group and no entity; {suggest(name, known, 'there are')}"


MESHES = ("bumpy", "convex", "heightfield", "mesh")
"""The kinds of all shapes made of triangles."""
TERRAINS = ("bumpy", "heightfield")
"""Those of them that stand still and are solid below."""
