"""All contacts of primitives with primitives, in one call."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.broad_kernels import find_pairs
from supple_collide.contact_kernels import describe_contacts
from supple_collide.narrow_kernels import find_contacts
from supple_collide.pose_kernels import fill_rotations


@njit
def find_primitive_pairs(
    kind, size, friction, restitution, movable, group, ignored, surface_number, objects,
    x, q, reach,
    rotation, order, bounds, pairs, cosines, polygon, lines, manifold, features, shape, feature,
    surface_out, element_out, key_out, point_out, normal_out, gap_out, friction_out, restitution_out, weights_out,
):  # fmt: skip
    """Broad phase, narrow phase, and description: (pairs, contacts). Those beyond the capacities are not written.

    See `find_pairs` and `find_contacts`. The arrays from `rotation` to `feature` are scratch.
    """
    fill_rotations(q, rotation)
    for i in range(kind.size):  # a sort that starts anew: the result must not depend on steps before
        order[i] = i
    pair_count = find_pairs(
        kind, size, ignored, objects, x, rotation, reach, movable, group, order, bounds, pairs
    )  # fmt: skip
    found = find_contacts(
        kind, size, x, rotation, reach, pairs, min(pair_count, pairs.shape[0]),
        cosines, polygon, lines, manifold, features, shape, feature, point_out, normal_out, gap_out,
    )  # fmt: skip
    describe_contacts(
        friction, restitution, surface_number, objects, min(found, gap_out.size), shape, feature,
        surface_out, element_out, key_out, friction_out, restitution_out, weights_out,
    )  # fmt: skip
    return pair_count, found
