"""From bodies of tetrahedra to arrays; all bodies of a scene share them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.core.build import Build
from supple.core.drawing import Drawing
from supple.core.drawing import Mesh as MeshDrawing
from supple.core.entity import Entity
from supple.core.pose import rotate
from supple.mechanics.mechanism import contact_capacity
from supple_tets.components import Tets
from supple_tets.mechanism import CORNERS, TetMechanism, TetSurface
from supple_tets.mesh import TetMesh, find_gradients, find_volumes
from supple_tets.order import Pattern, find_panels, find_pattern, join_patterns, place_blocks, sort_corners
from supple_tets.product_kernels import LANES
from supple_tets.shapes import load_tets, name_shape
from supple_tets.skins import BLOCKS, EmbeddedSurface, declare_skins, list_skins

OBSERVED = (
    "volume_change", "smallest_element", "inverted", "strain", "speed", "centre_x", "centre_y", "centre_z",
    "momentum", "angular_momentum", "elastic_energy", "sag", "lowest",
)  # fmt: skip
"""Columns of tets.observed."""
FAR_OUT = 1e-6
"""Relative change of a volume by which rounding may change a shape that is far from the origin."""
MIDPOINT_DOC = "1 where velocities are those of the middles of steps."


@dataclass(frozen=True)
class TetBody:
    """One body among all: its entity, its mesh in the entity's frame, and where it is in the shared arrays.

    start [n, 3] are its vertices in the world at the start [m], which is its rest shape.
    """

    entity: Entity
    tets: Tets
    mesh: TetMesh
    start: FloatArray
    vertices: slice
    elements: slice
    triangles: slice

    @property
    def path(self) -> str:
        """Of the entity."""
        return self.entity.path


def list_bodies(build: Build) -> list[TetBody]:
    """All bodies of tetrahedra, sorted by path."""
    bodies, counts = [], np.zeros(3, np.int64)
    for entity in build.having("tets"):
        kind = name_shape(entity)
        mesh = load_tets(kind, entity.components[kind], entity.path, build.blueprint.files)
        position, turn = build.pose(entity.path)
        sizes = np.array([len(mesh.vertices), len(mesh.tets), len(mesh.boundary)])
        slices = [slice(int(a), int(b)) for a, b in zip(counts, counts + sizes, strict=True)]
        start = np.ascontiguousarray(position + rotate(turn, mesh.vertices))
        if not np.allclose(find_volumes(start, mesh.tets), mesh.volumes, rtol=FAR_OUT, atol=0.0):
            what = "is so far from the origin that rounding changes the shapes of tetrahedra"
            raise build.refuse(f"{entity.path}.pose", what, "place it nearer")
        bodies.append(TetBody(entity, entity.components["tets"], mesh, start, *slices))
        counts += sizes
    return bodies


def compile_tets(build: Build) -> None:
    """Declare arrays, the mechanism, surfaces, metrics and drawings."""
    bodies = list_bodies(build)
    paths = [body.path for body in bodies]
    fixed = np.concatenate([find_fixed(build, body) for body in bodies])
    pattern = join_patterns(
        [find_pattern(len(body.start), body.mesh.tets, fixed[body.vertices]) for body in bodies]
    )
    _declare_mesh(build, bodies)
    _declare_material(build, bodies, fixed)
    tets = np.concatenate([body.mesh.tets + body.vertices.start for body in bodies])
    gradients = np.concatenate([find_gradients(body.start, body.mesh.tets) for body in bodies])
    corner, gradient = sort_corners(pattern, tets, gradients)
    for name, integers, doc in (
        ("corner", corner, "Vertices of a tetrahedron in the order of elimination."),
        (
            "slot",
            place_blocks(pattern, corner, fixed),
            "Where the blocks of a tetrahedron are in A.",
        ),
        ("fixed", fixed, "1 for vertices that stand still."),
        ("midpoint", _mark_midpoint(bodies, [len(body.mesh.tets) for body in bodies]), MIDPOINT_DOC),
        ("vertex_midpoint", _mark_midpoint(bodies, [len(body.start) for body in bodies]), MIDPOINT_DOC),
    ):
        build.add_model(f"tets.{name}", integers, unit="1", doc=doc, dtype=np.int64)
    build.add_model("tets.gradient", gradient, unit="1/m", doc="Gradients of the corners' weights at rest.")
    _declare_factor(build, pattern)
    _declare_motion(build, bodies, fixed)
    contacts = contact_capacity(build)
    skins = {skin.body.path: skin for skin in list_skins(build, bodies)}
    mechanism = TetMechanism(bodies, contacts, BLOCKS if skins else CORNERS)
    build.add_member("mechanisms", mechanism)
    if skins:
        declare_skins(build, list(skins.values()))
    for index, body in enumerate(bodies):
        skin = skins.get(body.path)
        if skin is not None and body.entity.components["tet_skin"].collides:
            build.add_member("surfaces", EmbeddedSurface(skin, index, mechanism))
        else:
            build.add_member("surfaces", TetSurface(body, index, mechanism))
        places: dict[str, Any] = {
            name: ("tets.observed", (index, column)) for column, name in enumerate(OBSERVED)
        }
        places["highest"] = ("tets.observed", (index, OBSERVED.index("centre_y")))
        places["stiffening"] = ("tets.stiffening", index)
        build.bind_metrics(body.entity, "tets", places)
        if skin is None:
            form = MeshDrawing("tets.x", "tets.skin", body.triangles.start, body.triangles.stop)
            build.draw(Drawing(f"{body.path}.tets", body.path, "bodies", form))
    build.add_step("tets.observed", (len(bodies), len(OBSERVED)), unit="SI", doc="Metrics.", labels=paths)


def _mark_midpoint(bodies: list[TetBody], counts: list[int]) -> IntArray:
    marks: IntArray = np.repeat([int(body.tets.scheme == "midpoint") for body in bodies], counts)
    return marks


def find_fixed(build: Build, body: TetBody) -> BoolArray:
    """Which vertices of a body stand still."""
    still: BoolArray = np.zeros(len(body.mesh.vertices), bool)
    slack = 1e-9 * body.mesh.edge
    for number, region in enumerate(body.tets.fixed):
        low, high = np.array(region.low) - slack, np.array(region.high) + slack
        inside = ((body.mesh.vertices >= low) & (body.mesh.vertices <= high)).all(axis=1)
        if not inside.any():
            what = f"no vertex lies in box {number}"
            ends = [[round(float(x), 4) for x in end(body.mesh.vertices, axis=0)] for end in (np.min, np.max)]
            remedy = f"make it larger; the body reaches from {ends[0]} to {ends[1]}"
            raise build.refuse(f"{body.path}.tets.fixed", what, remedy)
        still |= inside
    if still.all() and len(body.tets.fixed):
        raise build.refuse(f"{body.path}.tets.fixed", "all vertices stand still", "make the boxes smaller")
    return still


def find_stiffening(body: TetBody, fixed: BoolArray) -> float:
    """By what Young's modulus of the body is divided."""
    from supple_tets.stiffening import measure_stiffening

    given = body.tets.stiffening
    return (
        measure_stiffening(body.mesh, body.tets.poisson, fixed).factor
        if given == "measured"
        else float(given)
    )


