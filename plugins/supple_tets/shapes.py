"""From components to meshes: blocks, balls, rods, letters, and files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.entity import Entity
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError, Where
from supple_tets.careful import reading_carefully
from supple_tets.lattice import PER_CELL, choose_edge, divide_boxes, fill_boxes, fill_cells
from supple_tets.letters import make_letter
from supple_tets.mesh import TetMesh, make_mesh
from supple_tets.stuffing import Distance, stuff

if TYPE_CHECKING:
    from supple_collide.mesh_files import Triangles
    from supple_collide.mesh_shape import TriangleMesh

VOLUME_SUFFIXES = (".msh", ".vtu", ".vtk", ".mesh")
SURFACE_SUFFIXES = (".obj", ".stl", ".glb")
SLENDEREST = 1e4
"""How often the thickness of a body may go into its length."""


def load_tets(kind: str, shape: Any, path: str, files: SceneFiles) -> TetMesh:
    """The mesh of the component `kind` of the entity at `path`. Raises UserError, one line each."""
    where = f"{path}.{kind}"
    if kind == "tet_file":
        file = files.find(shape.file, f"{where}.file")
        stat = file.stat()
        return _load_file(file, where, shape.scale, shape.edge, shape.tets, stat.st_mtime_ns, stat.st_size)
    return _generate(kind, shape, where)


def name_shape(entity: Entity) -> str:
    """The kind of the component that gives the entity its mesh."""
    return next(kind for kind in SHAPES if kind in entity.components)


SHAPES = ("tet_block", "tet_ball", "tet_rod", "tet_letter", "tet_file")
"""Kinds of components that give a mesh."""


@lru_cache(maxsize=32)
def _generate(kind: str, shape: Any, where: str) -> TetMesh:
    if kind == "tet_block" and shape.cells is None:
        _refuse_slender(shape.size, f"{where}.size")
    elif kind == "tet_rod":
        _refuse_slender((shape.length, 2.0 * shape.radius), f"{where}.length")
    if kind == "tet_block":
        return make_mesh(*_fill_block(shape), where, trusted=True)
    if kind == "tet_letter":
        return make_mesh(*make_letter(shape.letter, shape.tets, shape.height), where, trusted=True)
    if kind == "tet_ball":
        reach = np.full(3, shape.radius)
        volume = 4.0 / 3.0 * math.pi * shape.radius**3

        def depth(points: FloatArray) -> FloatArray:
            return np.asarray(shape.radius - np.linalg.norm(points, axis=1))
    else:
        reach = np.array([shape.radius, shape.length / 2, shape.radius])
        volume = math.pi * shape.radius**2 * shape.length

        def depth(points: FloatArray) -> FloatArray:
            aside = shape.radius - np.hypot(points[:, 0], points[:, 2])
            return np.asarray(np.minimum(aside, shape.length / 2 - np.abs(points[:, 1])))

    return stuff_to_count(depth, -reach, reach, volume, shape.tets, where)


def _refuse_slender(sides: Sequence[float], where: str) -> None:
    """Cells are about as long as wide, so a needle without end would need cells without end."""
    if max(sides) > SLENDEREST * min(sides):
        what = f"is {max(sides) / min(sides):.3g} times as long as thick"
        raise UserError(Problem(None, where, what, f"at most {SLENDEREST:g} times can be filled"))


def _fill_block(block: Any) -> tuple[FloatArray, IntArray]:
    half = tuple(each / 2 for each in block.size)
    if block.cells is None:
        box = (tuple(-each for each in half), half)
        edge = choose_edge(
            math.prod(block.size), block.tets, lambda edge: PER_CELL * len(divide_boxes([box], edge)[1])
        )
        return fill_boxes([box], edge)
    points, tets = fill_cells(np.ndindex(*block.cells))
    return (points / np.array(block.cells) - 0.5) * np.array(block.size), tets


def stuff_to_count(
    depth: Distance, low: FloatArray, high: FloatArray, volume: float, wanted: int, where: str
) -> TetMesh:
    """Stuff with a lattice that gives about the wanted number of tetrahedra: a few tries, the nearest is taken."""
    edge = (14.0 * volume / wanted) ** (1 / 3)
    tries: list[tuple[float, int, FloatArray, IntArray]] = []
    for _ in range(5):
        vertices, tets = stuff(depth, low, high, edge)
        tries.append((abs(math.log(max(len(tets), 1) / wanted)), len(tries), vertices, tets))
        edge *= min(max((max(len(tets), 1) / wanted) ** (1 / 3), 0.5), 2.0)
    _, _, vertices, tets = min(tries, key=lambda each: each[:2])
    if len(tets) == 0:
        raise UserError(Problem(None, where, "no tetrahedron fits in", "ask for more of them"))
    return make_mesh(vertices, tets, where, trusted=True)


@lru_cache(maxsize=16)
def _load_file(
    file: Path, where: str, scale: float, edge: float | None, wanted: int, _stamp: int, _size: int
) -> TetMesh:
    suffix = file.suffix.lower()
    if suffix in VOLUME_SUFFIXES:
        return _read_volume(file, where, scale)
    if suffix in SURFACE_SUFFIXES:
        return _stuff_surface(file, where, scale, edge, wanted)
    what = f"'{file.name}' is neither a mesh of tetrahedra nor a surface"
    remedy = f"name a file that ends in {', '.join((*VOLUME_SUFFIXES, *SURFACE_SUFFIXES))}"
    raise UserError(Problem(None, where, what, remedy))


def _read_volume(file: Path, where: str, scale: float) -> TetMesh:
    try:
        import meshio
    except ImportError:
        what = f"reading '{file.name}' needs meshio"
        raise UserError(Problem(None, where, what, "pip install 'supple[mesh]'")) from None
    try:
        with reading_carefully():
            read = meshio.read(file)
    # meshio says by SystemExit that it cannot read a file, and by whatever comes that a file is cut off.
    except (Exception, SystemExit) as error:
        first = str(error).strip().splitlines()[:1] or [type(error).__name__]
        what = f"cannot be read: {first[0]}"
        raise UserError(Problem(Where(str(file)), where, what, "save it again as a mesh")) from None
    cells = [block.data for block in read.cells if block.type == "tetra"]
    if not cells:
        what = "has no linear tetrahedra"
        raise UserError(Problem(Where(str(file)), where, what, "save the volume mesh, of first order"))
    points = np.asarray(read.points)
    if (
        any(each.ndim != 2 or each.shape[1] != 4 for each in cells)
        or points.ndim != 2
        or points.shape[1] != 3
    ):
        what = "a tetrahedron has not four corners, or a point not three coordinates"
        raise UserError(Problem(Where(str(file)), where, what, "save it again as a mesh"))
    points = points.astype(float)
    if not np.isfinite(points).all():
        raise UserError(Problem(Where(str(file)), where, "a coordinate is not finite", "save it again"))
    tets = np.concatenate(cells)
    if tets.dtype.kind not in "iu" or (tets.size and (tets.min() < 0 or tets.max() >= len(points))):
        what = f"a tetrahedron names a corner that is none of the {len(points)} points"
        raise UserError(Problem(Where(str(file)), where, what, "save it again"))
    return make_mesh(points * scale, tets, where)


def read_surface(file: Path, where: str, scale: float) -> tuple[Triangles, TriangleMesh]:
    """A surface as the file has it, and in metres with its faces outwards."""
    from supple_collide.mesh_files import read_triangles
    from supple_collide.mesh_shape import make_mesh as make_surface
    from supple_tets.glb_files import read_glb

    raw = read_glb(file, where) if file.suffix.lower() == ".glb" else read_triangles(file, where)
    a, b, c = (raw.vertices[raw.triangles[:, k]] - raw.vertices[0] for k in range(3))
    if np.einsum("ij,ij->", np.cross(a, b), c) < 0.0:
        raw = replace(raw, triangles=np.ascontiguousarray(raw.triangles[:, ::-1]))
    return raw, make_surface(raw, scale, where)


def _stuff_surface(file: Path, where: str, scale: float, edge: float | None, wanted: int) -> TetMesh:
    from supple_collide.mesh_shape import integrate_volume
    from supple_tets.surface_kernels import find_crossing, find_depths

    raw, surface = read_surface(file, where, scale)
    if not surface.closed:
        rim = int(np.argwhere(surface.neighbour < 0)[0, 0])
        raise raw.problem(rim, where, "the surface is open: an edge has one triangle", "close its holes")
    corners = surface.vertices[surface.triangles]
    middle = corners.mean(axis=1)
    radius = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    ball, pair = np.concatenate([middle, radius[:, None]], axis=1), np.zeros(2, np.int64)
    if find_crossing(surface.vertices, surface.triangles, ball, pair):
        what = f"the surface crosses itself: triangle {pair[0]} and triangle {pair[1]} meet"
        raise raw.problem(int(pair[0]), where, what, "take the parts apart, or join them into one surface")

    def depth(points: FloatArray) -> FloatArray:
        found = np.zeros(len(points))
        find_depths(surface.vertices, surface.triangles, ball, np.ascontiguousarray(points), found)
        return found

    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    if edge is None:
        return stuff_to_count(depth, low, high, integrate_volume(surface)[0], wanted, where)
    vertices, tets = stuff(depth, low, high, edge)
    if len(tets) == 0:
        raise UserError(Problem(None, where, "no tetrahedron fits in", "make the edge shorter"))
    return make_mesh(vertices, tets, where, trusted=True)
