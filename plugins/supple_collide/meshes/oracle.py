"""Slow numpy twins of the mesh kernels: every triangle is looked at, and nothing is shared with the kernels.

Corners are arrays [n, 3, 3] of the triangles' corners [m].
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray


def find_closest_on_segments(p: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The points of the segments a-b [n, 3] nearest to p [3]."""
    along = b - a
    s = np.einsum("ij,ij->i", p - a, along) / np.einsum("ij,ij->i", along, along)
    closest: FloatArray = a + np.clip(s, 0.0, 1.0)[:, None] * along
    return closest


def find_closest_on_triangles(p: FloatArray, corners: FloatArray) -> FloatArray:
    """The points of the triangles nearest to p: the foot of the perpendicular, else the best of three edges."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    squared = np.einsum("ij,ij->i", normal, normal)
    foot = p - (np.einsum("ij,ij->i", p - a, normal) / squared)[:, None] * normal
    inside = np.ones(len(a), bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(end - start, foot - start), normal) >= 0
    sides = np.stack([find_closest_on_segments(p, *ends) for ends in ((a, b), (b, c), (c, a))])
    best = np.argmin(np.linalg.norm(sides - p, axis=2), axis=0)
    closest: FloatArray = np.where(inside[:, None], foot, sides[best, np.arange(len(a))])
    return closest


def find_distance(p: FloatArray, corners: FloatArray) -> float:
    """Distance of a point from the nearest triangle [m]."""
    return float(np.linalg.norm(find_closest_on_triangles(p, corners) - p, axis=1).min())


def find_winding_number(p: FloatArray, corners: FloatArray) -> float:
    """How often the mesh goes round a point: 1 inside a closed mesh, 0 outside. Sum of solid angles / 4 pi."""
    a, b, c = (corners[:, k] - p for k in range(3))
    la, lb, lc = (np.linalg.norm(each, axis=1) for each in (a, b, c))
    top = np.einsum("ij,ij->i", a, np.cross(b, c))
    bottom = la * lb * lc + np.einsum("ij,ij->i", a, b) * lc
    bottom += np.einsum("ij,ij->i", b, c) * la + np.einsum("ij,ij->i", c, a) * lb
    return float(np.arctan2(top, bottom).sum() / (2.0 * np.pi))


def find_signed_distance(p: FloatArray, corners: FloatArray) -> float:
    """Distance of a point from a closed mesh, negative inside [m]."""
    return find_distance(p, corners) * (-1.0 if find_winding_number(p, corners) > 0.5 else 1.0)


def find_distances_to_segment(points: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    """Distances of the points [n, 3] from the segment p-q [m]."""
    s = np.clip((points - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
    distances: FloatArray = np.linalg.norm(points - p - s[:, None] * (q - p), axis=1)
    return distances


def find_segment_distance(p: FloatArray, q: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Distances of the segment p-q from the segments a-b [n, 3] [m]."""
    best = np.minimum.reduce(
        [
            np.linalg.norm(find_closest_on_segments(p, a, b) - p, axis=1),
            np.linalg.norm(find_closest_on_segments(q, a, b) - q, axis=1),
            find_distances_to_segment(a, p, q),
            find_distances_to_segment(b, p, q),
        ]
    )
    u, v, w = q - p, b - a, p - a
    u_v, v_v, v_w = v @ u, np.einsum("ij,ij->i", v, v), np.einsum("ij,ij->i", v, w)
    determinant = (u @ u) * v_v - u_v**2
    crossing = determinant > 1e-12 * (u @ u) * v_v
    safe = np.where(crossing, determinant, 1.0)
    s, t = (u_v * v_w - v_v * (w @ u)) / safe, ((u @ u) * v_w - u_v * (w @ u)) / safe
    crossing &= (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    apart = np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1)
    distance: FloatArray = np.where(crossing, np.minimum(best, apart), best)
    return distance


def list_edges(corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both ends of all edges of the triangles."""
    return corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)


def pierces(p: FloatArray, q: FloatArray, corners: FloatArray) -> bool:
    """Whether the segment p-q goes through a triangle."""
    a, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(u, v)
    towards = normal @ (q - p)
    crossing = np.abs(towards) > 1e-14
    s = np.einsum("ij,ij->i", normal, a - p) / np.where(crossing, towards, 1.0)
    at = p + s[:, None] * (q - p) - a
    area = np.einsum("ij,ij->i", normal, normal)
    wv = np.einsum("ij,ij->i", np.cross(u, at), normal) / area
    wu = np.einsum("ij,ij->i", np.cross(at, v), normal) / area
    hit = crossing & (s >= 0) & (s <= 1) & (wu >= 0) & (wv >= 0) & (wu + wv <= 1)
    return bool(hit.any())


def find_mesh_distance(one: FloatArray, other: FloatArray) -> float:
    """Distance of two meshes [m]; 0 if their surfaces cross."""
    for first, second in ((one, other), (other, one)):
        if any(pierces(p, q, second) for p, q in zip(*list_edges(first), strict=True)):
            return 0.0
    vertices = [find_distance(p, other) for p in np.unique(one.reshape(-1, 3), axis=0)]
    vertices += [find_distance(p, one) for p in np.unique(other.reshape(-1, 3), axis=0)]
    a, b = list_edges(other)
    edges = [find_segment_distance(p, q, a, b).min() for p, q in zip(*list_edges(one), strict=True)]
    return float(min([*vertices, *edges]))
