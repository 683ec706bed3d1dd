"""What an author says about bodies of tetrahedra."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.scene_files import SceneFiles

Letter = Literal["H", "I", "F", "T", "O", "X"]
COUNT_DOC = "Tetrahedra, about."
MOST_TETS = 100000


@component
class Region:
    """A box in the entity's frame."""

    low: Vector = field(unit="m", doc="The corner with the least coordinates.")
    high: Vector = field(unit="m", doc="The corner with the greatest.")


@component
class Tets:
    """A soft body of tetrahedra; another component of the entity gives the mesh: tet_block, tet_ball, tet_rod,
    tet_letter or tet_file.
    """

    density: float = field(default=1000.0, unit="kg/m^3", doc="Density.", gt=0)
    stiffness: float = field(default=5e5, unit="Pa", doc="Young's modulus.", gt=0)
    poisson: float = field(default=0.45, unit="1", doc="Poisson's ratio, less than 0.5.", ge=0)
    damping: float = field(default=0.02, unit="s", doc="Resistance to strain, as a part of stiffness.", ge=0)
    drag: float = field(default=0.0, unit="1/s", doc="Resistance to motion, as a part of mass.", ge=0)
    stiffening: float | Literal["measured"] = field(
        default=1.0, unit="1", gt=0,
        doc="By how much the mesh is too stiff; Young's modulus is divided by it. 'measured' finds it, in seconds.",
    )  # fmt: skip
    scheme: Literal["euler", "midpoint"] = field(
        default="euler", unit="",
        doc="How steps are taken: of first order, which calms vibrations, or of second, which lets them live.",
    )  # fmt: skip
    friction: float = field(default=0.8, unit="1", doc="Coefficient of friction.", ge=0)
    restitution: float = field(default=0.0, unit="1", doc="Coefficient of restitution.", ge=0, le=1)
    patch_size: float = field(
        default=0.0, unit="m", ge=0,
        doc="Size of the patches in which the surface touches, one contact each; 0: each vertex is one.",
    )  # fmt: skip
    self_contact: bool = field(default=False, unit="", doc="Whether the body touches itself.")
    velocity: Vector = field(default=(0.0, 0.0, 0.0), unit="m/s", doc="Velocity at the start.")
    spin: Vector = field(
        default=(0.0, 0.0, 0.0), unit="rad/s", doc="Rotation at the start, about the centre of mass."
    )
    fixed: tuple[Region, ...] = field(default=(), unit="", doc="Vertices in these boxes stand still.")
    metrics = (
        Metric("volume_change", "1", "Greatest change of the volume, as a part of it.", "max"),
        Metric("smallest_element", "1", "Least volume of a tetrahedron relative to that at rest.", "min"),
        Metric("inverted", "1", "Greatest number of tetrahedra that are inside out.", "max"),
        Metric("strain", "1", "Greatest strain of a tetrahedron (root of the sum of its squares).", "max"),
        Metric("speed", "m/s", "Speed of the fastest vertex.", "last"),
        Metric("centre_x", "m", "Centre of mass, x.", "last"),
        Metric("centre_y", "m", "Centre of mass, y.", "last"),
        Metric("centre_z", "m", "Centre of mass, z.", "last"),
        Metric("highest", "m", "Greatest height of the centre of mass.", "max"),
        Metric("momentum", "kg m/s", "Magnitude of the momentum.", "last"),
        Metric("angular_momentum", "kg m^2/s", "Magnitude of the angular momentum about the centre.", "last"),
        Metric("elastic_energy", "J", "Energy that the strain stores.", "last"),
        Metric("sag", "m", "How far the vertex that came down most is below its place at the start.", "last"),
        Metric("lowest", "m", "Height of the lowest vertex.", "last"),
        Metric("stiffening", "1", "By what Young's modulus is divided.", "last"),
    )

    def __post_init__(self) -> None:
        if self.poisson >= 0.5:
            raise ValueError(
                f"poisson must be less than 0.5, is {self.poisson:g}: at 0.5 no volume changes and the stiffness is "
                "infinite; use 0.45 to 0.49"
            )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is one mesh, and nothing else moves the entity."""
        from supple_tets.shapes import SHAPES

        given = [kind for kind in SHAPES if kind in entity.components]
        if len(given) != 1:
            has = f"{len(given)} meshes" if given else "no mesh"
            yield f"the body has {has}; give it one of {', '.join(SHAPES)}"
        for above in graph.ancestors(entity.path):
            if "body" in above.components or "bone" in above.components:
                yield f"the tetrahedra lie on {above.path}, which moves by itself; put them beside it"


def _check_use(entity: Entity) -> Iterator[str]:
    if "tets" not in entity.components:
        yield "nothing is made of this mesh; add tets = {}"


def _check_mesh(kind: str, shape: object, entity: Entity, files: SceneFiles) -> None:
    from supple_tets.shapes import load_tets

    load_tets(kind, shape, entity.path, files)


@component
class TetBlock:
    """A mesh for tets: a block about the entity's origin."""

    size: Vector = field(unit="m", doc="Lengths of the edges.", gt=0)
    tets: int = field(default=500, unit="1", doc=COUNT_DOC, ge=5, le=MOST_TETS)
    cells: tuple[int, int, int] | None = field(
        default=None, unit="1", doc="Cells along the edges, five tetrahedra each, instead of a number.", gt=0
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is a body to give a mesh to, and room for all its tetrahedra."""
        yield from _check_use(entity)
        count = 5 * math.prod(self.cells) if self.cells is not None else 0
        if count > MOST_TETS:
            yield f"cells make {count} tetrahedra, and {MOST_TETS} are the most; make them larger"


@component
class TetBall:
    """A mesh for tets: a ball about the entity's origin."""

    radius: float = field(unit="m", doc="Radius.", gt=0)
    tets: int = field(default=500, unit="1", doc=COUNT_DOC, ge=24, le=MOST_TETS)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is a body to give a mesh to."""
        yield from _check_use(entity)


@component
class TetRod:
    """A mesh for tets: a round rod along y about the entity's origin."""

    radius: float = field(unit="m", doc="Radius.", gt=0)
    length: float = field(unit="m", doc="Length.", gt=0)
    tets: int = field(default=500, unit="1", doc=COUNT_DOC, ge=24, le=MOST_TETS)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is a body to give a mesh to."""
        yield from _check_use(entity)


@component
class TetLetter:
    """A mesh for tets: a letter that stands on the plane y = 0 of the entity. The X is a hub on four bent legs."""

    letter: Letter = field(unit="", doc="Which letter.")
    tets: int = field(default=1000, unit="1", doc=COUNT_DOC, ge=100, le=MOST_TETS)
    height: float | None = field(
        default=None, unit="m", doc="Height; left out: about a metre, of the X 0.42 m.", gt=0
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is a body to give a mesh to."""
        yield from _check_use(entity)


@component
class TetFile:
    """A mesh for tets from a file: tetrahedra (.msh, .vtu, .vtk, .mesh), or a closed surface to fill
    (.obj, .stl, .glb)."""

    file: str = field(unit="", doc="The file, beside the scene.", min_length=1)
    scale: float = field(
        default=1.0, unit="1", doc="Metres per unit of the coordinates; 0.001 for millimetres.", gt=0
    )
    tets: int = field(
        default=1000, unit="1", doc="Of a surface: tetrahedra to fill it with, about.", ge=24, le=200000
    )
    edge: float | None = field(
        default=None,
        unit="m",
        doc="Of a surface: edge of the lattice that fills it, instead of a number.",
        gt=0,
    )

    def reads_files(self) -> tuple[str, ...]:
        """The mesh."""
        return (self.file,)

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Refuse what is no mesh."""
        _check_mesh("tet_file", self, entity, files)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is a body to give a mesh to."""
        yield from _check_use(entity)


@component
class TetSkin:
    """A finer surface in the body's tetrahedra: it moves with them, is drawn, and touches instead of their boundary."""

    file: str = field(
        default="",
        unit="",
        doc="Triangles (.obj, .stl, .glb), beside the scene; left out: the surface of tet_file.",
    )
    scale: float = field(default=1.0, unit="1", doc="Metres per unit of the coordinates.", gt=0)
    collides: bool = field(default=True, unit="", doc="False: the boundary of the tetrahedra touches.")

    def reads_files(self) -> tuple[str, ...]:
        """The surface."""
        return (self.file,) if self.file else ()

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Refuse what is no surface."""
        from supple_tets.shapes import read_surface

        if self.file:
            where = f"{entity.path}.tet_skin"
            read_surface(files.find(self.file, f"{where}.file"), where, self.scale)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is a body, and a surface."""
        from supple_tets.shapes import SURFACE_SUFFIXES

        if "tets" not in entity.components:
            yield "nothing moves this skin; add tets = {} and a mesh"
        filled = entity.components.get("tet_file")
        if not self.file and (filled is None or not filled.file.lower().endswith(SURFACE_SUFFIXES)):
            yield "file is left out, and no surface was filled; name a file of triangles"