def _declare_mesh(build: Build, bodies: list[TetBody]) -> None:
    tets = np.concatenate([body.mesh.tets + body.vertices.start for body in bodies])
    skin = np.concatenate([body.mesh.boundary + body.vertices.start for body in bodies])
    body_of: IntArray = np.repeat(np.arange(len(bodies)), [len(body.mesh.tets) for body in bodies])
    span = [[b.vertices.start, b.vertices.stop, b.elements.start, b.elements.stop] for b in bodies]
    for name, integers, doc in (
        ("tets", tets, "Vertices of a tetrahedron of positive volume."),
        ("skin", skin, "Triangles of the boundary."),
        ("body_of", body_of, "Body of a tetrahedron."),
        ("span", span, "First and last vertex, and tetrahedron, of a body; the last ones excluded."),
    ):
        build.add_model(f"tets.{name}", integers, unit="1", doc=doc, dtype=np.int64)
    rest = np.concatenate([body.start for body in bodies])
    build.add_model("tets.rest", rest, unit="m", doc="Vertices at rest, in the world as at the start.")


def _declare_material(build: Build, bodies: list[TetBody], fixed: BoolArray) -> None:
    stiffening = [find_stiffening(body, fixed[body.vertices]) for body in bodies]
    paths = [body.path for body in bodies]
    doc = "By what Young's modulus is divided."
    build.add_model("tets.stiffening", stiffening, unit="1", doc=doc, labels=paths)
    volume, lame, shear, damping, mass, drag = [], [], [], [], [], []
    for body, factor in zip(bodies, stiffening, strict=True):
        tets, volumes = body.tets, body.mesh.volumes
        mu = tets.stiffness / factor / (2 + 2 * tets.poisson)
        volume.append(volumes)
        shear.append(np.full(len(volumes), mu))
        lame.append(np.full(len(volumes), 2 * mu * tets.poisson / (1 - 2 * tets.poisson)))
        damping.append(np.full(len(volumes), tets.damping))
        weight = np.zeros(len(body.start))
        np.add.at(weight, body.mesh.tets, tets.density * volumes[:, None] / 4)
        mass.append(weight)
        drag.append(np.full(len(weight), tets.drag))
    for name, values, unit, doc in (
        ("volume", volume, "m^3", "Volumes at rest."),
        ("lame", lame, "Pa", "Lame's first parameter."),
        ("shear", shear, "Pa", "Shear modulus."),
        ("damping", damping, "s", "Damping as a part of the stiffness."),
        ("mass", mass, "kg", "Masses of the vertices."),
        ("drag", drag, "1/s", "Resistance to motion as a part of the mass."),
    ):
        build.add_model(f"tets.{name}", np.concatenate(values), unit=unit, doc=doc)


