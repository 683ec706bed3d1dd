"""Arrays that kernels of meshes work in. They are made once, when a world is built: kernels make none themselves."""

from __future__ import annotations

import numpy as np

from supple_collide.kernel_arrays import Choice, Found, Probe, Raw, Scratch, Search
from supple_collide.meshes.point_kernels import CANDIDATE_WIDTH, CANDIDATES
from supple_collide.meshes.tree_kernels import STACK
from supple_collide.pairs.raw_kernels import ID_WIDTH, VALUE_WIDTH
from supple_collide.pairs.vertex_kernels import FOUND_IDS, FOUND_VALUES, forget_candidates


def make_probe(triangles: int) -> Probe:
    """For what one point finds among so many triangles, and for walks down two trees at once."""
    return Probe(
        stack=np.zeros(4 * STACK, np.int64),
        # A list of triangles can never be longer than all there are.
        near=np.zeros(2 * triangles, np.int64),
        box=np.zeros((1, 6)),
        codes=np.zeros((CANDIDATES, 2), np.int64),
        values=np.zeros((CANDIDATES, CANDIDATE_WIDTH)),
    )


def make_raw(rows: int) -> Raw:
    """For contacts that are found before some are chosen."""
    return Raw(ids=np.zeros((rows, ID_WIDTH), np.int64), values=np.zeros((rows, VALUE_WIDTH)))


def make_choice(rows: int) -> Choice:
    """For the choice among the contacts of a pair."""
    return Choice(
        rows=np.zeros(rows, np.int64),
        state=np.zeros(rows, np.int64),
        members=np.zeros(rows, np.int64),
        places=np.zeros(rows, np.int64),
        chain=np.zeros(2 * rows + 1, np.int64),
        flat=np.zeros((rows, 3)),
    )


def make_found(vertices: int, rows: int) -> Found:
    """For what so many vertices find at triangles."""
    nearest, head = np.zeros(vertices), np.zeros(vertices, np.int64)
    forget_candidates(nearest, head)
    return Found(
        nearest=nearest,
        head=head,
        link=np.zeros(rows, np.int64),
        ids=np.zeros((rows, FOUND_IDS), np.int64),
        values=np.zeros((rows, FOUND_VALUES)),
    )


def make_search(capacity: int, meshes: int, vertices: int, triangles: int) -> Search:
    """For the search among meshes."""
    return Search(
        mesh_pairs=np.zeros((min(meshes * meshes, 64 * capacity) + 1, 2), np.int64),
        triangle_pairs=np.zeros((max(1 << 16, 64 * capacity), 2), np.int64),
        found=make_found(vertices, 16 * capacity),
        touched=np.zeros(vertices, np.int64),
        crossed=np.zeros(triangles, np.int64),
        pressed=np.zeros(triangles, np.int64),
        mark=np.zeros(vertices, np.int64),
        piece=np.zeros(vertices, np.int64),
        inner=np.zeros(vertices, np.int64),
    )


def make_scratch(capacity: int, meshes: int, vertices: int, triangles: int) -> Scratch:
    """For all contacts of meshes in a scene with room for `capacity` contacts."""
    rows = 8 * capacity
    return Scratch(
        near=np.zeros(2 * triangles, np.int64),
        box=np.zeros((1, 6)),
        end=make_probe(triangles),
        probe=make_probe(triangles),
        search=make_search(capacity, meshes, vertices, triangles),
        choice=make_choice(rows),
        raw=make_raw(rows),
        chosen=np.zeros(rows, np.int64),
        tally=np.zeros(2, np.int64),
    )
