"""From meshes to arrays: one pool of vertices, triangles and trees for all meshes of the scene.

First come the rigid meshes by path, then the deforming ones by name, then for every box and every solid a mesh that
stands for it when it meets one of the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import rotate
from supple.mechanics.deforming import DeformingSurface, PartedSurface
from supple_collide.compile import CODES, declare_ahead, find_owner, list_shapes, size_of
from supple_collide.drawings import draw_mesh
from supple_collide.mesh_components import MESHES, TERRAINS
from supple_collide.mesh_files import Triangles
from supple_collide.mesh_shape import (
    TriangleMesh,
    box_mesh,
    list_owned,
    list_vertex_triangles,
    load_mesh,
    make_mesh,
    solid_mesh,
)
from supple_collide.mesh_surface import MeshSurface
from supple_collide.meshes.regions import find_node_regions, find_regions, may_pair_neighbours
from supple_collide.meshes.terrain import Grid, make_terrain
from supple_collide.meshes.tree import Tree, build_tree
from supple_collide.pressed import declare_pressed
from supple_collide.shape_kinds import FIRST_SOLID, STANDS_STILL

UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])
NO_GRID = -1


@dataclass(frozen=True)
class Part:
    """One mesh of the pool."""

    path: str
    mesh: TriangleMesh
    owner: dict[str, Any]
    depth: float
    number: int
    friction: float = 0.0
    restitution: float = 0.0
    grid: Grid | None = None
    bends: DeformingSurface | None = None
    sizes: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        scale = float(np.abs(self.mesh.vertices).max() + np.abs(self.owner["local_position"]).max())
        behind = 0.0 if self.mesh.closed else self.depth
        low, high = self.mesh.vertices.min(axis=0), self.mesh.vertices.max(axis=0)
        box = (*(0.5 * (low + high)), *(0.5 * (high - low)))
        overlap = self.bends.overlap if isinstance(self.bends, PartedSurface) else math.inf
        object.__setattr__(self, "sizes", (scale, self.depth, self.mesh.slack, behind, *box, overlap))

    @property
    def tree(self) -> Tree:
        """The tree; a grid needs none and has one leaf with everything."""
        if self.grid is None:
            return build_tree(self.mesh.vertices, self.mesh.triangles)
        count = len(self.mesh.triangles)
        right, first, size = (np.array([value], np.int64) for value in (-1, 0, count))
        return Tree(right, first, size, np.arange(count, dtype=np.int64))


def list_meshes(build: Build) -> list[tuple[Entity, str]]:
    """Entity and kind of every rigid mesh, in the order of the pool."""
    return [
        (entity, kind) for entity in build.having(*MESHES) for kind in MESHES if kind in entity.components
    ]


def list_deforming(build: Build) -> list[DeformingSurface]:
    """The deforming surfaces of the scene, sorted by name."""
    return [member for member in build.members("surfaces") if isinstance(member, DeformingSurface)]


def compile_meshes(build: Build) -> None:
    """Declare the pool, if the scene has any mesh, and the surface that the rigid ones form."""
    rigid, deforming, shapes = list_meshes(build), list_deforming(build), list_shapes(build)
    if not rigid and not deforming:
        return
    parts = [_make_rigid(build, entity, kind, len(shapes) + i) for i, (entity, kind) in enumerate(rigid)]
    parts += [_make_deforming(each, len(shapes) + len(rigid) + i) for i, each in enumerate(deforming)]
    for row, (entity, kind) in enumerate(shapes):
        size, where = size_of(kind, entity.components[kind]), f"{entity.path}.{kind}"
        if kind == "box" or CODES[kind] >= FIRST_SOLID:
            mesh = box_mesh(size, where) if kind == "box" else solid_mesh(kind, size, where)
            parts.append(Part(entity.path, mesh, find_owner(build, entity.path), mesh.depth, row))
    _declare_pool(build, parts)
    _declare_tables(build, parts)
    _declare_grids(build, parts)
    _declare_places(build, parts, [entity.path for entity, _ in rigid])
    declare_pressed(build, deforming)
    paths = [part.path for part in parts for _ in range(len(part.mesh.triangles))]
    build.add_member("surfaces", MeshSurface(paths))
    for index, (entity, kind) in enumerate(rigid):
        build.bind_metrics(entity, kind, {"penetration": ("mesh.penetration", index)})
    first = _starts([len(part.mesh.triangles) for part in parts])
    for index, (entity, kind) in enumerate(rigid):
        draw_mesh(build, entity.path, kind, (first[index], first[index + 1]), parts[index].owner)


def _make_rigid(build: Build, entity: Entity, kind: str, number: int) -> Part:
    shape, files, grid = entity.components[kind], build.blueprint.files, None
    if kind in TERRAINS:
        mesh, grid = make_terrain(kind, shape, entity.path, files, build.seed)
        depth = shape.thickness
    else:
        mesh = load_mesh(kind, shape, entity.path, files)
        depth = mesh.depth if mesh.closed else shape.thickness
    owner = find_owner(build, entity.path)
    if grid is not None and owner["carrier"] != STANDS_STILL:
        raise build.refuse(f"{entity.path}.{kind}", "a height field cannot move", "use a mesh")
    return Part(entity.path, mesh, owner, depth, number, shape.friction, shape.restitution, grid)


def _make_deforming(surface: DeformingSurface, number: int) -> Part:
    raw = Triangles(
        surface.name, surface.rest, surface.triangles, tuple(range(len(surface.triangles))), "triangle"
    )
    checked = make_mesh(raw, 1.0, surface.path)
    # The surface's own numbers, not those of the welded copy that was checked.
    count = len(surface.triangles)
    mesh = TriangleMesh(surface.rest, surface.triangles, checked.neighbour, np.arange(count, dtype=np.int64))
    owner = {
        "carrier": STANDS_STILL, "frame": 0, "group": STANDS_STILL,
        "local_position": np.zeros(3), "local_rotation": UNTURNED,
    }  # fmt: skip
    return Part(
        surface.path,
        mesh,
        owner,
        surface.thickness,
        number,
        surface.friction,
        surface.restitution,
        bends=surface,
    )


def _starts(counts: list[int]) -> list[int]:
    return [0, *np.cumsum(counts).tolist()]


def _declare_pool(build: Build, parts: list[Part]) -> None:
    """Vertices, triangles and what hangs together."""
    vertex = _starts([len(part.mesh.vertices) for part in parts])
    triangle = _starts([len(part.mesh.triangles) for part in parts])
    around = [list_vertex_triangles(len(part.mesh.vertices), part.mesh.triangles) for part in parts]
    corners = _starts([len(each[1]) for each in around])
    joined = {
        "triangles": [part.mesh.triangles + vertex[i] for i, part in enumerate(parts)],
        "neighbour": [
            np.where(part.mesh.neighbour < 0, -1, part.mesh.neighbour + triangle[i])
            for i, part in enumerate(parts)
        ],
        "facet": [part.mesh.facet + triangle[i] for i, part in enumerate(parts)],
        "owns": [list_owned(part.mesh, bends=True) if part.bends else part.mesh.owned for part in parts],
        "vertex_first": [each[0][:-1] + corners[i] for i, each in enumerate(around)]
        + [np.array([corners[-1]])],
        "vertex_triangle": [each[1] + triangle[i] for i, each in enumerate(around)],
        "of_triangle": [np.full(len(part.mesh.triangles), i) for i, part in enumerate(parts)],
    }
    meshes = [(part.mesh.triangles, part.bends) for part in parts]
    region, regions_meet = find_regions(meshes)
    joined["region"] = [region]
    docs = {
        "triangles": "Corners of the triangles, counter-clockwise from outside.",
        "neighbour": "The triangle across the edge from corner k to k + 1; -1 at a rim.",
        "facet": "The first triangle of the flat region that a triangle belongs to.",
        "owns": "Which corners and edges a triangle owns, as bits.",
        "vertex_first": "Where the triangles of a vertex begin in vertex_triangle.",
        "vertex_triangle": "The triangles around every vertex.",
        "of_triangle": "The mesh that a triangle belongs to.",
        "region": "Triangles of one region touch the same others.",
    }
    for name, values in joined.items():
        whole = np.concatenate(values)
        build.add_model(
            f"mesh.{name}", whole, unit="1", doc=docs[name], dtype=np.int64, record=name == "triangles"
        )
    doc = "Whether triangles of two regions may touch."
    build.add_model("mesh.regions_meet", regions_meet, unit="1", doc=doc, dtype=np.int64)
    rest = np.concatenate([part.mesh.vertices for part in parts])
    build.add_model("mesh.rest", rest, unit="m", doc="Vertices in the frame of their entity.", record=True)
    build.add_step("mesh.x", rest.shape, unit="m", doc="Vertices in the world.")
    count = triangle[-1]
    build.add_step("mesh.triangle_bounds", (count, 6), unit="m", doc="Boxes of the triangles: low, high.")
    doc = "How much less far than the fastest point of its mesh it may come."
    build.add_step("mesh.triangle_short", (count,), unit="m", doc=doc)
    build.add_step("mesh.vertex_short", (len(rest),), unit="m", doc=doc)
    doc = "Way of vertices of surfaces that bend at their velocities."
    build.add_step("mesh.drift", rest.shape, unit="m", doc=doc)


def _declare_tables(build: Build, parts: list[Part]) -> None:
    """The trees, and where each mesh begins."""
    trees = [part.tree for part in parts]
    node = _starts([len(tree.right) for tree in trees])
    vertex = _starts([len(part.mesh.vertices) for part in parts])
    triangle = _starts([len(part.mesh.triangles) for part in parts])
    grids, table = 0, []
    for i, part in enumerate(parts):
        grid = NO_GRID if part.grid is None else grids
        grids += part.grid is not None
        pairs = may_pair_neighbours(part.mesh.triangles, part.bends)
        table.append(
            [part.number, triangle[i], node[i], grid, part.bends is not None, vertex[i], vertex[i + 1], pairs]
        )
    nodes = [
        np.stack([tree.right + node[i], tree.first + triangle[i], tree.count], axis=1)
        for i, tree in enumerate(trees)
    ]
    order = [tree.order + triangle[i] for i, tree in enumerate(trees)]
    for name, values, doc in (
        ("nodes", nodes, "Right child; first triangle of a leaf, and how many: 0 if it has children."),
        ("order", order, "Triangles as leaves list them."),
        ("node_last", [np.array(node[1:])], "The end of a mesh's nodes."),
    ):
        build.add_model(f"mesh.{name}", np.concatenate(values), unit="1", doc=doc, dtype=np.int64)
    regions = (build.arrays[f"mesh.{name}"] for name in ("region", "regions_meet"))
    has, meets = find_node_regions(np.concatenate(nodes), np.concatenate(order), *regions)
    for name, bits, doc in (
        ("node_regions", has, "Regions of the triangles below a node, as bits."),
        ("node_meets", meets, "Regions that these may touch, as bits."),
    ):
        build.add_model(f"mesh.{name}", bits, unit="1", doc=doc, dtype=np.int64)
    build.add_model("mesh.table", table, unit="1", doc="See meshes.columns.", dtype=np.int64)
    build.add_model("mesh.sizes", [part.sizes for part in parts], unit="m", doc="See meshes.columns.")
    build.add_step("mesh.bounds", (node[-1], 6), unit="m", doc="Boxes of the nodes: low, high.")
    build.add_step("mesh.node_short", (node[-1],), unit="m", doc="The least triangle_short below a node.")


def _declare_grids(build: Build, parts: list[Part]) -> None:
    """Height fields: where their cells are, in the world."""
    rows = []
    for part in parts:
        if part.grid is not None:
            turn, grid = part.owner["local_rotation"], part.grid
            corner = part.owner["local_position"] + rotate(turn, grid.corner)
            axes = np.stack([rotate(turn, axis) for axis in np.eye(3)], axis=1)
            rows.append([*grid.cells, *grid.tile, grid.spill, *corner, *axes.reshape(-1), grid.top])
    values = np.array(rows).reshape(-1, 18)
    build.add_model(
        "mesh.grids", values, unit="SI", doc="Cells, tiles, spill, corner, axes and top of height fields."
    )


def _declare_places(build: Build, parts: list[Part], labels: list[str]) -> None:
    """What moves each mesh, and where it is."""
    integers = {
        "carrier": "Which carrier moves it; -1: none.",
        "frame": "Which frame.",
        "group": "As for shapes.",
    }
    for name, doc in integers.items():
        values = [part.owner[name] for part in parts]
        build.add_model(f"mesh.{name}", values, unit="1", doc=doc, dtype=np.int64)
    for name, unit in (("local_position", "m"), ("local_rotation", "1")):
        values = [part.owner[name] for part in parts]
        build.add_model(f"mesh.{name}", values, unit=unit, doc="Place in the frame, or in the world.")
    extent = [part.mesh.radius + np.linalg.norm(part.owner["local_position"]) for part in parts]
    build.add_model(
        "mesh.extent", extent, unit="m", doc="Distance from the frame's origin to the farthest vertex."
    )
    for name in ("friction", "restitution"):
        values = [getattr(part, name) for part in parts]
        build.add_model(f"mesh.{name}", values, unit="1", doc=f"Coefficient of {name}.")
    self_contact = [part.bends is not None and part.bends.self_contact for part in parts]
    build.add_model(
        "mesh.meets_itself", self_contact, unit="1", doc="Whether it touches itself.", dtype=np.int64
    )
    count = len(parts)
    build.add_step("mesh.position", (count, 3), unit="m", doc="Origins of the meshes.", record=True)
    build.add_step("mesh.q", (count, 4), unit="1", doc="Rotations of the meshes.", record=True)
    build.add_step("mesh.reach", (count,), unit="m", doc="How far a mesh may come in a step.")
    bending = sum(len(part.mesh.vertices) for part in parts if part.bends is not None)
    declare_ahead(build, "mesh.ahead", count, "Speeds of meshes that an earlier look at the step led to.")
    declare_ahead(build, "mesh.vertex_ahead", bending, "The same of the vertices of surfaces that bend.")
    build.add_step(
        "mesh.penetration", (len(labels),), unit="m", doc="Deepest contact of a rigid mesh.", labels=labels
    )
