"""Meshes of tetrahedra: made sound, with their boundary, volumes and gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.errors import Problem, UserError

FACES = np.array(((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)))
"""Faces of a tetrahedron of positive volume, counter-clockwise from outside; face k lies opposite corner k."""
LONGEST, SHORTEST = 100.0, 1e-4
"""Extents of a mesh [m] outside these limits are most likely in another unit."""
THINNEST = 1e-6
"""A tetrahedron whose volume is less than this part of the cube of its longest edge is flat."""


@dataclass(frozen=True)
class TetMesh:
    """Vertices [n, 3] in the frame of the entity [m], those on the boundary first; tetrahedra [m, 4], all of
    positive volume; boundary triangles [t, 3], counter-clockwise from outside.
    """

    vertices: FloatArray
    tets: IntArray
    boundary: IntArray

    @property
    def boundary_count(self) -> int:
        """Number of vertices on the boundary."""
        return int(self.boundary.max()) + 1

    @property
    def volumes(self) -> FloatArray:
        """Of the tetrahedra [m^3]."""
        return find_volumes(self.vertices, self.tets)

    @property
    def edge(self) -> float:
        """Mean length of an edge of the tetrahedra [m]."""
        corners = self.vertices[self.tets]
        lengths = [np.linalg.norm(corners[:, a] - corners[:, b], axis=1) for a in range(4) for b in range(a)]
        return float(np.mean(lengths))


def find_volumes(vertices: FloatArray, tets: IntArray) -> FloatArray:
    """Signed volumes [m^3]."""
    edges = vertices[tets[:, 1:]] - vertices[tets[:, :1]]
    volumes: FloatArray = np.einsum("ij,ij->i", np.cross(edges[:, 0], edges[:, 1]), edges[:, 2]) / 6.0
    return volumes


def find_gradients(vertices: FloatArray, tets: IntArray) -> FloatArray:
    """Gradients of the weights of the four corners [m, 4, 3], 1/m."""
    edges = vertices[tets[:, 1:]] - vertices[tets[:, :1]]
    inverse = np.linalg.inv(edges).transpose(0, 2, 1)
    return np.ascontiguousarray(np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1))


def find_boundary(tets: IntArray) -> IntArray:
    """Triangles that belong to one tetrahedron only."""
    faces = tets[:, FACES].reshape(-1, 3)
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    boundary: IntArray = faces[np.sort(first[count == 1])]
    return boundary


def make_mesh(vertices: FloatArray, tets: IntArray, where: str, trusted: bool = False) -> TetMesh:
    """A sound mesh. Tetrahedra that are all turned round are turned back; what cannot be used is refused.

    `where` is the component to blame. A file is not `trusted`: single tetrahedra that face the other way than the
    rest are a fault of whoever wrote it.
    """
    vertices, tets = _drop_unused(np.asarray(vertices, float), np.asarray(tets, np.int64))
    _check_size(vertices, where)
    volumes = find_volumes(vertices, tets)
    _check_flatness(vertices, tets, volumes, where)
    turned = volumes < 0
    if turned.any() and not turned.all() and not trusted:
        number = int(np.flatnonzero(turned)[0])
        what = f"tetrahedron {number} is inverted ({int(turned.sum())} of {len(tets)} are)"
        raise UserError(Problem(None, where, what, "swap two of its corners, or mesh the volume again"))
    tets = np.where(turned[:, None], tets[:, [0, 2, 1, 3]], tets)
    _check_faces(tets, where)
    _check_surface(tets, where)
    vertices, tets = _put_boundary_first(vertices, tets)
    return TetMesh(vertices, tets, find_boundary(tets))


def _drop_unused(vertices: FloatArray, tets: IntArray) -> tuple[FloatArray, IntArray]:
    used, inner = np.unique(tets, return_inverse=True)
    return np.ascontiguousarray(vertices[used]), inner.reshape(tets.shape).astype(np.int64)


def _put_boundary_first(vertices: FloatArray, tets: IntArray) -> tuple[FloatArray, IntArray]:
    outside: BoolArray = np.zeros(len(vertices), bool)
    outside[find_boundary(tets)] = True
    order = np.argsort(~outside, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.ascontiguousarray(vertices[order]), rank[tets]


def _check_size(vertices: FloatArray, where: str) -> None:
    extent = float(np.ptp(vertices, axis=0).max())
    if not SHORTEST <= extent <= LONGEST:
        what = f"the mesh is {extent:.3g} m long, so it may have another unit"
        raise UserError(Problem(None, where, what, "set scale, 0.001 for millimetres"))


def _check_flatness(vertices: FloatArray, tets: IntArray, volumes: FloatArray, where: str) -> None:
    corners = vertices[tets]
    longest = np.max(
        [np.linalg.norm(corners[:, a] - corners[:, b], axis=1) for a in range(4) for b in range(a)], axis=0
    )
    flat = np.flatnonzero(np.abs(volumes) <= THINNEST * longest**3)
    if len(flat):
        what = f"tetrahedron {flat[0]} is flat: its corners lie in a plane"
        raise UserError(Problem(None, where, what, "delete it, or mesh the volume again"))


def _check_faces(tets: IntArray, where: str) -> None:
    """No face belongs to three tetrahedra, nor to two on the same side of it."""
    faces = tets[:, FACES].reshape(-1, 3)
    _, inner, count = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
    if count.max() > 2:
        number = int(np.flatnonzero(count[inner.reshape(-1)] > 2)[0]) // 4
        what = f"a face of tetrahedron {number} belongs to {count.max()} tetrahedra"
        raise UserError(Problem(None, where, what, "delete those that overlap"))
    least = np.argmin(faces, axis=1)
    rolled = np.stack([faces[np.arange(len(faces)), (least + k) % 3] for k in range(3)], axis=1)
    _, first, count = np.unique(rolled, axis=0, return_index=True, return_counts=True)
    if count.max() > 1:
        number = int(first[np.argmax(count > 1)]) // 4
        what = f"tetrahedron {number} overlaps another one that it shares a face with"
        raise UserError(Problem(None, where, what, "mesh the volume again"))


def _check_surface(tets: IntArray, where: str) -> None:
    """No edge of the surface belongs to more than two triangles: what hangs together by an edge has no outside."""
    faces = find_boundary(tets)
    edges = np.sort(np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edge, count = np.unique(edges, axis=0, return_counts=True)
    wrong = np.flatnonzero(count != 2)
    if len(wrong):
        touching = np.isin(tets, edge[wrong[0]]).sum(axis=1) == 2
        numbers = ", ".join(map(str, np.flatnonzero(touching)[:4]))
        what = f"an edge of its surface belongs to {count[wrong[0]]} triangles, at the tetrahedra {numbers}"
        raise UserError(Problem(None, where, what, "join them by a face, or leave one out"))


def find_tet(mesh: TetMesh, points: FloatArray) -> tuple[IntArray, FloatArray]:
    """The tetrahedron of every point [k, 3], and the weights of its corners [k, 4].

    Of a point outside it is the one that it is least outside of; then a weight is negative.
    """
    gradients, middle = find_gradients(mesh.vertices, mesh.tets), mesh.vertices[mesh.tets].mean(axis=1)
    found, shares = np.zeros(len(points), np.int64), np.zeros((len(points), 4))
    for k, point in enumerate(points):
        weights = 0.25 + np.einsum("eaj,ej->ea", gradients, point - middle)
        found[k] = np.argmax(weights.min(axis=1))
        shares[k] = weights[found[k]]
    return found, shares
