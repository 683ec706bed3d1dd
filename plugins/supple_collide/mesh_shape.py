"""Triangle meshes: how their triangles hang together, whether they are sound, and their volume integrals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError
from supple_collide.mesh_files import Triangles, read_triangles

# Extents of a mesh [m] outside these limits are most likely in another unit.
LONGEST, SHORTEST = 1000.0, 1e-4
# A triangle is degenerate if its height is less than this part of its longest edge.
THINNEST = 1e-9
# Triangles that meet at less than this angle [rad] form one facet.
FLAT = 1e-4
# Corners of a ring, and rings from pole to pole, of what stands for a solid where that meets a mesh.
SIDES, RINGS = 48, 24
# Triangles whose unit normals differ by less lie in one plane: this is rounding.
LEVEL = 1e-9


@dataclass(frozen=True)
class TriangleMesh:
    """A sound mesh in the frame of its entity [m].

    vertices [nv, 3]; triangles [nt, 3], counter-clockwise from outside; neighbour [nt, 3]: the triangle across
    the edge from corner k to k + 1, -1 at a rim; facet [nt]: the lowest triangle of the flat region.
    """

    vertices: FloatArray
    triangles: IntArray
    neighbour: IntArray
    facet: IntArray

    @property
    def closed(self) -> bool:
        """Whether the mesh encloses a volume."""
        return bool((self.neighbour >= 0).all())

    @property
    def slack(self) -> float:
        """A distance [m] that does not matter: 1e-5 of the mean edge."""
        corners = self.vertices[self.triangles]
        return 1e-5 * float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean())

    @property
    def depth(self) -> float:
        """What no point of a closed mesh is deeper than [m]: half its least extent, and the slack for rounding."""
        return float(np.ptp(self.vertices, axis=0).min()) / 2 + self.slack

    @property
    def radius(self) -> float:
        """Distance of the farthest vertex from the origin [m]."""
        return float(np.linalg.norm(self.vertices, axis=1).max())

    @cached_property
    def owned(self) -> IntArray:
        """What each triangle owns while the mesh keeps its shape; see list_owned."""
        return list_owned(self, bends=False)


def load_mesh(kind: str, shape: Any, path: str, files: SceneFiles) -> TriangleMesh:
    """The mesh of a `mesh` or `convex` component of the entity at `path`. Raises UserError, one line each."""
    where = f"{path}.{kind}"
    if kind == "convex":
        points = np.array(shape.points, float).reshape(-1, 3)
        if shape.file:
            points = read_triangles(files.find(shape.file, f"{where}.file"), where).vertices
        return make_mesh(wrap_points(points, where), shape.scale, where)
    if shape.file:
        return make_mesh(read_triangles(files.find(shape.file, f"{where}.file"), where), shape.scale, where)
    vertices, triangles = np.array(shape.vertices, float), np.array(shape.triangles, np.int64)
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        what = f"a triangle has corner {triangles.min() if triangles.min() < 0 else triangles.max()}"
        remedy = f"there are {len(vertices)} vertices; use 0 to {len(vertices) - 1}"
        raise UserError(Problem(None, f"{where}.triangles", what, remedy))
    inline = Triangles("", vertices, triangles, tuple(range(len(triangles))), "triangle")
    return make_mesh(inline, shape.scale, where)


def wrap_points(points: FloatArray, where: str) -> Triangles:
    """The convex hull of points as triangles that face outwards."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        remedy = "give at least four points that do not lie in a plane"
        raise UserError(Problem(None, where, "the points enclose no volume", remedy)) from None
    triangles = hull.simplices.astype(np.int64)
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = np.einsum("ij,ij->i", across, hull.equations[:, :3]) < 0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return Triangles("", points, triangles, tuple(range(len(triangles))), "facet")


def make_mesh(raw: Triangles, scale: float, where: str) -> TriangleMesh:
    """Weld equal vertices, drop unused ones, and refuse what cannot be a surface."""
    vertices, triangles = _weld(raw.vertices * scale, raw.triangles)
    _check_size(vertices, where)
    _check_thinness(raw, vertices, triangles, where)
    neighbour = _join_edges(raw, triangles, where)
    mesh = TriangleMesh(vertices, triangles, neighbour, find_facets(vertices, triangles, neighbour))
    if mesh.closed and integrate_volume(mesh)[0] <= 0:
        what = f"{raw.source}: the mesh is inside out".removeprefix(": ")
        raise UserError(Problem(None, where, what, "turn its faces round: counter-clockwise from outside"))
    return mesh


