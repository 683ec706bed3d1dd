"""Slow twins of the collision kernels, by other means: bounded least squares and convex hulls.

A shape is a core (a point, a segment, a box: the image of a cube under a linear map) grown by a radius. Cores
that are apart have the distance of a bounded least-squares problem; cores that overlap have the depth of the
origin below the nearest facet of the hull of all differences of their corners. A plane is a half-space and
needs the lowest point of the other shape only.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import lsq_linear
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from supple_collide.shape_kinds import BOX, CAPSULE, PLANE, SPHERE

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """One primitive in the world: kind and size as in `shape_kinds`, centre x [m], unit quaternion q."""

    kind: int
    size: Floats
    x: Floats
    q: Floats

    @property
    def matrix(self) -> Floats:
        """The rotation matrix; its columns are the local axes."""
        matrix: Floats = Rotation.from_quat(np.roll(self.q, -1)).as_matrix()
        return matrix

    @property
    def radius(self) -> float:
        """By how much the core is grown [m]."""
        return float(self.size[0]) if self.kind in (SPHERE, CAPSULE) else 0.0

    @property
    def generators(self) -> Floats:
        """The core is x + generators @ s with every s in [-1, 1]; shape [3, number of s]."""
        columns = {SPHERE: [], CAPSULE: [1], BOX: [0, 1, 2]}[self.kind]
        lengths = self.size if self.kind == BOX else np.full(3, self.size[1])
        return (self.matrix * lengths)[:, columns]

    @property
    def corners(self) -> Floats:
        """The corners of the core [m], shape [n, 3]."""
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=self.generators.shape[1])))
        return self.x + signs @ self.generators.T

    def moved(self, matrix: Floats, shift: Floats) -> Shape:
        """The shape after the rigid motion x -> matrix x + shift."""
        q = np.roll(Rotation.from_matrix(matrix @ self.matrix).as_quat(), 1)
        return Shape(self.kind, self.size, matrix @ self.x + shift, q)


def find_signed_distance(a: Shape, b: Shape) -> float:
    """The signed distance of two shapes [m]: the gap, or minus the smallest shift that parts them."""
    if a.kind == PLANE:
        a, b = b, a
    if b.kind == PLANE:
        return float(np.min((a.corners - b.x) @ b.matrix[:, 1])) - a.radius
    return find_core_distance(a, b) - a.radius - b.radius


def find_core_distance(a: Shape, b: Shape) -> float:
    """The signed distance of the cores of two bounded shapes [m]."""
    columns = np.hstack([a.generators, -b.generators])
    distance = float(np.linalg.norm(a.x - b.x))
    if columns.shape[1]:
        fit = lsq_linear(columns, b.x - a.x, bounds=(-1.0, 1.0), method="bvls", tol=1e-15)
        distance = float(np.sqrt(2.0 * fit.cost))
    if distance > 1e-8:
        return distance
    return -find_core_depth(a, b)


def find_core_depth(a: Shape, b: Shape) -> float:
    """How deep the origin lies in the hull of the differences of the corners [m]; 0 if that hull is flat."""
    try:
        separations, _ = find_exits(a, b)
    except (QhullError, ValueError):
        return 0.0
    return -float(np.max(separations))


def find_exits(a: Shape, b: Shape) -> tuple[Floats, Floats]:
    """The separations [m] of two cores along the normals of the hull of their differences; the normals."""
    differences = (a.corners[:, None] - b.corners[None]).reshape(-1, 3)
    equations = ConvexHull(differences).equations
    # The hull holds a - b; a leaves b by moving along minus the normal of the facet nearest to the origin.
    return equations[:, 3], -equations[:, :3]


def find_separation_along(a: Shape, b: Shape, normal: Floats) -> float:
    """The signed gap of two bounded shapes between the two planes across `normal` (unit, from b to a) [m]."""
    lowest, highest = np.min(a.corners @ normal), np.max(b.corners @ normal)
    return float(lowest - highest) - a.radius - b.radius


def find_surface_distance(shape: Shape, point: Floats) -> float:
    """The signed distance of a point from the surface of a shape [m], negative inside."""
    local = shape.matrix.T @ (point - shape.x)
    if shape.kind == PLANE:
        return float(local[1])
    half = np.array({SPHERE: np.zeros(3), CAPSULE: [0.0, shape.size[1], 0.0], BOX: shape.size}[shape.kind])
    beyond = np.abs(local) - half
    outside = float(np.linalg.norm(np.maximum(beyond, 0.0)))
    inside = min(float(np.max(beyond)), 0.0) if shape.kind == BOX else 0.0
    return outside + inside - shape.radius


def find_pairs_by_force(
    shapes: list[Shape], reach: Floats, movable: npt.NDArray[np.int64], group: npt.NDArray[np.int64]
) -> list[tuple[int, int]]:
    """All pairs (i < j) whose bounding boxes, grown by reach [m], overlap; twin of `find_pairs`."""
    pairs = []
    for i, j in itertools.combinations(range(len(shapes)), 2):
        a, b = shapes[i], shapes[j]
        together = group[i] == group[j] and group[i] >= 0
        if together or not (movable[i] or movable[j]) or a.kind == b.kind == PLANE:
            continue
        grown = reach[i] + reach[j]
        if PLANE in (a.kind, b.kind):
            near = find_signed_distance(a, b) <= grown
        else:
            grown += a.radius + b.radius
            gaps = np.maximum(
                np.min(a.corners, axis=0) - np.max(b.corners, axis=0),
                np.min(b.corners, axis=0) - np.max(a.corners, axis=0),
            )
            near = bool(np.all(gaps <= grown))
        if near:
            pairs.append((i, j))
    return pairs
