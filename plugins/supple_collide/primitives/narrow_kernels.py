"""The narrow phase: all contact points of the pairs that the broad phase found."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.kernel_arrays import Manifold, Shapes
from supple_collide.primitives.box_kernels import find_box_box, find_box_plane
from supple_collide.primitives.capsule_box_kernels import find_round_box
from supple_collide.primitives.capsule_kernels import find_round_plane, find_round_round
from supple_collide.primitives.manifold_kernels import ZERO
from supple_collide.shape_kinds import BOX, FIRST_SOLID, PLANE


@njit
def find_contacts(
    shapes: Shapes, pairs, pair_count, scratch: Manifold, shape_out, feature_out, point_out, normal_out, gap_out
):  # fmt: skip
    """Find all contacts with gap <= reach[a] + reach[b] [m] of the first `pair_count` rows (a, b) of `pairs`.

    Pairs with a solid are left out; see `find_solid_contacts`.

    shape_out [n, 2] the pair (a, b); feature_out [n] a code of what touches, unique in a pair and the same as
    long as the same features touch; point_out [n, 2, 3] points on the surfaces of a and b [m]; normal_out
    [n, 3] unit vector from b to a; gap_out [n] signed distance [m], negative if they overlap;
    point_a - point_b = gap normal. Contacts come in the order of the pairs.

    Returns how many contacts there are; those beyond the capacity of the outputs are not written.
    """
    kind, size, x, rotation, reach = shapes.kind, shapes.size, shapes.x, shapes.rotation, shapes.reach
    cosines, polygon, lines = scratch.cosines, scratch.polygon, scratch.lines
    manifold, features = scratch.contacts, scratch.features
    total = ZERO
    for pair in range(pair_count):
        a, b = pairs[pair, 0], pairs[pair, 1]
        if kind[a] >= FIRST_SOLID or kind[b] >= FIRST_SOLID:
            continue
        limit = reach[a] + reach[b]
        # Round shapes go before boxes and boxes before planes, so that each combination has one kernel.
        swapped = kind[a] == PLANE or (kind[a] == BOX and kind[b] != BOX and kind[b] != PLANE)
        first, second = (b, a) if swapped else (a, b)
        count = ZERO
        if kind[second] == PLANE:
            if kind[first] == BOX:
                count = find_box_plane(size, x, rotation, first, second, manifold, features)
            elif kind[first] != PLANE:
                count = find_round_plane(size, x, rotation, first, second, manifold, features)
        elif kind[first] == BOX:
            count = find_box_box(
                size, x, rotation, first, second, limit, cosines, polygon, lines, manifold, features
            )  # fmt: skip
        elif kind[second] == BOX:
            count = find_round_box(size, x, rotation, first, second, cosines, manifold, features)
        else:
            count = find_round_round(size, x, rotation, first, second, manifold, features)
        total = write_contacts(
            a, b, swapped, limit, count, manifold, features, total,
            shape_out, feature_out, point_out, normal_out, gap_out,
        )  # fmt: skip
    return total


@njit
def write_contacts(
    a, b, swapped, limit, count, manifold, features, total,
    shape_out, feature_out, point_out, normal_out, gap_out,
):  # fmt: skip
    """Write the contacts of the pair (a, b) with gap <= limit while there is room; returns the new total.

    swapped: b took the part of the first shape in the manifold.
    """
    sign = -1.0 if swapped else 1.0
    for c in range(count):
        gap = manifold[c, 6]
        if gap > limit:
            continue
        if total < gap_out.size:
            shape_out[total, 0], shape_out[total, 1] = a, b
            feature_out[total] = features[c]
            gap_out[total] = gap
            for k in range(3):
                on_second = manifold[c, k]
                on_first = on_second + gap * manifold[c, 3 + k]
                normal_out[total, k] = sign * manifold[c, 3 + k]
                point_out[total, 0, k] = on_second if swapped else on_first
                point_out[total, 1, k] = on_first if swapped else on_second
        total += 1
    return total