def _weld(vertices: FloatArray, triangles: IntArray) -> tuple[FloatArray, IntArray]:
    used, inner = np.unique(triangles, return_inverse=True)
    welded, first, joined = np.unique(vertices[used] + 0.0, axis=0, return_index=True, return_inverse=True)
    # In the order of the file, so that numbers of vertices mean something to the author.
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    triangles = rank[joined.reshape(-1)[inner.reshape(-1)]].reshape(-1, 3)
    return np.ascontiguousarray(welded[order]), triangles


def _check_size(vertices: FloatArray, where: str) -> None:
    extent = float(np.ptp(vertices, axis=0).max())
    if not SHORTEST <= extent <= LONGEST:
        what = f"the mesh is {extent:.3g} m long, so it may have another unit"
        raise UserError(Problem(None, where, what, "set scale, 0.001 for millimetres"))


def _check_thinness(raw: Triangles, vertices: FloatArray, triangles: IntArray, where: str) -> None:
    corners = vertices[triangles]
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    areas = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )  # fmt: skip
    bad = np.flatnonzero(areas <= THINNEST * edges**2)
    if len(bad):
        what = "the triangle is degenerate: its corners lie on a line"
        raise raw.problem(int(bad[0]), where, what, "delete it, or merge its corners")


def _join_edges(raw: Triangles, triangles: IntArray, where: str) -> IntArray:
    """For every edge of every triangle the triangle beyond it; -1 where there is none."""
    begin, end = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    edge = np.minimum(begin, end) * (int(triangles.max()) + 1) + np.maximum(begin, end)
    order = np.argsort(edge, kind="stable")
    shared = np.flatnonzero(edge[order[1:]] == edge[order[:-1]])
    one, other = order[shared], order[shared + 1]
    if (np.diff(shared) == 1).any() or (begin[one] == begin[other]).any():
        _refuse_edges(raw, triangles, where)
    neighbour = np.full(triangles.size, -1, np.int64)
    neighbour[one], neighbour[other] = other // 3, one // 3
    return neighbour.reshape(-1, 3)


def _refuse_edges(raw: Triangles, triangles: IntArray, where: str) -> None:
    """Name the first triangle, in the order of the file, that does not fit those before it."""
    open_edges: dict[tuple[int, int], int] = {}
    done: set[tuple[int, int]] = set()
    for t, corners in enumerate(triangles.tolist()):
        for k in range(3):
            i, j = corners[k], corners[(k + 1) % 3]
            edge = (min(i, j), max(i, j))
            if edge in done:
                what = "an edge of the triangle belongs to three triangles (non-manifold)"
                raise raw.problem(t, where, what, "split the mesh there, or delete the inner triangle")
            if edge not in open_edges:
                open_edges[edge] = i
                continue
            done.add(edge)
            if open_edges.pop(edge) == i:
                what = "the triangle and its neighbour face opposite ways (non-manifold)"
                raise raw.problem(t, where, what, "turn one of them round")


