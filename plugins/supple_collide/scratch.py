"""Arrays that kernels work in. They are made once, when a world is built: kernels make none themselves."""

from __future__ import annotations

import numpy as np

from supple_collide.bvh_kernels import STACK
from supple_collide.manifold_kernels import MANIFOLD_CAPACITY, MANIFOLD_WIDTH
from supple_collide.mesh_pair_kernels import FOUND_IDS, FOUND_VALUES, forget_candidates
from supple_collide.point_mesh_kernels import CANDIDATE_WIDTH, CANDIDATES
from supple_collide.raw_contact_kernels import ID_WIDTH, VALUE_WIDTH

Arrays = tuple[np.ndarray, ...]


def make_manifold() -> Arrays:
    """For the contacts of one pair of primitives: `cosines`, `polygon`, `lines`, `manifold`, `features`."""
    return (
        np.zeros((3, 3)), np.zeros((2, MANIFOLD_CAPACITY, 3)), np.zeros((2, MANIFOLD_CAPACITY, 2), np.int64),
        np.zeros((MANIFOLD_CAPACITY, MANIFOLD_WIDTH)), np.zeros(MANIFOLD_CAPACITY, np.int64),
    )  # fmt: skip


def make_stack() -> np.ndarray:
    """For walks down two trees at once."""
    return np.zeros(4 * STACK, np.int64)


def make_candidates() -> Arrays:
    """For what one point finds at a mesh: `codes` and `candidates`."""
    return np.zeros((CANDIDATES, 2), np.int64), np.zeros((CANDIDATES, CANDIDATE_WIDTH))


def make_room(rows: int) -> Arrays:
    """For contacts that are found before some are chosen: `chosen`, `ids`, `values`."""
    return np.zeros(rows, np.int64), np.zeros((rows, ID_WIDTH), np.int64), np.zeros((rows, VALUE_WIDTH))


def make_choice(rows: int) -> Arrays:
    """For the choice among the contacts of a pair: `rows`, `state`, `members`, `places`, `chain`, `flat`."""
    integers = (np.zeros(length, np.int64) for length in (rows, rows, rows, rows, 2 * rows + 1))
    return (*integers, np.zeros((rows, 3)))


def make_search(capacity: int, meshes: int, vertices: int, triangles: int) -> Arrays:
    """For the search among meshes; see `find_mesh_contacts`."""
    mesh_pairs = np.zeros((min(meshes * meshes, 64 * capacity) + 1, 2), np.int64)
    triangle_pairs = np.zeros((max(1 << 16, 64 * capacity), 2), np.int64)
    nearest, head, touched = np.zeros(vertices), np.zeros(vertices, np.int64), np.zeros(vertices, np.int64)
    forget_candidates(nearest, head)
    crossed, mark, piece, inner = (
        np.zeros(length, np.int64) for length in (triangles, vertices, vertices, vertices)
    )
    found = 16 * capacity
    link = np.zeros(found, np.int64)
    found_ids, found_values = np.zeros((found, FOUND_IDS), np.int64), np.zeros((found, FOUND_VALUES))
    sides = touched, crossed, mark, piece, inner
    return mesh_pairs, triangle_pairs, nearest, head, link, *sides, found_ids, found_values
