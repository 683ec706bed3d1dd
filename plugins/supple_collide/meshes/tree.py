"""Building the tree of boxes of a mesh, once, on its rest shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from supple.core.arrays import FloatArray, IntArray

LEAF_SIZE = 4


@dataclass(frozen=True)
class Tree:
    """Nodes in depth-first order; see `meshes.tree_kernels`. Numbers count from this mesh's first node and triangle."""

    right: IntArray
    first: IntArray
    count: IntArray
    order: IntArray


def build_tree(vertices: FloatArray, triangles: IntArray) -> Tree:
    """Halve the triangles at the median of their centres along the longest axis, down to leaves.

    Variants of a scene have the same meshes, and `check` builds them all. Nobody writes into a tree.
    """
    return _build(vertices.tobytes(), np.asarray(triangles, np.int64).tobytes())


@lru_cache(maxsize=8)
def _build(corners: bytes, rows: bytes) -> Tree:
    vertices, triangles = np.frombuffer(corners).reshape(-1, 3), np.frombuffer(rows, np.int64).reshape(-1, 3)
    centres = vertices[triangles].mean(axis=1)
    order = np.arange(len(triangles), dtype=np.int64)
    right: list[int] = []
    first: list[int] = []
    count: list[int] = []
    # Each entry: the triangles of a node, and the node whose right child it is (-1: a left child or the root).
    wanted = [(0, len(triangles), -1)]
    while wanted:
        low, high, parent = wanted.pop()
        node = len(right)
        if parent >= 0:
            right[parent] = node
        is_leaf = high - low <= LEAF_SIZE
        right.append(-1)
        first.append(low)
        count.append(high - low if is_leaf else 0)
        if is_leaf:
            continue
        inside = centres[order[low:high]]
        axis = int(np.argmax(np.ptp(inside, axis=0)))
        order[low:high] = order[low:high][np.argsort(inside[:, axis], kind="stable")]
        middle = (low + high) // 2
        wanted.append((middle, high, node))
        wanted.append((low, middle, -1))
    return Tree(
        right=np.array(right, np.int64),
        first=np.array(first, np.int64),
        count=np.array(count, np.int64),
        order=order,
    )