def _declare_factor(build: Build, pattern: Pattern) -> None:
    panels = find_panels(pattern)
    for name, integers in panels.items():
        doc = "The pattern of the factor, see supple_tets.tables.Factor."
        build.add_model(f"tets.{name}", integers, unit="1", doc=doc, dtype=np.int64)
    for name, count, where in (
        ("diagonal", len(pattern.place), "on its diagonal"),
        ("lower", len(pattern.block_row), "below it"),
    ):
        doc = f"Blocks of A {where}, and a last one for what stands still."
        build.add_step(f"tets.matrix_{name}", (count + 1, 3, 3), unit="kg", doc=doc, accumulates=True)
    doc = "Vertices of the blocks below the diagonal: of the column, and of the row."
    vertex = np.argsort(pattern.place)
    ends = np.stack([vertex[pattern.block_column], vertex[pattern.block_row]], axis=1)
    build.add_model("tets.ends", ends.reshape(-1, 2), unit="1", doc=doc, dtype=np.int64)
    size = (int(panels["home"][-1]) + LANES,)
    build.add_step("tets.numbers", size, unit="kg^(1/2)", doc="Numbers of the factor, panel by panel.")


def _declare_motion(build: Build, bodies: list[TetBody], fixed: BoolArray) -> None:
    x = np.concatenate([body.start for body in bodies])
    mass = np.array(build.arrays["tets.mass"])
    v = np.zeros_like(x)
    for body in bodies:
        own = mass[body.vertices]
        arm = body.start - own @ body.start / own.sum()
        v[body.vertices] = np.array(body.tets.velocity) + np.cross(body.tets.spin, arm)
    v[fixed] = 0.0
    elements, paths = sum(len(body.mesh.tets) for body in bodies), [body.path for body in bodies]
    unturned = np.tile([1.0, 0.0, 0.0, 0.0], (elements, 1))
    build.add_state("tets.x", x, unit="m", doc="Vertices.", record=True)
    build.add_state("tets.v", v, unit="m/s", doc="Their velocities.")
    build.add_state("tets.turn", unturned, unit="1", doc="Rotations of the tetrahedra, as quaternions.")
    build.add_state("tets.stored", np.zeros(len(bodies)), unit="J", doc="Elastic energy.", labels=paths)
    build.add_state("tets.v_before", v, unit="m/s", doc="Velocities one step earlier.")
    build.add_state("tets.last_step", [0.0], unit="s", doc="Length of the last step.")
    build.add_step("tets.v_free", x.shape, unit="m/s", doc="Velocities if nothing touched.")
    build.add_step("tets.impulse", x.shape, unit="N s", doc="Plan and J^T impulses.")
    build.add_step("tets.plan", x.shape, unit="N s", doc="Planned impulses.", accumulates=True)
    build.add_step("tets.force", x.shape, unit="N", doc="Forces of actuators.", accumulates=True)
    build.add_step("tets.right", x.shape, unit="N s", doc="Right side b of A v_free = b.")
    build.add_step(
        "tets.shape", (len(bodies), 4), unit="SI", doc="Volume, least tetrahedron, inverted, strain."
    )
