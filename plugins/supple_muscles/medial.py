"""Fibres for any mesh: a tree of curves through the middle of the body, and fibres beside each of its branches."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from supple.core.arrays import FloatArray, IntArray
from supple_muscles.fibres import Chain, cut_evenly
from supple_tets.mesh import FACES, TetMesh, find_tet

FEWEST, MOST = 2, 12
"""Segments of a fibre."""
SHORTEST_BRANCH = 2.5
"""A branch is longer than so many radii of the body where that is thickest; shorter ones lead to mere corners."""
BEYOND = 0.5
"""Branches go on beyond the middle of a tip by this part of the radius there."""


def lay_out_axis(mesh: TetMesh, count: int, depth: float, most: int) -> list[Chain]:
    """`count` fibres beside every branch of the tree, at the part `depth` of the way to the surface."""
    chains = []
    for number, branch in enumerate(find_branches(mesh, most)):
        points, radius = branch[:, :3], branch[:, 3]
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        segments = int(np.clip(round(length / (2 * radius.mean())), FEWEST, MOST))
        axis = cut_evenly(points, segments)
        wide = np.interp(
            np.linspace(0, 1, segments + 1),
            np.linspace(0, 1, len(radius)),
            np.minimum(radius, np.median(radius)),
        )
        for k, aside in enumerate(carry_frames(axis, count)):
            inside = pull_inside(mesh, axis, axis + depth * wide[:, None] * aside)
            chains.append(Chain(f"branch{number}_{k}", "longitudinal", inside))
    return chains


def find_branches(mesh: TetMesh, most: int) -> list[FloatArray]:
    """Curves through the middle [k, 4]: points, and distance from the surface there; the longest is the first.

    Tips are what is farthest along the mesh from all that the tree reaches already. From a tip the way to the tree is
    the one that keeps away from the surface.
    """
    centres = mesh.vertices[mesh.tets].mean(axis=1)
    surface = np.concatenate(
        [mesh.vertices[mesh.boundary].mean(axis=1), mesh.vertices[: mesh.boundary_count]]
    )
    depths = np.asarray(cKDTree(surface).query(centres)[0])
    pairs = find_neighbours(mesh.tets)
    lengths = np.linalg.norm(centres[pairs[:, 0]] - centres[pairs[:, 1]], axis=1)
    shallow = np.minimum(depths[pairs[:, 0]], depths[pairs[:, 1]])
    plain, deep = (_join(pairs, cost, len(centres)) for cost in (lengths, lengths / shallow**2))

    def find_tip(sources: list[int]) -> int:
        """The middle of what is farthest from these."""
        away = dijkstra(plain, indices=sources, min_only=True)
        outermost = int(np.argmax(np.where(np.isfinite(away), away, -1.0)))
        near = np.flatnonzero(np.linalg.norm(centres - centres[outermost], axis=1) <= 1.5 * depths.max())
        return int(near[np.argmax(depths[near])])

    tree = [find_tip([int(np.argmax(depths))])]
    branches: list[FloatArray] = []
    for _ in range(most):
        way = [find_tip(tree)]
        before = dijkstra(deep, indices=tree, min_only=True, return_predecessors=True)[1]
        while before[way[-1]] >= 0:
            way.append(int(before[way[-1]]))
        length = np.linalg.norm(np.diff(centres[way], axis=0), axis=1).sum()
        if len(way) < 3 or (branches and length < SHORTEST_BRANCH * depths.max()):
            break
        branches.append(_smooth(np.column_stack([centres[way], depths[way]]), both=not branches))
        tree += way
    return branches


def find_neighbours(tets: IntArray) -> IntArray:
    """Pairs of tetrahedra with a common face."""
    faces = np.sort(tets[:, FACES].reshape(-1, 3), axis=1)
    order = np.lexsort(faces.T)
    same = (faces[order[1:]] == faces[order[:-1]]).all(axis=1)
    return np.stack([order[:-1][same], order[1:][same]], axis=1) // 4


def _join(pairs: IntArray, cost: FloatArray, count: int) -> csr_array:
    both = np.concatenate([pairs, pairs[:, ::-1]])
    return csr_array((np.concatenate([cost, cost]), (both[:, 0], both[:, 1])), shape=(count, count))


def _smooth(branch: FloatArray, both: bool) -> FloatArray:
    """The zigzag from centre to centre made even, and led on at its tip, or at both ends."""
    for _ in range(max(8, len(branch) // 2)):
        branch[1:-1] = (branch[:-2] + 2 * branch[1:-1] + branch[2:]) / 4
    branch = _lead_on(branch)
    if both:
        branch = _lead_on(branch[::-1])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(branch[:, :3], axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], 33)
    return np.stack([np.interp(at, along, branch[:, column]) for column in range(4)], axis=1)


def _lead_on(branch: FloatArray) -> FloatArray:
    """One more point before the first, straight on."""
    radius = float(branch[0, 3])
    inner = branch[min(len(branch) - 1, 3), :3]
    way = (branch[0, :3] - inner) / np.linalg.norm(branch[0, :3] - inner)
    return np.concatenate([[[*(branch[0, :3] + BEYOND * radius * way), radius]], branch])


def carry_frames(axis: FloatArray, count: int) -> list[FloatArray]:
    """Unit vectors across a curve at all its points, `count` of them around it, turned as little as it allows."""
    tangent = np.gradient(axis, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    across = np.zeros_like(axis)
    start = np.eye(3)[np.argmin(np.abs(tangent[0]))]
    for k, along in enumerate(tangent):
        start = start - (start @ along) * along
        start /= np.linalg.norm(start)
        across[k] = start
    other = np.cross(tangent, across)
    angles = 2 * np.pi * (np.arange(count) + 0.5) / count
    return [np.cos(angle) * across + np.sin(angle) * other for angle in angles]


def pull_inside(mesh: TetMesh, axis: FloatArray, points: FloatArray) -> FloatArray:
    """Points that lie outside of the mesh come back towards the axis, by halves; those on it are inside."""
    for _ in range(12):
        outside = find_tet(mesh, points)[1].min(axis=1) < 0.0
        if not outside.any():
            return points
        points = np.where(outside[:, None], (points + axis) / 2, points)
    element = find_tet(mesh, points)[0]
    outside = find_tet(mesh, points)[1].min(axis=1) < 0.0
    return np.where(outside[:, None], mesh.vertices[mesh.tets[element]].mean(axis=1), points)
