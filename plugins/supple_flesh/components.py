"""What an author says about flesh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.scene_files import SceneFiles
from supple.errors import suggest

StateName = Literal["adaptive", "soft", "rigid"]

STATE_DOC = "Which vertices move against their bones: those around contacts, all, or none (contacts act on the bones)."

#: How a stiffness is split among the springs of a vertex, as parts of it.
VERTEX_PART, EDGE_PART, DAMPING_PART = 0.4, 0.6, 0.1


@component
class FleshSettings:
    """When flesh is simulated, in `[run.flesh]`."""

    rest_displacement: float = field(
        default=1e-5,
        unit="m",
        ge=0,
        doc="A vertex this near to its place may become part of the bone again; one that creeps, at a tenth.",
    )
    rest_speed: float = field(
        default=1e-3, unit="m/s", ge=0, doc="If it also moves no faster against the bone than this."
    )
    integration: Literal["implicit", "explicit"] = field(
        default="implicit", unit="",
        doc="Springs and dampers at the end of the step, or at its start, which needs short steps.",
    )  # fmt: skip


@component
class Tissue:
    """A layer of elastic tissue that the springs of the vertices stand for."""

    modulus: float = field(unit="Pa", gt=0, doc="Young's modulus; muscle and fat have 5 to 50 kPa.")
    thickness: float = field(unit="m", gt=0, doc="Thickness of the layer.")


@component
class Flesh:
    """A skin of point masses around the bones at or below this entity, each held by springs to its bone.

    The mesh is given in the entity's frame while all bones are in their neutral poses.
    """

    file: str = field(default="", unit="", doc="An OBJ or STL file beside the scene.")
    vertices: tuple[Vector, ...] = field(default=(), unit="m", doc="Corners, instead of a file.")
    triangles: tuple[tuple[int, int, int], ...] = field(
        default=(),
        unit="1",
        doc="Three corners of every triangle, counted from 0, anticlockwise from outside.",
    )
    scale: float = field(default=1.0, unit="1", doc="Metres per unit of the coordinates.", gt=0)
    bones: tuple[str, ...] = field(
        default=(), unit="", doc="Bones that carry it, by their paths below this entity; none: all below it."
    )
    hangs_on: tuple[int, ...] = field(
        default=(), unit="1", doc="For every vertex the place of its bone in the list; none: the nearest."
    )
    anywhere: bool = field(
        default=False,
        unit="",
        doc="Whether it may lie off the bones that it hangs on; else such flesh is refused.",
    )
    seam: float = field(
        default=0.0, unit="1", ge=0, le=10,
        doc="How far from a hinge or universal joint the skin turns by and by, in radii of the limb; 0: at once.",
    )  # fmt: skip
    mass: float = field(unit="kg", doc="Mass of all vertices, spread by area.", gt=0)
    stiffness: float = field(
        default=0.0, unit="N/m", ge=0,
        doc="Of a vertex: 0.4 of it holds the vertex in place, 0.6 acts along every edge, 0.1 s of it damps.",
    )  # fmt: skip
    vertex_stiffness: float | None = field(
        default=None, unit="N/m", ge=0, doc="Spring of a vertex to its place, if not by stiffness."
    )
    edge_stiffness: float | None = field(
        default=None, unit="N/m", ge=0, doc="Spring between displacements of neighbours, likewise."
    )
    damping: float | None = field(
        default=None, unit="N s/m", ge=0, doc="Resistance to motion against the bone, likewise."
    )
    tissue: Tissue | None = field(default=None, unit="", doc="Takes the stiffness from a material.")
    state: StateName = field(default="adaptive", unit="", doc=STATE_DOC)
    rings: int = field(
        default=2, unit="1", ge=0, le=100, doc="Rings of neighbours around a contact that are soft, too."
    )
    friction: float = field(default=0.5, unit="1", ge=0, doc="Coefficient of friction.")
    restitution: float = field(
        default=0.0, unit="1", ge=0, le=1, doc="Coefficient of restitution of the skin's points."
    )
    self_contact: bool = field(default=False, unit="", doc="Whether the skin touches itself.")
    probe: int = field(
        default=0, unit="1", ge=0,
        doc="Every so many steps the dynamics of bones and flesh are compared with a dense twin; 0: never.",
    )  # fmt: skip
    metrics = (
        Metric("active_vertices", "1", "Vertices that are unknowns of the step.", "mean"),
        Metric("most_active_vertices", "1", "Greatest number of such vertices.", "max"),
        Metric("creeping_vertices", "1", "Vertices that relax by themselves.", "mean"),
        Metric("contacts", "1", "Contacts of the skin.", "mean"),
        Metric("force", "N", "Magnitude of the sum of all contact forces.", "mean", settled=True),
        Metric("pressure_x", "m", "Centre of pressure, x.", "mean", settled=True),
        Metric("pressure_y", "m", "Centre of pressure, y.", "mean", settled=True),
        Metric("pressure_z", "m", "Centre of pressure, z.", "mean", settled=True),
        Metric("displacement", "m", "Greatest displacement of a vertex.", "max"),
        Metric("displacement_settled", "m", "The same, at the end.", "mean", settled=True),
        Metric("release_loss", "J", "Energy that vertices gave up when they were released so far.", "last"),
        Metric("pressing", "1", "Contacts of the skin that press.", "mean", settled=True),
        Metric("pressing_square", "1", "Square of their number, for its variance.", "mean", settled=True),
        Metric("normal_force", "N", "Sum of the normal forces of all contacts.", "mean", settled=True),
        Metric("stretch_worst", "1", "Greatest length of an edge relative to the mesh as given.", "max"),
        Metric("inverted", "1", "Triangles that face into the flesh.", "max"),
        Metric("peak_force", "N", "Greatest magnitude of the sum of all contact forces.", "max"),
        Metric("bounce", "m", "How far the whole skin has risen above the height of its first touch.", "max"),
        Metric(
            "stop_time", "s", "Time from the first touch until the flesh as a whole stopped falling.", "last"
        ),
        Metric(
            "probed_mass", "1", "Worst error of the mass matrix, if probed, where its diagonal is 1.", "max"
        ),
        Metric("probed_bias", "1", "Likewise of Coriolis and centrifugal forces, over the greatest.", "max"),
        Metric("probed_gravity", "1", "Likewise of the weights.", "max"),
        Metric("probed_folding", "1", "Likewise of rigid flesh in the bones against single vertices.", "max"),
    )

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.vertices or self.triangles):
            raise ValueError("give the flesh either a file or vertices and triangles")
        if bool(self.vertices) != bool(self.triangles):
            raise ValueError("vertices and triangles belong together; give both")
        if self.stiffness > 0 and self.tissue is not None:
            raise ValueError("give either stiffness or tissue")
        if self.stiffness == 0 and self.tissue is None and not self.vertex_stiffness:
            raise ValueError("nothing holds the vertices; give stiffness, tissue or vertex_stiffness")
        bad = next((number for number in self.hangs_on if number < 0), None)
        if bad is not None:
            raise ValueError(f"hangs_on has the number {bad}; count the bones from 0")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """The bones exist below the entity, and belong to one skeleton."""
        below = list_bones(entity, graph)
        if not below:
            yield "there are no bones at or below this entity; put the flesh where skeleton = {} is"
            return
        for name in self.bones:
            if name not in below:
                yield f"there is no bone '{name}' below it; {suggest(name, below)}"
        if len(set(self.bones)) < len(self.bones):
            yield "a bone is named twice; name each once"
        count = len(self.bones) or len(below)
        if self.hangs_on and not self.bones:
            yield "hangs_on counts the bones, but none are named; give bones as well"
        elif max(self.hangs_on, default=0) >= count:
            yield f"hangs_on has the number {max(self.hangs_on)}, but there are {count} bones; use 0 to {count - 1}"


def list_bones(entity: Entity, graph: SceneGraph) -> list[str]:
    """Paths of all bones at and below an entity, as seen from there; the entity itself is "."."""
    found = [other.path for other in graph.below(entity.path) if "bone" in other.components]
    return [path[len(entity.path) + 1 :] or "." for path in found]


@component
class FleshedBox:
    """A prefab: a free bone within a box of flesh; children `frame` (the skeleton and its flesh), `frame/core`."""

    size: Vector = field(unit="m", doc="Lengths of the box.")
    cells: int = field(default=4, unit="1", ge=1, le=60, doc="Cells along every edge of the box.")
    mass: float = field(default=1.0, unit="kg", gt=0, doc="Mass of bone and flesh together.")
    flesh_part: float = field(default=0.2, unit="1", gt=0, lt=1, doc="Part of the mass that is flesh.")
    stiffness: float = field(default=1e4, unit="N/m", gt=0, doc="As for flesh.")
    damping: float | None = field(default=None, unit="N s/m", ge=0, doc="As for flesh.")
    state: StateName = field(default="adaptive", unit="", doc=STATE_DOC)
    rings: int = field(default=2, unit="1", ge=0, le=100, doc="As for flesh.")
    friction: float = field(default=0.5, unit="1", ge=0, doc="Coefficient of friction.")
    velocity: Vector = field(default=(0.0, 0.0, 0.0), unit="m/s", doc="Velocity at the start.")
    spin: Vector = field(
        default=(0.0, 0.0, 0.0), unit="rad/s", doc="Angular velocity at the start, in the box's axes."
    )

    def __post_init__(self) -> None:
        if min(self.size) <= 0:
            raise ValueError(f"the lengths in size must be greater than 0, are {list(self.size)}")

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The anchor with the flesh, and the bone, whose inertia is that of a solid box of half the size."""
        from supple_bones.components import Bone
        from supple_flesh.shapes import make_box_surface
        from supple_skeleton.components import Skeleton

        vertices, triangles = make_box_surface(self.size, self.cells)
        bone_mass = self.mass * (1.0 - self.flesh_part)
        x, y, z = (0.25 * length**2 * bone_mass / 12.0 for length in self.size)
        flesh = Flesh(
            vertices=vertices, triangles=triangles, mass=self.mass * self.flesh_part, stiffness=self.stiffness,
            damping=self.damping, state=self.state, rings=self.rings, friction=self.friction,
        )  # fmt: skip
        bone = Bone(
            joint="free", mass=bone_mass, centre=(0.0, 0.0, 0.0), inertia=(y + z, x + z, x + y),
            rate=(*self.velocity, *self.spin),
        )  # fmt: skip
        return [
            Entity(f"{entity.path}/frame", {"skeleton": Skeleton(), "flesh": flesh}),
            Entity(f"{entity.path}/frame/core", {"bone": bone}),
        ]