def find_normals(vertices: FloatArray, triangles: IntArray) -> FloatArray:
    """Unit normals of the triangles [nt, 3]."""
    corners = vertices[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals: FloatArray = across / np.linalg.norm(across, axis=1, keepdims=True)
    return normals


def find_facets(vertices: FloatArray, triangles: IntArray, neighbour: IntArray) -> IntArray:
    """For every triangle the lowest triangle that it is joined to without a bend."""
    normals = find_normals(vertices, triangles)
    # Most triangles of a round surface have no neighbour in their plane, and are facets of their own.
    bends = np.linalg.norm(normals[neighbour] - normals[:, None], axis=2)
    level = ((neighbour >= 0) & (bends < 2.0 * FLAT)).any(axis=1)
    facet = np.where(level, -1, np.arange(len(triangles)))
    for start in np.flatnonzero(level).tolist():
        if facet[start] >= 0:
            continue
        facet[start], wanted = start, [start]
        while wanted:
            t = wanted.pop()
            for other in neighbour[t]:
                # Against the first triangle, so that many small bends do not add up to one flat region.
                flat = other >= 0 and facet[other] < 0
                if flat and np.linalg.norm(normals[other] - normals[start]) < FLAT:
                    facet[other] = start
                    wanted.append(int(other))
    return facet


def integrate_volume(mesh: TriangleMesh) -> tuple[float, FloatArray, FloatArray]:
    """Volume [m^3], centre [m] and inertia of a mass of 1 kg about the centre [m^2] of a closed mesh.

    Exact: the sum over the tetrahedra that the triangles form with one point, here a vertex. With corners
    a, b, c of a tetrahedron from the origin and V its volume, the integral of x x^T is
    V / 20 (a a^T + b b^T + c c^T + s s^T), s = a + b + c.
    """
    origin = mesh.vertices[0]
    corners = mesh.vertices[mesh.triangles] - origin
    volumes = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    volume = float(volumes.sum())
    if volume <= 0:
        return volume, origin, np.zeros((3, 3))
    sums = corners.sum(axis=1)
    centre = np.einsum("i,ij->j", volumes, sums) / 4.0 / volume
    second = np.einsum("i,ikm,ikn->mn", volumes, corners, corners)
    second = (second + np.einsum("i,im,in->mn", volumes, sums, sums)) / 20.0 / volume
    second -= np.outer(centre, centre)
    return volume, origin + centre, np.trace(second) * np.eye(3) - second


def list_vertex_triangles(vertex_count: int, triangles: IntArray) -> tuple[IntArray, IntArray]:
    """The triangles around every vertex: (first [nv + 1], triangles in rising order)."""
    corners = triangles.reshape(-1)
    order = np.argsort(corners, kind="stable")
    first = np.zeros(vertex_count + 1, np.int64)
    np.cumsum(np.bincount(corners, minlength=vertex_count), out=first[1:])
    return first, (order // 3).astype(np.int64)


def find_level(mesh: TriangleMesh, normals: FloatArray) -> BoolArray:
    """Which vertices have only triangles of one plane around them, up to rounding, and no rim [nv]."""
    first, around = list_vertex_triangles(len(mesh.vertices), mesh.triangles)
    lead = normals[around[first[mesh.triangles]]]
    uneven = np.linalg.norm(lead - normals[:, None], axis=2) > LEVEL
    open_edge = mesh.neighbour < 0
    uneven |= open_edge | np.roll(open_edge, 1, axis=1)
    level = np.ones(len(mesh.vertices), bool)
    level[mesh.triangles[uneven]] = False
    return level


def list_owned(mesh: TriangleMesh, bends: bool) -> IntArray:
    """What each triangle owns: bit k for corner k, bit 3 + k for edge k [nt].

    A vertex belongs to the first triangle around it, an edge to the lower of its two. Edges of a rigid mesh are
    left out where they cannot touch other edges, because they do not stick out, and vertices within a plane: what
    these could carry the corners of the contact patch do (README eq. (3)).
    """
    first, around = list_vertex_triangles(len(mesh.vertices), mesh.triangles)
    numbers = np.arange(len(mesh.triangles))
    owned = np.zeros(len(numbers), np.int64)
    normals = find_normals(mesh.vertices, mesh.triangles)
    centres = mesh.vertices[mesh.triangles].mean(axis=1)
    level = np.zeros(len(mesh.vertices), bool) if bends else find_level(mesh, normals)
    for k in range(3):
        vertex, other = mesh.triangles[:, k], mesh.neighbour[:, k]
        owned |= ((around[first[vertex]] == numbers) & ~level[vertex]) << k
        height = np.einsum("ij,ij->i", normals, centres[other] - mesh.vertices[vertex])
        bent = np.linalg.norm(np.cross(normals, normals[other]), axis=1) >= FLAT
        sticks_out = (other < 0) | ((height < 0) & bent) | bends
        owned |= (((other < 0) | (numbers < other)) & sticks_out) << (3 + k)
    return owned


def box_mesh(half: tuple[float, float, float], where: str = "box") -> TriangleMesh:
    """A cuboid about the origin with these half sizes [m]; `where` is the component to blame."""
    signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    vertices = np.array(signs, float) * np.array(half)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([each for a, b, c, d in sides for each in ((a, b, c), (a, c, d))], np.int64)
    return make_mesh(Triangles("", vertices, triangles, tuple(range(12)), "triangle"), 1.0, where)


def solid_mesh(kind: str, size: tuple[float, float, float], where: str) -> TriangleMesh:
    """What stands for a solid where it meets a mesh: a hull of rings of corners, as far out as its volume asks for.

    `size` [m] as in `shape_kinds`.
    """
    around = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.stack([np.cos(around), np.zeros(SIDES), np.sin(around)], axis=1)
    y = np.array([0.0, 1.0, 0.0])
    out = size[0] * np.sqrt(2.0 * np.pi / SIDES / np.sin(2.0 * np.pi / SIDES))
    if kind == "cylinder":
        points = np.concatenate([out * ring - size[1] * y, out * ring + size[1] * y])
    elif kind == "cone":
        points = np.concatenate([out * ring - size[1] * y, [size[1] * y]])
    else:
        heights = np.pi * (np.arange(1, RINGS) / RINGS - 0.5)
        rings = [np.cos(height) * ring + np.sin(height) * y for height in heights]
        points = np.concatenate([*rings, [-y, y]]) * np.array(size)
        volume = integrate_volume(make_mesh(wrap_points(points, where), 1.0, where))[0]
        points *= (4.0 / 3.0 * np.pi * np.prod(size) / volume) ** (1.0 / 3.0)
    return make_mesh(wrap_points(points, where), 1.0, where)
