"""What an author says about skins."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.scene_files import SceneFiles
from supple_collide.components import FRICTION_DOC, RESTITUTION_DOC


@component
class Skin:
    """A triangle mesh that follows the bones of its ghost by linear blending, and hands contact back to them."""

    file: str = field(default="", unit="", doc="An OBJ or STL file beside the scene.")
    vertices: tuple[Vector, ...] = field(
        default=(), unit="m", doc="Corners in the ghost's frame, bones in their neutral poses, instead of a file."
    )  # fmt: skip
    triangles: tuple[tuple[int, int, int], ...] = field(
        default=(), unit="1", doc="Three corners of every triangle, counted from 0, counter-clockwise from outside."
    )  # fmt: skip
    scale: float = field(default=1.0, unit="1", doc="Metres per unit of the coordinates.", gt=0)
    bones: tuple[str, ...] = field(
        default=(), unit="", doc="Paths below the ghost of the bones that carry the skin; none means all."
    )
    weights: tuple[tuple[float, ...], ...] = field(
        default=(), unit="1", doc="Share of every bone in every vertex; none means from the distances to the bones."
    )  # fmt: skip
    hangs_on: tuple[int, ...] = field(
        default=(), unit="1", doc="For every vertex the place of its bone in the list, with a seam; none: the nearest."
    )  # fmt: skip
    seam: float = field(
        default=0.0, unit="1", ge=0, le=10,
        doc="Above 0 a vertex hangs on one bone, but around joints it turns by and by: so many radii of the limb.",
    )  # fmt: skip
    friction: float = field(default=0.8, unit="1", doc=FRICTION_DOC, ge=0)
    restitution: float = field(default=0.0, unit="1", doc=RESTITUTION_DOC, ge=0, le=1)
    thickness: float = field(
        default=0.01, unit="m", ge=0, doc="How deep an open skin is solid behind its triangles."
    )
    foresight: float = field(
        default=0.002, unit="m", ge=0, doc="How far ahead contacts are looked for where the skin wants to go, at most."
    )  # fmt: skip
    self_contact: bool = field(default=False, unit="", doc="Whether the skin touches itself.")
    probe: bool = field(
        default=False, unit="",
        doc="Whether rows and W are compared to finite differences and a dense product, every few steps; slow.",
    )  # fmt: skip
    metrics = (
        Metric("contacts", "1", "Contacts of the skin.", "max"),
        Metric("pressed", "1", "Contacts of the skin that carry force.", "max"),
        Metric("force", "N", "Sum of the sizes of all contact forces on the skin.", "max"),
        Metric("penetration", "m", "Deepest contact of the skin.", "max"),
        Metric(
            "jacobian_gap", "1", "Greatest distance of rows from finite differences, relative; probe.", "max"
        ),
        Metric("delassus_gap", "1", "Greatest distance of W from a dense product, relative; probe.", "max"),
    )

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.vertices or self.triangles):
            raise ValueError("give the skin either a file or vertices and triangles")
        if bool(self.vertices) != bool(self.triangles):
            raise ValueError("vertices and triangles belong together; give both")
        if self.seam > 0 and self.weights:
            raise ValueError("give either weights or a seam")
        if self.hangs_on and self.seam == 0:
            raise ValueError("hangs_on goes with a seam; give seam = 1.5, or weights in its place")

    def reads_files(self) -> tuple[str, ...]:
        """The mesh."""
        return (self.file,) if self.file else ()

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Refuse what is no surface."""
        from supple_collide.mesh_shape import load_mesh

        load_mesh("skin", self, entity.path, files)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A skin belongs to a ghost."""
        if "ghost" not in entity.components:
            yield "a skin goes with a ghost, and this entity is none; move it to the ghost, or add ghost = {}"
