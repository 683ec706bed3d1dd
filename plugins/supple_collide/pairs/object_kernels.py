"""Which objects may meet: primitives and meshes, numbered together, and what they ignore."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple_collide.kernel_arrays import Objects
from supple_collide.meshes.columns import GRID, OBJECT, ROOT
from supple_collide.meshes.tree_kernels import boxes_meet
from supple_collide.primitives.manifold_kernels import ZERO


@njit
def is_ignored(ignored, key):
    """Whether `key` is in the sorted array `ignored`."""
    low, high = 0, ignored.size
    while low < high:
        middle = (low + high) // 2
        if ignored[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < ignored.size and ignored[low] == key


@njit
def may_meet(group, movable, ignored, i, j):
    """Whether the contact of two objects matters: one moves, they have no frame in common, nobody forbids it."""
    if (movable[i] == 0 and movable[j] == 0) or (group[i] >= 0 and group[i] == group[j]):
        return False
    return not is_ignored(ignored, min(i, j) * group.size + max(i, j))


@njit_inlined
def pair_meshes(mesh_table, objects: Objects, meets_itself, shadows_from, bounds, reach, pairs_out):
    """Pairs of meshes whose boxes, grown by their reach [m], overlap; also a mesh with itself if it wants to.

    The meshes from `shadows_from` on stand for boxes, which meet each other elsewhere. Returns how many pairs
    there are; those beyond the capacity are not written.
    """
    found = ZERO
    for a in range(shadows_from):
        if meets_itself[a] != 0:
            if found < pairs_out.shape[0]:
                pairs_out[found, 0], pairs_out[found, 1] = a, a
            found += 1
        for b in range(a + 1, mesh_table.shape[0]):
            grow = reach[a] + reach[b]
            if not boxes_meet(bounds, mesh_table[a, ROOT], bounds, mesh_table[b, ROOT], grow):
                continue
            if not may_meet(
                objects.group, objects.movable, objects.ignored, mesh_table[a, OBJECT], mesh_table[b, OBJECT]
            ):  # fmt: skip
                continue
            # A grid has no tree to walk down, so it goes second.
            swapped = mesh_table[a, GRID] >= 0
            if found < pairs_out.shape[0]:
                pairs_out[found, 0], pairs_out[found, 1] = (b, a) if swapped else (a, b)
            found += 1
    return found
