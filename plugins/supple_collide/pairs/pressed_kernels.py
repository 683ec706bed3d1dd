"""Edges of surfaces that bend which bore force in the last step, by their numbers 3 t + k; see `edge_kernels`."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.vector_kernels import dot
from supple_collide.meshes.columns import BENDS
from supple_collide.meshes.triangle_kernels import EDGE_CODE, NUMBER_BITS
from supple_collide.pairs.raw_kernels import NAME_BITS


@njit
def list_pressed(contacts, force, table, of_triangle, count_out, pressed_out):
    """The edges of all contacts of edges of two surfaces that bend which bear force; two for every contact.

    contacts: how many, and their keys and normals; force [N] on the first side.
    """
    counts, key, normal = contacts
    found = 0
    for c in range(counts[0]):
        bears = dot(
            normal[c, 0], normal[c, 1], normal[c, 2], force[c, 0], force[c, 1], force[c, 2]
        ) > 0.0  # fmt: skip
        first, second = key[c, 1] >> NAME_BITS, key[c, 1] & ((1 << NAME_BITS) - 1)
        if not bears or first >> NUMBER_BITS != 1 or second >> NUMBER_BITS != 1:
            continue
        first, second = first - EDGE_CODE, second - EDGE_CODE
        # Primitives name their features otherwise, and are no meshes.
        if max(first, second) >= 3 * of_triangle.size:
            continue
        if table[of_triangle[first // 3], BENDS] != 0 and table[of_triangle[second // 3], BENDS] != 0:
            pressed_out[found], pressed_out[found + 1] = first, second
            found += 2
    count_out[0] = found


@njit
def mark_pressed(counts, pressed, marks_inout):
    """marks_inout [nt] gets a bit of `owns` for every edge that was pressed."""
    for place in range(counts[0]):
        t, k = pressed[place] // 3, pressed[place] % 3
        if 0 <= t < marks_inout.size:
            marks_inout[t] |= 8 << k


@njit
def unmark_pressed(counts, pressed, marks_inout):
    """Takes the marks away again."""
    for place in range(counts[0]):
        t = pressed[place] // 3
        if 0 <= t < marks_inout.size:
            marks_inout[t] = 0
